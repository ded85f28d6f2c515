// API keys and tenant tokens.

import assert from 'node:assert/strict';
import { Meilisearch } from 'meilisearch';
import { generateTenantToken } from 'meilisearch/token';
import { environment } from '../shared/suite.js';
import { ids, rejected } from './context.js';

const as = (apiKey) => new Meilisearch({ host: environment.url, apiKey });

export function access(suite, client, context) {
  const expiresAt = new Date(Date.now() + 3_600_000);

  suite.test('Meilisearch.createKey', async () => {
    const key = await client.createKey({
      uid: '01020304-0506-4708-890a-0b0c0d0e0f10',
      name: 'Readers',
      description: 'For a case',
      actions: ['search', 'documents.get'],
      indexes: ['books'],
      expiresAt,
    });
    assert.equal(key.uid, '01020304-0506-4708-890a-0b0c0d0e0f10');
    assert.match(key.key, /^[0-9a-f]{64}$/);
    assert.equal(new Date(key.expiresAt).getTime(), expiresAt.getTime());
    const reader = as(key.key);
    assert.equal((await reader.index('books').search('owls')).hits.length, 1);
    await rejected(reader.createIndex('forbidden'), 'invalid_api_key');
    await rejected(reader.index('made-1').search(''), 'invalid_api_key');
  });

  suite.test('Meilisearch.getKeys', async () => {
    const keys = await client.getKeys({ limit: 100 });
    assert.ok(keys.total >= 3);
    assert.ok(keys.results.every((key) => key.createdAt instanceof Date));
    assert.ok(keys.results.some((key) => key.actions.includes('*')));
    assert.equal((await client.getKeys({ limit: 1 })).results.length, 1);
  });

  suite.test('Meilisearch.getKey', async () => {
    const key = await client.createKey({ actions: ['search'], indexes: ['*'], expiresAt: null });
    assert.deepEqual(await client.getKey(key.uid), key);
    assert.deepEqual(await client.getKey(key.key), key);
  });

  suite.test('Meilisearch.updateKey', async () => {
    const key = await client.createKey({ actions: ['search'], indexes: ['*'], expiresAt: null });
    const updated = await client.updateKey(key.uid, { name: 'Renamed', description: 'Other' });
    assert.deepEqual([updated.name, updated.description, updated.key], ['Renamed', 'Other', key.key]);
    await rejected(client.updateKey(key.uid, { actions: ['*'] }), 'immutable_api_key_actions');
  });

  suite.test('Meilisearch.deleteKey', async () => {
    const key = await client.createKey({ actions: ['search'], indexes: ['*'], expiresAt: null });
    assert.equal(await client.deleteKey(key.key), undefined);
    await rejected(client.getKey(key.uid), 'api_key_not_found');
    await rejected(as(key.key).index('books').search(''), 'invalid_api_key');
  });

  // A function of the module, which cannot be watched as the methods of a class are.
  suite.test('generateTenantToken', async () => {
    const key = await client.createKey({ actions: ['search'], indexes: ['*'], expiresAt: null });
    for (const algorithm of ['HS256', 'HS384', 'HS512']) {
      const token = await generateTenantToken({
        apiKey: key.key,
        apiKeyUid: key.uid,
        searchRules: { books: { filter: 'genres = nature' } },
        expiresAt,
        algorithm,
      });
      const tenant = as(token);
      assert.deepEqual(ids((await tenant.index('books').search('')).hits), [3, 5]);
      const narrowed = await tenant.index('books').search('', { filter: 'year > 2012' });
      assert.deepEqual(ids(narrowed.hits), [5]);
      await rejected(tenant.index('made-1').search(''), 'invalid_api_key');
      await rejected(tenant.getStats(), 'invalid_api_key');
    }
    const all = await generateTenantToken({ apiKey: key.key, apiKeyUid: key.uid, searchRules: ['*'] });
    assert.equal((await as(all).index('books').search('')).hits.length, 6);
    const expired = await generateTenantToken({ apiKey: key.key, apiKeyUid: key.uid, expiresAt: 1 });
    await rejected(as(expired).index('books').search(''), 'invalid_api_key');
  });
}
