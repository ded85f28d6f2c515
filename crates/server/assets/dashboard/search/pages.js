// From page to page.

import { h } from '../core/dom.js';
import { count } from '../core/format.js';
import { icon } from '../core/icons.js';
import { PER_PAGE } from './state.js';

/** Pages that can be reached: an index shows no hit beyond `maxTotalHits`. */
export function pageCount(answer, about) {
  const reachable = Math.min(answer.totalHits ?? 0, about.maxTotalHits);
  return Math.ceil(reachable / PER_PAGE);
}

export function pages(page, last, onPage) {
  if (last <= 1) return null;
  const button = (label, content, to, isOff) =>
    h(
      'button',
      {
        type: 'button',
        class: 'page',
        'aria-label': label,
        disabled: isOff,
        'aria-current': to === page && !isOff ? 'page' : null,
        onclick: () => onPage(to),
      },
      content,
    );
  const numbers = [...new Set([1, page - 1, page, page + 1, last])].filter(
    (number) => number >= 1 && number <= last,
  );
  const shown = numbers.flatMap((number, place) => {
    const gap =
      place > 0 && number - numbers[place - 1] > 1
        ? [h('span', { class: 'page-gap', 'aria-hidden': 'true' }, '…')]
        : [];
    return [...gap, button(`Page ${number}`, count(number), number, false)];
  });
  return h(
    'nav',
    { class: 'pages', 'aria-label': 'Pages of hits' },
    button('Previous page', icon('left'), page - 1, page <= 1),
    shown,
    button('Next page', icon('right'), page + 1, page >= last),
  );
}
