// A service without tokens: every page, with real traffic.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { go, launch, NARROW, openTab, says, write } from './browser.mjs';
import { startService } from './service.mjs';

let service;
let browser;
let tab;

before(async () => {
  // One after the other, so that whatever has begun is ended also if the next one fails.
  browser = await launch();
  service = await startService();
});

after(async () => {
  await browser?.close();
  await service?.close();
});

beforeEach(async () => {
  tab = await openTab(browser, service.url);
});

afterEach(async () => {
  const { errors } = tab;
  await tab.close();
  assert.deepEqual(errors, []);
});

const EDITOR = 'YAML or JSON';

test('the overview counts checks second by second', async () => {
  const { page } = tab;
  await page.getByText('live', { exact: true }).waitFor();
  const traffic = setInterval(() => void service.check('user:1', 5), 100);
  try {
    await says(page, /All systems normal: [\d.]+ checks per second/);
    await page.getByRole('table').getByRole('link', { name: 'per-user' }).waitFor();
    assert.match(await page.locator('.chart').first().innerText(), /Allowed [\d.]+/);
    assert.equal(await page.locator('.chart canvas').count(), 2);
  } finally {
    clearInterval(traffic);
  }
});

test('an invalid rule is corrected, validated, saved and enforced', async () => {
  const { page } = tab;
  await service.check('visitor:1', 2);
  await go(page, '#/new-rule');
  await write(page, EDITOR, 'id: visitors\nmatch: { key: "visitor:*" }\nlimit: { algorithm: token-buket, rate: 3/1h }\n');
  await page.getByText(/'token-buket' is not known; did you mean token-bucket\?/).waitFor();
  assert.equal(await page.locator('.gutter .bad').innerText(), '3');
  assert.equal(await page.getByRole('button', { name: 'Create rule' }).isEnabled(), false);

  await write(page, EDITOR, 'id: visitors\nmatch: { key: "visitor:*" }\nlimit: { algorithm: token-bucket, rate: 3/1h }\n');
  await page.getByText('Valid, checked against revision 1.').waitFor();
  await page.getByText('key=visitor:1').waitFor();
  assert.equal((await service.check('visitor:2', 5)).status, 200, 'a dry run enforces nothing');

  await page.getByLabel('Reason').fill('too many visitors');
  await page.getByLabel('Author').fill('Ada');
  await page.getByRole('button', { name: 'Create rule' }).click();
  await page.getByText('Saved: revision 2 is in force').waitFor();
  assert.equal((await service.check('visitor:3', 3)).status, 200);
  assert.equal((await service.check('visitor:3')).status, 429);
});

test('rules are searchable', async () => {
  const { page } = tab;
  await go(page, '#/rules');
  await page.getByRole('link', { name: 'per-user' }).waitFor();
  await page.getByLabel('Search rules').fill('visit');
  await page.getByText('1 rule found').waitFor();
  assert.equal(await page.locator('table.rules tbody tr').count(), 1);
  await page.getByLabel('Search rules').fill('no such rule');
  await page.getByText('No rule has “no such rule” in its id or description').waitFor();
});

test('a concurrent change of a rule is reported and nothing is lost', async () => {
  const { page } = tab;
  await go(page, '#/rules/visitors/edit');
  await page.getByLabel(EDITOR).waitFor();
  const mine = 'id: visitors\nmatch: { key: "visitor:*" }\nlimit: { algorithm: token-bucket, rate: 5/1h }\n';
  const theirs = { id: 'visitors', match: { key: 'visitor:*' }, limit: { algorithm: 'token-bucket', rate: '4/1h' } };
  await page.getByText('No changes yet.').waitFor();
  await write(page, EDITOR, mine);
  await page.getByText('Valid, checked against revision 2.').waitFor();
  await service.ask('/v1/rules/visitors', { method: 'PUT', body: theirs, headers: { 'X-Headgate-Author': 'Grace', 'X-Headgate-Message': 'four' } });
  await page.getByText('This rule was changed by another user').waitFor();
  await page.getByText(/Grace saved revision 3/).waitFor();
  await page.getByRole('button', { name: 'Keep my changes and compare' }).click();
  await page.getByText('Valid, checked against revision 3.').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved: revision 4 is in force').waitFor();
  assert.equal((await service.ask('/v1/rules/visitors')).body.limit.rate, '5/1h');
});

