// A guarded service with a Redis, with outages of both.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { go, launch, openTab, says } from './browser.mjs';
import { startRedis } from './redis.mjs';
import { startService } from './service.mjs';

let redis;
let service;
let browser;
let tab;

before(async () => {
  // One after the other, so that whatever has begun is ended also if the next one fails.
  browser = await launch();
  redis = await startRedis();
  service = await startService('--store', redis.url, '--admin-token', 'adm1n-of-the-test', '--read-token', 'r3ader-of-the-test', '--check-token', 'ch3ck-of-the-test');
});

after(async () => {
  await browser?.close();
  await service?.close();
  await redis?.kill();
});

beforeEach(async () => {
  tab = await openTab(browser, service.url);
});

afterEach(async () => {
  const { errors } = tab;
  await tab.close();
  assert.deepEqual(errors, []);
});

async function signIn(token) {
  const { page } = tab;
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('an unknown or insufficient token is reported', async () => {
  const { page } = tab;
  await signIn('guessed');
  await page.getByText('Unknown token').waitFor();
  await signIn('ch3ck-of-the-test');
  await page.getByText('This token may only send checks').waitFor();
});

test('a read token shows everything and changes nothing', async () => {
  const { page } = tab;
  await signIn('r3ader-of-the-test');
  await page.getByText('read only').waitFor();
  await go(page, '#/rules/per-user/edit');
  await page.getByText('Changing rules requires an admin token.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
  await go(page, '#/explain?subject=user:1');
  await says(page, /Not limited at the moment/);
  assert.equal(await page.getByRole('button', { name: 'Reset…' }).count(), 0);
});

test('the token appears in no URL, lasts for the tab, and is removed on signing out', async () => {
  const { page } = tab;
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  await signIn('adm1n-of-the-test');
  await page.getByText('live', { exact: true }).waitFor();
  await page.reload();
  await page.getByText('live', { exact: true }).waitFor();
  assert.deepEqual(asked.filter((url) => url.includes('adm1n')), []);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Token').waitFor();
  await page.reload();
  await page.getByLabel('Token').waitFor();
});

/** Keeps asking until what is given has come about. */
async function underTraffic(until) {
  const traffic = setInterval(() => void service.check('user:1', 1, { Authorization: 'Bearer ch3ck-of-the-test' }).catch(() => {}), 40);
  try {
    await until();
  } finally {
    clearInterval(traffic);
  }
}

test('an outage of the store is the headline until it ends', async () => {
  const { page } = tab;
  await signIn('r3ader-of-the-test');
  await underTraffic(async () => {
    await says(page, /All systems normal: [\d.]+ checks per second/);
    await redis.kill();
    await says(page, /The store is unavailable: failure policies decide|decided by failure policy, not by the store/);
    await page.locator('.figure').filter({ hasText: 'Store' }).getByText('down').waitFor();
    await page.getByText(/Redis is unavailable since/).waitFor();
    await page.getByRole('link', { name: 'Callers' }).first().click();
    await page.getByText(/Redis is unavailable since/).waitFor();
    await page.getByText(/requests? (was|were) decided so/).waitFor();
    await page.getByRole('link', { name: 'Overview' }).first().click();
    await redis.start();
    await page.locator('.headline .said').filter({ hasNotText: 'policy' }).filter({ hasNotText: 'policies' }).waitFor({ timeout: 30_000 });
    await page.locator('.figure').filter({ hasText: 'Store' }).getByText('up').waitFor();
    await page.getByText(/Redis is unavailable since/).waitFor({ state: 'detached' });
  });
});

test('an outage of the service is reported, and the page reconnects by itself', async () => {
  const { page } = tab;
  await signIn('adm1n-of-the-test');
  await page.getByText('live', { exact: true }).waitFor();
  await service.kill();
  await page.getByText('reconnecting…', { exact: true }).waitFor();
  await page.getByText(/Reconnecting; the statistics are from/).waitFor();
  await service.start();
  await page.getByText('live', { exact: true }).waitFor();
  await underTraffic(() => page.locator('.chart').first().getByText(/Allowed [1-9]/).waitFor());
});
