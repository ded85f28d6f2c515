// What each field of an index is used for, as one table.

import { h } from '../core/dom.js';
import { icon } from '../core/icons.js';

const USES = [
  ['displayed', 'Shown'],
  ['searchable', 'Searched'],
  ['filterable', 'Filters'],
  ['sortable', 'Sorts'],
  ['rankingRule', 'Ranks'],
  ['distinct', 'Distinct'],
];

export function fieldTable(fields) {
  if (fields.length === 0) return h('p', { class: 'quiet' }, 'No fields yet.');
  return h(
    'div',
    { class: 'table-place', tabindex: 0, role: 'region', 'aria-label': 'Fields' },
    h(
      'table',
      { class: 'table table-tight' },
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          h('th', { scope: 'col' }, 'Field'),
          USES.map(([, text]) => h('th', { scope: 'col', class: 'centre' }, text)),
        ),
      ),
      h(
        'tbody',
        null,
        fields.map((field) =>
          h(
            'tr',
            null,
            h('th', { scope: 'row' }, h('code', null, field.name)),
            USES.map(([use, text]) =>
              h(
                'td',
                { class: 'centre' },
                field[use]?.enabled
                  ? h('span', { class: 'yes' }, icon('check'), h('span', { class: 'unseen' }, text))
                  : h('span', { class: 'no', 'aria-label': `not ${text.toLowerCase()}`, role: 'img' }, '·'),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}
