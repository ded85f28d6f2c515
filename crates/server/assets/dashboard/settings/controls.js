// One control for each kind of setting. Each is given a value and tells every change; what it
// tells is either a value or, with a second word, why it is none yet.

import { freshId, h } from '../core/dom.js';
import { pretty } from '../core/format.js';
import { names, pairs } from './lists.js';

export const CONTROLS = {
  names,
  filterable,
  typos,
  synonyms,
  stopWords,
  choice,
  number,
  text,
  faceting,
  switch: onOff,
  pagination,
  json,
};

function labelled(label, control) {
  const id = freshId('sub');
  control.id = id;
  return h('div', { class: 'sub' }, h('label', { for: id }, label), control);
}

function numberInput(value, onChange, { least = 0, most, label }) {
  const input = h('input', {
    class: 'input input-small number-input',
    type: 'number',
    min: least,
    max: most,
    step: 1,
    value: value ?? '',
    'aria-label': label,
    oninput: () => {
      const next = input.value === '' ? null : Number(input.value);
      const isFine = next === null || (Number.isInteger(next) && next >= least && next <= (most ?? Infinity));
      onChange(
        next,
        isFine
          ? null
          : `Enter a whole number of ${most === undefined ? `at least ${least}` : `${least} to ${most}`}.`,
      );
    },
  });
  return input;
}

function number(value, onChange, options) {
  return numberInput(value, onChange, options);
}

function text(value, onChange, { label, suggestions }) {
  const id = freshId('suggest');
  return h(
    'div',
    null,
    h('input', {
      class: 'input',
      value: value ?? '',
      'aria-label': label,
      list: id,
      spellcheck: 'false',
      autocomplete: 'off',
      oninput: (event) => onChange(event.target.value.trim() === '' ? null : event.target.value.trim()),
    }),
    h(
      'datalist',
      { id },
      (suggestions ?? []).map((name) => h('option', { value: name })),
    ),
  );
}

function choice(value, onChange, { label, choices }) {
  return h(
    'select',
    { class: 'select', 'aria-label': label, value, onchange: (event) => onChange(event.target.value) },
    choices.map((name) => h('option', { value: name }, name)),
  );
}

function onOff(value, onChange, { label }) {
  const word = h('span', null, value ? 'on' : 'off');
  return h(
    'label',
    { class: 'switch' },
    h('input', {
      type: 'checkbox',
      role: 'switch',
      checked: value,
      'aria-label': label,
      onchange: (event) => {
        word.textContent = event.target.checked ? 'on' : 'off';
        onChange(event.target.checked);
      },
    }),
    word,
  );
}

function json(value, onChange, { label }) {
  return h('textarea', {
    class: 'input mono json-input',
    'aria-label': label,
    rows: Math.min(16, pretty(value).split('\n').length + 1),
    spellcheck: 'false',
    value: pretty(value),
    oninput: (event) => {
      try {
        onChange(JSON.parse(event.target.value === '' ? 'null' : event.target.value));
      } catch (error) {
        onChange(undefined, `Invalid JSON: ${error.message}.`);
      }
    },
  });
}

/** Plain names as tags; lists with rule objects as JSON, which says all of them. */
function filterable(value, onChange, options) {
  return value.every((rule) => typeof rule === 'string')
    ? names(value, onChange, options)
    : json(value, onChange, options);
}

/** A list of words where no language is chosen. */
function stopWords(value, onChange, { label }) {
  const now = Array.isArray(value) ? { words: value } : { ...value };
  const tell = () => {
    const { languages = [], words = [] } = now;
    onChange(languages.length === 0 ? words : { languages, words });
  };
  const part = (name, text, suggestions) =>
    h(
      'div',
      { class: 'sub sub-wide' },
      h('span', { class: 'sub-label' }, text),
      names(
        now[name],
        (next) => {
          now[name] = next;
          tell();
        },
        { label: `${label}: ${text}`, suggestions },
      ),
    );
  return h(
    'div',
    { class: 'subs' },
    part('languages', 'Languages', ['de', 'en', 'es', 'fr', 'it', 'nl', 'pt', 'ru']),
    part('words', 'Words', []),
  );
}

