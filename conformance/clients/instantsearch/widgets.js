// The widgets of InstantSearch itself, on pages as shops have them.

import assert from 'node:assert/strict';
import connectors from 'instantsearch.js/cjs/connectors/index.js';
import { Page } from './page.js';

const ids = (hits) => hits.map((hit) => hit.id);
const counts = (items) => Object.fromEntries(items.map(({ label, count }) => [label, count]));
const settings = (parameters) => [connectors.connectConfigure, { searchParameters: parameters }];

export function widgets(suite, connect) {
  /** A case with a page of these parts. */
  function page(name, parts, body, options) {
    suite.test(`widget ${name}`, async () => {
      const made = new Page(connect(options).searchClient, parts);
      await made.after();
      await body(made);
      made.stop();
    });
  }

  const hits = [connectors.connectHits];

  page(
    'searchBox, hits, stats',
    { box: [connectors.connectSearchBox], hits, stats: [connectors.connectStats] },
    async (page) => {
      assert.equal(page.shown.hits.items.length, 6);
      const { hits, stats, box } = await page.after(({ box }) => box.refine('harbour'));
      assert.deepEqual(ids(hits.items).sort(), [1, 4]);
      assert.deepEqual([stats.nbHits, stats.query, box.query], [2, 'harbour', 'harbour']);
      assert.ok(hits.items.every((hit) => hit._highlightResult.title.value.includes('<mark>')));
    },
  );

  const genres = [connectors.connectRefinementList, { attribute: 'genres', operator: 'or' }];
  page(
    'refinementList',
    {
      list: genres,
      hits,
      clear: [connectors.connectClearRefinements],
      current: [connectors.connectCurrentRefinements],
    },
    async (page) => {
      assert.deepEqual(counts(page.shown.list.items), {
        history: 2,
        mystery: 2,
        nature: 2,
        sea: 2,
        travel: 1,
      });
      await page.after(({ list }) => list.refine('travel'));
      const both = await page.after(({ list }) => list.refine('history'));
      assert.deepEqual(ids(both.hits.items).sort(), [2, 5, 6]);
      assert.equal(both.list.items.find((item) => item.label === 'nature').count, 2);
      assert.deepEqual(
        both.current.items[0].refinements.map(({ value }) => value),
        ['travel', 'history'],
      );
      const cleared = await page.after(({ clear }) => clear.refine());
      assert.equal(cleared.hits.items.length, 6);
      // Only the list itself is drawn then.
      page.shown.list.searchForItems('na');
      await page.until(({ list }) => list.isFromSearch);
      assert.deepEqual(counts(page.shown.list.items), { nature: 2 });
    },
  );

  page('menu', { menu: [connectors.connectMenu, { attribute: 'author' }], hits }, async (page) => {
    const { hits, menu } = await page.after(({ menu }) => menu.refine('Tomas Brandt'));
    assert.deepEqual(ids(hits.items), [3, 5]);
    assert.equal(menu.items.length, 3);
  });

  const attributes = ['shelf.lvl0', 'shelf.lvl1'];
  page(
    'hierarchicalMenu, breadcrumb',
    {
      menu: [connectors.connectHierarchicalMenu, { attributes }],
      crumbs: [connectors.connectBreadcrumb, { attributes }],
      hits,
    },
    async (page) => {
      await page.after(({ menu }) => menu.refine('Fiction'));
      const { menu, hits, crumbs } = await page.after(({ menu }) => menu.refine('Fiction > History'));
      assert.deepEqual(ids(hits.items), [2, 6]);
      assert.deepEqual(counts(menu.items.find((item) => item.label === 'Fiction').data), {
        History: 2,
        Mystery: 2,
      });
      assert.deepEqual(
        crumbs.items.map((item) => item.label),
        ['Fiction', 'History'],
      );
    },
  );

  page('range', { range: [connectors.connectRange, { attribute: 'year' }], hits }, async (page) => {
    assert.deepEqual(page.shown.range.range, { min: 2001, max: 2018 });
    const { hits } = await page.after(({ range }) => range.refine([2005, 2012]));
    assert.deepEqual(ids(hits.items), [2, 3, 4]);
  });

  const sizes = [{ label: 'All' }, { label: 'Short', end: 200 }, { label: 'Long', start: 201 }];
  page(
    'numericMenu',
    { menu: [connectors.connectNumericMenu, { attribute: 'pages', items: sizes }], hits },
    async (page) => {
      const short = page.shown.menu.items.find((item) => item.label === 'Short').value;
      assert.deepEqual(ids((await page.after(({ menu }) => menu.refine(short))).hits.items), [3, 5]);
    },
  );

  page(
    'toggleRefinement',
    { toggle: [connectors.connectToggleRefinement, { attribute: 'genres', on: 'sea' }], hits },
    async (page) => {
      assert.equal(page.shown.toggle.value.onFacetValue.count, 2);
      const { hits } = await page.after(({ toggle }) => toggle.refine({ isRefined: false }));
      assert.deepEqual(ids(hits.items), [1, 2]);
    },
  );

  const perPage = [
    { label: '4', value: 4, default: true },
    { label: '5', value: 5 },
  ];
  page(
    'pagination, hitsPerPage',
    {
      pages: [connectors.connectPagination],
      size: [connectors.connectHitsPerPage, { items: perPage }],
      hits,
    },
    async (page) => {
      assert.deepEqual([page.shown.pages.nbPages, page.shown.hits.items.length], [2, 4]);
      const second = await page.after(({ pages }) => pages.refine(1));
      assert.deepEqual([second.hits.items.length, second.pages.isLastPage], [2, true]);
      const larger = await page.after(({ size }) => size.refine(5));
      assert.equal(larger.hits.items.length, 5);
    },
    { finitePagination: true },
  );

  page(
    'infiniteHits',
    { endless: [connectors.connectInfiniteHits], size: settings({ hitsPerPage: 4 }) },
    async (page) => {
      assert.equal(page.shown.endless.isLastPage, false);
      const { endless } = await page.after(({ endless }) => endless.showMore());
      assert.deepEqual([endless.items.length, endless.isLastPage], [6, true]);
    },
  );

  const orders = [
    { value: 'books', label: 'Best' },
    { value: 'books:year:desc', label: 'Newest' },
  ];
  page('sortBy', { order: [connectors.connectSortBy, { items: orders }], hits }, async (page) => {
    const { hits } = await page.after(({ order }) => order.refine('books:year:desc'));
    assert.deepEqual(ids(hits.items), [6, 5, 4, 3, 2, 1]);
  });

  page('geoSearch', { map: [connectors.connectGeoSearch] }, async (page) => {
    assert.equal(page.shown.map.items.length, 6);
    const box = { northEast: { lat: 53, lng: 14 }, southWest: { lat: 50, lng: 8 } };
    const { map } = await page.after(({ map }) => map.refine(box));
    assert.deepEqual(ids(map.items).sort(), [3, 5]);
  });

  page('configure', { fixed: settings({ filters: 'genres = sea', hitsPerPage: 1 }), hits }, async (page) => {
    assert.deepEqual(ids(page.shown.hits.items), [1]);
  });

  page('autocomplete', { complete: [connectors.connectAutocomplete] }, async (page) => {
    const { complete } = await page.after(({ complete }) => complete.refine('ow'));
    assert.deepEqual(ids(complete.indices[0].hits), [3]);
  });
}
