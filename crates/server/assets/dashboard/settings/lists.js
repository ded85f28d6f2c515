// Controls for lists of words: as tags where order does not matter, as rows where it does.

import { append, freshId, h } from '../core/dom.js';
import { icon } from '../core/icons.js';

/** A box that adds to a list, with suggestions. Commas and Enter end a word. */
function adder(label, suggestions, onAdd) {
  const id = freshId('suggest');
  const input = h('input', {
    class: 'input input-small',
    'aria-label': label,
    placeholder: 'Add…',
    autocomplete: 'off',
    spellcheck: 'false',
    list: id,
    onkeydown: (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      take();
    },
    onchange: () => take(),
  });
  const take = () => {
    const word = input.value.trim();
    input.value = '';
    if (word !== '') onAdd(word);
  };
  return h(
    'div',
    { class: 'adder' },
    input,
    h(
      'datalist',
      { id },
      suggestions.map((value) => h('option', { value })),
    ),
  );
}

export function names(value, onChange, { ordered, label, suggestions }) {
  let list = [...(value ?? [])];
  const shown = h(ordered ? 'ol' : 'ul', { class: ordered ? 'ordered' : 'tags tags-edit' });
  const change = (next, focus) => {
    list = next;
    draw();
    onChange(list);
    shown.querySelectorAll('li')[focus]?.querySelector('button')?.focus();
  };
  const swap = (from, to) => {
    const next = [...list];
    [next[from], next[to]] = [next[to], next[from]];
    change(next, to);
  };
  const move = (place, by, word, sign, name) =>
    h(
      'button',
      {
        type: 'button',
        class: 'icon-button',
        disabled: !(place + by in list),
        'aria-label': `Move ${name} ${word}`,
        onclick: () => swap(place, place + by),
      },
      icon(sign),
    );

  function draw() {
    shown.replaceChildren(
      ...list.map((name, place) =>
        h(
          'li',
          { class: ordered ? 'ordered-row' : 'tag' },
          h('span', { class: 'mono' }, name),
          ordered ? [move(place, -1, 'up', 'up', name), move(place, 1, 'down', 'down', name)] : null,
          h(
            'button',
            {
              type: 'button',
              class: 'icon-button',
              'aria-label': `Remove ${name}`,
              onclick: () =>
                change(
                  list.filter((_, at) => at !== place),
                  Math.max(0, place - 1),
                ),
            },
            icon('close'),
          ),
        ),
      ),
    );
  }
  draw();
  const root = h('div', { class: 'names', role: 'group', 'aria-label': label });
  return append(root, [
    shown,
    adder(`Add to ${label}`, suggestions ?? [], (word) => {
      if (!list.includes(word)) change([...list.filter((name) => name !== '*'), word]);
    }),
  ]);
}

/** Pairs of a name and a value, one below the other. */
export function pairs(entries, onChange, { label, nameLabel, valueControl, fresh }) {
  let rows = entries.map(([name, value]) => ({ name, value }));
  const list = h('ul', { class: 'pairs' });
  const tell = () =>
    onChange(Object.fromEntries(rows.filter((row) => row.name !== '').map((row) => [row.name, row.value])));
  function draw() {
    list.replaceChildren(
      ...rows.map((row) =>
        h(
          'li',
          { class: 'pair' },
          h('input', {
            class: 'input input-small',
            'aria-label': nameLabel,
            placeholder: nameLabel,
            value: row.name,
            spellcheck: 'false',
            oninput: (event) => {
              row.name = event.target.value.trim();
              tell();
            },
          }),
          h('span', { 'aria-hidden': 'true' }, '→'),
          valueControl(
            row.value,
            (value) => {
              row.value = value;
              tell();
            },
            row.name,
          ),
          h(
            'button',
            {
              type: 'button',
              class: 'icon-button',
              'aria-label': `Remove ${row.name || 'row'}`,
              onclick: () => {
                rows = rows.filter((other) => other !== row);
                draw();
                tell();
              },
            },
            icon('close'),
          ),
        ),
      ),
    );
  }
  draw();
  return h(
    'div',
    { role: 'group', 'aria-label': label },
    list,
    h(
      'button',
      {
        type: 'button',
        class: 'button button-small',
        onclick: () => {
          rows.push({ name: '', value: fresh });
          draw();
          list.lastElementChild.querySelector('input').focus();
        },
      },
      icon('plus'),
      'Add',
    ),
  );
}
