// The search view.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PHONE, WIDE, accessible, outside, withPage } from './browser.js';

const titles = (page) => page.locator('.hits .hit-open').allTextContents();
const total = async (page) =>
  Number((await page.locator('.summary strong').first().textContent()).split(' ')[0].replaceAll(',', ''));

/** Waits until the number of hits is another than `before`. */
async function changed(page, before) {
  await page.waitForFunction(
    (was) =>
      Number(document.querySelector('.summary strong')?.textContent.split(' ')[0].replaceAll(',', '')) !==
      was,
    before,
  );
  return total(page);
}

export function searchSuite({ browser, server }) {
  const at = (name, hash, run, options) =>
    test(name, () => withPage(browser(), server().url, hash, run, options));

  at('finds while typing and marks what matched', '#/search/films', async (page) => {
    await page.locator('.hit').first().waitFor();
    const all = await total(page);
    await page.locator('#q').pressSequentially('quiet harb', { delay: 5 });
    assert.ok((await changed(page, all)) < all);
    await page
      .locator('.hit mark', { hasText: /^Harb$/ })
      .first()
      .waitFor();
    assert.equal((await titles(page))[0], 'The Quiet Harbour');
    assert.match(await page.locator('.summary').textContent(), /ms in the engine, .+ ms in total/);
    assert.match(page.url(), /q=quiet\+harb/);
  });

  at('offers another spelling', '#/search/films?q=quiet%20harbuor', async (page) => {
    const offer = page.locator('.meant a');
    assert.equal(await offer.textContent(), 'quiet harbour');
    await offer.click();
    await offer.waitFor({ state: 'detached' });
    assert.equal(await page.locator('#q').inputValue(), 'quiet harbour');
    assert.equal((await titles(page))[0], 'The Quiet Harbour');
  });

  at('shows markup in a document as text', '#/search/films?q=hostile', async (page) => {
    assert.match(await page.locator('.hit').first().textContent(), /<img src=x onerror/);
    await page.locator('.hit-open').first().click();
    await page.locator('.doc-fields').waitFor();
    assert.equal(await page.locator('main img, dialog img, main script, dialog script').count(), 0);
    assert.equal(await page.evaluate(() => window.attacked), undefined);
  });

  at('filters by facets, several values and a range', '#/search/films', async (page) => {
    await page.locator('.facet').first().waitFor();
    const all = await total(page);
    await page.getByRole('checkbox', { name: /^Drama/ }).check();
    const drama = await changed(page, all);
    await page.getByRole('checkbox', { name: /^Comedy/ }).check();
    const both = await changed(page, drama);
    assert.ok(drama < both && both < all, `${drama} ${both} ${all}`);
    await page.getByLabel('year from', { exact: true }).fill('2000');
    await page.getByLabel('year from', { exact: true }).press('Enter');
    const late = await changed(page, both);
    assert.ok(late < both);
    assert.equal(await page.locator('.chips .chip').count(), 3);
    assert.ok(await page.locator('.facet[data-facet="rating"] .histogram').isVisible());
    await page.getByRole('button', { name: 'Remove filter genres Drama' }).click();
    await changed(page, late);
    await page.getByRole('button', { name: 'Clear all' }).click();
    await page.waitForFunction(() => !document.querySelector('.chips'));
    assert.equal(await total(page), all);
  });

  at('finds values of a facet', '#/search/films', async (page) => {
    await page.getByLabel('Find in country').fill('bra');
    await page.locator('.facet[data-facet="country"] .facet-value').first().waitFor();
    await page.waitForFunction(
      () => document.querySelectorAll('.facet[data-facet="country"] .facet-value').length === 1,
    );
    assert.match(await page.locator('.facet[data-facet="country"] .facet-value').textContent(), /Brazil/);
  });

  at('sorts and pages', '#/search/films', async (page) => {
    await page.getByLabel('Order').selectOption('year:desc');
    await page.waitForFunction(() => location.hash.includes('sort=year'));
    // The address changes before the answer is there.
    await page.waitForFunction(() => {
      const fields = [...document.querySelectorAll('.hit-field')];
      const ofYear = fields.filter((field) => /^\s*year/.test(field.textContent));
      const years = ofYear.map((field) => field.querySelector('dd').textContent);
      return years.length > 1 && years.join() === [...years].sort().reverse().join();
    });
    const first = (await titles(page))[0];
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.waitForFunction((was) => document.querySelector('.hit-open').textContent !== was, first);
    assert.equal(await page.locator('.hit-rank').first().textContent(), '21');
    await page.getByRole('button', { name: 'Page 1', exact: true }).click();
    await page.waitForFunction((was) => document.querySelector('.hit-open').textContent === was, first);
  });

  at('can be used without a mouse', '#/search/films?q=silver', async (page) => {
    await page.locator('.hit').first().waitFor();
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('/');
    await page.keyboard.press('ArrowDown');
    assert.ok(
      await page
        .locator('.hit-open')
        .first()
        .evaluate((element) => element === document.activeElement),
    );
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('dialog[open]').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('e');
    await page.locator('.explain').first().waitFor();
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    // They belong together only where one follows the other soon.
    await Promise.all([page.keyboard.press('g'), page.keyboard.press('t')]);
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
  });

  at('shows a document, its JSON and documents like it', '#/search/films?q=quiet+harbour', async (page) => {
    await page.locator('.hit-open').first().click();
    await page.locator('.doc-field', { hasText: 'overview' }).waitFor();
    await page.getByRole('button', { name: 'JSON' }).click();
    assert.equal(JSON.parse(await page.locator('pre.json').textContent()).title, 'The Quiet Harbour');
    await page.getByRole('button', { name: 'Similar' }).click();
    await page.locator('.similar li').first().waitFor();
  });

  at('explains the order', '#/search/films?q=silver+garden', async (page) => {
    await page.getByRole('button', { name: 'Explain' }).click();
    const first = page.locator('.explain').first();
    await first.waitFor();
    assert.match(await first.textContent(), /Above #2 because of \w+/);
    assert.equal(await first.locator('.rule.is-decisive').count(), 1);
    assert.ok((await first.locator('.rule-bar').count()) >= 6);
    await first.getByLabel('against').selectOption({ label: '#5' });
    await first
      .getByText(/Above #5/)
      .first()
      .waitFor();
  });

  at('shows where the time went', '#/search/films?q=river', async (page) => {
    await page.getByRole('button', { name: 'Timing' }).click();
    await page.locator('[aria-label="Steps of the search"] .bar').first().waitFor();
  });

  at('goes from words to meaning', '#/search/films?q=ocean+town', async (page) => {
    const slider = page.getByLabel('Weight of meaning against words');
    await slider.fill('1');
    await page.waitForFunction(() => document.querySelector('.summary').textContent.includes('by meaning'));
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.locator('.rule-name', { hasText: 'Meaning' }).first().waitFor();
  });

  at('shows places on a map and sorts by distance', '#/search/cities', async (page) => {
    await page.getByRole('button', { name: 'Map', exact: true }).click();
    await page.locator('.map-pin').first().waitFor();
    assert.equal(await page.locator('.map-pin').count(), 20);
    await page.waitForFunction(() => document.querySelectorAll('.map-crowd circle').length === 56);
    await page.getByLabel('Order').selectOption('distance');
    await page.getByLabel('From', { exact: true }).fill('52.5, 13.4');
    await page.getByLabel('From', { exact: true }).press('Enter');
    await page.waitForFunction(() => document.querySelector('.hit-open')?.textContent === 'Berlin');
    assert.match(await page.locator('.away').nth(1).textContent(), /km$/);
    for (let zooms = 0; zooms < 2; zooms += 1) await page.getByRole('button', { name: 'Zoom in' }).click();
    const before = await total(page);
    await page.getByRole('button', { name: 'Search this area' }).click();
    assert.ok((await changed(page, before)) < before);
    await page.locator('.map-pin').last().click();
    await page.locator('dialog[open]').waitFor();
  });

  at('says so when nothing is found', '#/search/films?q=zzzzzzzz', async (page) => {
    await page.getByRole('heading', { name: 'No results' }).waitFor();
    await page.getByText('No document matches these words.').waitFor();
  });

  at('marks a range from more to less', '#/search/films?r.year=1970..1900', async (page) => {
    await page.getByText('The lower bound 1970 is greater than the upper bound 1900').waitFor();
    assert.equal(await page.getByLabel('year from', { exact: true }).getAttribute('aria-invalid'), 'true');
    await accessible(page, 'wrong range');
    await page.getByLabel('year to', { exact: true }).fill('1980');
    await page.getByLabel('year to', { exact: true }).press('Enter');
    await page.locator('.hit').first().waitFor();
    assert.equal(await page.getByLabel('year from', { exact: true }).getAttribute('aria-invalid'), null);
  });

  at('offers meaning only where words become vectors', '#/search/posters?q=quiet&ratio=1', async (page) => {
    await page.locator('.hit').first().waitFor();
    assert.equal(await page.getByLabel('Weight of meaning against words').count(), 0);
  });

  at('says how an index gets filters', '#/search/posters', async (page) => {
    await page.getByRole('heading', { name: 'Search', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'filterableAttributes' }).waitFor();
    await accessible(page, 'index without filters');
  });

  at(
    'says that there is no such index, and nothing more',
    '#/search/nosuch',
    async (page) => {
      await page.locator('.problem').getByText('index_not_found').waitFor();
      assert.equal(await page.locator('.skeleton').count(), 0);
    },
    { expected: ['404'] },
  );

  for (const [size, viewport] of [
    ['wide', WIDE],
    ['phone', PHONE],
  ]) {
    at(
      `keeps every text inside its hit on a ${size} screen`,
      '#/search/posters?q=quiet&explain=1',
      async (page) => {
        await page.locator('.hit .explain').first().waitFor();
        assert.deepEqual(await outside(page, '.hit'), []);
        // Numbers inside of objects are not made to text.
        assert.match(await page.locator('.hit').first().textContent(), /"born":1957/);
      },
      { viewport },
    );
  }
}
