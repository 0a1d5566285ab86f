// Three members of a cluster, one of which is killed.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { go, launch, openTab } from './browser.mjs';
import { freePort, startService } from './service.mjs';

const members = [];
let browser;
let tab;

before(async () => {
  browser = await launch();
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  const join = ports.map((port) => `127.0.0.1:${port}`).join(',');
  // One after the other, so that whatever has begun is ended also if the next one fails.
  for (const port of ports) {
    members.push(await startService('--store', 'cluster', '--cluster-port', String(port), '--join', join));
  }
});

after(async () => {
  await browser?.close();
  for (const member of members) await member.close();
});

beforeEach(async () => {
  tab = await openTab(browser, members[0].url);
});

afterEach(async () => {
  const { errors } = tab;
  await tab.close();
  assert.deepEqual(errors, []);
});

test('the page lists the members, and the one that was killed', async () => {
  const { page } = tab;
  await page.getByRole('link', { name: 'Cluster' }).click();
  await page.getByText('3 of 3 members: every partition has an owner and a copy').waitFor({ timeout: 120_000 });
  const rows = page.getByRole('region', { name: 'Members' }).locator('tbody tr');
  assert.equal(await rows.count(), 3);
  assert.equal(await rows.getByText('this member', { exact: true }).count(), 1);
  const owned = await rows.locator('[data-name=Owns]').allTextContents();
  assert.equal(owned.reduce((sum, n) => sum + Number(n), 0), 257);

  await members[2].kill();
  // It is shown for a minute; copies are made again meanwhile.
  await rows.getByText(/unreachable since/).waitFor({ timeout: 120_000 });
  await page.getByText(/^2 of 3 members/).waitFor();
  assert.equal(await rows.count(), 3);
  const answer = await members[1].check('user:after');
  assert.equal(answer.body.source, 'store');
});

test('the page fits a narrow screen', async () => {
  const { page } = tab;
  await page.setViewportSize({ width: 360, height: 720 });
  await go(page, '#/cluster');
  await page.getByText('this member', { exact: true }).waitFor({ timeout: 30_000 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
});
