// Places: around a point, in a box, in a polygon, in order of distance.

import assert from 'node:assert/strict';
import { ask, ids } from './ask.js';

export function places(suite, connect) {
  suite.test('geo: around a point', async () => {
    const { searchClient } = connect();
    const near = await ask(searchClient, { aroundLatLng: '48.8566,2.3522', aroundRadius: 20000 });
    assert.deepEqual(ids(near), [1]);
    assert.deepEqual(near.hits[0]._geoloc, { lat: 48.8566, lng: 2.3522 });
    const wider = await ask(searchClient, { aroundLatLng: '48.8566,2.3522', minimumAroundRadius: 450000 });
    assert.deepEqual(ids(wider).sort(), [1, 2, 6]);
  });

  suite.test('geo: in a box', async () => {
    const found = await ask(connect().searchClient, { insideBoundingBox: '53,14,50,8' });
    assert.deepEqual(ids(found).sort(), [3, 5]);
  });

  suite.test('geo: in a polygon', async () => {
    const found = await ask(connect().searchClient, {
      insidePolygon: [
        [47, 3],
        [47, 7],
        [42, 7],
        [42, 3],
      ],
    });
    assert.deepEqual(ids(found).sort(), [2, 4]);
  });

  suite.test('geo: with a refinement and a query', async () => {
    const found = await ask(
      connect().searchClient,
      { aroundLatLng: '45.7,4.8', aroundRadius: 500000, disjunctiveFacets: ['author'] },
      (helper) => helper.setQuery('harbour').addDisjunctiveFacetRefinement('author', 'Mina Okafor'),
    );
    assert.deepEqual(ids(found), [4]);
  });

  suite.test('geo: in order of distance', async () => {
    const { searchClient } = connect({ meiliSearchParams: { sort: ['_geoPoint(52.5, 13.4):asc'] } });
    assert.deepEqual(ids(await ask(searchClient, { hitsPerPage: 2 })), [3, 5]);
  });
}
