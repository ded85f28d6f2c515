// The place in the dashboard, kept behind the `#` of the address: `#/search/movies?q=blade`.

const listeners = new Set();

export function place() {
  const [path, search] = location.hash.replace(/^#\/?/, '').split('?');
  const parts = path.split('/').filter(Boolean).map(decodeURIComponent);
  return { view: parts[0] ?? '', parts: parts.slice(1), params: new URLSearchParams(search ?? '') };
}

export function href(parts, params) {
  const path = parts.map(encodeURIComponent).join('/');
  const search = params ? new URLSearchParams(params).toString() : '';
  return `#/${path}${search ? `?${search}` : ''}`;
}

export function go(parts, params) {
  location.hash = href(parts, params);
}

/** Notes the state of a view without leaving it or adding to the history. */
export function note(parts, params) {
  history.replaceState(null, '', href(parts, params));
}

export function onMove(listener) {
  listeners.add(listener);
}

addEventListener('hashchange', () => {
  // The skip link points into the page, not to a view.
  if (location.hash === '#main') return;
  listeners.forEach((listener) => listener(place()));
});
