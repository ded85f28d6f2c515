// Indexes, settings and import.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withPage } from './browser.js';
import { csvOf, films } from './fixtures.js';

const file = (name, text) => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) });

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
    await page.getByLabel('Add to stopWords').fill('upon');
    await page.getByLabel('Add to stopWords').press('Enter');
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
      await message('embedders').getByText('not JSON yet').waitFor();
      await page.locator('#setting-embedders textarea').fill('{ "x": { "source": "nowhere" } }');
      await page.getByRole('button', { name: 'Save changes' }).click();
      await message('embedders').getByText('Unknown value `nowhere`').waitFor();
    },
    { expected: ['400'] },
  );

  at('shows at the setting what only the task finds', '#/indexes/cities/settings', async (page) => {
    await page.locator('#setting-typoTolerance').getByLabel('One typo from this many letters').fill('200');
    await page.locator('#setting-typoTolerance').getByText('at least as long').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    const bad = { ...provider().embedder('/x'), dimensions: 3 };
    await page.locator('#setting-embedders textarea').fill(JSON.stringify({ bad }));
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.locator('#setting-embedders .wrong').waitFor();
  });

  at('imports a CSV file with types, after a preview', '#/import', async (page) => {
    await page.setInputFiles('input[type=file]', file('Lamps of 2031.csv', csvOf(2000)));
    const row = page.getByRole('row', { name: /price/ });
    await row.waitFor();
    assert.match(await row.textContent(), /number/);
    assert.match(await page.getByRole('row', { name: /sku_id/ }).textContent(), /primary key/);
    assert.match(await page.locator('.file-line').textContent(), /CSV.*2,000 documents.*comma/);
    assert.equal(await page.getByLabel('Index', { exact: true }).inputValue(), 'Lamps-of-2031');
    await page.getByLabel('Index', { exact: true }).fill('lamps');
    await page.getByRole('button', { name: 'Import 1 file' }).click();
    await page.locator('.import-row.is-good').getByText('2,000 documents indexed').waitFor();
    const {
      results: [lamp],
    } = await server().api('GET', '/indexes/lamps/documents?limit=1');
    assert.equal(typeof lamp.price, 'number');
    assert.equal(typeof lamp.in_stock, 'boolean');
    await page.getByRole('link', { name: 'Search lamps' }).click();
    await page.locator('.hit').first().waitFor();
  });

  at('takes files that are dropped', '#/import', async (page) => {
    const lines = films(30)
      .map((film) => JSON.stringify(film))
      .join('\n');
    const data = await page.evaluateHandle((text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], 'dropped.ndjson'));
      transfer.items.add(
        new File(['[{"id":1000,"title":"From a list"},{"id":1001,"title":"Another"}]'], 'list.json'),
      );
      return transfer;
    }, lines);
    await page.dispatchEvent('.drop', 'dragover', { dataTransfer: data });
    await page.dispatchEvent('.drop', 'drop', { dataTransfer: data });
    await page.getByText('NDJSON', { exact: true }).waitFor();
    assert.equal(await page.locator('.file-line').count(), 2);
    await page.getByRole('button', { name: 'Import 2 files' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.import-row.is-good').length === 2);
    assert.equal((await server().api('GET', '/indexes/dropped/stats')).numberOfDocuments, 32);
  });

  at(
    'shows why an import was refused',
    '#/import',
    async (page) => {
      await page.setInputFiles(
        'input[type=file]',
        file('broken.ndjson', '{"id":1,"title":"fine"}\n{"id":2,\n'),
      );
      await page.getByRole('button', { name: 'Import 1 file' }).click();
      await page.locator('.import-row.is-bad .problem').getByText('payload provided is malformed').waitFor();
      await page.setInputFiles('input[type=file]', file('nokey.json', '[{"title":"a"},{"title":"a"}]'));
      await page.getByText('nokey.json').first().waitFor();
      await page.getByRole('button', { name: 'Import 1 file' }).click();
      await page.locator('.import-row.is-bad .problem').getByText('primary key inference failed').waitFor();
    },
    { expected: ['400'] },
  );
}
