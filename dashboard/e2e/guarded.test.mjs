// A service with tokens over a Redis, both of which also go away and come back.

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
  const { complaints } = tab;
  await tab.close();
  assert.deepEqual(complaints, []);
});

async function signIn(token) {
  const { page } = tab;
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('a token that is not known, or may too little, is told so', async () => {
  const { page } = tab;
  await signIn('guessed');
  await page.getByText('That token is not known here').waitFor();
  await signIn('ch3ck-of-the-test');
  await page.getByText('That token may only check').waitFor();
});

test('who may read sees everything and changes nothing', async () => {
  const { page } = tab;
  await signIn('r3ader-of-the-test');
  await page.getByText('read only').waitFor();
  await go(page, '#/rules/per-user');
  await page.getByText('Changing rules takes an admin token.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
  await go(page, '#/explain?subject=user:1');
  await says(page, /Not limited at the moment/);
  assert.equal(await page.getByRole('button', { name: 'Reset…' }).count(), 0);
});

test('the token stands in no address, is kept for the tab, and goes with signing out', async () => {
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

test('while the store is away the headline says so first, and when all is well again', async () => {
  const { page } = tab;
  await signIn('r3ader-of-the-test');
  await underTraffic(async () => {
    await says(page, /All is well: [\d.]+ checks a second/);
    await redis.kill();
    await says(page, /The store is away: policies decide|decided by policy, not by the store/);
    await page.locator('.figure').filter({ hasText: 'Store' }).getByText('away').waitFor();
    await redis.start();
    await page.locator('.headline .said').filter({ hasNotText: 'policy' }).filter({ hasNotText: 'policies' }).waitFor({ timeout: 30_000 });
    await page.locator('.figure').filter({ hasText: 'Store' }).getByText('up').waitFor();
  });
});

test('while the service is away the page says so, and goes on by itself when it is back', async () => {
  const { page } = tab;
  await signIn('adm1n-of-the-test');
  await page.getByText('live', { exact: true }).waitFor();
  await service.kill();
  await page.getByText('reconnecting…', { exact: true }).waitFor();
  await page.getByText(/Reconnecting; the figures are of/).waitFor();
  await service.start();
  await page.getByText('live', { exact: true }).waitFor();
  await underTraffic(() => page.locator('.chart').first().getByText(/Allowed [1-9]/).waitFor());
});
