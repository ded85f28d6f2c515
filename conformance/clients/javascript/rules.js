// Search rules that pin documents.

import assert from 'node:assert/strict';
import { ids, rejected, succeeded } from './context.js';

const pinOwls = {
  description: 'Owls first',
  precedence: 1,
  active: true,
  conditions: { query: { words: 'harbour' } },
  actions: [{ selector: { indexUid: 'books', id: '3' }, action: { type: 'pin', position: 0 } }],
};

export function rules(suite, client, context) {
  suite.test(['Meilisearch.updateDynamicSearchRule', 'Meilisearch.getDynamicSearchRule'], async () => {
    await context.enable('dynamicSearchRules');
    const task = await succeeded(client.updateDynamicSearchRule('owls', pinOwls));
    assert.equal(task.type, 'dsrUpdate');
    const { uid, lastUpdatedAt, ...rest } = await client.getDynamicSearchRule('owls');
    assert.equal(uid, 'owls');
    assert.ok(!Number.isNaN(Date.parse(lastUpdatedAt)));
    assert.deepEqual(rest, pinOwls);
    assert.equal(ids((await context.books.search('harbour')).hits)[0], 3);
    await succeeded(client.updateDynamicSearchRule('owls', { active: false }));
    assert.ok(!ids((await context.books.search('harbour')).hits).includes(3));
  });

  suite.test('Meilisearch.getDynamicSearchRules', async () => {
    await succeeded(client.updateDynamicSearchRule('other', { description: 'Other' }));
    const all = await client.getDynamicSearchRules();
    assert.deepEqual([all.total, all.offset, all.limit], [2, 0, 20]);
    assert.deepEqual(
      all.results.map((rule) => rule.uid),
      ['other', 'owls'],
    );
    const active = await client.getDynamicSearchRules({ filter: { active: true }, limit: 5 });
    assert.deepEqual(
      active.results.map((rule) => rule.uid),
      ['other'],
    );
  });

  suite.test('Meilisearch.deleteDynamicSearchRule', async () => {
    await succeeded(client.deleteDynamicSearchRule('owls'));
    await rejected(client.getDynamicSearchRule('owls'), 'dynamic_search_rule_not_found');
  });

  suite.test('Meilisearch.deleteAllDynamicSearchRules', async () => {
    const task = await succeeded(client.deleteAllDynamicSearchRules());
    assert.equal(task.type, 'dsrClear');
    assert.equal((await client.getDynamicSearchRules()).total, 0);
  });
}
