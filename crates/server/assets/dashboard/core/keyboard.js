// Shortcuts that hold in every view, and the dialog that lists all of them.

import { h } from './dom.js';
import { openDialog } from './dialog.js';
import { go } from './router.js';

const PLACES = { s: 'search', i: 'indexes', u: 'import', t: 'tasks', k: 'keys', w: 'webhooks' };
const CHORD_MS = 1200;

const LIST = [
  ['/', 'Go to the search box'],
  ['↑ ↓', 'Move through the hits'],
  ['Enter', 'Open the document'],
  ['← →', 'Previous or next page of hits'],
  ['E', 'Explain the ranking'],
  ['M', 'Show or hide the map'],
  ['Esc', 'Close, or clear the search box'],
  ['G then S I U T K W', 'Go to Search, Indexes, Import, Tasks, Keys, Webhooks'],
  ['?', 'Show this list'],
];

export function showShortcuts() {
  openDialog('Keyboard shortcuts', () =>
    h(
      'dl',
      { class: 'shortcuts' },
      LIST.map(([keys, text]) => [
        h(
          'dt',
          null,
          keys.split(' ').map((key) => (key === 'then' ? ' then ' : h('kbd', null, key))),
        ),
        h('dd', null, text),
      ]),
    ),
  );
}

/** Whether a key press belongs to what is being typed. */
export function isTyping(event) {
  const at = event.target;
  return (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    at.isContentEditable ||
    ['INPUT', 'TEXTAREA', 'SELECT'].includes(at.tagName) ||
    document.querySelector('dialog[open]') !== null
  );
}

export function startKeyboard() {
  let chordBegun = 0;
  addEventListener('keydown', (event) => {
    if (isTyping(event)) return;
    const isSecond = Date.now() - chordBegun < CHORD_MS;
    chordBegun = 0;
    if (isSecond && PLACES[event.key]) go([PLACES[event.key]]);
    else if (event.key === 'g') chordBegun = Date.now();
    else if (event.key === '?') showShortcuts();
    else if (event.key === '/') {
      event.preventDefault();
      const box = document.getElementById('q');
      if (box) box.focus();
      else go(['search']);
    }
  });
}
