// Saved searches, and what a change of settings does to them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PHONE, WIDE, accessible, fits, withPage } from './browser.js';

const DOCUMENTS = [
  { id: 1, title: 'Lamp', about: 'A harbour at night.' },
  { id: 2, title: 'Harbour', about: 'Ships and cranes.' },
  { id: 3, title: 'Harbour harbour', about: 'Twice.' },
  { id: 4, title: 'Window', about: 'Nothing to see.' },
];

export function savedSuite({ browser, server }) {
  const at = (name, hash, run, options) =>
    test(name, () => withPage(browser(), server().url, hash, run, options));
  const save = (page) => page.getByRole('button', { name: 'Save search' });
  const listed = (page) => page.locator('.saved-item a');

  test('an index of its own', async () => {
    await server().write('POST', '/indexes/quays/documents', DOCUMENTS);
    await server().write('PATCH', '/indexes/quays/settings', {
      searchableAttributes: ['title', 'about'],
      filterableAttributes: ['title'],
    });
  });

  at('saves a search, finds it again and removes it', '#/search/quays?q=harbour', async (page) => {
    await page.locator('.hit').first().waitFor();
    assert.equal(await listed(page).count(), 0);
    await save(page).click();
    await page.getByRole('button', { name: 'Saved', exact: true }).waitFor();
    await page.locator('#q').fill('window');
    await save(page).click();
    // Only this page knows them: neither words nor addresses are sent anywhere.
    await page.reload();
    await page.locator('.saved-fold summary').click();
    assert.deepEqual(await listed(page).allTextContents(), ['“harbour”', '“window”']);
    await accessible(page, 'saved searches');
    await listed(page).first().click();
    await page.waitForFunction(() => document.querySelector('#q')?.value === 'harbour');
    await page.locator('.saved-fold summary').click();
    await page.getByRole('button', { name: 'Remove saved search “window”' }).click();
    assert.deepEqual(await listed(page).allTextContents(), ['“harbour”']);
    await page.getByRole('button', { name: 'Saved', exact: true }).click();
    await page.waitForFunction(() => !document.querySelector('.saved-fold'));
  });

  at('keeps at most twenty searches and ignores what it did not store', '#/search/quays', async (page) => {
    await page.evaluate(() => {
      const searches = Array.from({ length: 20 }, (_, number) => `q=${number}`);
      localStorage.setItem('sonde-searches', JSON.stringify({ '/ quays': searches, '/ films': 7 }));
    });
    await page.reload();
    await page.locator('.hit').first().waitFor();
    assert.equal(await listed(page).count(), 20);
    await save(page).click();
    await page.locator('.toast', { hasText: 'Remove one first' }).waitFor();
    assert.equal(await listed(page).count(), 20);
    await page.evaluate(() => localStorage.setItem('sonde-searches', 'not JSON'));
    await page.reload();
    await page.locator('.hit').first().waitFor();
    assert.equal(await listed(page).count(), 0);
  });

  for (const [name, viewport] of [
    ['wide', WIDE],
    ['on a phone', PHONE],
  ]) {
    at(
      `shows before and after of a change of settings, and takes it back (${name})`,
      '#/search/quays?q=harbour',
      async (page) => {
        const settings = () => server().api('GET', '/indexes/quays/settings');
        await page.locator('.hit').first().waitFor();
        await save(page).click();
        await page.goto(`${server().url}/#/search/quays?q=window`);
        await page.waitForFunction(() => document.querySelector('#q')?.value === 'window');
        await page.locator('.hit').first().waitFor();
        await save(page).click();
        await page.goto(`${server().url}/#/indexes/quays/settings`);
        await page.getByLabel('Remove title', { exact: false }).first().click();
        await page.locator('.save-bar', { hasText: '2 saved searches' }).waitFor();
        await page.getByRole('button', { name: 'Save changes' }).click();
        const card = page.locator('.effect');
        await card.waitFor();
        assert.deepEqual((await settings()).searchableAttributes, ['about']);
        const list = (place) => card.locator('.effect-list').nth(place).locator('li');
        assert.deepEqual(await list(0).allTextContents(), ['Harbourgone', 'Harbour harbourgone', 'Lamp']);
        assert.deepEqual(await list(1).allTextContents(), ['Lampup 2']);
        assert.match(await card.locator('summary').first().textContent(), /“harbour”2 gone, 1 moved/);
        assert.match(await card.textContent(), /Of 2 saved searches, 2 differ/);
        assert.ok(await card.locator('h2').evaluate((title) => title === document.activeElement));
        await accessible(page, 'before and after');
        await fits(page, 'before and after');
        await page.getByRole('button', { name: 'Undo this change' }).click();
        await card.waitFor({ state: 'detached' });
        assert.deepEqual((await settings()).searchableAttributes, ['title', 'about']);
      },
      { viewport },
    );
  }

  at(
    'shows what the server refuses after a change',
    '#/search/quays',
    async (page) => {
      await page.evaluate(() =>
        localStorage.setItem(
          'sonde-searches',
          JSON.stringify({ '/ quays': ['q=harbour&f.title=Harbour', 'q=window'] }),
        ),
      );
      await page.goto(`${server().url}/#/indexes/quays/settings`);
      await page
        .locator('#setting-filterableAttributes')
        .getByRole('button', { name: /^Reset/ })
        .click();
      await page.getByRole('button', { name: 'Save changes' }).click();
      const card = page.locator('.effect');
      await card.locator('summary', { hasText: 'refused' }).waitFor();
      await card.locator('.problem', { hasText: 'not filterable' }).waitFor();
      assert.match(await card.locator('summary').nth(1).textContent(), /“window”unchanged/);
      await card.getByRole('button', { name: 'Close' }).click();
      assert.equal(await page.locator('.effect').count(), 0);
    },
    { expected: ['400'] },
  );
}
