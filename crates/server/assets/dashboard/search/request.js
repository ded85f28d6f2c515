// One search of the dashboard: the query itself, and beside it one for each facet in use, so that
// the other values of that facet can still be chosen.

import { post } from '../core/api.js';
import { CLOSE, OPEN } from '../core/marks.js';
import { filterOf } from './filter.js';
import { PER_PAGE } from './state.js';

const CROP_WORDS = 45;

/** What says which documents are meant, without how they are shown. */
function asked(state, about, except) {
  const query = { indexUid: state.index, q: state.q };
  const filter = filterOf(state, except);
  if (filter.length > 0) query.filter = filter;
  if (state.ratio !== null && about.textEmbedders.length > 0) {
    query.hybrid = { embedder: embedderOf(state, about), semanticRatio: state.ratio };
    if (state.fusion) query.hybrid.fusion = state.fusion;
  }
  return query;
}

/** The embedder that was chosen, where it is still there. */
export function embedderOf(state, about) {
  return about.textEmbedders.includes(state.embedder) ? state.embedder : about.textEmbedders[0];
}

function sortOf(state) {
  if (state.sort === 'distance') {
    return state.origin ? [`_geoPoint(${state.origin.lat}, ${state.origin.lng}):asc`] : undefined;
  }
  return state.sort ? [state.sort] : undefined;
}

/** A search as another client would send it to its index, without page and marks. */
export function queryOf(state, about) {
  const { indexUid: _index, ...query } = asked(state, about);
  return { ...query, sort: sortOf(state) };
}

function mainQuery(state, about) {
  return {
    ...asked(state, about),
    page: state.page,
    hitsPerPage: PER_PAGE,
    attributesToHighlight: ['*'],
    attributesToCrop: ['*'],
    cropLength: CROP_WORDS,
    highlightPreTag: OPEN,
    highlightPostTag: CLOSE,
    showRankingScore: true,
    showRankingScoreDetails: state.explain,
    showPerformanceDetails: state.timing,
    sort: sortOf(state),
    // Those of the settings apply unless they are switched off.
    boosts: about.boosts && !state.boosts ? [] : undefined,
    facets: about.facets ? ['*'] : undefined,
    didYouMean: state.q.trim() !== '' || undefined,
    rerank: about.rerankers.includes(state.reranker) ? { reranker: state.reranker } : undefined,
  };
}

export async function search(state, about, signal) {
  const inUse = [...state.facets.keys(), ...state.ranges.keys()];
  const queries = [
    mainQuery(state, about),
    ...inUse.map((name) => ({ ...asked(state, about, name), limit: 0, facets: [name] })),
  ];
  const begun = performance.now();
  const { results } = await post('/multi-search', { queries }, { signal });
  const [main, ...sides] = results;
  const distribution = { ...main.facetDistribution };
  const stats = { ...main.facetStats };
  sides.forEach((side, place) => {
    const name = inUse[place];
    distribution[name] = side.facetDistribution?.[name] ?? {};
    if (side.facetStats?.[name]) stats[name] = side.facetStats[name];
  });
  return { ...main, distribution, stats, roundTripMs: performance.now() - begun };
}

/** Where the matching documents lie, for the map: as many as the index lets a search see. */
export async function places(state, about, signal) {
  const query = { ...asked(state, about), limit: about.maxTotalHits, attributesToRetrieve: ['_geo'] };
  const { results } = await post('/multi-search', { queries: [query] }, { signal });
  return results[0].hits.map((hit) => hit._geo).filter(isPlace);
}

export function isPlace(geo) {
  return (
    geo !== null &&
    typeof geo === 'object' &&
    Number.isFinite(Number(geo.lat)) &&
    Number.isFinite(Number(geo.lng))
  );
}

export function searchFacet(state, about, facetName, facetQuery, signal) {
  const { indexUid, ...body } = asked(state, about, facetName);
  return post(`/indexes/${indexUid}/facet-search`, { ...body, facetName, facetQuery }, { signal });
}

export function similar(index, id, embedder) {
  return post(`/indexes/${index}/similar`, { id, embedder, limit: 8, showRankingScore: true });
}
