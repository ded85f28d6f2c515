// Ten books: added, searched with the words that matched marked, and two searches in one request.

import { readFile } from 'node:fs/promises';
import { Meilisearch } from 'meilisearch';

const { SONDE_URL: host = 'http://localhost:7700', SONDE_KEY: apiKey, BOOKS = '../books.json' } = process.env;
const client = new Meilisearch({ host, apiKey });
const books = client.index('books');

await books.updateSettings({ filterableAttributes: ['genres', 'year'], sortableAttributes: ['year'] }).waitTask();
await books.addDocuments(JSON.parse(await readFile(BOOKS, 'utf8'))).waitTask();

const marked = await books.search('night boat', {
  attributesToHighlight: ['overview'],
  attributesToCrop: ['overview'],
  cropLength: 8,
  matchingStrategy: 'frequency',
});
console.log('The words that matched:');
for (const { title, _formatted } of marked.hits) console.log(`  ${title}: ${_formatted.overview}`);

const { results } = await client.multiSearch({
  queries: [
    { indexUid: 'books', filter: 'genres = cooking', sort: ['year:asc'] },
    { indexUid: 'books', q: 'salt' },
  ],
});
console.log('Two searches in one request:');
for (const { hits } of results) console.log(`  ${hits.map(({ title }) => title).join(', ')}`);
