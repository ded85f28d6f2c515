// The filters in force, each with a way to take it off.

import { h } from '../core/dom.js';
import { icon } from '../core/icons.js';
import { clearFilters, hasFilters, pick } from './state.js';

export function chips(state, onChange) {
  if (!hasFilters(state)) return null;
  const chip = (name, text, takeOff) =>
    h(
      'li',
      null,
      h(
        'button',
        {
          type: 'button',
          class: 'chip',
          onclick: () => {
            takeOff();
            onChange();
          },
        },
        h('span', { class: 'unseen' }, 'Remove filter '),
        h('span', { class: 'chip-name' }, name),
        ' ',
        h('span', { class: 'chip-text' }, text),
        icon('close'),
      ),
    );
  return h(
    'ul',
    { class: 'chips', 'aria-label': 'Active filters' },
    [...state.facets].flatMap(([name, values]) =>
      [...values].map((value) => chip(name, value, () => pick(state, name, value))),
    ),
    [...state.ranges].map(([name, [low, high]]) =>
      chip(name, `${low ?? '…'} to ${high ?? '…'}`, () => state.ranges.delete(name)),
    ),
    state.box ? chip('place', 'this area', () => (state.box = null)) : null,
    h(
      'li',
      null,
      h(
        'button',
        {
          type: 'button',
          class: 'link-button',
          onclick: () => {
            clearFilters(state);
            onChange();
          },
        },
        'Clear all',
      ),
    ),
  );
}
