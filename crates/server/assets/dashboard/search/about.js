// What an index lets a search do: which attributes filter and sort, which embedders it has. A key
// that may not read settings still gets facets: the server knows which there are.

import { get } from '../core/api.js';
import { instance } from '../core/instance.js';

const SEARCH_ONLY = {
  facets: true,
  filterable: [],
  sortable: [],
  embedders: [],
  textEmbedders: [],
  rerankers: [],
  isGeo: false,
  geoSorts: false,
  geoFilters: false,
  maxTotalHits: 1000,
  maxValuesPerFacet: 100,
  facetSearch: true,
  searchable: ['*'],
  boosts: false,
  mayRead: false,
};

export async function aboutIndex(uid, signal) {
  const primaryKey = instance().indexes.find((index) => index.uid === uid)?.primaryKey ?? null;
  try {
    return { primaryKey, ...read(await get(`/indexes/${uid}/settings`, null, { signal, quiet: true })) };
  } catch (error) {
    if (error.isAuth) return { primaryKey, ...SEARCH_ONLY };
    throw error;
  }
}

/** Whether words can be searched with it. Vectors that users provide have none for a query. */
function takesText({ source, searchEmbedder }) {
  return (source === 'composite' ? searchEmbedder?.source : source) !== 'userProvided';
}

function read(settings) {
  const filterable = settings.filterableAttributes.flatMap((rule) =>
    typeof rule === 'string' ? [rule] : rule.attributePatterns,
  );
  const plain = settings.filterableAttributes.filter((rule) => typeof rule === 'string');
  const sortable = settings.sortableAttributes;
  const geoSorts = sortable.includes('_geo');
  const geoFilters = plain.includes('_geo');
  return {
    facets: filterable.some((name) => name !== '_geo' && name !== '_geojson'),
    filterable,
    sortable: sortable.filter((name) => name !== '_geo'),
    embedders: Object.keys(settings.embedders ?? {}),
    textEmbedders: Object.entries(settings.embedders ?? {})
      .filter(([, embedder]) => takesText(embedder))
      .map(([name]) => name),
    rerankers: Object.keys(settings.rerankers ?? {}),
    isGeo: geoSorts || geoFilters,
    geoSorts,
    geoFilters,
    maxTotalHits: settings.pagination?.maxTotalHits ?? 1000,
    maxValuesPerFacet: settings.faceting?.maxValuesPerFacet ?? 100,
    facetSearch: settings.facetSearch !== false,
    searchable: settings.searchableAttributes,
    boosts: (settings.boosts ?? []).length > 0,
    mayRead: true,
  };
}
