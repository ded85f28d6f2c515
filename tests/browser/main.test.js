// The dashboard in a browser: one server without keys and one with, shared by all suites.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { accessSuite } from './access_suite.js';
import { launch } from './browser.js';
import { dataSuite } from './data_suite.js';
import { docsSuite } from './docs_suite.js';
import { HOSTILE, cities, films, posters } from './fixtures.js';
import { importSuite } from './import_suite.js';
import { looksSuite } from './looks_suite.js';
import './modules.test.js';
import { startProvider } from './provider.js';
import { savedSuite } from './saved_suite.js';
import { searchSuite } from './search_suite.js';
import { startServer } from './server.js';
import { tasksSuite } from './tasks_suite.js';
import { waysSuite } from './ways_suite.js';

const masterKey = 'lantern-on-the-quay-2031';
const shared = {};

async function fill(server, provider) {
  const hostile = {
    id: 999,
    title: `Hostile ${HOSTILE}`,
    overview: HOSTILE,
    genres: [HOSTILE],
    country: 'Norway',
    year: 2001,
    rating: 5,
    colour: true,
  };
  await server.write('PATCH', '/indexes/films/settings', {
    searchableAttributes: ['title', 'overview', 'genres', 'country'],
    filterableAttributes: ['genres', 'country', 'year', 'rating', 'colour'],
    sortableAttributes: ['year', 'rating'],
    embedders: { topics: provider.embedder('/') },
  });
  await server.write('PATCH', '/indexes/cities/settings', {
    filterableAttributes: ['country', 'population', '_geo'],
    sortableAttributes: ['_geo', 'population'],
  });
  await server.write('POST', '/indexes/films/documents', [...films(), hostile]);
  await server.write('POST', '/indexes/cities/documents', cities());
  await server.write('PATCH', '/indexes/posters/settings', {
    embedders: { own: { source: 'userProvided', dimensions: 2 } },
  });
  await server.write('POST', '/indexes/posters/documents', posters());
  await server.write('POST', '/indexes/films/documents', [{ title: 'no id' }]);
}

describe('dashboard', { concurrency: 1 }, () => {
  before(async () => {
    shared.provider = await startProvider();
    [shared.browser, shared.server, shared.locked] = await Promise.all([
      launch(),
      startServer(),
      startServer(['--master-key', masterKey], masterKey),
    ]);
    await fill(shared.server, shared.provider);
    await shared.locked.write('PATCH', '/indexes/private/settings', { filterableAttributes: ['country'] });
    await shared.locked.write('POST', '/indexes/private/documents', films(5));
  });
  after(async () => {
    shared.provider?.stop();
    await Promise.all([shared.browser?.close(), shared.server?.stop(), shared.locked?.stop()]);
  });

  const suites = {
    browser: () => shared.browser,
    server: () => shared.server,
    locked: () => shared.locked,
    provider: () => shared.provider,
    masterKey,
  };
  describe('search', () => searchSuite(suites));
  describe('looks', () => looksSuite(suites));
  describe('data', () => dataSuite(suites));
  describe('saved searches', () => savedSuite(suites));
  describe('import', () => importSuite(suites));
  describe('ways', () => waysSuite(suites));
  describe('tasks', () => tasksSuite(suites));
  describe('access', () => accessSuite(suites));
  describe('docs', () => docsSuite(suites));

  test('is not there in production unless it is wanted', async () => {
    const arguments_ = ['--env', 'production', '--master-key', masterKey];
    for (const [more, kind] of [
      [[], 'application/json'],
      [['--dashboard-in-production'], 'text/html; charset=utf-8'],
    ]) {
      const server = await startServer([...arguments_, ...more], masterKey);
      try {
        const answer = await fetch(`${server.url}/`);
        assert.equal(answer.headers.get('content-type'), kind);
        const docs = await fetch(`${server.url}/docs`).then((page) => page.text());
        assert.equal(docs.includes('>Open dashboard</a>'), kind.startsWith('text/html'));
      } finally {
        await server.stop();
      }
    }
  });
});
