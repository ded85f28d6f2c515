// One index: figures and fields, or its settings.

import { get, post, remove } from '../core/api.js';
import { barList } from '../core/charts.js';
import { confirmDialog } from '../core/dialog.js';
import { calmed, fill, h } from '../core/dom.js';
import { ago, bytes, count, moment } from '../core/format.js';
import { icon } from '../core/icons.js';
import { instance } from '../core/instance.js';
import { listen } from '../core/live.js';
import { card, problem, skeleton, tile } from '../core/parts.js';
import { go, href } from '../core/router.js';
import { complain, tell } from '../core/toast.js';
import { settingsView } from '../settings/view.js';
import { fieldTable } from './fields.js';

export function indexView(root, { parts: [uid, tab] }) {
  const content = h('div', { class: 'stack-large' }, skeleton(5));
  const link = (name, text, to) =>
    h('a', { class: 'tab', href: href(to), 'aria-current': (tab ?? '') === name ? 'page' : null }, text);
  fill(
    root,
    h(
      'div',
      { class: 'view' },
      h(
        'nav',
        { class: 'crumbs', 'aria-label': 'Breadcrumb' },
        h('a', { href: href(['indexes']) }, 'Indexes'),
        h('span', { 'aria-hidden': 'true' }, '/'),
      ),
      h(
        'header',
        { class: 'view-head' },
        h('h1', null, uid),
        h(
          'div',
          { class: 'row' },
          h('a', { class: 'button', href: href(['search', uid]) }, icon('search'), 'Search'),
          h('a', { class: 'button', href: href(['import'], { index: uid }) }, icon('upload'), 'Import'),
        ),
      ),
      h(
        'nav',
        { class: 'tabs', 'aria-label': 'Index sections' },
        link('', 'Overview', ['indexes', uid]),
        link('settings', 'Settings', ['indexes', uid, 'settings']),
      ),
      content,
    ),
  );
  if (tab === 'settings') return settingsView(content, uid);
  const draw = () => content.isConnected && overview(content, uid);
  const drawSoon = calmed(500, draw);
  draw();
  return listen('task', (task) => {
    if (task.indexUid !== uid || !task.finishedAt) return;
    if (task.type === 'indexDeletion') go(['indexes']);
    else drawSoon();
  });
}

async function overview(content, uid) {
  try {
    const [stats, fields] = await Promise.all([
      get(`/indexes/${uid}/stats`, { showInternalDatabaseSizes: true }),
      post(`/indexes/${uid}/fields`, { limit: 500 }, { quiet: true }).catch(() => null),
    ]);
    fill(
      content,
      figures(uid, stats),
      h('div', { class: 'columns' }, distribution(stats), storage(stats)),
      fields ? card(`Fields and their uses`, fieldTable(fields.results)) : null,
      danger(uid),
    );
  } catch (error) {
    fill(content, problem(error));
  }
}

function figures(uid, stats) {
  const about = instance().indexes.find((index) => index.uid === uid);
  return h(
    'div',
    { class: 'tiles' },
    tile('Documents', count(stats.numberOfDocuments), stats.isIndexing ? 'indexing now' : null),
    tile(
      'Size of documents',
      bytes(stats.indexSize ?? stats.rawDocumentDbSize),
      stats.avgDocumentSize ? `${bytes(stats.avgDocumentSize)} per document before compression` : null,
    ),
    tile('Primary key', about?.primaryKey ?? 'none yet'),
    stats.numberOfEmbeddings > 0
      ? tile(
          'Vectors',
          count(stats.numberOfEmbeddings),
          `of ${count(stats.numberOfEmbeddedDocuments)} documents`,
        )
      : null,
    about ? tile('Updated', ago(about.updatedAt), moment(about.updatedAt)) : null,
    about ? tile('Created', ago(about.createdAt), moment(about.createdAt)) : null,
  );
}

function distribution(stats) {
  const all = Math.max(1, stats.numberOfDocuments);
  const rows = Object.entries(stats.fieldDistribution)
    .sort((a, b) => b[1] - a[1])
    .map(([name, many]) => [name, many, `${count(many)} · ${Math.round((100 * many) / all)} %`]);
  return card(
    'Field distribution',
    rows.length === 0
      ? h('p', { class: 'quiet' }, 'No documents yet.')
      : barList('How many documents have each field', rows, { whole: all }),
  );
}

function storage(stats) {
  const rows = Object.entries(stats.internalDatabaseSizes ?? {})
    .map(([name, size]) => [name, Number(size), bytes(size)])
    .sort((a, b) => b[1] - a[1]);
  // One part alone would be a bar that says nothing.
  return rows.length > 1 ? card('Storage', barList('Bytes in each part of the index', rows)) : null;
}

function danger(uid) {
  const act = (question, request) => async () => {
    if (question && !(await confirmDialog(question))) return;
    try {
      const task = await request();
      tell('The task is enqueued.', { href: `#/tasks?uid=${task.taskUid}`, text: `Task ${task.taskUid}` });
    } catch (error) {
      complain(error);
    }
  };
  return card(
    'Maintenance',
    h(
      'ul',
      { class: 'deeds' },
      deed(
        'Compact',
        'Rewrites the index without its deleted documents.',
        'Compact index',
        act(null, () => post(`/indexes/${uid}/compact`)),
      ),
      deed(
        'Empty',
        'Deletes every document and keeps the settings.',
        'Delete all documents',
        act(
          {
            title: 'Delete all documents',
            text: `Every document of ${uid} will be deleted. This cannot be undone.`,
            action: 'Delete all documents',
            word: uid,
          },
          () => remove(`/indexes/${uid}/documents`),
        ),
        true,
      ),
      deed(
        'Delete',
        'Deletes documents and settings.',
        'Delete index',
        act(
          {
            title: 'Delete index',
            text: `${uid} will be deleted with its documents and settings. This cannot be undone.`,
            action: 'Delete index',
            word: uid,
          },
          () => remove(`/indexes/${uid}`),
        ),
        true,
      ),
    ),
  );
}

function deed(name, text, action, onclick, isBad) {
  return h(
    'li',
    { class: 'deed' },
    h('div', null, h('strong', null, name), h('p', { class: 'quiet' }, text)),
    h('button', { type: 'button', class: isBad ? 'button button-bad-quiet' : 'button', onclick }, action),
  );
}
