// Webhooks: addresses that are told when tasks are finished.

import { get, patch, post, remove } from '../core/api.js';
import { confirmDialog, openDialog } from '../core/dialog.js';
import { fill, h } from '../core/dom.js';
import { icon } from '../core/icons.js';
import { empty, field, problem, skeleton, viewHead } from '../core/parts.js';
import { complain, tell } from '../core/toast.js';
import { pairs } from '../settings/lists.js';

export function webhooksView(root) {
  const list = h('div', null, skeleton(3));
  fill(
    root,
    h(
      'div',
      { class: 'view' },
      viewHead(
        'Webhooks',
        h(
          'button',
          { type: 'button', class: 'button button-main', onclick: () => webhookDialog(null, load) },
          icon('plus'),
          'New webhook',
        ),
      ),
      h(
        'p',
        { class: 'quiet view-text' },
        'When a batch of tasks finishes, its tasks are sent to each of these URLs, one JSON object per line.',
      ),
      list,
    ),
  );

  async function load() {
    try {
      const { results } = await get('/webhooks');
      fill(
        list,
        results.length === 0
          ? empty('hook', 'No webhooks yet', 'No URL is called when tasks finish.')
          : h(
              'ul',
              { class: 'entries' },
              results.map((webhook) => entry(webhook, load)),
            ),
      );
    } catch (error) {
      fill(list, problem(error));
    }
  }
  load();
}

function entry(webhook, load) {
  const headers = Object.entries(webhook.headers ?? {});
  const erase = async () => {
    const sure = await confirmDialog({
      title: 'Delete webhook',
      text: `${webhook.url} will no longer be called.`,
      action: 'Delete webhook',
    });
    if (!sure) return;
    try {
      await remove(`/webhooks/${webhook.uuid}`);
      tell('Webhook deleted.');
      load();
    } catch (error) {
      complain(error);
    }
  };
  return h(
    'li',
    { class: 'entry' },
    h(
      'div',
      { class: 'entry-main' },
      h('h2', { class: 'entry-name mono' }, webhook.url),
      h('p', { class: 'quiet mono' }, webhook.uuid),
      headers.length === 0
        ? null
        : h(
            'dl',
            { class: 'facts' },
            headers.map(([name, value]) =>
              h('div', null, h('dt', null, name), h('dd', { class: 'mono' }, value)),
            ),
          ),
    ),
    h(
      'div',
      { class: 'entry-actions' },
      webhook.isEditable
        ? [
            h(
              'button',
              {
                type: 'button',
                class: 'button button-small',
                'aria-label': `Edit ${webhook.url}`,
                onclick: () => webhookDialog(webhook, load),
              },
              'Edit',
            ),
            h(
              'button',
              {
                type: 'button',
                class: 'button button-small button-bad-quiet',
                'aria-label': `Delete ${webhook.url}`,
                onclick: erase,
              },
              'Delete',
            ),
          ]
        : h('span', { class: 'quiet' }, 'set at launch'),
    ),
  );
}

function webhookDialog(webhook, onDone) {
  openDialog(webhook ? 'Edit webhook' : 'New webhook', (close) => {
    const before = webhook?.headers ?? {};
    let headers = { ...before };
    const url = h('input', {
      class: 'input mono',
      type: 'url',
      required: true,
      value: webhook?.url ?? '',
      placeholder: 'https://example.org/tasks',
      autofocus: true,
    });
    const wrong = h('div');
    const save = async (event) => {
      event.preventDefault();
      try {
        if (webhook)
          await patch(`/webhooks/${webhook.uuid}`, { url: url.value, headers: changed(before, headers) });
        else await post('/webhooks', { url: url.value, headers });
        tell('Webhook saved.');
        close();
        onDone();
      } catch (error) {
        fill(wrong, problem(error));
      }
    };
    return h(
      'form',
      { class: 'stack', onsubmit: save },
      field('URL', url),
      h(
        'div',
        { class: 'field' },
        h('span', { class: 'label' }, 'Headers'),
        pairs(Object.entries(headers), (next) => (headers = next), {
          label: 'Headers',
          nameLabel: 'Name',
          fresh: '',
          valueControl: (value, change, name) =>
            h('input', {
              class: 'input input-small',
              'aria-label': `Value of ${name || 'the header'}`,
              value,
              oninput: (event) => change(event.target.value),
              autocomplete: 'off',
              spellcheck: 'false',
            }),
        }),
        webhook
          ? h('p', { class: 'help' }, 'Secret values are masked. Values that you do not edit stay unchanged.')
          : null,
      ),
      wrong,
      h(
        'div',
        { class: 'row row-end' },
        h('button', { type: 'submit', class: 'button button-main' }, 'Save webhook'),
      ),
    );
  });
}

/** Only what differs is sent: a masked value that came back would replace the secret. */
function changed(before, after) {
  const gone = Object.keys(before)
    .filter((name) => !(name in after))
    .map((name) => [name, null]);
  const others = Object.entries(after).filter(([name, value]) => before[name] !== value);
  return Object.fromEntries([...gone, ...others]);
}
