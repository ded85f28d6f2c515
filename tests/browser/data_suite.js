// Indexes and their settings.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withPage } from './browser.js';

export function dataSuite({ browser, server, provider }) {
  const at = (name, hash, run, options) =>
    test(name, () => withPage(browser(), server().url, hash, run, options));

  at('lists indexes and makes a new one', '#/indexes', async (page) => {
    await page.getByRole('row', { name: /films/ }).waitFor();
    assert.match(await page.getByRole('row', { name: /films/ }).textContent(), /241/);
    await page.getByRole('button', { name: 'New index' }).click();
    await page.getByLabel('Name').fill('made-by-hand');
    await page.getByLabel('Primary key').fill('sku');
    await page.getByRole('button', { name: 'Create index' }).click();
    await page.getByRole('row', { name: /made-by-hand/ }).waitFor();
  });

  at(
    'shows figures and fields of an index, and deletes it when its name is typed',
    '#/indexes/made-by-hand',
    async (page) => {
      await page.goto(`${server().url}/#/indexes/films`);
      await page.locator('[aria-label="How many documents have each field"] .bar').first().waitFor();
      assert.equal(await page.locator('[aria-label="How many documents have each field"] .bar').count(), 8);
      await page.getByRole('row', { name: /genres/ }).waitFor();
      await page.goto(`${server().url}/#/indexes/made-by-hand`);
      await page.getByRole('button', { name: 'Delete index' }).click();
      const sure = page.locator('dialog').getByRole('button', { name: 'Delete index' });
      assert.ok(await sure.isDisabled());
      await page.getByLabel(/Type .* to go on/).fill('made-by-hand');
      await sure.click();
      await page.getByRole('heading', { name: 'Indexes', level: 1 }).waitFor();
      await page.waitForFunction(
        () => !document.querySelector('tbody')?.textContent.includes('made-by-hand'),
      );
    },
  );

  at('saves settings', '#/indexes/cities/settings', async (page) => {
    await page.getByLabel('Add to stopWords: Words').fill('upon');
    await page.getByLabel('Add to stopWords: Words').press('Enter');
    await page.locator('#setting-pagination input').fill('500');
    await page.getByRole('button', { name: 'Move words down' }).click();
    assert.match(await page.locator('.save-bar').textContent(), /3 settings changed/);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.locator('.toast', { hasText: 'Settings saved.' }).waitFor();
    const settings = await server().api('GET', '/indexes/cities/settings');
    assert.deepEqual(
      [settings.stopWords, settings.pagination.maxTotalHits, settings.rankingRules[1]],
      [['upon'], 500, 'words'],
    );
  });

  at(
    'says at the setting what is wrong with it',
    '#/indexes/cities/settings',
    async (page) => {
      const message = (name) => page.locator(`#setting-${name} .setting-message`);
      await page.getByLabel('Add to rankingRules').fill('loudness');
      await page.getByLabel('Add to rankingRules').press('Enter');
      await message('rankingRules').getByText('is no ranking rule').waitFor();
      assert.ok(await page.getByRole('button', { name: 'Save changes' }).isDisabled());
      await page.getByRole('button', { name: 'Discard' }).click();
      await page.locator('#setting-embedders textarea').fill('{ "x": ');
      await message('embedders').getByText('Invalid JSON').waitFor();
      await page.locator('#setting-embedders textarea').fill('{ "x": { "source": "nowhere" } }');
      await page.getByRole('button', { name: 'Save changes' }).click();
      await message('embedders').getByText('Unknown value `nowhere`').waitFor();
    },
    { expected: ['400'] },
  );

  at('shows at the setting what only the task finds', '#/indexes/cities/settings', async (page) => {
    await page.locator('#setting-typoTolerance').getByLabel('Word length for one typo').fill('200');
    await page.locator('#setting-typoTolerance').getByText('at least as long').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    const bad = { ...provider().embedder('/x'), dimensions: 3 };
    await page.locator('#setting-embedders textarea').fill(JSON.stringify({ bad }));
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.locator('#setting-embedders .wrong').waitFor();
  });

  at(
    'finds the setting among several that only the task refuses',
    '#/indexes/cities/settings',
    async (page) => {
      await page.getByLabel('Add to separatorTokens').fill('#');
      await page.getByLabel('Add to separatorTokens').press('Enter');
      const { url } = provider().embedder('/x');
      const wrong = { source: 'ollama', model: 'nomic-embed-text', url: url.replace('/x', '/api/embed') };
      await page.locator('#setting-embedders textarea').fill(JSON.stringify({ wrong }));
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.locator('#setting-embedders .wrong').waitFor();
      assert.equal(await page.locator('.settings > div > .problem').count(), 0);
    },
  );

  at('leads from the number of problems to the first', '#/indexes/cities/settings', async (page) => {
    await page.locator('#setting-embedders textarea').fill('{ "x": ');
    await page.getByRole('button', { name: '1 problem', exact: true }).click();
    assert.ok(
      await page.locator('#setting-embedders textarea').evaluate((box) => box === document.activeElement),
    );
  });

  at('shows what is wrong with the name of a new index', '#/indexes', async (page) => {
    await page.getByRole('button', { name: 'New index' }).click();
    await page.getByLabel('Name').fill('bad name!');
    await page.getByRole('button', { name: 'Create index' }).click();
    await page.locator('dialog .problem').getByText('letters, digits').waitFor();
  });

  at('draws all bars of a list on tracks of one length', '#/indexes/films', async (page) => {
    await page.locator('.bar-track').first().waitFor();
    const widths = await page
      .locator('.bars')
      .first()
      .locator('.bar-track')
      .evaluateAll((tracks) => tracks.map((track) => Math.round(track.getBoundingClientRect().width)));
    assert.equal(new Set(widths).size, 1, widths.join());
  });
}
