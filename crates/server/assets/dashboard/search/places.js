// The map of the search view: what it shows of the hits, and what it changes in the search.

import { openDocument } from './document.js';
import { createMap } from './map.js';
import { isPlace } from './request.js';
import { shapeOf, titleOf } from './shape.js';

export function mapOf(state, about, onChange) {
  return createMap({
    geoFilters: about.geoFilters,
    geoSorts: about.geoSorts,
    onOpen: (hit) => openDocument(state.index, hit, titleOf(hit, shapeOf([hit], about)), about),
    onArea: (box) => {
      state.box = box;
      onChange({ first: true });
    },
    onOrigin: (origin) => {
      Object.assign(state, { origin, sort: 'distance' });
      onChange({ tools: true, first: true });
    },
  });
}

export function pinsOf(hits, about) {
  const shape = shapeOf(hits, about);
  return hits
    .map((hit, rank) => ({ rank, hit, place: hit._geo, title: String(titleOf(hit, shape)) }))
    .filter((pin) => isPlace(pin.place));
}
