// Highlights. The server is asked to put two private characters around what matched; they are
// cut out again here and the parts become text nodes, so a document can never bring markup.

import { h } from './dom.js';
import { json } from './format.js';

export const OPEN = '\uE0F1';
export const CLOSE = '\uE0F2';

/** Text with its matches in `<mark>`. */
export function marked(text) {
  const nodes = [];
  for (const [place, part] of String(text).split(OPEN).entries()) {
    const end = place === 0 ? -1 : part.indexOf(CLOSE);
    if (end > 0) nodes.push(h('mark', null, part.slice(0, end)));
    const rest = plain(end >= 0 ? part.slice(end) : part);
    if (rest !== '') nodes.push(rest);
  }
  return nodes;
}

export function plain(text) {
  return String(text).replaceAll(OPEN, '').replaceAll(CLOSE, '');
}

export function hasMark(value) {
  return json(value ?? '').includes(OPEN);
}
