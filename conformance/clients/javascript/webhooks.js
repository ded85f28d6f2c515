// Webhooks: kept, changed, called, deleted.

import assert from 'node:assert/strict';
import { environment } from '../shared/suite.js';
import { rejected, succeeded } from './context.js';

export function webhooks(suite, client, context) {
  const url = `${environment.providerUrl}/hook/javascript`;
  const headers = { Authorization: 'Bearer a-secret-token', 'X-Case': 'one' };

  suite.test(
    ['Meilisearch.createWebhook', 'Meilisearch.getWebhook', 'Meilisearch.deleteWebhook'],
    async () => {
      const created = await client.createWebhook({ url, headers });
      assert.equal(created.url, url);
      assert.equal(created.isEditable, true);
      assert.deepEqual(created.headers, { Authorization: 'Bearer a-XXXX...', 'X-Case': 'one' });
      assert.deepEqual(await client.getWebhook(created.uuid), created);

      const task = await succeeded(client.createIndex(context.uid()));
      const call = await called(url, task.uid);
      assert.equal(call.authorization, 'Bearer a-secret-token');

      assert.equal(await client.deleteWebhook(created.uuid), undefined);
      await rejected(client.getWebhook(created.uuid), 'webhook_not_found');
    },
  );

  suite.test(['Meilisearch.getWebhooks', 'Meilisearch.updateWebhook'], async () => {
    const { uuid } = await client.createWebhook({ url, headers });
    const updated = await client.updateWebhook(uuid, {
      url: `${url}2`,
      headers: { 'X-Case': null, 'X-Other': 'two' },
    });
    assert.equal(updated.url, `${url}2`);
    assert.deepEqual(updated.headers, { Authorization: 'Bearer a-XXXX...', 'X-Other': 'two' });
    assert.deepEqual(await client.getWebhooks(), { results: [updated] });
    await client.deleteWebhook(uuid);
  });
}

/** The call that told of a task. It comes after the task is done. */
async function called(url, taskUid) {
  for (let attempt = 0; attempt < 2000; attempt += 1) {
    const calls = await (await fetch(url)).json();
    const found = calls.find((call) => call.tasks.some((task) => task.uid === taskUid));
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`the webhook was not told of task ${taskUid}`);
}
