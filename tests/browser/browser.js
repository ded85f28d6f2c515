// Pages for the tests: every one of them fails on a console error or an exception, and can be
// looked over by axe.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { chromium } from 'playwright-core';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const WIDE = { width: 1280, height: 860 };
export const PHONE = { width: 390, height: 844 };

export function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
}

const KINDS = { '.css': 'text/css', '.html': 'text/html', '.js': 'text/javascript', '.svg': 'image/svg+xml' };

/** With FROM_DISK=1 the dashboard's files are those of the folder, so that a change needs no build. */
async function fromDisk(context, url) {
  const folder = new URL('../../crates/server/assets/', import.meta.url).pathname;
  const policy = (await fetch(url)).headers.get('content-security-policy');
  await context.route(`${url}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    const path =
      pathname === '/' ? 'dashboard/index.html' : pathname.replace('/docs/assets/', '/docs/').slice(1);
    const body =
      /^(dashboard|docs)\/.+\.\w+$/.test(path) && (await readFile(folder + path).catch(() => null));
    if (!body) return route.continue();
    const headers = { 'Content-Type': KINDS[extname(path)], 'Content-Security-Policy': policy };
    return route.fulfill({ body, headers });
  });
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
  // A machine with much to do is slow, and nothing here is about time.
  context.setDefaultTimeout(60_000);
  if (process.env.FROM_DISK) await fromDisk(context, url);
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

/** Texts that reach over the edge of the `cards` they stand in, unless they end in an ellipsis there. */
export function outside(page, cards) {
  return page.locator(cards).evaluateAll((found) => {
    const texts = [];
    for (const card of found) {
      const edge = card.getBoundingClientRect();
      const walker = document.createTreeWalker(card, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const box = document.createRange();
        box.selectNodeContents(walker.currentNode);
        let element = walker.currentNode.parentElement;
        while (element !== card && getComputedStyle(element).textOverflow !== 'ellipsis') {
          element = element.parentElement;
        }
        const { left, right, width } = (element === card ? box : element).getBoundingClientRect();
        if (width > 0 && (left < edge.left - 1 || right > edge.right + 1)) {
          texts.push(walker.currentNode.textContent);
        }
      }
    }
    return texts;
  });
}

export function screenshot(page, name) {
  return page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`) });
}
