// A network of two instances, first for federated search, then with shards.

import assert from 'node:assert/strict';
import { Meilisearch } from 'meilisearch';
import { environment } from '../shared/suite.js';
import { ids, succeeded } from './context.js';

export function network(suite, client, context) {
  const { url, otherUrl, masterKey } = environment;
  const other = new Meilisearch({
    host: otherUrl,
    apiKey: masterKey,
    defaultWaitOptions: { interval: 10, timeout: 60_000 },
  });
  const remote = (address) => ({ url: address, searchApiKey: masterKey, writeApiKey: masterKey });

  // One change at a time: what an earlier case began must not fail the next one.
  async function settled() {
    const changes = await client.tasks.getTasks({ types: ['networkTopologyChange'] });
    await client.tasks.waitForTasks(changes.results.map((task) => task.uid));
  }

  suite.test(['Meilisearch.getNetwork', 'Meilisearch.updateNetwork'], async () => {
    await context.enable('network');
    await other.updateExperimentalFeatures({ network: true });
    const empty = await client.getNetwork();
    assert.deepEqual([empty.self, empty.leader, empty.remotes, empty.shards], [null, null, {}, {}]);
    await succeeded(other.index('far').addDocuments([{ id: 50, title: 'Far harbour' }]));

    const updated = await client.updateNetwork({
      self: 'one',
      remotes: { one: remote(url), two: remote(otherUrl) },
    });
    assert.equal(updated.self, 'one');
    assert.equal(updated.remotes.two.url, otherUrl);
    assert.equal((await client.getNetwork()).version, updated.version);

    const { hits } = await client.multiSearch({
      federation: {},
      queries: [
        { indexUid: 'books', q: 'owls' },
        { indexUid: 'far', q: 'harbour', federationOptions: { remote: 'two' } },
      ],
    });
    assert.deepEqual(ids(hits).sort(), [3, 50]);
    await client.updateNetwork({ self: null, remotes: null });
    assert.deepEqual((await client.getNetwork()).remotes, {});
    // An instance with indexes of its own cannot get shards.
    await succeeded(other.deleteIndex('far'));
  });

  suite.test('Meilisearch.initializeNetwork', async () => {
    const task = await succeeded(
      client.initializeNetwork({
        self: 'one',
        remotes: { one: remote(url) },
        shards: { a: { remotes: ['one'] } },
      }),
    );
    assert.equal(task.type, 'networkTopologyChange');
    const network = await client.getNetwork();
    assert.deepEqual([network.self, network.leader], ['one', 'one']);
    assert.deepEqual(network.shards, { a: { remotes: ['one'] } });
  });

  suite.test('Meilisearch.addRemote', async () => {
    await settled();
    await succeeded(client.addRemote({ name: 'two', remote: remote(otherUrl) }));
    assert.equal((await client.getNetwork()).remotes.two.url, otherUrl);
    assert.equal((await other.getNetwork()).self, 'two');
  });

  suite.test('Meilisearch.addRemotesToShard', async () => {
    await settled();
    await succeeded(client.addRemotesToShard('a', ['two']));
    assert.deepEqual((await client.getNetwork()).shards.a.remotes.sort(), ['one', 'two']);
    assert.equal((await other.index('books').getDocument(3)).title, 'A Field of Owls');
  });

  suite.test('Meilisearch.removeRemotesFromShard', async () => {
    await settled();
    await succeeded(client.removeRemotesFromShard('a', ['two']));
    assert.deepEqual((await client.getNetwork()).shards.a, { remotes: ['one'] });
    assert.equal((await context.books.search('owls')).hits.length, 1);
  });

  suite.test('Meilisearch.removeRemote', async () => {
    await settled();
    await succeeded(client.removeRemote({ name: 'two' }));
    assert.deepEqual(Object.keys((await client.getNetwork()).remotes), ['one']);
  });
}