test('an unsaved draft is offered after navigation and after a reload', async () => {
  const { page } = tab;
  const mine = 'id: per-user\nmatch: { key: "user:*" }\nlimit: { algorithm: token-bucket, rate: 77/1m }\n';
  const asked = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await go(page, '#/rules/per-user/edit');
  await page.getByText('No changes yet.').waitFor();
  const before = await page.getByLabel(EDITOR).inputValue();
  await write(page, EDITOR, mine);
  await page.getByText(/^Valid, checked against/).waitFor();
  await page.getByRole('link', { name: 'Simulate…' }).click();
  await page.waitForURL(/what-if/);
  await page.goBack();
  await page.getByRole('button', { name: 'Restore them' }).click();
  await page.getByText(/^Valid, checked against/).waitFor();
  assert.equal(await page.getByLabel(EDITOR).inputValue(), mine);
  assert.deepEqual(asked, []);
  await page.reload();
  assert.deepEqual(asked, ['beforeunload'], 'the browser asks before it lets the page go');
  await page.getByRole('button', { name: 'Discard them' }).click();
  assert.equal(await page.getByLabel(EDITOR).inputValue(), before);
  await page.reload();
  await page.getByText('No changes yet.').waitFor();
  assert.equal(await page.getByText(/You have unsaved changes/).count(), 0);
  assert.equal((await service.ask('/v1/rules/per-user')).body.limit.rate, '100/1m');
});

