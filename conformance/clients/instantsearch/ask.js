// One search through the helper.

import { once } from 'node:events';
import algoliasearchHelper from 'algoliasearch-helper';

/** The results of a search whose state `change` prepared. */
export async function ask(searchClient, options = {}, change = () => {}, index = 'books') {
  const helper = algoliasearchHelper(searchClient, index, options);
  change(helper);
  // An 'error' event rejects the wait.
  const answered = once(helper, 'result');
  helper.search();
  const [{ results }] = await answered;
  return results;
}

export const ids = ({ hits }) => hits.map((hit) => hit.id);

/** Facet values as a widget lists them: name and count. */
export const values = (results, facet) =>
  Object.fromEntries(results.getFacetValues(facet, {}).map(({ name, count }) => [name, count]));
