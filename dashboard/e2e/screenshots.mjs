// Makes the pictures. Started by dashboard/screenshots.

import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { go, launch, NARROW, openTab, WIDE, write } from './browser.mjs';
import { startService } from './service.mjs';

const IMAGES = join(dirname(fileURLToPath(import.meta.url)), '../../docs/images');
/** A list need not be shown to its end. */
const TALLEST = 1500;
const WARM_UP_MS = Number(process.env.HEADGATE_WARM_UP_MS ?? 75_000);

const RULE = `id: per-user
description: All signed-in users
match: { key: "user:*" }
limit: { algorithm: token-bucket, rate: 60/1m, burst: 40 }
`;

const PAGES = {
  overview: { hash: '#/', ready: 'text=/All systems normal|Many denials|as many checks/' },
  rules: { hash: '#/rules', ready: 'table.rules' },
  rule: { hash: '#/rules/per-user', ready: '.history li' },
  edit: {
    hash: '#/rules/per-user/edit',
    ready: 'textarea',
    async act(page) {
      await page.getByText('No changes yet.').waitFor();
      await write(page, 'YAML or JSON', RULE);
      await page.getByText('Of a sample of').waitFor();
    },
  },
  mistake: {
    hash: '#/new-rule',
    ready: 'textarea',
    async act(page) {
      await write(page, 'YAML or JSON', RULE.replace('per-user', 'visitors').replace('token-bucket', 'token-buket'));
      await page.locator('.flaws').waitFor();
    },
  },
  history: {
    hash: '#/history',
    ready: '.revision',
    async act(page) {
      await page.getByRole('button', { name: /show what changed/ }).first().click();
      await page.locator('.diff').waitFor();
    },
  },
  callers: { hash: '#/callers', ready: 'tbody tr' },
  caller: { hash: '#/callers/user%3A1', ready: '.standing' },
  explain: { hash: '#/explain?subject=path%3D%2Flogin%20ip%3D10.0.0.1', ready: '.standing' },
  playground: { hash: '#/playground', ready: '.multiple' },
  drawn: { hash: '#/playground?traffic=drawn', ready: '.multiple' },
  'what-if': {
    hash: '#/what-if?rule=per-user',
    ready: 'textarea',
    async act(page) {
      await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('per-user'));
      await write(page, 'The proposed rule', RULE);
      await page.getByRole('button', { name: 'Replay' }).click();
      await page.getByText('Callers with the largest change').waitFor();
    },
  },
};

/** Typical callers: a few frequent ones, many occasional ones, and one that guesses passwords. */
function traffic(service) {
  let n = 0;
  return setInterval(() => {
    for (let i = 0; i < 8; i++) {
      n++;
      const who = Math.floor(80 * Math.random() ** 2.2);
      const subject = n % 29 === 0 ? { path: '/login', ip: `10.0.0.${n % 3}` } : n % 6 === 0 ? { ip: `10.0.1.${who}`, path: '/search' } : { key: `user:${who}` };
      void service.ask('/v1/check', { method: 'POST', body: { subject } }).catch(() => {});
    }
  }, 60);
}

const service = await startService();
const browser = await launch();
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in PAGES));
const busy = traffic(service);
try {
  if (unknown.length > 0) throw new Error(`there is no page ${unknown.join(', ')}; there are ${Object.keys(PAGES).join(', ')}`);
  mkdirSync(IMAGES, { recursive: true });
  const trial = { id: 'search', description: 'in shadow mode until its denials are known', mode: 'shadow', match: { path: '/search*' }, limit: { algorithm: 'token-bucket', rate: '10/1s' } };
  await service.ask('/v1/rules/search', { method: 'PUT', body: trial, headers: { 'X-Headgate-Author': 'Ada', 'X-Headgate-Message': 'try%20a%20limit%20on%20searches' } });
  console.log(`traffic for ${WARM_UP_MS / 1000} s, so that there is something to see`);
  await new Promise((resolve) => setTimeout(resolve, WARM_UP_MS));
  for (const colorScheme of ['light', 'dark']) {
    for (const [size, viewport] of Object.entries({ wide: WIDE, narrow: NARROW })) {
      const { page, close } = await openTab(browser, service.url, { viewport, colorScheme });
      for (const [name, { hash, ready, act }] of Object.entries(PAGES)) {
        if (wanted.length > 0 && !wanted.includes(name)) continue;
        await go(page, hash);
        await page.locator(ready).first().waitFor();
        await act?.(page);
        await page.waitForTimeout(1200); // charts take a second to fill
        const height = await page.evaluate(() => document.documentElement.scrollHeight);
        await page.screenshot({
          path: join(IMAGES, `dashboard-${name}-${colorScheme}-${size}.png`),
          fullPage: true,
          clip: { x: 0, y: 0, width: viewport.width, height: Math.min(height, TALLEST) },
        });
      }
      await close();
    }
  }
} finally {
  clearInterval(busy);
  await browser.close();
  await service.close();
}
