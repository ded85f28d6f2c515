// What was found in a file, before anything is sent.

import { h } from '../core/dom.js';
import { bytes, inline, plural } from '../core/format.js';

const MOST_EXAMPLE = 60;
const FORMATS = { json: 'JSON', ndjson: 'NDJSON', csv: 'CSV' };
const DELIMITERS = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'bar' };

export function fileLine(file, about) {
  const sample = `${about.isWhole ? '' : 'first '}${plural(about.records.length, 'document')}`;
  return h(
    'p',
    { class: 'file-line' },
    h('strong', null, file.name),
    h('span', { class: 'tag' }, FORMATS[about.format]),
    h(
      'span',
      { class: 'quiet' },
      `${bytes(file.size)} · ${sample}${about.format === 'csv' ? ` · ${DELIMITERS[about.delimiter]} between values` : ''}`,
    ),
  );
}

export function fieldPreview(about, key) {
  return h(
    'div',
    { class: 'table-place', tabindex: 0, role: 'region', 'aria-label': 'Detected fields' },
    h(
      'table',
      { class: 'table table-tight' },
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          ['Field', 'Type', 'Filled', 'Example'].map((name) => h('th', { scope: 'col' }, name)),
        ),
      ),
      h(
        'tbody',
        null,
        about.fields.map((field) =>
          h(
            'tr',
            null,
            h(
              'th',
              { scope: 'row' },
              h('code', null, field.name),
              field.name === key ? h('span', { class: 'pill pill-key' }, 'primary key') : null,
            ),
            h('td', null, field.kinds.join(', ') || 'empty'),
            h(
              'td',
              { class: 'filled' },
              h(
                'span',
                { class: 'mini-track', 'aria-hidden': 'true' },
                h('span', { style: { width: `${field.filled * 100}%` } }),
              ),
              `${Math.round(field.filled * 100)} %`,
            ),
            h(
              'td',
              { class: 'example' },
              field.example === undefined ? '' : inline(field.example).slice(0, MOST_EXAMPLE),
            ),
          ),
        ),
      ),
    ),
  );
}
