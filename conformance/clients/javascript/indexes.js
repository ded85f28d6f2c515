// Making, reading, changing, swapping and deleting indexes.

import assert from 'node:assert/strict';
import { Index } from 'meilisearch';
import { failed, ids, rejected, succeeded } from './context.js';

export function indexes(suite, client, context) {
  suite.test('Meilisearch.createIndex', async () => {
    const uid = context.uid();
    const task = await succeeded(client.createIndex(uid, { primaryKey: 'isbn' }));
    assert.equal(task.type, 'indexCreation');
    assert.equal(task.details.primaryKey, 'isbn');
    assert.equal((await client.getRawIndex(uid)).primaryKey, 'isbn');
    await failed(client.createIndex(uid), 'index_already_exists');
  });

  suite.test('Index.create', async () => {
    const uid = context.uid();
    await succeeded(Index.create(uid, { primaryKey: 'isbn' }, client.config));
    assert.equal((await client.getRawIndex(uid)).primaryKey, 'isbn');
  });

  suite.test('Meilisearch.index', async () => {
    assert.equal(client.index('anything').uid, 'anything');
  });

  suite.test('Meilisearch.getIndex', async () => {
    const index = await client.getIndex('books');
    assert.equal(index.primaryKey, 'id');
    assert.ok(index.createdAt instanceof Date && !Number.isNaN(index.createdAt.getTime()));
    await rejected(client.getIndex('nowhere'), 'index_not_found');
  });

  suite.test('Meilisearch.getRawIndex', async () => {
    const index = await client.getRawIndex('books');
    assert.deepEqual(Object.keys(index).sort(), ['createdAt', 'primaryKey', 'uid', 'updatedAt']);
  });

  suite.test(['Meilisearch.getIndexes', 'Meilisearch.getRawIndexes'], async () => {
    const all = await client.getIndexes({ limit: 100 });
    assert.ok(all.results.every((index) => index instanceof Index));
    assert.ok(all.results.some((index) => index.uid === 'books'));
    const one = await client.getRawIndexes({ offset: 1, limit: 1 });
    assert.deepEqual([one.offset, one.limit, one.total, one.results.length], [1, 1, all.total, 1]);
    assert.equal(one.results[0].uid, all.results[1].uid);
  });

  suite.test('Meilisearch.updateIndex', async () => {
    const uid = context.uid();
    await succeeded(client.createIndex(uid));
    await succeeded(client.updateIndex(uid, { primaryKey: 'isbn' }));
    assert.equal((await client.getRawIndex(uid)).primaryKey, 'isbn');
  });

  suite.test('Index.update', async () => {
    const index = await context.index();
    await failed(index.update({ primaryKey: 'title' }), 'index_primary_key_already_exists');
    const empty = client.index(context.uid());
    await succeeded(client.createIndex(empty.uid));
    await succeeded(empty.update({ primaryKey: 'isbn' }));
    assert.equal(await empty.fetchPrimaryKey(), 'isbn');
  });

  suite.test(['Index.getRawInfo', 'Index.fetchInfo', 'Index.fetchPrimaryKey'], async () => {
    const index = client.index('books');
    const raw = await index.getRawInfo();
    assert.equal(raw.uid, 'books');
    assert.equal(await index.fetchPrimaryKey(), 'id');
    const fetched = await client.index('books').fetchInfo();
    assert.equal(fetched.primaryKey, 'id');
    assert.equal(fetched.updatedAt.toISOString(), new Date(raw.updatedAt).toISOString());
  });

  suite.test('Meilisearch.swapIndexes', async () => {
    const first = await context.index([{ id: 1, title: 'first' }]);
    const second = await context.index([{ id: 2, title: 'second' }]);
    const swap = { indexes: [first.uid, second.uid], rename: false };
    const task = await succeeded(client.swapIndexes([swap]));
    assert.deepEqual(task.details.swaps, [swap]);
    assert.deepEqual(ids((await first.getDocuments()).results), [2]);
    assert.deepEqual(ids((await second.getDocuments()).results), [1]);
    const renamed = context.uid();
    await succeeded(client.swapIndexes([{ indexes: [first.uid, renamed], rename: true }]));
    assert.deepEqual(ids((await client.index(renamed).getDocuments()).results), [2]);
    await rejected(first.getDocuments(), 'index_not_found');
  });

  suite.test('Meilisearch.deleteIndex', async () => {
    const { uid } = await context.index();
    const task = await succeeded(client.deleteIndex(uid));
    assert.equal(task.details.deletedDocuments, 6);
    await rejected(client.getRawIndex(uid), 'index_not_found');
  });

  suite.test('Index.delete', async () => {
    const index = await context.index();
    await succeeded(index.delete());
    await rejected(index.getRawInfo(), 'index_not_found');
    await failed(index.delete(), 'index_not_found');
  });

  suite.test('Meilisearch.deleteIndexIfExists', async () => {
    const { uid } = await context.index();
    assert.equal(await client.deleteIndexIfExists(uid), true);
    await client.tasks.waitForTask((await client.tasks.getTasks({ limit: 1 })).results[0].uid);
    await rejected(client.getRawIndex(uid), 'index_not_found');
  });

  suite.test('Index.getStats', async () => {
    const stats = await context.books.getStats();
    assert.deepEqual([stats.numberOfDocuments, stats.isIndexing, stats.numberOfEmbeddings], [6, false, 6]);
    assert.ok(stats.rawDocumentDbSize > 0 && stats.avgDocumentSize > 0);
    assert.deepEqual(stats.fieldDistribution.year, 6);
  });

  suite.test('Index.compact', async () => {
    const index = await context.index();
    const task = await succeeded(index.compact());
    assert.equal(task.type, 'indexCompaction');
    assert.equal((await index.getStats()).numberOfDocuments, 6);
  });

  suite.test('Index.getFields', async () => {
    const all = await context.books.getFields({ limit: 100 });
    const year = all.results.find((field) => field.name === 'year');
    assert.deepEqual(year.sortable, { enabled: true });
    assert.equal(year.filterable.comparison, true);
    const sortable = await context.books.getFields({
      filter: { sortable: true, attributePatterns: ['*e*'] },
    });
    assert.deepEqual(
      sortable.results.map((field) => field.name).filter((name) => !name.startsWith('_geo')),
      ['pages', 'year'],
    );
  });
}
