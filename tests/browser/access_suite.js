// Keys and webhooks, and the key that the dashboard itself uses.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible, screenshot, withPage } from './browser.js';

const REFUSED = ['401', '403'];

async function unlock(page, key) {
  await page.getByLabel('Master key, admin key or search key').fill(key);
  await page.getByRole('button', { name: 'Use this key' }).click();
}

export function accessSuite({ browser, server, locked, masterKey }) {
  const open = (name, hash, run) =>
    test(name, () => withPage(browser(), server().url, hash, run, { expected: ['401'] }));
  const closed = (name, hash, run, options) =>
    test(name, () => withPage(browser(), locked().url, hash, run, { expected: REFUSED, ...options }));

  open('says that there are no keys without a master key', '#/keys', async (page) => {
    await page.getByRole('heading', { name: 'No master key' }).waitFor();
    assert.equal(await page.locator('dialog').count(), 0);
  });

  closed(
    'asks for a key, refuses a wrong one and keeps the right one in memory only',
    '#/indexes',
    async (page) => {
      await unlock(page, 'wrong');
      await page.locator('dialog .problem').getByText('The provided API key is invalid.').waitFor();
      await accessible(page, 'key dialog');
      await unlock(page, masterKey);
      await page.getByRole('row', { name: /private/ }).waitFor();
      const kept = await page.evaluate(() =>
        JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]),
      );
      assert.ok(!kept.includes(masterKey), kept);
      await page.reload();
      await page.getByLabel('Master key, admin key or search key').waitFor();
    },
  );

  closed('makes, changes and deletes keys', '#/keys', async (page) => {
    await unlock(page, masterKey);
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('Shop front');
    await page.getByLabel('documents.get').check();
    await accessible(page, 'new key');
    await page.getByRole('button', { name: 'Create key' }).click();
    const entry = page.locator('.entry', { hasText: 'Shop front' });
    await entry.getByText('documents.get').waitFor();
    await entry.getByRole('button', { name: 'Show the key' }).click();
    assert.match(await entry.locator('.secret').textContent(), /^[0-9a-f]{64}$/);
    await accessible(page, 'keys');
    await screenshot(page, 'keys-light-wide');
    await entry.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Name').fill('Shop window');
    await page.getByRole('button', { name: 'Save' }).click();
    const renamed = page.locator('.entry', { hasText: 'Shop window' });
    await renamed.getByRole('button', { name: 'Delete' }).click();
    await page.locator('dialog').getByRole('button', { name: 'Delete key' }).click();
    await renamed.waitFor({ state: 'detached' });
  });

  closed('shows behind the question for a key that it is locked', '#/indexes', async (page) => {
    await page.getByRole('button', { name: 'Close' }).click();
    assert.equal(await page.locator('.problem').count(), 0);
    await page.getByRole('button', { name: 'Enter a key' }).click();
    await unlock(page, masterKey);
    await page.getByRole('row', { name: /private/ }).waitFor();
  });

  closed('begins with the search, with facets, for a key that may only search', '', async (page) => {
    const { results } = await locked().api('GET', '/keys?limit=100');
    await unlock(page, results.find((key) => key.actions.join() === 'search').key);
    await page.getByLabel('Index').fill('private');
    await page.getByLabel('Index').press('Enter');
    await page.locator('.hit').first().waitFor();
    await page.locator('.facet[data-facet="country"] .facet-value').first().waitFor();
  });

  open('makes, changes and deletes webhooks', '#/webhooks', async (page) => {
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByLabel('URL').fill('https://example.org/tasks');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.locator('dialog').getByLabel('Name').fill('Authorization');
    await page.getByLabel('Value of the header').fill('Bearer a-secret-token');
    await page.getByRole('button', { name: 'Save webhook' }).click();
    const entry = page.locator('.entry', { hasText: 'https://example.org/tasks' });
    await entry.getByText('Bearer a-XXXX...').waitFor();
    await accessible(page, 'webhooks');
    await screenshot(page, 'webhooks-light-wide');
    await entry.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('URL').fill('https://example.org/finished');
    await page.getByRole('button', { name: 'Save webhook' }).click();
    const changed = page.locator('.entry', { hasText: 'https://example.org/finished' });
    await changed.getByText('Bearer a-XXXX...').waitFor();
    await changed.getByRole('button', { name: 'Delete' }).click();
    await page.locator('dialog').getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
  });
}
