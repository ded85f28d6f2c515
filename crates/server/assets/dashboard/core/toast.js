// Short notices in a corner, read out by screen readers. Errors stay until they are closed.

import { h } from './dom.js';
import { icon } from './icons.js';

const STAY_MS = 5000;

function show(kind, text, link) {
  const close = h(
    'button',
    { class: 'icon-button', 'aria-label': 'Close notice', onclick: () => toast.remove() },
    icon('close'),
  );
  const toast = h(
    'div',
    { class: `toast toast-${kind}` },
    h('span', { class: 'toast-text' }, text),
    link ? h('a', { href: link.href, onclick: () => toast.remove() }, link.text) : null,
    close,
  );
  document.getElementById('toasts').append(toast);
  if (kind !== 'bad') setTimeout(() => toast.remove(), STAY_MS);
}

export const tell = (text, link) => show('good', text, link);

export function complain(error) {
  if (error.name === 'AbortError' || error.isAuth) return;
  show('bad', error.message);
}

export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    tell(`${what} copied.`);
  } catch {
    show('bad', 'The browser does not allow this page to write to the clipboard.');
  }
}
