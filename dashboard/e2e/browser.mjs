// A real browser, whose every complaint fails the test.

import { chromium } from 'playwright-core';

const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export const WIDE = { width: 1280, height: 800 };
export const NARROW = { width: 390, height: 844 };

export function launch() {
  return chromium.launch({ executablePath: process.env.HEADGATE_CHROMIUM, args: FLAGS });
}

/**
 * A tab of its own. `complaints` has what the page threw, what the content security policy forbade and what it asked of
 * others than the service.
 */
export async function openTab(browser, url, { viewport = WIDE, colorScheme = 'light' } = {}) {
  const context = await browser.newContext({ viewport, colorScheme });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // A refused connection and a refused token are part of the play.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(url)) complaints.push(`asks ${request.url()}`);
  });
  await page.goto(url);
  return { page, complaints, close: () => context.close() };
}

export const go = (page, hash) =>
  page.evaluate((to) => {
    window.location.hash = to;
  }, hash);

/** The sentence that a page begins with, once it says what is given. Those who listen are told by another element. */
export const says = (page, text, options) => page.locator('p.said').filter({ hasText: text }).waitFor(options);

/** Writes a text in place of the editor's. */
export const write = async (page, label, text) => {
  await page.getByLabel(label, { exact: true }).fill(text);
};
