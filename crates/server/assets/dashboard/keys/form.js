// Making a key, or giving one another name: the rest of a key cannot change.

import { patch, post } from '../core/api.js';
import { openDialog } from '../core/dialog.js';
import { fill, h } from '../core/dom.js';
import { indexNames } from '../core/instance.js';
import { field, problem } from '../core/parts.js';
import { tell } from '../core/toast.js';
import { names } from '../settings/lists.js';

const GROUPS = {
  Search: ['search', 'chatCompletions'],
  Documents: ['documents.get', 'documents.add', 'documents.delete'],
  Indexes: [
    'indexes.get',
    'indexes.create',
    'indexes.update',
    'indexes.delete',
    'indexes.swap',
    'indexes.compact',
    'fields.post',
  ],
  Settings: ['settings.get', 'settings.update'],
  Tasks: ['tasks.get', 'tasks.cancel', 'tasks.delete', 'tasks.compact'],
  Instance: [
    'stats.get',
    'metrics.get',
    'version',
    'dumps.create',
    'snapshots.create',
    'export',
    'experimental.get',
    'experimental.update',
    'network.get',
    'network.update',
  ],
  Keys: ['keys.get', 'keys.create', 'keys.update', 'keys.delete'],
  Webhooks: ['webhooks.get', 'webhooks.create', 'webhooks.update', 'webhooks.delete'],
  Chats: ['chats.get', 'chats.delete', 'chatsSettings.get', 'chatsSettings.update'],
  Rules: [
    'dynamicSearchRules.get',
    'dynamicSearchRules.create',
    'dynamicSearchRules.update',
    'dynamicSearchRules.delete',
  ],
};

export function keyDialog(key, onDone) {
  openDialog(key ? 'Edit key' : 'New key', (close) => {
    const name = h('input', {
      class: 'input',
      value: key?.name ?? '',
      required: !key,
      autocomplete: 'off',
      autofocus: true,
    });
    const description = h('input', { class: 'input', value: key?.description ?? '', autocomplete: 'off' });
    const choice = key ? null : powers();
    const wrong = h('div');
    const save = async (event) => {
      event.preventDefault();
      const words = { name: name.value || null, description: description.value || null };
      try {
        if (key) await patch(`/keys/${key.uid}`, words);
        else await post('/keys', { ...words, ...choice.read() });
        tell(key ? 'Key updated.' : 'Key created.');
        close();
        onDone();
      } catch (error) {
        fill(wrong, problem(error));
      }
    };
    return h(
      'form',
      { class: 'stack', onsubmit: save },
      field('Name', name, key ? null : 'The user or application of this key, to recognize it later.'),
      field('Description', description),
      choice?.element,
      wrong,
      h(
        'div',
        { class: 'row row-end' },
        h('button', { type: 'submit', class: 'button button-main' }, key ? 'Save' : 'Create key'),
      ),
    );
  });
}

function powers() {
  const all = h('input', {
    type: 'checkbox',
    onchange: () => boxes.forEach((box) => (box.disabled = all.checked)),
  });
  const boxes = [];
  const groups = Object.entries(GROUPS).map(([title, actions]) =>
    h(
      'fieldset',
      { class: 'powers' },
      h('legend', null, title),
      actions.map((action) => {
        const box = h('input', { type: 'checkbox', value: action, checked: action === 'search' });
        boxes.push(box);
        return h('label', { class: 'check' }, box, h('span', { class: 'mono' }, action));
      }),
    ),
  );
  let indexes = ['*'];
  const expires = h('input', { class: 'input', type: 'datetime-local' });
  return {
    element: [
      h(
        'div',
        { class: 'field' },
        h('span', { class: 'label' }, 'Indexes'),
        names(indexes, (next) => (indexes = next), {
          label: 'indexes of the key',
          suggestions: ['*', ...indexNames()],
        }),
        h('p', { class: 'help' }, 'Index names, prefixes such as shop_*, or * for all indexes.'),
      ),
      field('Expires', expires, 'Leave empty for a key that never expires.'),
      h('label', { class: 'check' }, all, h('span', null, 'Full access, including key management')),
      h('div', { class: 'powers-grid' }, groups),
    ],
    read: () => ({
      actions: all.checked ? ['*'] : boxes.filter((box) => box.checked).map((box) => box.value),
      indexes,
      expiresAt: expires.value ? new Date(expires.value).toISOString() : null,
    }),
  };
}
