// The list of hits: title, an excerpt, a few fields, score and distance.

import { h } from '../core/dom.js';
import { inline, metres } from '../core/format.js';
import { hasMark, marked } from '../core/marks.js';
import { explanation } from './explain.js';
import { isPlace } from './request.js';
import { shapeOf, titleOf } from './shape.js';
import { distance } from './projection.js';

const MOST_FIELDS = 7;
const LONGEST_FIELD = 90;

export function hitList(answer, state, about, { first, onOpen, onPoint }) {
  const shape = shapeOf(answer.hits, about);
  return h(
    'ol',
    { class: 'hits', start: first },
    answer.hits.map((hit, place) =>
      h(
        'li',
        {
          class: 'hit',
          data: { place },
          onpointerenter: () => onPoint(place),
          onpointerleave: () => onPoint(null),
          onclick: (event) => opens(event) && onOpen(hit, titleOf(hit, shape)),
        },
        h('div', { class: 'hit-rank', 'aria-hidden': 'true' }, first + place),
        h(
          'div',
          { class: 'hit-main' },
          h(
            'h3',
            { class: 'hit-title' },
            h(
              'button',
              { type: 'button', class: 'hit-open' },
              marked(inline(formatted(titleOf(hit, shape), hit._formatted?.[shape.title] || undefined))),
            ),
          ),
          shape.body && hit[shape.body]
            ? h('p', { class: 'hit-body' }, marked(hit._formatted?.[shape.body] ?? hit[shape.body]))
            : null,
          fields(hit, shape.rest),
        ),
        h('div', { class: 'hit-side' }, score(hit, state), away(hit, state)),
        state.explain ? explanation(answer.hits, place, first) : null,
      ),
    ),
  );
}

/** A press anywhere on a hit opens it, unless it was meant for something else. */
function opens(event) {
  return event.target.closest('.explain') === null && String(getSelection()) === '';
}

/** Fields with a match first: they say why the hit is there. */
function fields(hit, names) {
  const shown = names
    .filter((name) => hit[name] !== undefined && hit[name] !== null && hit[name] !== '')
    .map((name, place) => ({ name, place, value: formatted(hit[name], hit._formatted?.[name]) }))
    .sort((a, b) => hasMark(b.value) - hasMark(a.value) || a.place - b.place)
    .slice(0, MOST_FIELDS);
  if (shown.length === 0) return null;
  return h(
    'dl',
    { class: 'hit-fields' },
    shown.map(({ name, value }) =>
      h('div', { class: 'hit-field' }, h('dt', null, name), h('dd', null, marked(short(inline(value))))),
    ),
  );
}

/** What matched is marked; numbers, which the server writes as text there, stay numbers. */
function formatted(value, shown) {
  if (shown === undefined || shown === null || value === undefined) return shown ?? value;
  if (Array.isArray(shown)) return shown.map((item, place) => formatted(value[place], item));
  if (typeof shown === 'object') {
    return Object.fromEntries(
      Object.entries(shown).map(([name, item]) => [name, formatted(value?.[name], item)]),
    );
  }
  return typeof value === 'string' || hasMark(shown) ? shown : value;
}

function short(text) {
  return text.length > LONGEST_FIELD ? `${text.slice(0, LONGEST_FIELD)}…` : text;
}

function score(hit, state) {
  if (hit._rankingScore === undefined || (state.q === '' && state.ratio === null)) return null;
  const percent = Math.round(hit._rankingScore * 100);
  return h(
    'div',
    { class: 'score', title: `Ranking score ${hit._rankingScore}` },
    h('span', { class: 'score-value' }, hit._rankingScore.toFixed(3)),
    h(
      'span',
      { class: 'score-track', 'aria-hidden': 'true' },
      h('span', { style: { width: `${percent}%` } }),
    ),
  );
}

function away(hit, state) {
  if (!state.origin || !isPlace(hit._geo)) return null;
  return h('div', { class: 'away' }, metres(hit._geoDistance ?? distance(state.origin, hit._geo)));
}
