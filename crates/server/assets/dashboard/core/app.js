// Start of the dashboard: theme, side bar, and the view that the address asks for.

import { onAuthNeeded } from './api.js';
import { calmed, fill, h } from './dom.js';
import { showShortcuts, startKeyboard } from './keyboard.js';
import { indexNames, instance, refresh } from './instance.js';
import { listen, start } from './live.js';
import { empty, problem, skeleton } from './parts.js';
import { go, onMove, place } from './router.js';
import { sidebar } from './sidebar.js';
import { apply } from './theme.js';
import { unlock } from './unlock.js';
import { isFinished } from './waiting.js';
import { importView, keepFiles } from '../import/view.js';
import { indexView } from '../indexes/detail.js';
import { indexesView } from '../indexes/list.js';
import { keysView } from '../keys/view.js';
import { searchView } from '../search/view.js';
import { tasksView } from '../tasks/view.js';
import { webhooksView } from '../webhooks/view.js';

/** Each draws into an element and gives back what ends it. */
const VIEWS = {
  search: searchView,
  indexes: (root, where) => (where.parts.length > 0 ? indexView : indexesView)(root, where),
  import: importView,
  tasks: tasksView,
  keys: keysView,
  webhooks: webhooksView,
};

const main = document.getElementById('main');
let leave = null;

function show(where) {
  leave?.();
  leave = null;
  const view = VIEWS[where.view];
  if (!view) {
    // A key that may not list indexes may not fill them either.
    go([indexNames().length > 0 || !instance().mayList ? 'search' : 'import']);
    return;
  }
  main.dataset.view = where.view;
  document.title = `Sonde · ${where.view.charAt(0).toUpperCase()}${where.view.slice(1)}`;
  main.scrollTop = 0;
  fill(main);
  leave = view(main, where) ?? null;
}

async function begin() {
  fill(main, skeleton(6));
  try {
    await refresh();
  } catch (error) {
    const reason = error.code === 'missing_authorization_header' ? null : error;
    const ask = () => unlock(begin, reason);
    fill(main, error.isAuth ? locked(ask) : h('div', { class: 'view' }, problem(error)));
    if (error.isAuth) ask();
    return;
  }
  start();
  show(place());
}

function locked(ask) {
  return empty(
    'lock',
    'Locked',
    'Enter an API key to continue.',
    h('button', { type: 'button', class: 'button button-main', onclick: ask }, 'Enter a key'),
  );
}

apply();
const side = sidebar(document.getElementById('side'), { onKey: () => unlock(begin), onHelp: showShortcuts });
startKeyboard();
onAuthNeeded((error) => unlock(begin, error));
onMove((where) => {
  show(where);
  side.drawPlace();
  // What had the focus is gone with the view that was left.
  if (document.activeElement === document.body) main.focus({ preventScroll: true });
});

/** The list of indexes follows the tasks that may change it. */
const refreshSoon = calmed(200, () => refresh().catch(() => {}));
listen('task', (task) => isFinished(task) && refreshSoon());

/** A file that is dropped anywhere is meant for the import; a browser would leave the page for it. */
addEventListener('dragover', (event) => event.preventDefault());
addEventListener('drop', (event) => {
  event.preventDefault();
  const files = [...event.dataTransfer.files];
  if (files.length === 0 || place().view === 'import') return;
  keepFiles(files);
  go(['import']);
});

await begin();
side.drawPlace();
