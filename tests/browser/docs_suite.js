// The documentation as people read it: every page opens, fits and can be used without a mouse.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PHONE, WIDE, accessible, fits, screenshot, withPage } from './browser.js';

/** The pages of the navigation, as addresses without the first slash. */
async function pages(url) {
  const text = await fetch(`${url}/docs`).then((answer) => answer.text());
  const links = [...text.matchAll(/<li><a href="\/(docs[^"]*)"/g)].map((match) => match[1]);
  assert.ok(links.length > 30, links.join());
  return links;
}

export function docsSuite({ browser, server, locked }) {
  const open = (name, path, run, options) =>
    test(name, () => withPage(browser(), server().url, path, run, options));

  for (const [size, viewport, theme] of [
    ['wide', WIDE, 'light'],
    ['phone', PHONE, 'dark'],
  ]) {
    open(
      `every page opens and fits in ${theme} on a ${size} screen`,
      'docs',
      async (page) => {
        for (const path of await pages(server().url)) {
          await page.goto(`${server().url}/${path}`);
          await page.getByRole('heading', { level: 1 }).waitFor();
          if (path === 'docs/api') await page.locator('.route').first().waitFor();
          await fits(page, path);
          // The same pages; to look over all of them twice takes long.
          if (theme === 'light') await accessible(page, path);
        }
      },
      { viewport, theme },
    );
    for (const path of [
      'docs',
      'docs/relevance',
      'docs/errors#index_not_found',
      'docs/api#post_multi_search',
    ]) {
      const name = path.replace(/[/#]/g, '-');
      open(
        `${path} looks as it should in ${theme} on a ${size} screen`,
        path,
        async (page) => {
          await page.getByRole('heading', { level: 1 }).waitFor();
          if (path.startsWith('docs/api')) await page.locator('.route[open]').waitFor();
          await accessible(page, path);
          await screenshot(page, `${name}-${theme}-${size}`);
        },
        { viewport, theme },
      );
    }
  }

  open('goes from page to page by keyboard', 'docs', async (page) => {
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the text');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'text');
    await page.getByRole('link', { name: 'Quick start', exact: true }).first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Quick start', exact: true }).waitFor();
    const current = page.locator('nav [aria-current=page]');
    assert.equal(await current.textContent(), 'Quick start');
  });

  open('finds sections while somebody types', 'docs/settings', async (page) => {
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('.search').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('pinned documents');
    const first = page.locator('#found a').first();
    await first.getByText('Search: Pinned documents').waitFor();
    await accessible(page, 'search of the pages');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/search#pinned-documents');
    await page.getByRole('heading', { name: 'Pinned documents', exact: true }).waitFor();
    await page.getByLabel('Search the pages').fill('zzzzqqq');
    await page.getByText('No results.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('No results.').waitFor({ state: 'hidden' });
  });

  open('shows every route that there is', 'docs/api', async (page) => {
    await page.locator('.route').first().waitFor();
    const shown = await page.locator('.route').count();
    const { paths } = await server().api('GET', '/openapi.json');
    const told = Object.values(paths).flatMap(Object.keys).length;
    assert.equal(shown, told);
    const route = page.locator('#post_indexes_uid_search');
    const sign = () =>
      route.locator('summary').evaluate((summary) => getComputedStyle(summary, '::before').content);
    const closed = await sign();
    await route.locator('summary').focus();
    await page.keyboard.press('Enter');
    await route.getByText('rankingScoreThreshold', { exact: true }).waitFor();
    assert.notEqual(await sign(), closed);
    await route.getByRole('link', { name: 'index_not_found', exact: true }).click();
    await page.waitForURL('**/docs/errors#index_not_found');
  });

  open(
    'on a phone the list of pages opens when it is wanted',
    'docs/filters',
    async (page) => {
      const link = page.getByRole('link', { name: 'Tuning and sizing', exact: true });
      await page.getByText('Pages', { exact: true }).click();
      await link.click();
      await page.getByRole('heading', { level: 1, name: 'Tuning and sizing', exact: true }).waitFor();
    },
    { viewport: PHONE },
  );

  test('needs no key', () =>
    withPage(browser(), locked().url, 'docs/api', async (page) => {
      await page.locator('.route').first().waitFor();
    }));
}
