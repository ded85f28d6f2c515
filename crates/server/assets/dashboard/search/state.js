// What is being searched for, and its form in the address, so that a search can be kept as a
// bookmark and survives a look at another view.

export const PER_PAGE = 20;

/** How hits by words and by meaning become one list: name, label, and when to choose it. */
export const FUSIONS = new Map([
  ['', { label: 'By score', about: 'Orders hits by their weighted score. For scores in the same range.' }],
  ['rrf', { label: 'By rank', about: 'Prefers hits with a high rank in both lists. Independent of scores.' }],
  [
    'normalized',
    {
      label: 'By scaled score',
      about: 'Scales the scores of each list to 0–1 and adds them. Preserves clear leads.',
    },
  ],
]);

export function emptyState(index) {
  return {
    index,
    q: '',
    facets: new Map(),
    ranges: new Map(),
    box: null,
    origin: null,
    sort: '',
    page: 1,
    ratio: null,
    embedder: '',
    fusion: '',
    reranker: '',
    map: false,
    boosts: true,
    explain: false,
    timing: false,
  };
}

export function fromAddress(index, params) {
  const state = emptyState(index);
  for (const [name, value] of params) {
    if (name.startsWith('f.')) pick(state, name.slice(2), value);
    else if (name.startsWith('r.')) state.ranges.set(name.slice(2), value.split('..').map(numberOrNull));
    else if (name === 'box') state.box = value.split(',').map(Number);
    else if (name === 'origin') state.origin = point(value);
    else if (name === 'page') state.page = Math.max(1, Number(value) || 1);
    else if (name === 'ratio') state.ratio = Math.min(1, Math.max(0, Number(value) || 0));
    else if (name === 'q' || name === 'sort' || name === 'embedder' || name === 'reranker')
      state[name] = value;
    else if (name === 'boosts') state.boosts = value !== '0';
    else if (name === 'fusion' && FUSIONS.has(value)) state.fusion = value;
    else if (name === 'map' || name === 'explain') state[name] = value === '1';
  }
  return state;
}

export function toAddress(state) {
  const params = new URLSearchParams();
  if (state.q) params.set('q', state.q);
  for (const [name, values] of state.facets) values.forEach((value) => params.append(`f.${name}`, value));
  for (const [name, [low, high]] of state.ranges) params.set(`r.${name}`, `${low ?? ''}..${high ?? ''}`);
  if (state.box) params.set('box', state.box.map((degree) => degree.toFixed(5)).join(','));
  if (state.origin) params.set('origin', `${state.origin.lat},${state.origin.lng}`);
  if (state.sort) params.set('sort', state.sort);
  if (state.page > 1) params.set('page', state.page);
  if (state.ratio !== null) params.set('ratio', state.ratio);
  if (state.embedder) params.set('embedder', state.embedder);
  if (!state.boosts) params.set('boosts', '0');
  if (state.fusion) params.set('fusion', state.fusion);
  if (state.reranker) params.set('reranker', state.reranker);
  if (state.map) params.set('map', '1');
  if (state.explain) params.set('explain', '1');
  return params;
}

function numberOrNull(text) {
  return text === '' || text === undefined || Number.isNaN(Number(text)) ? null : Number(text);
}

/** `52.5, 13.4` as a place, or null. */
export function point(text) {
  const parts = text.split(',').map((part) => part.trim());
  const [lat, lng] = parts.map(Number);
  const isPlace =
    parts.length === 2 && parts.every((part) => part !== '') && Math.abs(lat) <= 90 && Math.abs(lng) <= 180;
  return isPlace ? { lat, lng } : null;
}

/** Chooses a value of a facet, or lets it go. */
export function pick(state, name, value) {
  const values = state.facets.get(name) ?? new Set();
  if (!values.delete(value)) values.add(value);
  if (values.size === 0) state.facets.delete(name);
  else state.facets.set(name, values);
}

export function hasFilters(state) {
  return state.facets.size > 0 || state.ranges.size > 0 || state.box !== null;
}

export function clearFilters(state) {
  state.facets.clear();
  state.ranges.clear();
  state.box = null;
}
