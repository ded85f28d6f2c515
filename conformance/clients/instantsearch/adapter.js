// The adapter's own functions and options.

import assert from 'node:assert/strict';
import { ask, ids } from './ask.js';

export function adapter(suite, connect) {
  suite.test('searchClient.search', async () => {
    const { searchClient } = connect({ primaryKey: 'id' });
    const { results } = await searchClient.search([{ indexName: 'books', params: { query: 'owls' } }]);
    assert.equal(results[0].hits[0].title, 'A Field of Owls');
    assert.equal(results[0].hits[0].objectID, 3);
    assert.deepEqual([results[0].index, results[0].nbHits, results[0].query], ['books', 1, 'owls']);
  });

  suite.test('searchClient.searchForFacetValues', async () => {
    const { searchClient } = connect();
    const [found] = await searchClient.searchForFacetValues([
      { indexName: 'books', params: { facetName: 'author', facetQuery: 'in', query: 'salt' } },
    ]);
    assert.deepEqual(found.facetHits, [{ value: 'Ines Vale', highlighted: 'Ines Vale', count: 1 }]);
  });

  suite.test('searchClient.clearCache', async () => {
    let requests = 0;
    const { searchClient } = connect({
      httpClient: async (...request) => {
        requests += 1;
        return (await fetch(...request)).json();
      },
    });
    const query = [{ indexName: 'books', params: { query: 'owls' } }];
    await searchClient.search(query);
    const first = requests;
    await searchClient.search(query);
    assert.equal(requests, first);
    searchClient.clearCache();
    await searchClient.search(query);
    assert.equal(requests, first + 1);
  });

  suite.test('setMeiliSearchParams', async () => {
    const made = connect({ meiliSearchParams: { showRankingScore: true } });
    assert.ok(
      (await ask(made.searchClient, {}, (helper) => helper.setQuery('owls'))).hits[0]._rankingScore > 0,
    );
    made.setMeiliSearchParams({ filter: 'genres = nature', sort: ['year:desc'] });
    assert.deepEqual(ids(await ask(made.searchClient)), [5, 3]);
  });

  suite.test('meiliSearchInstance', async () => {
    const { meiliSearchInstance } = connect();
    assert.deepEqual(await meiliSearchInstance.health(), { status: 'available' });
  });

  suite.test('option placeholderSearch', async () => {
    const { searchClient } = connect({ placeholderSearch: false });
    assert.deepEqual((await ask(searchClient)).hits, []);
    assert.deepEqual(ids(await ask(searchClient, {}, (helper) => helper.setQuery('owls'))), [3]);
  });

  suite.test('option keepZeroFacets', async () => {
    const { searchClient } = connect({ keepZeroFacets: true });
    const found = await ask(searchClient, { facets: ['author'] }, (helper) => helper.setQuery('owls'));
    assert.deepEqual(found._rawResults[0].facets.author, {
      'Ines Vale': 0,
      'Mina Okafor': 0,
      'Tomas Brandt': 1,
    });
  });

  suite.test('option meiliSearchParams: text', async () => {
    const { searchClient } = connect({
      meiliSearchParams: {
        attributesToRetrieve: ['id', 'title'],
        attributesToHighlight: ['title'],
        highlightPreTag: '<b>',
        highlightPostTag: '</b>',
        attributesToCrop: ['summary'],
        cropLength: 3,
        cropMarker: '~',
        matchingStrategy: 'all',
        attributesToSearchOn: ['title'],
        showMatchesPosition: true,
        rankingScoreThreshold: 0.1,
      },
    });
    const { hits } = await ask(searchClient, {}, (helper) => helper.setQuery('copper bridge'));
    assert.deepEqual(
      hits.map((hit) => hit.title),
      ['The Copper Bridge'],
    );
    assert.equal(hits[0].author, undefined);
    assert.equal(hits[0]._highlightResult.title.value, 'The <b>Copper</b> <b>Bridge</b>');
    assert.match(hits[0]._highlightResult.summary.value, /~$/);
    assert.deepEqual(hits[0]._matchesPosition.title[0], { start: 4, length: 6 });
  });

  suite.test('option meiliSearchParams: facets and distinct', async () => {
    const { searchClient } = connect({ meiliSearchParams: { facets: ['author'], distinct: 'author' } });
    const found = await ask(searchClient);
    assert.equal(found.hits.length, 3);
    assert.deepEqual(Object.keys(found._rawResults[0].facets), ['author']);
  });

  suite.test('option meiliSearchParams: indexesOverrides', async () => {
    const { searchClient } = connect({
      meiliSearchParams: { indexesOverrides: { books: { filter: 'year = 2010' } } },
    });
    assert.deepEqual(ids(await ask(searchClient)), [3]);
    assert.equal((await ask(searchClient, {}, undefined, 'authors')).hits.length, 2);
  });

  suite.test('option meiliSearchParams: hybrid and vector', async () => {
    const { searchClient } = connect({
      meiliSearchParams: { hybrid: { embedder: 'manual', semanticRatio: 1 }, vector: [0, 0, 1] },
    });
    assert.deepEqual(ids(await ask(searchClient, { hitsPerPage: 2 })), [3, 5]);
    const mixed = connect({
      meiliSearchParams: { hybrid: { embedder: 'manual', semanticRatio: 0.5 }, vector: [0, 0, 1] },
    });
    const found = ids(await ask(mixed.searchClient, { hitsPerPage: 3 }, (helper) => helper.setQuery('salt')));
    assert.ok(found.includes(2) && found.includes(3));
  });
}
