// Two regions that share limits, and a home that is killed.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { go, launch, openTab } from './browser.mjs';
import { startRedis } from './redis.mjs';
import { startService } from './service.mjs';

const regions = [];
const servers = [];
let browser;
let tab;

before(async () => {
  browser = await launch();
  // The Redis of each region, and home.
  for (let i = 0; i < 3; i++) servers.push(await startRedis());
  for (const [i, name] of ['eu', 'us'].entries()) {
    regions.push(await startService('--region', name, '--store', servers[i].url, '--home', servers[2].url, '--region-lease', '2s'));
  }
});

after(async () => {
  await browser?.close();
  for (const region of regions) await region.close();
  for (const server of servers) await server.kill();
});

beforeEach(async () => {
  tab = await openTab(browser, regions[0].url);
});

afterEach(async () => {
  const { errors } = tab;
  await tab.close();
  assert.deepEqual(errors, []);
});

test('the page shows the share of each region, and a home that grants none', async () => {
  const { page } = tab;
  await page.getByRole('link', { name: 'Regions' }).click();
  await page.getByText('Home grants shares').waitFor({ timeout: 60_000 });
  const states = page.getByRole('table', { name: 'State of each region' });
  await states.getByText('eu (this instance)').waitFor();
  await states.getByText('us', { exact: true }).waitFor({ timeout: 30_000 });
  assert.match(await states.locator('tbody tr').first().textContent(), /ago/);

  // A share that is not used is returned, so both regions are checked until the page shows theirs.
  const matrix = page.getByRole('table', { name: /Permits that each region holds/ });
  let shown = '';
  for (let i = 0; i < 200 && !/\/s.*\/s/.test(shown); i++) {
    for (const region of regions) await region.check('user:42', 5);
    shown = (await matrix.count()) ? await matrix.locator('tbody tr').first().textContent() : '';
  }
  assert.match(shown, /\/s.*\/s/);

  await page.setViewportSize({ width: 360, height: 720 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));

  await servers[2].kill();
  await page.getByText('Home grants no shares').waitFor({ timeout: 60_000 });
  const denied = await regions[0].check('user:new');
  assert.equal(denied.body.source, 'region');
  await go(page, '#/');
});
