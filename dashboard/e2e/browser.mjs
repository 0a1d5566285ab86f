// A real browser. Every error it reports fails the test.

import { chromium } from 'playwright-core';

// Chromium takes the last list only, so these include the ones of Playwright that matter here. The others are pages that
// Chromium opens for the address bar of each window, which is not shown: as much work as the tested page.
const WITHOUT = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
];
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${WITHOUT.join()}`,
  // No renderer in reserve.
  '--renderer-process-limit=1',
];

export const WIDE = { width: 1280, height: 800 };
export const NARROW = { width: 390, height: 844 };

export function launch() {
  return chromium.launch({ executablePath: process.env.HEADGATE_CHROMIUM, args: FLAGS });
}

/**
 * Opens a tab. `errors` collects errors of the page, violations of the content security policy, and requests to other
 * servers than the service.
 */
export async function openTab(browser, url, { viewport = WIDE, colorScheme = 'light' } = {}) {
  const context = await browser.newContext({ viewport, colorScheme });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    // A refused connection and a rejected token are part of the test.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) errors.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(url)) errors.push(`unexpected request to ${request.url()}`);
  });
  await page.goto(url);
  return { page, errors, close: () => context.close() };
}

export const go = (page, hash) =>
  page.evaluate((to) => {
    window.location.hash = to;
  }, hash);

/** Waits until the summary of a page contains the text. Screen readers get it from another element. */
export const says = (page, text, options) => page.locator('p.said').filter({ hasText: text }).waitFor(options);

/** Replaces the text of the editor. */
export const write = async (page, label, text) => {
  await page.getByLabel(label, { exact: true }).fill(text);
};
