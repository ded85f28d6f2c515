// Searches that somebody saved in this browser, for each instance and index: their addresses
// without page, map and explanation. They hold the words and filters of a search, never a key.

const NAME = 'sonde-searches';
const NOT_SAVED = ['page', 'map', 'explain'];
/** More would make before and after hard to look over, and every change of settings slow. */
export const MOST_SEARCHES = 20;
const LONGEST_SEARCH = 2000;
const MOST_INDEXES = 100;

/** Instances behind one host differ in the path. */
const placeOf = (index) => `${location.pathname} ${index}`;

/** Whatever is stored under the name may have been put there by something else. */
function readAll() {
  try {
    const stored = JSON.parse(localStorage.getItem(NAME));
    if (stored === null || typeof stored !== 'object') return {};
    return Object.fromEntries(Object.entries(stored).filter(([, list]) => Array.isArray(list)));
  } catch {
    return {};
  }
}

/** The searches of an index, oldest first, as texts of parameters. */
export function savedSearches(index) {
  const list = readAll()[placeOf(index)] ?? [];
  return list.filter((search) => typeof search === 'string').slice(0, MOST_SEARCHES);
}

/** The text that stands for a search, however it is looked at. */
export function searchText(params) {
  const kept = new URLSearchParams(params);
  NOT_SAVED.forEach((name) => kept.delete(name));
  return kept.toString();
}

/** Saves a search; gives what is wrong with that, or null. */
export function saveSearch(index, search) {
  const list = savedSearches(index);
  if (list.includes(search)) return null;
  if (list.length >= MOST_SEARCHES) {
    return `${MOST_SEARCHES} searches of this index are saved. Remove one first.`;
  }
  if (search.length > LONGEST_SEARCH) return 'This search is too long to be saved.';
  return write(index, [...list, search]);
}

export function removeSearch(index, search) {
  return write(
    index,
    savedSearches(index).filter((saved) => saved !== search),
  );
}

function write(index, list) {
  const { [placeOf(index)]: _before, ...others } = readAll();
  // The index that was changed last stands last, so that the one longest unused goes first.
  const kept = Object.entries(others).slice(1 - MOST_INDEXES);
  if (list.length > 0) kept.push([placeOf(index), list]);
  try {
    localStorage.setItem(NAME, JSON.stringify(Object.fromEntries(kept)));
    return null;
  } catch {
    return 'The browser does not allow this page to store data.';
  }
}
