// Pieces that several views are put together from.

import { freshId, h } from './dom.js';
import { icon } from './icons.js';

export function viewHead(title, ...actions) {
  return h('header', { class: 'view-head' }, h('h1', null, title), h('div', { class: 'row' }, actions));
}

export function tile(label, value, note) {
  return h(
    'div',
    { class: 'tile' },
    h('div', { class: 'tile-label' }, label),
    h('div', { class: 'tile-value' }, value),
    note ? h('div', { class: 'tile-note' }, note) : null,
  );
}

export function card(title, ...content) {
  const heading = freshId('card');
  return h(
    'section',
    { class: 'card', 'aria-labelledby': heading },
    h('h2', { class: 'card-title', id: heading }, title),
    content,
  );
}

export function empty(sign, title, text, ...actions) {
  return h(
    'div',
    { class: 'empty' },
    h('div', { class: 'empty-sign' }, icon(sign)),
    h('h2', null, title),
    h('p', null, text),
    h('div', { class: 'row row-center' }, actions),
  );
}

/** A labelled control with its help and a place for what is wrong with it. */
export function field(label, control, help) {
  const id = control.id || freshId('field');
  control.id = id;
  const note = help ? h('p', { class: 'help', id: `${id}-help` }, help) : null;
  if (note) control.setAttribute('aria-describedby', note.id);
  return h('div', { class: 'field' }, h('label', { for: id }, label), control, note);
}

export function problem(error) {
  return h(
    'div',
    { class: 'problem', role: 'alert' },
    icon('warn'),
    h(
      'div',
      null,
      h('p', null, error.message),
      error.code
        ? h(
            'p',
            { class: 'problem-code' },
            error.link
              ? h('a', { href: error.link, target: '_blank', rel: 'noreferrer' }, error.code)
              : error.code,
          )
        : null,
    ),
  );
}

/** A choice among few, as buttons in a row. */
export function segments(label, choices, chosen, onChoose) {
  const buttons = choices.map(([value, text]) =>
    h(
      'button',
      {
        type: 'button',
        class: 'segment',
        'aria-pressed': String(value === chosen),
        onclick: () => {
          buttons.forEach((button, place) =>
            button.setAttribute('aria-pressed', String(choices[place][0] === value)),
          );
          onChoose(value);
        },
      },
      text,
    ),
  );
  return h('div', { class: 'segments', role: 'group', 'aria-label': label }, buttons);
}

export function progressBar(share, label) {
  const percent = Math.max(0, Math.min(100, share * 100));
  return h(
    'div',
    {
      class: 'progress',
      role: 'progressbar',
      'aria-label': label,
      'aria-valuemin': '0',
      'aria-valuemax': '100',
      'aria-valuenow': Math.round(percent),
    },
    h('div', { class: 'progress-fill', style: { width: `${percent}%` } }),
  );
}

export function skeleton(rows) {
  return h(
    'div',
    { class: 'skeleton', 'aria-hidden': 'true' },
    Array.from({ length: rows }, () => h('div', { class: 'skeleton-row' })),
  );
}
