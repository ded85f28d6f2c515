// All indexes with their figures, and the making of a new one.

import { post } from '../core/api.js';
import { barList } from '../core/charts.js';
import { openDialog } from '../core/dialog.js';
import { fill, h } from '../core/dom.js';
import { ago, bytes, count, moment } from '../core/format.js';
import { icon } from '../core/icons.js';
import { instance, onInstance, refresh, statsOf } from '../core/instance.js';
import { card, empty, field, problem, tile, viewHead } from '../core/parts.js';
import { href } from '../core/router.js';
import { tell } from '../core/toast.js';

export function indexesView(root) {
  const content = h('div', { class: 'stack-large' });
  fill(
    root,
    h(
      'div',
      { class: 'view' },
      viewHead(
        'Indexes',
        h(
          'button',
          { type: 'button', class: 'button button-main', onclick: createDialog },
          icon('plus'),
          'New index',
        ),
      ),
      content,
    ),
  );
  const draw = () =>
    fill(content, instance().indexes.length === 0 ? nothing() : [tiles(), table(), shares()]);
  draw();
  refresh().catch(() => {});
  return onInstance(draw);
}

function nothing() {
  return empty(
    'layers',
    'No index yet',
    'An index is created automatically when you add documents to it.',
    h('a', { class: 'button', href: href(['import']) }, icon('upload'), 'Import documents'),
  );
}

function tiles() {
  const { stats, indexes } = instance();
  const all = Object.values(stats?.indexes ?? {});
  const documents = all.reduce((sum, index) => sum + index.numberOfDocuments, 0);
  const embeddings = all.reduce((sum, index) => sum + (index.numberOfEmbeddings ?? 0), 0);
  return h(
    'div',
    { class: 'tiles' },
    tile('Indexes', count(indexes.length)),
    tile('Documents', count(documents)),
    tile('On disk', bytes(stats?.databaseSize), 'documents, search data and tasks'),
    embeddings > 0 ? tile('Vectors', count(embeddings)) : null,
    tile('Last update', ago(stats?.lastUpdate), stats?.lastUpdate ? moment(stats.lastUpdate) : null),
  );
}

const sizeOf = (uid) => {
  const stats = statsOf(uid);
  return stats?.indexSize ?? stats?.rawDocumentDbSize ?? 0;
};

function table() {
  const numbers = ['Documents', 'Size of documents', 'Fields'];
  return h(
    'div',
    { class: 'table-place', tabindex: 0, role: 'region', 'aria-label': 'Indexes' },
    h(
      'table',
      { class: 'table' },
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          h('th', { scope: 'col' }, 'Name'),
          numbers.map((name) => h('th', { scope: 'col', class: 'number' }, name)),
          h('th', { scope: 'col' }, 'Primary key'),
          h('th', { scope: 'col' }, 'Updated'),
          h('th', { scope: 'col' }, h('span', { class: 'unseen' }, 'Actions')),
        ),
      ),
      h(
        'tbody',
        null,
        instance().indexes.map((index) => {
          const stats = statsOf(index.uid);
          return h(
            'tr',
            null,
            h(
              'th',
              { scope: 'row' },
              h('a', { href: href(['indexes', index.uid]) }, index.uid),
              stats?.isIndexing ? h('span', { class: 'pill pill-busy' }, 'indexing') : null,
            ),
            h('td', { class: 'number' }, count(stats?.numberOfDocuments)),
            h('td', { class: 'number' }, bytes(sizeOf(index.uid))),
            h('td', { class: 'number' }, count(Object.keys(stats?.fieldDistribution ?? {}).length)),
            h(
              'td',
              null,
              index.primaryKey
                ? h('code', null, index.primaryKey)
                : h('span', { class: 'quiet' }, 'none yet'),
            ),
            h('td', { title: moment(index.updatedAt) }, ago(index.updatedAt)),
            h(
              'td',
              { class: 'table-actions' },
              h(
                'a',
                {
                  class: 'button button-small',
                  href: href(['search', index.uid]),
                  'aria-label': `Search ${index.uid}`,
                },
                icon('search'),
                'Search',
              ),
              h(
                'a',
                {
                  class: 'button button-small',
                  href: href(['indexes', index.uid, 'settings']),
                  'aria-label': `Settings of ${index.uid}`,
                },
                icon('gear'),
                'Settings',
              ),
            ),
          );
        }),
      ),
    ),
  );
}

function shares() {
  const rows = instance()
    .indexes.map(({ uid }) => [uid, statsOf(uid)?.numberOfDocuments ?? 0])
    .sort((a, b) => b[1] - a[1]);
  const sizes = instance()
    .indexes.map(({ uid }) => [uid, sizeOf(uid), bytes(sizeOf(uid))])
    .sort((a, b) => b[1] - a[1]);
  const link = (name) => href(['indexes', name]);
  return h(
    'div',
    { class: 'columns' },
    card(
      'Documents',
      barList(
        'Documents of each index',
        rows.map(([uid, many]) => [uid, many, count(many)]),
        { href: link },
      ),
    ),
    card('Size of documents', barList('Bytes of documents in each index', sizes, { href: link })),
  );
}

function createDialog() {
  openDialog('New index', (close) => {
    const wrong = h('div');
    const name = h('input', {
      class: 'input',
      required: true,
      autocomplete: 'off',
      spellcheck: 'false',
      pattern: '[A-Za-z0-9_\\-]+',
      autofocus: true,
    });
    const key = h('input', { class: 'input', autocomplete: 'off', spellcheck: 'false' });
    const create = async (event) => {
      event.preventDefault();
      if (!name.checkValidity()) {
        name.setAttribute('aria-invalid', 'true');
        fill(
          wrong,
          problem({ message: 'A name consists of letters, digits, hyphens and underscores, at least one.' }),
        );
        name.focus();
        return;
      }
      try {
        await post('/indexes', { uid: name.value, primaryKey: key.value || null });
        tell(`Creating index ${name.value}.`);
        close();
      } catch (error) {
        fill(wrong, problem(error));
      }
    };
    return h(
      'form',
      // The browser's own message would cover what is said below the field.
      { class: 'stack', novalidate: true, onsubmit: create },
      field('Name', name, 'Letters, digits, hyphens and underscores.'),
      field('Primary key', key, 'Optional. Detected from the first documents if left empty.'),
      wrong,
      h(
        'div',
        { class: 'row row-end' },
        h('button', { class: 'button button-main', type: 'submit' }, 'Create index'),
      ),
    );
  });
}
