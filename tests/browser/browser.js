// Pages for the tests: every one of them fails on a console error or an exception, and can be
// looked over by axe.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const WIDE = { width: 1280, height: 860 };
export const PHONE = { width: 390, height: 844 };

export function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
}

/** Runs `test` with a page at `hash`; `expected` names console errors that belong to the test. */
export async function withPage(
  browser,
  url,
  hash,
  test,
  { viewport = WIDE, theme = 'light', expected = [] } = {},
) {
  const context = await browser.newContext({ viewport, colorScheme: theme, reducedMotion: 'reduce' });
  context.setDefaultTimeout(8000);
  const page = await context.newPage();
  const complaints = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !expected.some((text) => message.text().includes(text)))
      complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  const elsewhere = [];
  page.on('request', (request) => request.url().startsWith(url) || elsewhere.push(request.url()));
  try {
    await page.goto(`${url}/${hash}`);
    await test(page);
    assert.deepEqual(complaints, [], 'console');
    assert.deepEqual(elsewhere, [], 'requests to elsewhere');
  } finally {
    await context.close();
  }
}

/** No fault that keeps people out. */
export async function accessible(page, what) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  const list = serious.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .slice(0, 3)
        .map((node) => `${node.html} ${node.any[0]?.message ?? ''}`)
        .join(' | ')}`,
  );
  assert.deepEqual(list, [], `accessibility of ${what}`);
}

/** Nothing reaches over the edge of the screen. */
export async function fits(page, what) {
  const [inner, content] = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth]);
  assert.ok(content <= inner, `${what} is ${content} wide on a screen of ${inner}`);
}

export function screenshot(page, name) {
  return page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`) });
}
