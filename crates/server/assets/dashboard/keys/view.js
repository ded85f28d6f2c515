// API keys: what each may do, on which indexes, until when. Values are hidden until asked for.

import { get, remove } from '../core/api.js';
import { confirmDialog } from '../core/dialog.js';
import { fill, h } from '../core/dom.js';
import { ago, moment } from '../core/format.js';
import { icon } from '../core/icons.js';
import { empty, problem, skeleton, viewHead } from '../core/parts.js';
import { complain, copy, tell } from '../core/toast.js';
import { keyDialog } from './form.js';

const MOST_KEYS = 200;

export function keysView(root) {
  const list = h('div', null, skeleton(4));
  const create = h(
    'button',
    { type: 'button', class: 'button button-main', hidden: true, onclick: () => keyDialog(null, load) },
    icon('plus'),
    'New key',
  );
  fill(root, h('div', { class: 'view' }, viewHead('Keys', create), list));

  async function load() {
    try {
      const { results } = await get('/keys', { limit: MOST_KEYS });
      create.hidden = false;
      fill(
        list,
        h(
          'ul',
          { class: 'entries' },
          results.map((key) => entry(key, load)),
        ),
      );
    } catch (error) {
      fill(list, error.code === 'missing_master_key' ? withoutMasterKey() : problem(error));
    }
  }
  load();
}

function withoutMasterKey() {
  return empty(
    'key',
    'No master key',
    'This instance was started without a master key: anyone who can reach it has full access, and API keys cannot be created. Start it with --master-key to protect it.',
  );
}

function entry(key, load) {
  const name = key.name ?? key.uid;
  const value = h('code', { class: 'secret' }, '•'.repeat(16));
  let isShown = false;
  const show = h(
    'button',
    {
      type: 'button',
      class: 'icon-button',
      'aria-label': `Show the key ${name}`,
      'aria-pressed': 'false',
      onclick: () => {
        isShown = !isShown;
        value.textContent = isShown ? key.key : '•'.repeat(16);
        show.setAttribute('aria-pressed', String(isShown));
      },
    },
    icon('eye'),
  );
  const erase = async () => {
    const sure = await confirmDialog({
      title: 'Delete key',
      text: `Clients that use “${name}” lose access immediately.`,
      action: 'Delete key',
    });
    if (!sure) return;
    try {
      await remove(`/keys/${key.uid}`);
      tell('Key deleted.');
      load();
    } catch (error) {
      complain(error);
    }
  };
  const hasExpired = key.expiresAt && new Date(key.expiresAt) < new Date();
  return h(
    'li',
    { class: 'entry' },
    h(
      'div',
      { class: 'entry-main' },
      h(
        'h2',
        { class: 'entry-name' },
        key.name ?? 'Unnamed key',
        hasExpired ? h('span', { class: 'pill pill-failed' }, 'expired') : null,
      ),
      key.description ? h('p', { class: 'quiet' }, key.description) : null,
      key.key === null
        ? h('p', { class: 'quiet' }, 'The value is visible only to keys with the same permissions.')
        : h(
            'div',
            { class: 'secret-line' },
            value,
            show,
            h(
              'button',
              {
                type: 'button',
                class: 'icon-button',
                'aria-label': `Copy the key ${name}`,
                onclick: () => copy(key.key, 'Key'),
              },
              icon('copy'),
            ),
          ),
      h(
        'ul',
        { class: 'tags' },
        key.actions.map((action) => h('li', { class: 'tag mono' }, action)),
      ),
    ),
    h(
      'dl',
      { class: 'facts facts-column' },
      h('div', null, h('dt', null, 'Indexes'), h('dd', null, key.indexes.join(', ') || 'none')),
      h(
        'div',
        null,
        h('dt', null, 'Expires'),
        h('dd', null, key.expiresAt ? moment(key.expiresAt) : 'never'),
      ),
      h('div', null, h('dt', null, 'Created'), h('dd', { title: moment(key.createdAt) }, ago(key.createdAt))),
    ),
    h(
      'div',
      { class: 'entry-actions' },
      h(
        'button',
        {
          type: 'button',
          class: 'button button-small',
          'aria-label': `Edit ${name}`,
          onclick: () => keyDialog(key, load),
        },
        'Edit',
      ),
      h(
        'button',
        {
          type: 'button',
          class: 'button button-small button-bad-quiet',
          'aria-label': `Delete ${name}`,
          onclick: erase,
        },
        'Delete',
      ),
    ),
  );
}
