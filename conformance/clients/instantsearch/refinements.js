// Facets and what is chosen in them: one value, any of several, levels, numbers, text among the values.

import assert from 'node:assert/strict';
import algoliasearchHelper from 'algoliasearch-helper';
import { ask, ids, values } from './ask.js';

const levels = { name: 'shelf', attributes: ['shelf.lvl0', 'shelf.lvl1'] };

export function refinements(suite, connect) {
  suite.test('facets', async () => {
    const { searchClient } = connect();
    const all = await ask(searchClient, { facets: ['genres', 'year'] });
    assert.deepEqual(values(all, 'genres'), { history: 2, mystery: 2, nature: 2, sea: 2, travel: 1 });
    assert.deepEqual([all.getFacetStats('year').min, all.getFacetStats('year').max], [2001, 2018]);
    const both = await ask(searchClient, { facets: ['genres'] }, (helper) => {
      helper.addFacetRefinement('genres', 'sea').addFacetRefinement('genres', 'history');
    });
    assert.deepEqual(ids(both), [2]);
  });

  suite.refused('facets: excluded value', 'the adapter reads `genres:-sea` as the value "-sea"', async () => {
    const found = await ask(connect().searchClient, { facets: ['genres'] }, (helper) => {
      helper.addFacetExclusion('genres', 'sea');
    });
    assert.deepEqual(ids(found), []);
  });

  suite.test('disjunctive facets', async () => {
    const found = await ask(connect().searchClient, { disjunctiveFacets: ['author', 'genres'] }, (helper) => {
      helper
        .addDisjunctiveFacetRefinement('author', 'Ines Vale')
        .addDisjunctiveFacetRefinement('author', 'Mina Okafor');
    });
    assert.deepEqual(ids(found).sort(), [1, 2, 4, 6]);
    // The values of the facet itself are counted without what was chosen in it.
    assert.deepEqual(values(found, 'author'), { 'Ines Vale': 2, 'Mina Okafor': 2, 'Tomas Brandt': 2 });
    assert.deepEqual(values(found, 'genres'), { history: 2, mystery: 2, sea: 2 });
  });

  suite.test('hierarchical menu', async () => {
    const { searchClient } = connect();
    const found = await ask(searchClient, { hierarchicalFacets: [levels] }, (helper) => {
      helper.toggleFacetRefinement('shelf', 'Fiction');
    });
    assert.deepEqual(ids(found).sort(), [1, 2, 4, 6]);
    const menu = found.getFacetValues('shelf', {}).data;
    assert.deepEqual(menu.map(({ name, count }) => [name, count]).sort(), [
      ['Fiction', 4],
      ['Science', 2],
    ]);
    const open = menu.find(({ name }) => name === 'Fiction');
    assert.deepEqual(open.data.map(({ name, count }) => [name, count]).sort(), [
      ['History', 2],
      ['Mystery', 2],
    ]);
    const deeper = await ask(searchClient, { hierarchicalFacets: [levels] }, (helper) => {
      helper.toggleFacetRefinement('shelf', 'Fiction > Mystery');
    });
    assert.deepEqual(ids(deeper).sort(), [1, 4]);
  });

  suite.test('numbers and ranges', async () => {
    const { searchClient } = connect();
    const refined = (...refinements) =>
      ask(searchClient, { disjunctiveFacets: ['year'] }, (helper) => {
        for (const [attribute, operator, value] of refinements)
          helper.addNumericRefinement(attribute, operator, value);
      });
    assert.deepEqual(ids(await refined(['year', '>=', 2005], ['year', '<=', 2012])), [2, 3, 4]);
    assert.deepEqual(ids(await refined(['year', '=', 2010])), [3]);
    assert.deepEqual(ids(await refined(['year', '!=', 2010], ['pages', '<', 200])), [5]);
    assert.deepEqual(ids(await refined(['year', '>', 2015])), [6]);
    const raw = await ask(searchClient, { numericFilters: ['year:2002 TO 2011'] });
    assert.deepEqual(ids(raw), [2, 3]);
  });

  suite.test('raw filters', async () => {
    const { searchClient } = connect();
    assert.deepEqual(ids(await ask(searchClient, { filters: 'genres = sea AND year < 2004' })), [1]);
    const nested = await searchClient.search([
      {
        indexName: 'books',
        params: { facetFilters: [['genres:sea', 'genres:travel'], 'author:Tomas Brandt'] },
      },
    ]);
    assert.deepEqual(ids(nested.results[0]), [5]);
  });

  suite.test('values with quotes', async () => {
    const found = await ask(connect().searchClient, { facets: ['author'] }, (helper) => {
      helper.addFacetRefinement('author', 'No "body" \\ here');
    });
    assert.deepEqual(ids(found), []);
  });

  suite.test('text among the values of a facet', async () => {
    const helper = algoliasearchHelper(connect().searchClient, 'books', { disjunctiveFacets: ['author'] });
    helper.setQuery('harbour');
    const found = await helper.searchForFacetValues('author', 'mi', 10);
    assert.deepEqual(
      found.facetHits.map(({ value, count }) => [value, count]),
      [['Mina Okafor', 1]],
    );
  });
}
