// What is shown of the hits: pages, order, highlighting, several indexes.

import assert from 'node:assert/strict';
import { ask, ids } from './ask.js';

export function results(suite, connect) {
  suite.test('hits: query and totals', async () => {
    const found = await ask(connect().searchClient, {}, (helper) => helper.setQuery('harbour'));
    assert.deepEqual(ids(found).sort(), [1, 4]);
    assert.equal(found.nbHits, 2);
    assert.deepEqual(
      found.hits.map((hit) => hit.__position),
      [1, 2],
    );
  });

  suite.test('pagination without an end', async () => {
    const { searchClient } = connect();
    const first = await ask(searchClient, { hitsPerPage: 4 });
    assert.deepEqual([first.hits.length, first.page, first.nbPages], [4, 0, 2]);
    const last = await ask(searchClient, { hitsPerPage: 4 }, (helper) => helper.setPage(1));
    assert.deepEqual([last.hits.length, last.page, last.nbPages], [2, 1, 2]);
    assert.equal(new Set([...ids(first), ...ids(last)]).size, 6);
  });

  suite.test('pagination with an end', async () => {
    const { searchClient } = connect({ finitePagination: true });
    const last = await ask(searchClient, { hitsPerPage: 4 }, (helper) => helper.setPage(1));
    assert.deepEqual([last.hits.length, last.page, last.nbPages, last.nbHits], [2, 1, 2, 6]);
    const none = await ask(searchClient, { hitsPerPage: 0 });
    assert.deepEqual([none.hits.length, none.nbPages], [0, 0]);
  });

  suite.test('sortBy', async () => {
    const { searchClient } = connect();
    assert.deepEqual(ids(await ask(searchClient, {}, undefined, 'books:year:desc')), [6, 5, 4, 3, 2, 1]);
    assert.deepEqual(
      ids(await ask(searchClient, {}, (helper) => helper.setIndex('books:pages:asc,year:desc')))[0],
      3,
    );
  });

  suite.test('highlighting', async () => {
    const { hits } = await ask(connect().searchClient, {}, (helper) => helper.setQuery('copper'));
    const bridge = hits.find((hit) => hit.id === 6);
    assert.equal(bridge._highlightResult.title.value, 'The __ais-highlight__Copper__/ais-highlight__ Bridge');
    assert.equal(bridge._highlightResult.genres[0].value, 'history');
    assert.equal(bridge._highlightResult.shelf.lvl0.value, 'Fiction');
    assert.equal(bridge._highlightResult.year.value, '2018');
    const tagged = await ask(
      connect().searchClient,
      { highlightPreTag: '<mark>', highlightPostTag: '</mark>', attributesToHighlight: ['title'] },
      (helper) => helper.setQuery('owls'),
    );
    assert.equal(tagged.hits[0]._highlightResult.title.value, 'A Field of <mark>Owls</mark>');
  });

  suite.test('snippets', async () => {
    const { hits } = await ask(
      connect().searchClient,
      { attributesToSnippet: ['summary:4'], snippetEllipsisText: '[…]' },
      (helper) => helper.setQuery('letter'),
    );
    const { value } = hits[0]._snippetResult.summary;
    assert.match(value, /^\[…\].*__ais-highlight__letter__\/ais-highlight__.*\[…\]$/);
    assert.equal(value.replaceAll('[…]', '').trim().split(/\s+/).length, 4);
  });

  suite.test('attributes: retrieved and searched', async () => {
    const { hits } = await ask(
      connect().searchClient,
      { attributesToRetrieve: ['id', 'title'], restrictSearchableAttributes: ['summary'] },
      (helper) => helper.setQuery('port'),
    );
    assert.deepEqual(
      hits.map((hit) => hit.title),
      ['Harbour Lights'],
    );
    assert.equal(hits[0].author, undefined);
  });

  suite.test('several indexes', async () => {
    const { searchClient } = connect();
    const { results } = await searchClient.search([
      { indexName: 'books', params: { query: 'harbour', facets: ['genres'], hitsPerPage: 1 } },
      { indexName: 'authors', params: { query: 'harbour' } },
    ]);
    assert.deepEqual(
      results.map((result) => result.index),
      ['books', 'authors'],
    );
    assert.equal(results[0].hits.length, 1);
    assert.equal(results[0].facets.genres.mystery, 2);
    assert.deepEqual(
      results[1].hits.map((hit) => hit.name),
      ['Ines Vale'],
    );
  });
}
