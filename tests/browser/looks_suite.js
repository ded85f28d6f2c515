// How every view looks and reads: light and dark, wide and on a phone. Pictures are left for
// people to look at; axe and the edge of the screen are checked.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PHONE, WIDE, accessible, fits, screenshot, withPage } from './browser.js';

/** Name, place, what must be there, and what is done before the look. */
const VIEWS = [
  ['search', '#/search/films?q=quiet+harb', '.hit'],
  ['facets', '#/search/films?f.genres=Drama', '.chip'],
  ['explain', '#/search/films?q=silver+garden&explain=1', '.explain'],
  ['map', '#/search/cities?map=1&sort=distance&origin=52.5,13.4', '.map-pin'],
  [
    'document',
    '#/search/films?q=quiet',
    '.hit',
    async (page) => {
      await page.locator('.hit-open').first().click();
      await page.locator('.doc-fields').waitFor();
    },
  ],
  ['indexes', '#/indexes', 'tbody tr'],
  ['index', '#/indexes/films', '.bar'],
  ['settings', '#/indexes/films/settings', '.setting'],
  [
    'tasks',
    '#/tasks',
    '.task',
    async (page) => page.locator('.task[data-status="failed"] .task-head').first().click(),
  ],
  [
    'import',
    '#/import',
    '.drop',
    async (page) => {
      await page.setInputFiles('input[type=file]', {
        name: 'a.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('id,title,price\n1,Tea,2.5\n2,Salt,\n'),
      });
      await page.locator('.import-plan').waitFor();
    },
  ],
];

export function looksSuite({ browser, server }) {
  for (const theme of ['light', 'dark']) {
    for (const [size, viewport] of [
      ['wide', WIDE],
      ['phone', PHONE],
    ]) {
      for (const [name, hash, sign, prepare] of VIEWS) {
        test(`${name} in ${theme} on a ${size} screen`, () =>
          withPage(
            browser(),
            server().url,
            hash,
            async (page) => {
              await page.locator(sign).first().waitFor();
              await prepare?.(page);
              await fits(page, name);
              await accessible(page, name);
              await screenshot(page, `${name}-${theme}-${size}`);
            },
            { viewport, theme },
          ));
      }
    }
  }

  test('the theme follows the system until somebody chooses', () =>
    withPage(
      browser(),
      server().url,
      '#/indexes',
      async (page) => {
        const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const dark = await ground();
        await page.getByRole('button', { name: 'Theme: system. Switch to light' }).click();
        await page.locator('html[data-theme="light"]').waitFor();
        assert.notEqual(await ground(), dark);
        await page.reload();
        await page.getByRole('button', { name: 'Theme: light. Switch to dark' }).click();
        await page.locator('html[data-theme="dark"]').waitFor();
        assert.equal(await ground(), dark);
      },
      { theme: 'dark' },
    ));
}
