// What a change of settings does to saved searches: their first hits are asked for before and
// after it. Nothing is estimated: both lists are answers of the server.

import { post } from '../core/api.js';
import { json } from '../core/format.js';
import { savedSearches } from '../core/saved.js';
import { aboutIndex } from '../search/about.js';
import { queryOf } from '../search/request.js';
import { shapeOf, titleOf } from '../search/shape.js';
import { fromAddress } from '../search/state.js';
import { compare } from './compare.js';

export const MOST_HITS = 10;

/** The first hits of each saved search of an index. */
export async function record(index) {
  const searches = savedSearches(index);
  if (searches.length === 0) return [];
  const about = await aboutIndex(index);
  const lists = await Promise.all(searches.map((search) => ask(index, search, about)));
  return searches.map((search, place) => ({ search, about, ...lists[place] }));
}

/** A search that the server refuses does not keep the others from being shown. */
async function ask(index, search, about) {
  try {
    const state = fromAddress(index, new URLSearchParams(search));
    const query = { ...queryOf(state, about), limit: MOST_HITS };
    const { hits } = await post(`/indexes/${index}/search`, query, { quiet: true });
    return { hits, error: null };
  } catch (error) {
    return { hits: [], error };
  }
}

/** The records of before and after, search by search. */
export function effects(before, after) {
  return before.flatMap((old) => {
    const now = after.find(({ search }) => search === old.search);
    if (!now) return [];
    const shape = shapeOf([...old.hits, ...now.hits], now.about);
    const entry = (hit) => ({ id: idOf(hit, now.about), title: titleOf(hit, shape) });
    const lists = compare(old.hits.map(entry), now.hits.map(entry));
    return [{ search: old.search, error: old.error ?? now.error, ...lists }];
  });
}

/** Documents that do not show their ids are told apart by what they show. */
function idOf(hit, about) {
  return json(hit[about.primaryKey] ?? hit);
}
