// What the dashboard knows of the instance: its indexes with their figures. Views ask here, so
// that the list is fetched once and everybody hears of a change.

import { get } from './api.js';

const MOST_INDEXES = 1000;

let known = { indexes: [], stats: null, version: null, mayList: true };
const listeners = new Set();

export const instance = () => known;

export function onInstance(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const indexNames = () => known.indexes.map((index) => index.uid);

export const statsOf = (uid) => known.stats?.indexes?.[uid];

/** Fetches the list again. A key that may only search gets an empty one and types a name. */
export async function refresh() {
  const [indexes, stats, version] = await Promise.allSettled([
    get('/indexes', { limit: MOST_INDEXES }, { quiet: true }),
    get('/stats', null, { quiet: true }),
    known.version ? known.version : get('/version', null, { quiet: true }),
  ]);
  const refused = indexes.reason;
  if (refused && !(refused.status === 403)) throw refused;
  known = {
    indexes: indexes.value?.results ?? [],
    mayList: indexes.status === 'fulfilled',
    stats: stats.value ?? null,
    version: version.value ?? null,
  };
  listeners.forEach((listener) => listener(known));
}
