// What was found in a file, before anything is sent.

import { h } from '../core/dom.js';
import { bytes, inline, plural } from '../core/format.js';
import { icon } from '../core/icons.js';

const MOST_EXAMPLE = 60;
const FORMATS = { json: 'JSON', ndjson: 'NDJSON', csv: 'CSV' };
const DELIMITERS = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'bar' };

/** `about` is null where the file could not be read. */
export function fileLine(file, about, onRemove) {
  const facts = [bytes(file.size)];
  if (about) facts.push(`${about.isWhole ? '' : 'first '}${plural(about.records.length, 'document')}`);
  if (about?.format === 'csv') facts.push(`${DELIMITERS[about.delimiter]} as delimiter`);
  return h(
    'div',
    { class: 'file-line' },
    h('strong', null, file.name),
    about ? h('span', { class: 'tag' }, FORMATS[about.format]) : null,
    h('span', { class: 'quiet' }, facts.join(' · ')),
    h(
      'button',
      { type: 'button', class: 'icon-button', 'aria-label': `Remove ${file.name}`, onclick: onRemove },
      icon('close'),
    ),
  );
}

/** Documents without the key that the index has would make the import fail. */
export function keyWarning(files, index, key) {
  // The preview has no members of objects.
  if (!key || key.includes('.')) return [];
  const without = files.filter(
    ({ about }) => !about.fields.some(({ name, filled }) => name === key && filled === 1),
  );
  return without.map(({ file }) =>
    h(
      'p',
      { class: 'wrong' },
      icon('warn'),
      `Documents of ${file.name} have no ${key}, which is the primary key of ${index}.`,
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
