// Saved searches before and after a change of settings, side by side.

import { fill, freshId, h } from '../core/dom.js';
import { inline, plural } from '../core/format.js';
import { icon } from '../core/icons.js';
import { problem } from '../core/parts.js';
import { href } from '../core/router.js';
import { searchLabel } from '../search/saved.js';
import { MOST_HITS } from './effect.js';

/** `onUndo` takes the change back; without it that cannot be offered. */
export function effectCard(index, effects, { onUndo, onClose }) {
  const heading = freshId('effect');
  const changed = effects.filter((effect) => effect.error || wordsOf(effect) !== UNCHANGED).length;
  const title = h('h2', { class: 'card-title', id: heading, tabindex: -1 }, 'Effect on saved searches');
  const root = h(
    'section',
    { class: 'card effect', 'aria-labelledby': heading },
    h(
      'header',
      { class: 'effect-head' },
      h(
        'div',
        null,
        title,
        h(
          'p',
          { class: 'help' },
          `The change is saved. Of ${plural(effects.length, 'saved search', 'saved searches')}, `,
          `${changed} ${changed === 1 ? 'differs' : 'differ'} in the first ${MOST_HITS} hits.`,
        ),
        onUndo
          ? null
          : h(
              'p',
              { class: 'help' },
              'It cannot be undone here: the previous settings contain an API key that the server does not show.',
            ),
      ),
      h(
        'div',
        { class: 'row' },
        onUndo ? h('button', { type: 'button', class: 'button', onclick: onUndo }, 'Undo this change') : null,
        h('button', { type: 'button', class: 'button', onclick: onClose }, 'Close'),
      ),
    ),
    effects.map((effect) => one(index, effect)),
  );
  return { root, title };
}

/** Titles may be whole texts. */
const LONGEST_TITLE = 120;
const UNCHANGED = 'unchanged';

function wordsOf({ added, gone, moved }) {
  const parts = [];
  if (added > 0) parts.push(`${added} new`);
  if (gone > 0) parts.push(`${gone} gone`);
  if (moved > 0) parts.push(`${moved} moved`);
  return parts.join(', ') || UNCHANGED;
}

function one(index, effect) {
  const label = searchLabel(index, effect.search);
  const words = effect.error ? 'refused' : wordsOf(effect);
  const body = h('div', { class: 'effect-body' });
  const lists = effect.error
    ? problem(effect.error)
    : h(
        'div',
        { class: 'effect-lists' },
        list('Before', effect.before, label),
        list('After', effect.after, label),
      );
  fill(
    body,
    lists,
    h('a', { href: href(['search', index], new URLSearchParams(effect.search)) }, 'Open this search'),
  );
  return h(
    'details',
    { class: 'effect-search', open: words !== UNCHANGED },
    h(
      'summary',
      null,
      h('span', { class: 'effect-label' }, label),
      h('span', { class: words === UNCHANGED ? 'pill' : 'pill pill-busy' }, words),
    ),
    body,
  );
}

function list(name, hits, label) {
  const heading = freshId('effect-list');
  return h(
    'div',
    { class: 'effect-list' },
    h('h3', { id: heading }, name, h('span', { class: 'unseen' }, ` of ${label}`)),
    hits.length === 0
      ? h('p', { class: 'quiet' }, 'No hits.')
      : h(
          'ol',
          { 'aria-labelledby': heading },
          hits.map((hit) => h('li', null, h('span', null, short(inline(hit.title))), markOf(hit.mark))),
        ),
  );
}

function short(text) {
  return text.length > LONGEST_TITLE ? `${text.slice(0, LONGEST_TITLE)}…` : text;
}

function markOf(mark) {
  if (mark === 'new') return h('span', { class: 'pill pill-succeeded' }, 'new');
  if (mark === 'gone') return h('span', { class: 'pill pill-failed' }, 'gone');
  if (mark === 0) return null;
  const [sign, word] = mark > 0 ? ['up', 'up'] : ['down', 'down'];
  return h(
    'span',
    { class: 'pill effect-moved' },
    h('span', { class: 'unseen' }, `${word} `),
    icon(sign),
    String(Math.abs(mark)),
  );
}
