// The instance as a whole: health, version, figures, features, dumps and snapshots.

import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Meilisearch } from 'meilisearch';
import { environment } from '../shared/suite.js';
import { succeeded } from './context.js';

export function instance(suite, client, context) {
  suite.test('Meilisearch.health', async () => {
    assert.deepEqual(await client.health(), { status: 'available' });
  });

  suite.test('Meilisearch.isHealthy', async () => {
    assert.equal(await client.isHealthy(), true);
    assert.equal(await new Meilisearch({ host: 'http://127.0.0.1:9' }).isHealthy(), false);
  });

  suite.test('Meilisearch.getVersion', async () => {
    const version = await client.getVersion();
    assert.deepEqual(Object.keys(version).sort(), ['commitDate', 'commitSha', 'pkgVersion']);
    assert.match(version.pkgVersion, /^\d+\.\d+\.\d+/);
  });

  suite.test('Meilisearch.getStats', async () => {
    const stats = await client.getStats();
    assert.ok(stats.databaseSize > 0 && stats.usedDatabaseSize > 0);
    assert.ok(!Number.isNaN(Date.parse(stats.lastUpdate)));
    assert.equal(stats.indexes.books.numberOfDocuments, 6);
    assert.equal(stats.indexes.books.numberOfEmbeddedDocuments, 6);
    assert.equal(stats.indexes.books.fieldDistribution.title, 6);
  });

  suite.test(['Meilisearch.getExperimentalFeatures', 'Meilisearch.updateExperimentalFeatures'], async () => {
    assert.equal((await client.getExperimentalFeatures()).containsFilter, false);
    const updated = await client.updateExperimentalFeatures({ containsFilter: true });
    assert.equal(updated.containsFilter, true);
    assert.equal(updated.network, false);
    assert.deepEqual(await client.getExperimentalFeatures(), updated);
    const { hits } = await context.books.search('', { filter: 'author CONTAINS kaf' });
    assert.equal(hits.length, 2);
  });

  suite.test('Meilisearch.createDump', async () => {
    const task = await succeeded(client.createDump());
    assert.equal(task.type, 'dumpCreation');
    assert.match(task.details.dumpUid, /^\d{8}-\d{9}$/);
    assert.ok(existsSync(join(environment.folder, 'dumps', `${task.details.dumpUid}.dump`)));
  });

  suite.test('Meilisearch.createSnapshot', async () => {
    const task = await succeeded(client.createSnapshot());
    assert.equal(task.type, 'snapshotCreation');
    const files = readdirSync(join(environment.folder, 'snapshots'));
    assert.equal(files.filter((name) => name.endsWith('.snapshot')).length, 1);
  });

  suite.test('Meilisearch.renderTemplate', async () => {
    await context.enable('renderRoute');
    const answer = await client.renderTemplate({
      template: { kind: 'inlineDocumentTemplate', inline: '{{doc.title}} by {{doc.author}}' },
      input: { kind: 'indexDocument', indexUid: 'books', id: '3' },
    });
    assert.equal(answer.template, '{{doc.title}} by {{doc.author}}');
    assert.equal(answer.rendered, 'A Field of Owls by Tomas Brandt');
  });
}
