// Saved searches in the search view: the button that saves the current one, and the list of all.

import { h } from '../core/dom.js';
import { plural } from '../core/format.js';
import { icon } from '../core/icons.js';
import { href } from '../core/router.js';
import { removeSearch, saveSearch, savedSearches, searchText } from '../core/saved.js';
import { complain } from '../core/toast.js';
import { fromAddress, toAddress } from './state.js';

/** Saves what is being searched for, or removes it where it is saved. */
export function saveButton(state, onSaved) {
  const search = searchText(toAddress(state));
  const isSaved = savedSearches(state.index).includes(search);
  return h(
    'button',
    {
      type: 'button',
      class: 'button button-small toggle',
      'aria-pressed': String(isSaved),
      title: 'A change of settings shows its effect on saved searches',
      onclick: () => {
        const wrong = (isSaved ? removeSearch : saveSearch)(state.index, search);
        if (wrong) complain({ message: wrong });
        onSaved();
      },
    },
    icon('star'),
    isSaved ? 'Saved' : 'Save search',
  );
}

/** All saved searches of the index, each a link; null where there is none. */
export function savedList(index, isOpen, onChange) {
  const searches = savedSearches(index);
  if (searches.length === 0) return null;
  return h(
    'details',
    { class: 'saved-fold', open: isOpen },
    h('summary', null, plural(searches.length, 'saved search', 'saved searches')),
    h(
      'ul',
      { class: 'saved-list' },
      searches.map((search) => item(index, search, onChange)),
    ),
  );
}

function item(index, search, onChange) {
  const label = searchLabel(index, search);
  return h(
    'li',
    { class: 'saved-item' },
    h('a', { href: href(['search', index], new URLSearchParams(search)) }, label),
    h(
      'button',
      {
        type: 'button',
        class: 'icon-button',
        'aria-label': `Remove saved search ${label}`,
        onclick: () => {
          const wrong = removeSearch(index, search);
          if (wrong) complain({ message: wrong });
          onChange();
        },
      },
      icon('close'),
    ),
  );
}

/** `“red shoes”, 2 filters, by price:asc` */
export function searchLabel(index, search) {
  const state = fromAddress(index, new URLSearchParams(search));
  const filters = state.facets.size + state.ranges.size + (state.box ? 1 : 0);
  const parts = [state.q ? `“${state.q}”` : 'All documents'];
  if (filters > 0) parts.push(plural(filters, 'filter'));
  if (state.sort) parts.push(`by ${state.sort}`);
  if (state.ratio !== null) parts.push(`${Math.round(state.ratio * 100)} % meaning`);
  return parts.join(', ');
}