test('the history shows author, reason and changes, and restores a revision', async () => {
  const { page } = tab;
  await go(page, '#/history');
  await page.getByText('too many visitors').waitFor();
  await page.getByText(/^Ada · /).waitFor();
  const second = page.locator('.history li').filter({ hasText: 'too many visitors' });
  await second.getByRole('button', { name: /show what changed/ }).click();
  await second.getByText('new rule').waitFor();
  await page.locator('.history li').last().getByRole('button', { name: 'Restore…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('rule removed').waitFor();
  await dialog.getByRole('button', { name: 'Restore revision 1' }).click();
  await page.getByText('Revision 5 is in force').waitFor();
  assert.equal((await service.ask('/v1/rules/visitors')).status, 404);
});

test('a rule is deleted only after a preview', async () => {
  const { page } = tab;
  await go(page, '#/rules/reports');
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('dialog').getByText('rule removed').waitFor();
  await page.keyboard.press('Escape');
  assert.equal((await service.ask('/v1/rules/reports')).status, 200);
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete rule' }).click();
  await page.waitForURL(/#\/rules$/);
  assert.equal((await service.ask('/v1/rules/reports')).status, 404);
});

test('a limited caller is explained and can be reset', async () => {
  const { page } = tab;
  const subject = { path: '/login', ip: '10.9.9.9' };
  assert.equal((await service.check(subject, 6)).status, 429);
  await go(page, '#/explain');
  await page.getByLabel('Caller').fill('path=/login ip=10.9.9.9');
  await page.getByRole('button', { name: 'Explain' }).click();
  await says(page, /Limited by login: 0 of 5 left/);
  await page.locator('.standing').filter({ hasText: 'login' }).last().getByRole('button', { name: 'Reset…' }).click();
  await page.getByRole('button', { name: 'Reset the counter' }).click();
  await says(page, /Not limited at the moment/);
  assert.equal((await service.check(subject)).status, 200);
});

test('reservations are shown as held, used and free, and configured in the form', async () => {
  const { page } = tab;
  const limits = [
    { name: 'requests', algorithm: 'fixed-window', rate: '100/1h' },
    { name: 'tokens', algorithm: 'fixed-window', rate: '10000/1h', cost: 'tokens' },
  ];
  await service.ask('/v1/rules/model-tokens', { method: 'PUT', body: { id: 'model-tokens', match: { team: '*' }, limits, reservation: { ttl: '5m' } } });
  await go(page, '#/rules/model-tokens');
  await page.getByText('No reservation is open').waitFor();
  const post = (path, body) => service.ask(path, { method: 'POST', body });
  await post('/v1/usage', { subject: { team: 'red' }, costs: { tokens: 1000 } });
  const made = await post('/v1/reservations', { subject: { team: 'red' }, costs: { tokens: 6000 } });
  const row = page.getByRole('row').filter({ hasText: 'tokens' }).filter({ hasText: '6,000' });
  await row.waitFor();
  assert.deepEqual((await row.getByRole('cell').allInnerTexts()).slice(-5), ['tokens', '1', '6,000', '1,000', '3,000']);
  await go(page, '#/explain?subject=team%3Dred');
  await page.getByText('tokens: 1 open reservation, 6,000 held, 1,000 used, 3,000 free').waitFor();
  await post(`/v1/reservations/${made.body.id}/settle`, { actual: { tokens: 500 } });
  await page.getByText('tokens: 1 open reservation').waitFor({ state: 'detached' });
  await page.getByText('8,500 of 10,000 left').waitFor();

  await go(page, '#/rules/model-tokens/edit');
  await page.getByLabel('Largest part of the reservation').fill('50%');
  await page.getByText(/^Valid, checked against revision/).waitFor();
  await page.getByLabel('Reason').fill('smaller reservations');
  await page.getByLabel('Author').fill('Ada');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/^Saved: revision/).waitFor();
  const granted = await post('/v1/reservations', { subject: { team: 'blue' }, costs: { tokens: 6000 } });
  assert.equal(granted.body.reserved.tokens, 5000);
});

test('the most denied callers come first, each with its own page', async () => {
  const { page } = tab;
  await service.ask('/v1/check/batch', { method: 'POST', body: { checks: Array(260).fill({ key: 'user:loud' }) } });
  await service.check('user:soft', 3);
  await go(page, '#/callers');
  const first = page.locator('tbody tr').first();
  await first.getByRole('link', { name: 'user:loud' }).waitFor();
  await page.getByRole('button', { name: 'Allowed' }).click();
  await page.locator('th[aria-sort=descending]').filter({ hasText: 'Allowed' }).waitFor();
  await page.getByLabel('Search callers').fill('soft');
  await page.getByRole('link', { name: 'user:soft' }).waitFor();
  await page.getByLabel('Search callers').fill('loud');
  await page.getByRole('link', { name: 'user:loud' }).click();
  await page.getByText(/Denied about \d+ times in the last ten minutes, by per-user/).waitFor();
  await page.getByText(/of 200 left/).waitFor();
  await page.locator('.chart canvas').waitFor();
});

test('the playground shows that a fixed window admits twice the limit at a boundary', async () => {
  const { page } = tab;
  await go(page, '#/playground');
  await page.getByText(/The limit is 100 in 10 s: fixed window lets 1\d\d pass|fixed window lets 200 pass/).waitFor();
  await page.locator('.multiple').filter({ hasText: 'Fixed window' }).getByText(/× the limit/).waitFor();
  await page.locator('.multiple').filter({ hasText: 'Rolling window' }).getByText(/within the limit/).waitFor();
  await page.getByText('Drawn', { exact: true }).click();
  const canvas = page.getByRole('slider', { name: 'Requests in each second' });
  const before = await page.locator('.multiple.offered').innerText();
  await canvas.focus();
  for (let i = 0; i < 3; i++) await page.keyboard.press('PageUp');
  await page.waitForFunction((old) => document.querySelector('.multiple.offered')?.innerText !== old, before);
  await page.waitForURL(/traffic=drawn/);
});

test('simulation: a lower limit lists the affected callers', async () => {
  const { page } = tab;
  await service.check('user:steady', 40);
  await go(page, '#/what-if?rule=per-user');
  await page.getByLabel('The proposed rule').waitFor();
  await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('per-user'));
  await write(page, 'The proposed rule', 'id: per-user\nmatch: { key: "user:*" }\nlimit: { algorithm: token-bucket, rate: 10/1h }\n');
  await page.getByRole('button', { name: 'Replay' }).click();
  await page.getByText(/would change from allowed to denied/).waitFor();
  await page.getByRole('link', { name: 'user:steady' }).waitFor();
  await write(page, 'The proposed rule', 'id: per-user\nlimit: { algorithm: token-buket }\n');
  await page.getByRole('button', { name: 'Replay' }).click();
  await page.getByText(/did you mean token-bucket/).first().waitFor();
});

test('simulation: an access log is replayed and unreadable lines are shown', async () => {
  const { page } = tab;
  const at = (second) => `16/Nov/2026:10:00:${String(second).padStart(2, '0')} +0000`;
  const lines = Array.from({ length: 30 }, (_, i) => `10.1.1.1 - - [${at(i)}] "GET /login HTTP/1.1" 200 12`);
  await go(page, '#/what-if?rule=login');
  await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('login'));
  await page.getByText('An access log').click();
  await page.getByLabel('Log', { exact: true }).setInputFiles({ name: 'access.log', mimeType: 'text/plain', buffer: Buffer.from([...lines, 'no line of a log'].join('\n')) });
  await write(page, 'The proposed rule', 'id: login\nmatch: { path: /login, ip: "*" }\nlimit: { algorithm: rolling-window, rate: 10/5m }\n');
  await page.getByRole('button', { name: 'Replay' }).click();
  await page.getByText('Of 30 requests, 5 would change from denied to allowed (17 %).').waitFor();
  await page.getByText('1 line could not be read').waitFor();
});

