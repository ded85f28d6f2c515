// Asking for the API key. It is handed to `api.js` and kept nowhere else.

import { call, hasKey, setKey } from './api.js';
import { h } from './dom.js';
import { openDialog } from './dialog.js';
import { field, problem } from './parts.js';

let isOpen = false;

/** Opens the dialog once, whoever asks. `onKey` runs when a key was taken. */
export function unlock(onKey, reason) {
  if (isOpen) return;
  isOpen = true;
  openDialog(
    'API key',
    (close) => {
      const input = h('input', {
        class: 'input mono',
        type: 'password',
        name: 'key',
        autocomplete: 'off',
        spellcheck: 'false',
        autofocus: true,
      });
      const wrong = h('div', null, reason ? problem(reason) : null);
      const take = async (event) => {
        event.preventDefault();
        setKey(input.value);
        const refused = await tried();
        if (refused) {
          setKey('');
          wrong.replaceChildren(problem(refused));
          return;
        }
        close();
        onKey();
      };
      return h(
        'form',
        { class: 'stack', onsubmit: take },
        h(
          'p',
          { class: 'quiet' },
          'The key stays in the memory of this page and is forgotten when the page is closed or reloaded.',
        ),
        wrong,
        field('Master key, admin key or search key', input),
        h(
          'div',
          { class: 'row row-end' },
          hasKey()
            ? h(
                'button',
                {
                  class: 'button',
                  type: 'button',
                  onclick: () => {
                    setKey('');
                    close();
                    onKey();
                  },
                },
                'Forget the key',
              )
            : null,
          h('button', { class: 'button button-main', type: 'submit' }, 'Use this key'),
        ),
      );
    },
    { onClose: () => (isOpen = false) },
  );
}

/** A key is wrong when every route says so. One that may only search is refused by most. */
async function tried() {
  const probes = [
    ['GET', '/indexes?limit=1'],
    ['POST', '/multi-search'],
  ];
  let last = null;
  for (const [method, path] of probes) {
    try {
      await call(method, path, { quiet: true, body: method === 'POST' ? { queries: [] } : undefined });
      return null;
    } catch (error) {
      if (!error.isAuth) return error.status === 0 ? error : null;
      last = error;
    }
  }
  return last;
}
