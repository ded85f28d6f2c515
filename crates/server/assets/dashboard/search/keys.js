// The keyboard in the search view.

import { isTyping } from '../core/keyboard.js';
import { pageCount } from './pages.js';

export function keyInBox(view, event) {
  if (event.key === 'Escape' && view.box.value !== '') {
    event.preventDefault();
    view.box.value = '';
    view.state.q = '';
    view.changed({ first: true });
  } else if (event.key === 'ArrowDown') {
    event.preventDefault();
    view.root.querySelector('.hit-open')?.focus();
  }
}

export function keyInView(view, event) {
  if (isTyping(event) || !view.answer) return;
  const { state, about } = view;
  const titles = [...view.root.querySelectorAll('.hits .hit-open')];
  const at = titles.indexOf(document.activeElement);
  const last = pageCount(view.answer, about);
  const turn = (name, isPossible) => {
    state[name] = isPossible && !state[name];
    view.changed({ tools: true });
  };
  const actions = {
    ArrowDown: () => titles[Math.min(titles.length - 1, at + 1)]?.focus(),
    ArrowUp: () => (at <= 0 ? view.box : titles[at - 1]).focus(),
    ArrowRight: () => state.page < last && view.toPage(state.page + 1),
    ArrowLeft: () => state.page > 1 && view.toPage(state.page - 1),
    e: () => turn('explain', true),
    m: () => turn('map', about.isGeo),
  };
  const isArrow = event.key.startsWith('Arrow');
  if (!actions[event.key] || (isArrow && event.target.closest('.segments, .map'))) return;
  if (isArrow) event.preventDefault();
  actions[event.key]();
}
