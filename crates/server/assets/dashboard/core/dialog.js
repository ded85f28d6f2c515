// Dialogs on the browser's own element, which keeps the focus inside and closes on Escape.

import { freshId, h } from './dom.js';
import { icon } from './icons.js';

/** Opens a dialog; `content` gets a function that closes it. `kind` is `box` or `drawer`. */
export function openDialog(title, content, { kind = 'box', onClose } = {}) {
  const heading = freshId('dialog');
  const dialog = h('dialog', { class: `dialog dialog-${kind}`, 'aria-labelledby': heading });
  const close = () => dialog.close();
  dialog.append(
    h(
      'header',
      { class: 'dialog-head' },
      h('h2', { id: heading }, title),
      h(
        'button',
        { class: 'icon-button', 'aria-label': 'Close', type: 'button', onclick: close },
        icon('close'),
      ),
    ),
    h('div', { class: 'dialog-body' }, content(close, dialog)),
  );
  dialog.addEventListener('close', () => {
    dialog.remove();
    onClose?.();
  });
  // A press that begins and ends on the backdrop leaves the dialog.
  let pressedOutside = false;
  dialog.addEventListener('pointerdown', (event) => (pressedOutside = event.target === dialog));
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog && pressedOutside) close();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Asks before something that cannot be undone; `word` must be typed where it is given. */
export function confirmDialog({ title, text, action, keep = 'Go back', word }) {
  return new Promise((resolve) => {
    let agreed = false;
    openDialog(
      title,
      (close) => {
        const field = freshId('confirm');
        const button = h(
          'button',
          { class: 'button button-bad', type: 'submit', disabled: Boolean(word) },
          action,
        );
        const input = word
          ? h('input', {
              id: field,
              class: 'input',
              autocomplete: 'off',
              spellcheck: 'false',
              oninput: () => (button.disabled = input.value !== word),
            })
          : null;
        return h(
          'form',
          {
            class: 'stack',
            onsubmit: (event) => {
              event.preventDefault();
              agreed = true;
              close();
            },
          },
          h('p', null, text),
          input
            ? h(
                'div',
                { class: 'field' },
                h('label', { for: field }, 'Type ', h('code', null, word), ' to go on'),
                input,
              )
            : null,
          h(
            'div',
            { class: 'row row-end' },
            h('button', { class: 'button', type: 'button', onclick: close }, keep),
            button,
          ),
        );
      },
      { onClose: () => resolve(agreed) },
    );
  });
}