test('a rule is made with the form, and can not be saved as the template', async () => {
  const { page } = tab;
  await go(page, '#/new-rule');
  await page.getByText('This is a template.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Create rule' }).isEnabled(), false);
  await page.getByLabel('Id', { exact: true }).fill('searches');
  await page.getByLabel('Attribute of the rule').fill('path');
  await page.getByLabel('Values of path of the rule').fill('/search');
  await page.getByLabel('Requests of the rule', { exact: true }).fill('3');
  await page.getByLabel('Unit of the rule').selectOption('h');
  await page.getByLabel('At once, at most of the rule', { exact: true }).fill('');
  await page.getByText('3 per hour, up to 3 at once').waitFor();
  assert.match(await page.getByLabel(EDITOR).inputValue(), /match: \{ path: \/search \}\nlimit: \{ algorithm: token-bucket, rate: 3\/1h \}\nmode: shadow/);
  await page.getByText(/^Valid, checked against/).waitFor();
  await page.getByRole('button', { name: 'Create rule' }).click();
  await page.getByText(/^Saved: revision/).waitFor();
  assert.equal((await service.check({ path: '/search' }, 4)).status, 200, 'a shadow rule denies nothing');
  await page.getByText('Enforce', { exact: true }).click();
  await page.getByText(/^Valid, checked against/).waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('No changes yet.').waitFor();
  assert.equal((await service.check({ path: '/search' })).status, 429);
});

