// One document in full: its fields, its JSON, and documents like it where the index has vectors.

import { get, remove } from '../core/api.js';
import { fill, h } from '../core/dom.js';
import { confirmDialog, openDialog } from '../core/dialog.js';
import { inline, pretty } from '../core/format.js';
import { icon } from '../core/icons.js';
import { problem, segments, skeleton } from '../core/parts.js';
import { complain, copy, tell } from '../core/toast.js';
import { similar } from './request.js';
import { shapeOf, titleOf } from './shape.js';

export function openDocument(index, hit, title, about) {
  const id = about.primaryKey ? hit[about.primaryKey] : undefined;
  openDialog(
    String(inline(title)),
    (close) => {
      const body = h('div', { class: 'doc' }, skeleton(5));
      whole(index, id, hit).then((document) => show(body, { index, id, document, about, close }));
      return body;
    },
    { kind: 'drawer' },
  );
}

/** The stored document where the key may read it, otherwise what the search gave. */
async function whole(index, id, hit) {
  try {
    if (id !== undefined)
      return await get(`/indexes/${index}/documents/${encodeURIComponent(id)}`, null, { quiet: true });
  } catch {
    // The hit itself is shown below.
  }
  return Object.fromEntries(Object.entries(hit).filter(([name]) => !name.startsWith('_') || name === '_geo'));
}

function show(body, { index, id, document, about, close }) {
  const content = h('div', { class: 'doc-content' });
  const tabs = [
    ['fields', 'Fields'],
    ['json', 'JSON'],
  ];
  if (about.embedders.length > 0 && id !== undefined) tabs.push(['similar', 'Similar']);
  const draw = {
    fields: () => fill(content, fieldList(document)),
    json: () => fill(content, h('pre', { class: 'json', tabindex: 0 }, pretty(document))),
    similar: () => drawSimilar(content, index, id, about),
  };
  const erase = async () => {
    const sure = await confirmDialog({
      title: 'Delete document',
      text: `Document ${id} of ${index} will be deleted.`,
      action: 'Delete document',
    });
    if (!sure) return;
    try {
      const task = await remove(`/indexes/${index}/documents/${encodeURIComponent(id)}`);
      tell('The deletion is enqueued.', {
        href: `#/tasks?uid=${task.taskUid}`,
        text: `Task ${task.taskUid}`,
      });
      close();
    } catch (error) {
      complain(error);
    }
  };
  fill(
    body,
    h(
      'div',
      { class: 'doc-bar' },
      segments('View', tabs, 'fields', (tab) => draw[tab]()),
      h(
        'div',
        { class: 'row' },
        h(
          'button',
          { type: 'button', class: 'button button-small', onclick: () => copy(pretty(document), 'Document') },
          icon('copy'),
          'Copy',
        ),
        id === undefined
          ? null
          : h(
              'button',
              { type: 'button', class: 'button button-small button-bad-quiet', onclick: erase },
              icon('trash'),
              'Delete',
            ),
      ),
    ),
    content,
  );
  draw.fields();
}

function fieldList(document) {
  return h(
    'dl',
    { class: 'doc-fields' },
    Object.entries(document).map(([name, value]) =>
      h('div', { class: 'doc-field' }, h('dt', null, name), h('dd', null, valueNode(value))),
    ),
  );
}

function valueNode(value) {
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null)) {
    return h(
      'ul',
      { class: 'tags' },
      value.map((item) => h('li', { class: 'tag' }, inline(item))),
    );
  }
  if (value !== null && typeof value === 'object')
    return h('pre', { class: 'json json-small', tabindex: 0 }, pretty(value));
  const kind = value === null ? 'null' : typeof value;
  return h('span', { class: `value value-${kind}` }, inline(value));
}

async function drawSimilar(content, index, id, about) {
  fill(content, skeleton(4));
  try {
    const { hits } = await similar(index, id, about.embedders[0]);
    const shape = shapeOf(hits, about);
    fill(
      content,
      hits.length === 0
        ? h('p', { class: 'quiet' }, 'No similar documents.')
        : h(
            'ol',
            { class: 'similar' },
            hits.map((hit) =>
              h(
                'li',
                null,
                h(
                  'button',
                  {
                    type: 'button',
                    class: 'hit-open',
                    onclick: () => openDocument(index, hit, titleOf(hit, shape), about),
                  },
                  inline(titleOf(hit, shape)),
                ),
                h('span', { class: 'score-value' }, hit._rankingScore?.toFixed(3)),
              ),
            ),
          ),
    );
  } catch (error) {
    fill(content, problem(error));
  }
}
