// Import: what is said of a file before it is sent, and how it ends.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { accessible, withPage } from './browser.js';
import { csvOf, films } from './fixtures.js';

const file = (name, content) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(content),
});

export function importSuite({ browser, server }) {
  const at = (name, hash, run, options) =>
    test(name, () => withPage(browser(), server().url, hash, run, options));
  const choose = (page, ...files) => page.setInputFiles('input[type=file]', files);
  const importButton = (page) => page.getByRole('button', { name: /^Import \d+ file/ });

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

  at('unpacks gzip, for the preview and for the server', '#/import', async (page) => {
    await choose(page, file('packed.csv.gz', gzipSync(csvOf(40))));
    assert.match(await page.locator('.file-line').textContent(), /packed\.csvCSV.*40 documents/);
    assert.match(await page.getByRole('row', { name: /price/ }).textContent(), /number/);
    assert.equal(await page.getByLabel('Index', { exact: true }).inputValue(), 'packed');
    await importButton(page).click();
    await page.locator('.import-row.is-good').getByText('40 documents indexed').waitFor();
    assert.equal((await server().api('GET', '/indexes/packed/stats')).numberOfDocuments, 40);
  });

  at('says of a file that cannot be read why, and offers nothing', '#/import', async (page) => {
    for (const [bad, sentence] of [
      [file('a.csv.zst', [0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x01]), 'Browsers cannot unpack zstd'],
      [file('b.csv.gz', gzipSync(csvOf(40)).subarray(0, 90)), 'gzip file is damaged'],
      [file('c.png', [0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]), 'not text'],
      [file('note.txt', 'hello'), 'This file contains no documents'],
      [file('empty.json', '[]'), 'This file contains no documents'],
    ]) {
      await choose(page, bad);
      await page.locator('.problem').getByText(sentence).waitFor();
      assert.equal(await importButton(page).count(), 0, bad.name);
    }
    await accessible(page, 'refused file');
  });

  at('takes a file off the list, and sends the others', '#/import', async (page) => {
    await choose(page, file('one.json', '[{"id":1,"title":"a"}]'), file('note.txt', 'hello'));
    await page.getByRole('button', { name: 'Remove note.txt' }).click();
    await page.locator('.problem').waitFor({ state: 'detached' });
    await importButton(page).click();
    await page.locator('.import-row.is-good').getByText('1 document indexed').waitFor();
    await page.getByRole('button', { name: 'Remove one.json' }).click();
    await page.locator('.file-line').waitFor({ state: 'detached' });
    assert.equal(await page.evaluate(() => document.activeElement.type), 'file');
  });

  at('warns of documents without the key of their index', '#/import?index=films', async (page) => {
    await choose(page, file('small.ndjson', '{"sku":"a1","name":"X"}\n{"sku":"a2","name":"Y"}\n'));
    await page.getByText('Documents of small.ndjson have no id').waitFor();
    await importButton(page).click();
    const row = page.locator('.import-row.is-bad');
    await row.getByText('Failed, nothing indexed').waitFor();
    await row.getByRole('link', { name: /^Task \d+$/ }).waitFor();
    assert.equal(await row.locator('[role=progressbar]').count(), 0);
    assert.equal(await row.getByRole('link', { name: 'Choose filters' }).count(), 0);
    await accessible(page, 'failed import');
  });

  at('lets somebody choose the key where the server finds none', '#/import', async (page) => {
    await choose(page, file('orders.csv', 'user_id,order_id,item\n1,7,lamp\n1,8,chair\n'));
    const key = page.getByLabel('Primary key');
    assert.equal(await key.inputValue(), '');
    await importButton(page).click();
    assert.equal(await page.locator('.import-row').count(), 0);
    await key.selectOption('order_id');
    await importButton(page).click();
    await page.locator('.import-row.is-good').getByText('2 documents indexed').waitFor();
    assert.equal((await server().api('GET', '/indexes/orders')).primaryKey, 'order_id');
  });

  at('keeps the end when an older answer comes after it', '#/import', async (page) => {
    const row = page.locator('.import-row.is-good');
    await page.route(/\/tasks\/\d+$/, async (route) => {
      // Where the stream was not open in time, only this answer can tell of the end.
      const isOver = await row.waitFor({ timeout: 10_000 }).then(
        () => true,
        () => false,
      );
      const uid = Number(route.request().url().match(/\d+$/)[0]);
      await (isOver ? route.fulfill({ json: { uid, status: 'processing' } }) : route.continue());
    });
    await choose(page, file('late.json', '[{"id":1,"title":"a"}]'));
    const late = page.waitForResponse(/\/tasks\/\d+$/);
    await importButton(page).click();
    await (await late).finished();
    await row.waitFor();
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
    assert.match(await row.textContent(), /1 document indexed/);
  });

  at('finds what the server would refuse', '#/import', async (page) => {
    for (const [bad, sentence] of [
      [file('a.ndjson', '{"id":1}\n\n{"id":2,\n'), 'Line 3 is not a JSON object.'],
      [file('a.json', '[{"id":1},{"id":2'), 'not valid JSON'],
      [file('a.csv', 'id,title\n1,a\n2\n'), 'Record 2 has 1 value, but the header has 2.'],
    ]) {
      await choose(page, bad);
      await page.locator('.problem').getByText(sentence).waitFor();
    }
  });
}