function synonyms(value, onChange, { label }) {
  return pairs(Object.entries(value ?? {}), onChange, {
    label,
    nameLabel: 'Word',
    fresh: [],
    valueControl: (words, change, name) =>
      h('input', {
        class: 'input input-small',
        'aria-label': `Synonyms of ${name || 'the word'}`,
        placeholder: 'synonyms, separated by commas',
        value: words.join(', '),
        spellcheck: 'false',
        oninput: (event) =>
          change(
            event.target.value
              .split(',')
              .map((word) => word.trim())
              .filter(Boolean),
          ),
      }),
  });
}

function typos(value, onChange, { suggestions }) {
  const now = structuredClone(value);
  const tell = (problem) => onChange(now, problem ?? sizes());
  const sizes = () =>
    now.minWordSizeForTypos.oneTypo > now.minWordSizeForTypos.twoTypos
      ? 'Words with two typos must be at least as long as words with one.'
      : null;
  const size = (name) =>
    numberInput(
      now.minWordSizeForTypos[name],
      (next, problem) => {
        now.minWordSizeForTypos[name] = next;
        tell(problem);
      },
      { most: 255 },
    );
  return h(
    'div',
    { class: 'subs' },
    h(
      'div',
      { class: 'sub' },
      h('span', { class: 'sub-label' }, 'Typo tolerance'),
      onOff(
        now.enabled,
        (next) => {
          now.enabled = next;
          tell();
        },
        { label: 'Typo tolerance' },
      ),
    ),
    labelled('Word length for one typo', size('oneTypo')),
    labelled('Word length for two typos', size('twoTypos')),
    h(
      'div',
      { class: 'sub' },
      h('span', { class: 'sub-label' }, 'Disable for numbers'),
      onOff(
        now.disableOnNumbers,
        (next) => {
          now.disableOnNumbers = next;
          tell();
        },
        { label: 'Disable typos for numbers' },
      ),
    ),
    h(
      'div',
      { class: 'sub sub-wide' },
      h('span', { class: 'sub-label' }, 'Disable for words'),
      names(
        now.disableOnWords,
        (next) => {
          now.disableOnWords = next;
          tell();
        },
        { label: 'words without typos' },
      ),
    ),
    h(
      'div',
      { class: 'sub sub-wide' },
      h('span', { class: 'sub-label' }, 'Disable for attributes'),
      names(
        now.disableOnAttributes,
        (next) => {
          now.disableOnAttributes = next;
          tell();
        },
        { label: 'attributes without typos', suggestions },
      ),
    ),
  );
}

function faceting(value, onChange, { label }) {
  const now = structuredClone(value);
  return h(
    'div',
    { class: 'subs' },
    labelled(
      'Max values per facet',
      numberInput(
        now.maxValuesPerFacet,
        (next, problem) => {
          now.maxValuesPerFacet = next;
          onChange(now, problem);
        },
        {},
      ),
    ),
    h(
      'div',
      { class: 'sub sub-wide' },
      h('span', { class: 'sub-label' }, 'Order of values'),
      pairs(
        Object.entries(now.sortFacetValuesBy),
        (next) => {
          now.sortFacetValuesBy = next;
          onChange(now);
        },
        {
          label: `${label}: order of values`,
          nameLabel: 'Attribute',
          fresh: 'count',
          valueControl: (order, change, name) =>
            choice(order, change, {
              label: `Order of ${name || 'the attribute'}`,
              choices: ['alpha', 'count'],
            }),
        },
      ),
    ),
  );
}

function pagination(value, onChange) {
  const now = structuredClone(value);
  return h(
    'div',
    { class: 'subs' },
    labelled(
      'Max hits per search',
      numberInput(
        now.maxTotalHits,
        (next, problem) => {
          now.maxTotalHits = next;
          onChange(now, problem);
        },
        { least: 1 },
      ),
    ),
  );
}
