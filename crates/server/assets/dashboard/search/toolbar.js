// The line of controls above the hits: order, words or meaning, reranker, map, explanation, timing.

import { freshId, h } from '../core/dom.js';
import { icon } from '../core/icons.js';
import { embedderOf } from './request.js';
import { FUSIONS, point } from './state.js';

const FIRST_RATIO = 0.5;

export function toolbar(state, about, onChange) {
  return [
    sorting(state, about, onChange),
    about.geoSorts && state.sort === 'distance' ? origin(state, onChange) : null,
    about.textEmbedders.length > 0 ? hybrid(state, about, onChange) : null,
    about.rerankers.length > 0 ? reranking(state, about, onChange) : null,
    h(
      'div',
      { class: 'tool-toggles' },
      about.isGeo ? toggle('map', 'Map', state, onChange) : null,
      about.boosts ? toggle('up', 'Boosts', state, onChange) : null,
      toggle('bars', 'Explain', state, onChange),
      toggle('clock', 'Timing', state, onChange),
    ),
  ];
}

function toggle(sign, label, state, onChange) {
  const name = label.toLowerCase();
  return h(
    'button',
    {
      type: 'button',
      class: 'button button-small toggle',
      'aria-pressed': String(state[name]),
      onclick: () => {
        state[name] = !state[name];
        onChange({ tools: true });
      },
    },
    icon(sign),
    label,
  );
}

function sorting(state, about, onChange) {
  const choices = [['', 'Relevance']];
  if (about.geoSorts) choices.push(['distance', 'Distance, nearest first']);
  for (const name of about.sortable)
    choices.push([`${name}:asc`, `${name}, ascending`], [`${name}:desc`, `${name}, descending`]);
  if (choices.length === 1) return null;
  const id = freshId('sort');
  return h(
    'div',
    { class: 'tool' },
    h('label', { for: id }, 'Order'),
    h(
      'select',
      {
        id,
        class: 'select select-small',
        value: state.sort,
        onchange: (event) => {
          state.sort = event.target.value;
          onChange({ tools: true, first: true });
        },
      },
      choices.map(([value, text]) => h('option', { value }, text)),
    ),
  );
}

function origin(state, onChange) {
  const id = freshId('origin');
  const input = h('input', {
    id,
    class: 'input input-small origin',
    placeholder: '52.52, 13.40',
    inputmode: 'decimal',
    value: state.origin ? `${state.origin.lat}, ${state.origin.lng}` : '',
    onchange: () => {
      state.origin = point(input.value);
      input.setAttribute('aria-invalid', String(input.value !== '' && !state.origin));
      onChange({ first: true });
    },
  });
  return h('div', { class: 'tool' }, h('label', { for: id }, 'From'), input);
}

/** Off until one is chosen. */
function reranking(state, about, onChange) {
  const id = freshId('reranker');
  return h(
    'div',
    { class: 'tool' },
    h('label', { for: id }, 'Rerank'),
    h(
      'select',
      {
        id,
        class: 'select select-small',
        value: about.rerankers.includes(state.reranker) ? state.reranker : '',
        onchange: (event) => {
          state.reranker = event.target.value;
          onChange({ tools: true, first: true });
        },
      },
      h('option', { value: '' }, 'Off'),
      about.rerankers.map((name) => h('option', { value: name }, name)),
    ),
  );
}

/** From words alone to meaning alone. Off until it is touched, as for any other client. */
function hybrid(state, about, onChange) {
  const id = freshId('ratio');
  const value = h('output', { class: 'ratio-value', for: id });
  const draw = () =>
    (value.textContent = state.ratio === null ? 'off' : `${Math.round(state.ratio * 100)} %`);
  draw();
  const slider = h('input', {
    id,
    type: 'range',
    class: 'slider',
    min: 0,
    max: 1,
    step: 0.05,
    value: state.ratio ?? 0,
    'aria-label': 'Weight of meaning against words',
    'aria-valuetext': value.textContent,
    oninput: () => {
      state.ratio = Number(slider.value);
      draw();
      slider.setAttribute('aria-valuetext', value.textContent);
      onChange({ first: true });
    },
  });
  const embedder =
    about.textEmbedders.length > 1
      ? h(
          'select',
          {
            class: 'select select-small',
            'aria-label': 'Embedder',
            value: embedderOf(state, about),
            onchange: (event) => {
              state.embedder = event.target.value;
              state.ratio ??= FIRST_RATIO;
              onChange({ tools: true, first: true });
            },
          },
          about.textEmbedders.map((name) => h('option', { value: name }, name)),
        )
      : null;
  return h(
    'div',
    { class: 'tool tool-hybrid' },
    h('span', { 'aria-hidden': 'true' }, 'Words'),
    slider,
    h('span', { 'aria-hidden': 'true' }, 'Meaning'),
    value,
    fusion(state, onChange),
    embedder,
  );
}

/** How the two lists become one, with a line that says when to choose it. */
function fusion(state, onChange) {
  const id = freshId('fusion');
  return [
    h(
      'select',
      {
        class: 'select select-small',
        'aria-label': 'How words and meaning are combined',
        'aria-describedby': id,
        value: state.fusion,
        onchange: (event) => {
          state.fusion = event.target.value;
          state.ratio ??= FIRST_RATIO;
          onChange({ tools: true, first: true });
        },
      },
      [...FUSIONS].map(([value, { label }]) => h('option', { value }, label)),
    ),
    h('span', { class: 'tool-about', id }, FUSIONS.get(state.fusion).about),
  ];
}
