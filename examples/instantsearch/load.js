// Puts the books of this folder's neighbour into the server, with the settings that the page needs.

import { readFile } from 'node:fs/promises';
import { Meilisearch } from 'meilisearch';

const { SONDE_URL: host = 'http://localhost:7700', SONDE_KEY: apiKey, BOOKS = '../books.json' } = process.env;
const client = new Meilisearch({ host, apiKey });
const books = client.index('books');

await books
  .updateSettings({ filterableAttributes: ['genres'], sortableAttributes: ['year', 'price'] })
  .waitTask();
const added = await books.addDocuments(JSON.parse(await readFile(BOOKS, 'utf8'))).waitTask();
console.log(`${added.details.indexedDocuments} books are there.`);
