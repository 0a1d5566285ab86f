// Two instances that share a Redis: what one shows of what only the other has seen.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { go, launch, openTab } from './browser.mjs';
import { startRedis } from './redis.mjs';
import { startService } from './service.mjs';

let redis;
let here;
let elsewhere;
let browser;
let tab;

before(async () => {
  // One after the other, so that whatever has begun is ended also if the next one fails.
  browser = await launch();
  redis = await startRedis();
  here = await startService('--store', redis.url);
  elsewhere = await startService('--store', redis.url);
});

after(async () => {
  await browser?.close();
  await here?.close();
  await elsewhere?.close();
  await redis?.kill();
});

beforeEach(async () => {
  tab = await openTab(browser, here.url);
});

afterEach(async () => {
  const { errors } = tab;
  await tab.close();
  assert.deepEqual(errors, []);
});

test('the overview labels its statistics as local', async () => {
  const { page } = tab;
  await page.getByText(/cover this instance, one of 2/).waitFor({ timeout: 30_000 });
});

test('a caller known to another instance only is shown without a timeline and can be reset', async () => {
  const { page } = tab;
  await elsewhere.check('user:abroad', 5);
  await go(page, '#/callers/user%3Aabroad');
  // Lists are left for the others every five seconds.
  await page.getByText("No timeline on this instance").waitFor({ timeout: 30_000 });
  await page.locator('.figure').filter({ hasText: 'Allowed' }).getByText('5', { exact: true }).waitFor();
  await page.getByText(/of 200 left/).waitFor();
  await page.getByRole('button', { name: 'Reset…' }).first().click();
  await page.getByRole('button', { name: 'Reset the counter' }).click();
  await page.getByText('The counter of per-user was reset').waitFor();
});
