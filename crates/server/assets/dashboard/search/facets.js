// Facets as filters: values to choose from, a range for numbers, and a search in long lists.

import { debounced, freshId, h } from '../core/dom.js';
import { histogram } from '../core/charts.js';
import { compact, count } from '../core/format.js';
import { searchFacet } from './request.js';
import { pick } from './state.js';

const FIRST_VALUES = 8;

/** `open` remembers which facets show all their values, `typed` what is looked for in them. */
export function facetPanel(answer, state, about, memory, onChange) {
  const names = Object.keys(answer.distribution).filter(
    (name) => !name.startsWith('_geo') && (hasValues(answer, name) || state.facets.has(name)),
  );
  if (names.length === 0) return h('p', { class: 'quiet facets-none' }, 'No facets for these hits.');
  return names.map((name) => facet(name, answer, state, about, memory, onChange));
}

function hasValues(answer, name) {
  return Object.keys(answer.distribution[name]).length > 0;
}

function facet(name, answer, state, about, memory, onChange) {
  const values = Object.entries(answer.distribution[name]);
  const stats = answer.stats[name];
  const heading = freshId('facet');
  return h(
    'section',
    { class: 'facet', 'aria-labelledby': heading, data: { facet: name } },
    h('h3', { class: 'facet-name', id: heading }, name),
    stats !== undefined || state.ranges.has(name)
      ? range(name, values, stats, state, about, onChange)
      : choices(name, values, state, about, memory, onChange),
  );
}

function range(name, values, stats = {}, state, about, onChange) {
  const [low, high] = state.ranges.get(name) ?? [null, null];
  const change = () => {
    const next = inputs.map((input) => (input.value === '' ? null : Number(input.value)));
    if (next.every((bound) => bound === null)) state.ranges.delete(name);
    else state.ranges.set(name, next);
    onChange();
  };
  const isUpsideDown = low !== null && high !== null && low > high;
  const wrong = freshId('range');
  const inputs = [
    ['from', low, stats.min],
    ['to', high, stats.max],
  ].map(([word, value, bound]) =>
    h('input', {
      class: 'input input-small',
      type: 'number',
      step: 'any',
      value: value ?? '',
      placeholder: bound ?? '',
      'aria-label': `${name} ${word}`,
      'aria-invalid': isUpsideDown ? 'true' : null,
      'aria-describedby': isUpsideDown ? wrong : null,
      data: { key: `${name} ${word}` },
      onchange: change,
    }),
  );
  // A list that was cut says nothing of how all values spread.
  const isWhole = values.length > 0 && values.length < about.maxValuesPerFacet;
  return [
    isWhole
      ? histogram(
          `Distribution of ${name} from ${stats.min} to ${stats.max}`,
          values.map(([value, many]) => [Number(value), many]).filter(([value]) => Number.isFinite(value)),
        )
      : null,
    h('div', { class: 'facet-range' }, inputs[0], h('span', { 'aria-hidden': 'true' }, '–'), inputs[1]),
    isUpsideDown
      ? h(
          'p',
          { class: 'wrong', id: wrong },
          `The lower bound ${low} is greater than the upper bound ${high}.`,
        )
      : null,
  ];
}

function choices(name, values, state, about, memory, onChange) {
  const chosen = state.facets.get(name) ?? new Set();
  const list = h('ul', { class: 'facet-values' });
  const known = new Map(values);
  chosen.forEach((value) => known.has(value) || values.push([value, 0]));
  const isCut = values.length >= about.maxValuesPerFacet;

  function draw(rows, isAll) {
    const sorted = rows.toSorted((a, b) => chosen.has(b[0]) - chosen.has(a[0]) || b[1] - a[1]);
    const shown = isAll ? sorted : sorted.slice(0, Math.max(FIRST_VALUES, chosen.size));
    list.replaceChildren(
      ...shown.map(([value, many]) =>
        h(
          'li',
          null,
          h(
            'label',
            { class: 'facet-value' },
            h('input', {
              type: 'checkbox',
              checked: chosen.has(value),
              data: { key: `${name} = ${value}` },
              onchange: () => {
                pick(state, name, value);
                onChange();
              },
            }),
            h('span', { class: 'facet-text', title: value }, value),
            h('span', { class: 'facet-count', title: count(many) }, compact(many)),
          ),
        ),
      ),
    );
    if (shown.length === 0) list.append(h('li', { class: 'quiet' }, 'No such value.'));
  }

  const isOpen = memory.open.has(name);
  draw(values, isOpen);
  const more =
    values.length > FIRST_VALUES
      ? h(
          'button',
          {
            type: 'button',
            class: 'link-button',
            'aria-expanded': String(isOpen),
            onclick: () => {
              if (!memory.open.delete(name)) memory.open.add(name);
              draw(values, memory.open.has(name));
              more.setAttribute('aria-expanded', String(memory.open.has(name)));
              more.textContent = memory.open.has(name) ? 'Show fewer' : moreText(values, isCut);
            },
          },
          isOpen ? 'Show fewer' : moreText(values, isCut),
        )
      : null;
  return [
    values.length > FIRST_VALUES && about.facetSearch
      ? finder(name, values, state, about, memory, draw, more)
      : null,
    list,
    more,
  ];
}

const moreText = (values, isCut) => `Show all ${values.length}${isCut ? ' of the first values' : ''}`;

/** Looks for values by their beginning, with typos forgiven, on the server. */
function finder(name, values, state, about, memory, draw, more) {
  const look = debounced(60, async (text) => {
    if (text === '') {
      draw(values, memory.open.has(name));
      return;
    }
    try {
      const { facetHits } = await searchFacet(state, about, name, text);
      if (input.value === text)
        draw(
          facetHits.map((hit) => [hit.value, hit.count]),
          true,
        );
    } catch {
      draw(
        values.filter(([value]) => value.toLowerCase().includes(text.toLowerCase())),
        true,
      );
    }
  });
  const input = h('input', {
    class: 'input input-small',
    type: 'search',
    placeholder: `Find in ${name}`,
    'aria-label': `Find in ${name}`,
    data: { key: `find ${name}` },
    value: memory.typed.get(name) ?? '',
    oninput: () => {
      memory.typed.set(name, input.value);
      more.hidden = input.value !== '';
      look(input.value);
    },
  });
  if (input.value !== '') look(input.value);
  return input;
}
