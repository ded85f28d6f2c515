// The adapter `@meilisearch/instant-meilisearch`, driven by the helper that InstantSearch is built on, and by
// InstantSearch itself: each case checks what a visitor would see.

import { instantMeiliSearch } from '@meilisearch/instant-meilisearch';
import { Meilisearch } from 'meilisearch';
import { Suite, books, environment, library, versionOf } from '../shared/suite.js';
import { adapter } from './adapter.js';
import { refinements } from './refinements.js';
import { results } from './results.js';
import { places } from './places.js';
import { widgets } from './widgets.js';

const version = versionOf('node_modules/@meilisearch/instant-meilisearch/package.json');
const suite = new Suite('npm @meilisearch/instant-meilisearch', version);
const { url, masterKey } = environment;

const client = new Meilisearch({ host: url, apiKey: masterKey });
const authors = [
  { id: 1, name: 'Ines Vale', from: 'the harbour' },
  { id: 2, name: 'Mina Okafor', from: 'the city' },
];
// Polygons look at `_geojson`, everything else at `_geo`.
const shaped = books.map((book) => ({
  ...book,
  _geojson: { type: 'Point', coordinates: [book._geo.lng, book._geo.lat] },
}));
const filterableAttributes = [...library.searchSettings.filterableAttributes, '_geojson'];
for (const write of [
  client.index('books').updateSettings({ ...library.searchSettings, filterableAttributes }),
  client.index('books').addDocuments(shaped, { primaryKey: 'id' }),
  client.index('authors').addDocuments(authors, { primaryKey: 'id' }),
]) {
  const task = await write.waitTask();
  if (task.status !== 'succeeded') throw new Error(JSON.stringify(task.error));
}

/** The adapter with these options, its functions watched. */
function connect(options = {}) {
  const made = instantMeiliSearch(url, masterKey, options);
  for (const name of ['search', 'searchForFacetValues', 'clearCache']) {
    suite.watchFunction(`searchClient.${name}`, made.searchClient, name);
  }
  suite.watchFunction('setMeiliSearchParams', made, 'setMeiliSearchParams');
  return made;
}

for (const part of [adapter, results, refinements, places, widgets]) part(suite, connect);
await suite.run();
// Timers of pages may still run.
process.exit();