test('the editor completes names and values by keyboard', async () => {
  const { page } = tab;
  await go(page, '#/new-rule');
  const area = page.getByLabel(EDITOR);
  await area.fill('id: typed\n');
  await area.press('Control+End');
  await page.keyboard.type('mo');
  await page.getByRole('option', { name: /^mode/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.type('s');
  await page.getByRole('option', { name: /^shadow/ }).waitFor();
  await page.keyboard.press('Tab');
  assert.equal(await area.inputValue(), 'id: typed\nmode: shadow');
});

test('a caller is blocked from its page, and unblocked', async () => {
  const { page } = tab;
  assert.equal((await service.check('user:bad')).status, 200);
  await go(page, '#/callers/user%3Abad');
  await page.getByRole('button', { name: 'Block…', exact: true }).click();
  await page.getByLabel('Reason').fill('scrapes the catalogue');
  await page.getByRole('button', { name: 'Block', exact: true }).click();
  await page.getByText(/^Blocked until /).waitFor();
  const denied = await service.check('user:bad');
  assert.equal(denied.status, 403);
  assert.match(denied.body.rule, /^block-[0-9a-f]{8}$/);
  assert.equal((await service.check('user:good')).status, 200);
  await says(page, /Denied by block-/);
  await page.getByRole('button', { name: 'Unblock…' }).click();
  await page.getByRole('button', { name: 'Unblock', exact: true }).click();
  await page.getByRole('button', { name: 'Block…', exact: true }).waitFor();
  assert.equal((await service.check('user:bad')).status, 200);
});

test('the limit of one caller is raised from its page, and an override is prepared', async () => {
  const { page } = tab;
  await service.check('user:vip');
  await go(page, '#/callers/user%3Avip');
  await page.getByRole('button', { name: 'Raise to…' }).click();
  await page.getByLabel('Requests of this caller', { exact: true }).fill('700');
  await page.getByRole('button', { name: 'Review…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText(/^override 1$/).waitFor();
  const [override] = (await service.ask('/v1/rules/per-user')).body.overrides;
  assert.deepEqual(override.match, { key: 'user:vip' });
  assert.equal(override.limit.rate, '700/1m');
  await go(page, '#/callers/user%3Aanother');
  await page.getByRole('link', { name: 'Add override for this caller' }).first().click();
  await page.getByRole('heading', { name: 'Override 1' }).waitFor();
  assert.match(await page.getByLabel(EDITOR).inputValue(), /overrides:\n {2}- (?:\{ )?match: \{ key: "user:another" \}/);
});

test('the list is filtered, and the page of a rule shows what it denied', async () => {
  const { page } = tab;
  await service.check({ path: '/login', ip: '10.9.9.9' }, 7);
  await go(page, '#/rules');
  await page.getByText('Denying now', { exact: false }).click();
  await page.getByRole('link', { name: 'login' }).waitFor();
  await page.waitForFunction(() => ![...document.querySelectorAll('tbody th a')].some((link) => link.textContent === 'jobs'));
  await page.getByRole('link', { name: 'login' }).click();
  await page.getByRole('heading', { name: 'What it denied' }).waitFor();
  await page.getByRole('link', { name: 'ip=10.9.9.9' }).first().waitFor();
  await page.getByText('1 h', { exact: true }).click();
  await page.locator('.chart canvas').waitFor();
  await page.locator('.history').getByText(/^created by /).waitFor();
  await go(page, '#/rules');
  await page.getByLabel('Sort').selectOption('id');
  await page.waitForFunction(() => {
    const ids = [...document.querySelectorAll('tbody th a')].map((link) => link.textContent);
    return ids.length > 3 && ids.join() === [...ids].sort().join();
  });
});

test('every page fits on a phone, has a dark theme and accessible names', async () => {
  await tab.close();
  tab = await openTab(browser, service.url, { viewport: NARROW, colorScheme: 'dark' });
  const { page } = tab;
  for (const hash of ['#/', '#/rules', '#/rules/per-user', '#/rules/per-user/edit', '#/new-rule', '#/callers/user%3Aphone', '#/history', '#/callers', '#/explain', '#/playground', '#/what-if']) {
    await go(page, hash);
    await page.locator('h1').first().waitFor({ state: 'attached' });
    await page.waitForFunction(() => !document.querySelector('.loading'));
    const found = await page.evaluate(() => ({
      beyond: document.documentElement.scrollWidth - window.innerWidth,
      theme: document.documentElement.dataset.theme,
      headings: document.querySelectorAll('h1').length,
      nameless: [...document.querySelectorAll('button, input, select, textarea, a')]
        .filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.length))
        .map((e) => e.outerHTML),
    }));
    assert.deepEqual(found, { beyond: 0, theme: 'dark', headings: 1, nameless: [] }, hash);
  }
});

test('on a phone callers are sorted by a list, and hidden elements take no focus', async () => {
  await tab.close();
  tab = await openTab(browser, service.url, { viewport: NARROW });
  const { page } = tab;
  await service.check('user:phone', 3);
  await go(page, '#/callers');
  await page.locator('tbody tr').first().waitFor();
  assert.equal(await page.locator('thead button:visible').count(), 0);
  await page.getByLabel('Sort').selectOption('rate');
  await page.getByRole('link', { name: 'user:phone' }).waitFor();
});

test('every page works by keyboard, and the theme is remembered', async () => {
  const { page } = tab;
  await page.getByText('live', { exact: true }).waitFor();
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the content');
  await page.getByRole('button', { name: 'Use the dark theme' }).press('Enter');
  await page.reload();
  await page.getByRole('button', { name: 'Use the light theme' }).waitFor();
  await page.getByRole('link', { name: 'Rules', exact: true }).press('Enter');
  await page.getByRole('heading', { name: 'Rules' }).waitFor();
});
