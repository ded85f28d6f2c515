// Ways between the views: what is kept, what is asked, and where the focus goes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PHONE, withPage } from './browser.js';

const focused = (page) => page.evaluate(() => document.activeElement.className || document.activeElement.id);
const chord = (page, key) => Promise.all([page.keyboard.press('g'), page.keyboard.press(key)]);

export function waysSuite({ browser, server }) {
  const at = (name, hash, run, options) =>
    test(name, () => withPage(browser(), server().url, hash, run, options));

  for (const viewport of [undefined, PHONE]) {
    at(
      `leads to the documentation and back${viewport ? ' on a phone' : ''}`,
      '#/indexes',
      async (page) => {
        const opened = page.context().waitForEvent('page');
        await page.getByRole('link', { name: 'Documentation' }).click();
        const docs = await opened;
        await docs.getByRole('heading', { level: 1 }).waitFor();
        await docs.getByRole('banner').getByRole('link', { name: 'Open dashboard' }).click();
        await docs.locator('#main').waitFor();
      },
      viewport && { viewport },
    );
  }

  at('comes back to the search that was left', '#/search/films?q=quiet&f.country=Japan', async (page) => {
    await page.locator('.chip').first().waitFor();
    await page.evaluate(() => document.activeElement.blur());
    await chord(page, 'i');
    await page.getByRole('heading', { name: 'Indexes', level: 1 }).waitFor();
    assert.equal(await focused(page), 'main');
    await chord(page, 's');
    await page.locator('.chip').first().waitFor();
    assert.match(page.url(), /films\?q=quiet&f\.country=Japan/);
    assert.equal(await page.locator('#q').inputValue(), 'quiet');
  });

  at('goes on at the top of the next page', '#/search/films', async (page) => {
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.waitForFunction(() => document.querySelector('.hit-rank')?.textContent === '21');
    assert.equal(await focused(page), 'hits-place');
    await page.keyboard.press('Tab');
    assert.equal(await focused(page), 'hit-open');
  });

  at('asks before settings that are not saved are lost', '#/indexes/films/settings', async (page) => {
    await page.getByLabel('Add to stopWords: Words').fill('upon');
    await page.getByLabel('Add to stopWords: Words').press('Enter');
    const leave = () => page.getByRole('link', { name: 'Indexes', exact: true }).first().click();
    await leave();
    await page.getByRole('button', { name: 'Stay' }).click();
    assert.match(page.url(), /films\/settings$/);
    await page.locator('#setting-stopWords .tag', { hasText: 'upon' }).waitFor();
    await leave();
    await page.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.getByRole('heading', { name: 'Indexes', level: 1 }).waitFor();
    await page.goBack();
    await page.locator('#setting-stopWords').waitFor();
    assert.equal(await page.locator('#setting-stopWords .tag').count(), 0);
    await leave();
    await page.getByRole('heading', { name: 'Indexes', level: 1 }).waitFor();
  });
}
