// Searching: one index, facet values, similar documents, several indexes, federation.

import assert from 'node:assert/strict';
import { ids } from './context.js';

export function search(suite, client, context) {
  suite.test('Index.search', async () => {
    const index = context.books;
    assert.deepEqual(ids((await index.search('harbuor')).hits).sort(), [1, 4]);
    const found = await index.search('harbour', {
      attributesToHighlight: ['title'],
      attributesToRetrieve: ['id', 'title'],
      showRankingScore: true,
      showMatchesPosition: true,
    });
    assert.deepEqual(ids(found.hits).sort(), [1, 4]);
    assert.equal(found.query, 'harbour');
    assert.deepEqual([found.limit, found.offset, found.estimatedTotalHits], [20, 0, 2]);
    const quiet = found.hits.find((hit) => hit.id === 1);
    assert.equal(quiet._formatted.title, 'The Quiet <em>Harbour</em>');
    assert.ok(quiet._rankingScore > 0 && quiet._rankingScore <= 1);
    assert.deepEqual(quiet._matchesPosition.title, [{ start: 10, length: 7 }]);
  });

  suite.test('Index.search', async () => {
    const index = context.books;
    const page = await index.search('', { filter: ['genres = sea', 'year < 2004'], hitsPerPage: 1, page: 1 });
    assert.deepEqual([ids(page.hits), page.totalHits, page.totalPages], [[1], 1, 1]);
    const facets = await index.search('', { facets: ['genres', 'year'], sort: ['year:desc'], limit: 2 });
    assert.deepEqual(ids(facets.hits), [6, 5]);
    assert.equal(facets.facetDistribution.genres.nature, 2);
    assert.deepEqual(facets.facetStats.year, { min: 2001, max: 2018 });
    const near = await index.search('', {
      filter: '_geoRadius(48.85, 2.35, 20000)',
      sort: ['_geoPoint(48.85,2.35):asc'],
    });
    assert.deepEqual(ids(near.hits), [1]);
    assert.ok(near.hits[0]._geoDistance < 2000);
    const cropped = await index.search('lighthouse', { attributesToCrop: ['summary'], cropLength: 3 });
    assert.match(cropped.hits[0]._formatted.summary, /^….*lighthouse.*…$/);
    const vectors = await index.search('', {
      vector: [0, 0, 1],
      hybrid: { embedder: 'manual', semanticRatio: 1 },
      retrieveVectors: true,
      limit: 2,
    });
    assert.deepEqual(ids(vectors.hits), [3, 5]);
    assert.equal(vectors.hits[0]._vectors.manual.embeddings[0].length, 3);
    const distinct = await index.search('', { distinct: 'author', limit: 10 });
    assert.equal(distinct.hits.length, 3);
  });

  suite.test('Index.searchGet', async () => {
    const found = await context.books.searchGet('copper', {
      filter: 'genres = history AND year > 2010',
      facets: ['author'],
      attributesToRetrieve: ['id', 'title'],
      attributesToHighlight: ['*'],
      sort: ['year:asc'],
      showRankingScore: true,
    });
    assert.deepEqual(ids(found.hits), [6]);
    assert.deepEqual(found.facetDistribution, { author: { 'Mina Okafor': 1 } });
    assert.equal(found.hits[0]._formatted.title, 'The <em>Copper</em> Bridge');
    const near = await context.books.searchGet('', {
      vector: [0, 0, 1],
      hybridEmbedder: 'manual',
      hybridSemanticRatio: 1,
      limit: 1,
    });
    assert.deepEqual(ids(near.hits), [3]);
  });

  suite.test('Index.searchGet', async () => {
    const found = await context.books.searchGet('copper harbour', {
      attributesToCrop: ['summary'],
      attributesToSearchOn: ['title', 'summary'],
      cropLength: 4,
      cropMarker: '~',
      distinct: 'author',
      highlightPreTag: '[',
      highlightPostTag: ']',
      attributesToHighlight: ['title'],
      hitsPerPage: 1,
      page: 2,
      locales: ['eng'],
      matchingStrategy: 'last',
      rankingScoreThreshold: 0.01,
      retrieveVectors: true,
      showMatchesPosition: true,
      showRankingScoreDetails: true,
    });
    assert.deepEqual([found.hits.length, found.page, found.hitsPerPage, found.totalHits], [1, 2, 1, 2]);
    const [hit] = found.hits;
    assert.match(hit._formatted.title, /\[.+\]/);
    assert.match(hit._formatted.summary, /~/);
    assert.equal(hit._vectors.manual.embeddings.length, 1);
    assert.ok(hit._matchesPosition.title.length > 0);
    assert.ok(hit._rankingScoreDetails.words.matchingWords >= 1);
  });

  suite.test('Index.searchForFacetValues', async () => {
    const found = await context.books.searchForFacetValues({ facetName: 'author', facetQuery: 'mi' });
    assert.deepEqual(found.facetHits, [{ value: 'Mina Okafor', count: 2 }]);
    assert.equal(found.facetQuery, 'mi');
    const narrowed = await context.books.searchForFacetValues({
      facetName: 'genres',
      q: 'harbour',
      filter: 'year > 2010',
    });
    assert.deepEqual(narrowed.facetHits, [{ value: 'mystery', count: 1 }]);
  });

  suite.test('Index.searchSimilarDocuments', async () => {
    const found = await context.books.searchSimilarDocuments({
      id: 1,
      embedder: 'manual',
      limit: 2,
      showRankingScore: true,
    });
    assert.equal(String(found.id), '1');
    assert.deepEqual(ids(found.hits), [4, 2]);
    assert.ok(found.hits[0]._rankingScore > found.hits[1]._rankingScore);
    const filtered = await context.books.searchSimilarDocuments({
      id: '1',
      embedder: 'manual',
      filter: 'genres = nature',
    });
    assert.deepEqual(ids(filtered.hits), [5, 3]);
  });

  suite.test('Meilisearch.multiSearch', async () => {
    const other = await context.index([{ id: 1, title: 'Harbour map' }]);
    const queries = [
      { indexUid: 'books', q: 'owls' },
      { indexUid: other.uid, q: 'harbour' },
    ];
    const { results } = await client.multiSearch({ queries });
    assert.deepEqual(
      results.map((result) => result.indexUid),
      ['books', other.uid],
    );
    assert.deepEqual(
      results.map((result) => ids(result.hits)),
      [[3], [1]],
    );

    const merged = await client.multiSearch({
      federation: { limit: 3, facetsByIndex: { books: ['genres'] } },
      queries: [
        { indexUid: 'books', q: 'harbour', federationOptions: { weight: 0.5 } },
        { indexUid: other.uid, q: 'harbour' },
      ],
    });
    assert.equal(merged.hits.length, 3);
    assert.equal(merged.hits[0]._federation.indexUid, other.uid);
    assert.equal(merged.hits[0]._federation.queriesPosition, 1);
    assert.equal(merged.facetsByIndex.books.distribution.genres.mystery, 2);
  });
}
