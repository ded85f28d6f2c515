// Tasks and batches as they happen.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { screenshot, withPage } from './browser.js';

export function tasksSuite({ browser, server, provider }) {
  const at = (name, hash, run, options) =>
    test(name, () => withPage(browser(), server().url, hash, run, options));

  at('shows new tasks by themselves, and why one failed', '#/tasks', async (page) => {
    await page.locator('.live[data-live="true"]').waitFor();
    const task = await server().write('POST', '/indexes/films/documents', [{ title: 'no id' }]);
    const row = page.locator(`.task[data-uid="${task.uid}"][data-status="failed"]`);
    await row.waitFor();
    await row.locator('.task-head').click();
    await row.getByText('missing_document_id').waitFor();
    await page.getByLabel('Status').selectOption('succeeded');
    await page.waitForFunction(
      () =>
        document.querySelectorAll('.task').length > 0 &&
        !document.querySelector('.task[data-status="failed"]'),
    );
    assert.match(page.url(), /statuses=succeeded/);
  });

  at('keeps a task that came after the answer of a slow list', '#/tasks', async (page) => {
    await page.locator('.live[data-live="true"]').waitFor();
    let release;
    const released = new Promise((resolve) => (release = resolve));
    const answered = new Promise((resolve) =>
      page.route('**/tasks?*limit=50*', async (route) => {
        const response = await route.fetch();
        resolve();
        await released;
        await route.fulfill({ response });
      }),
    );
    await page.getByLabel('Type').selectOption('documentAdditionOrUpdate');
    await answered;
    const task = await server().write('POST', '/indexes/films/documents', [{ title: 'no id' }]);
    const row = page.locator(`.task[data-uid="${task.uid}"][data-status="failed"]`);
    await row.waitFor();
    release();
    await page.waitForFunction(() => document.querySelectorAll('.task').length > 1);
    assert.equal(await row.count(), 1);
  });

  at('shows progress, and cancels', '#/tasks', async (page) => {
    await page.locator('.live[data-live="true"]').waitFor();
    provider().hold();
    await server().write('PATCH', '/indexes/slow/settings', {
      embedders: { slow: provider().embedder('/hold') },
    });
    const documents = Array.from({ length: 40 }, (_, id) => ({ id, title: `slow ${id}`, overview: '' }));
    const { taskUid } = await server().api('POST', '/indexes/slow/documents', documents);
    const row = page.locator(`.task[data-uid="${taskUid}"]`);
    await page.locator(`.task[data-uid="${taskUid}"][data-status="processing"]`).waitFor();
    await row.locator('[role=progressbar]').waitFor();
    await page.locator('.activity[data-state="busy"]').waitFor();
    await screenshot(page, 'tasks-running');
    await row.locator('.task-head').click();
    await row.getByRole('button', { name: 'Cancel task' }).click();
    await page.locator(`.task[data-uid="${taskUid}"][data-status="canceled"]`).waitFor();
    provider().release();
    await page.locator('.activity[data-state="idle"]').waitFor();
  });

  at('shows batches and where their time went', '#/tasks?batches=1', async (page) => {
    const rows = page.locator('.task[data-status="succeeded"]');
    await rows.first().locator('.task-head').click();
    await page.locator('[aria-label="Where the time went"] .bar').first().waitFor();
  });
}
