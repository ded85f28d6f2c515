// The place in the dashboard, kept behind the `#` of the address: `#/search/movies?q=blade`.

const listeners = new Set();
/** Where one is, also while a question is open whether to leave it. */
let here = location.hash;
let guard = null;

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
  here = href(parts, params);
  history.replaceState(null, '', here);
}

/** `ask` tells, perhaps later, whether this place may be left. Gives back what ends it. */
export function guardPlace(ask) {
  guard = ask;
  return () => (guard = guard === ask ? null : guard);
}

export function onMove(listener) {
  listeners.add(listener);
}

addEventListener('hashchange', async () => {
  // The skip link points into the page, not to a view.
  if (location.hash === '#main') return;
  if (guard) {
    const to = location.hash;
    history.replaceState(null, '', here);
    if (!(await guard())) return;
    guard = null;
    if (to !== here) {
      location.hash = to;
      return;
    }
  }
  here = location.hash;
  listeners.forEach((listener) => listener(place()));
});
