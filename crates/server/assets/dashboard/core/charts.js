// Bars, drawn with elements so that they scale, can be read out, and follow the theme.

import { h } from './dom.js';

/** Rows of `[label, value, text]`, longest first to the eye, each with its share of `whole`. */
export function barList(label, rows, { whole, href } = {}) {
  const top = whole ?? Math.max(1, ...rows.map((row) => row[1]));
  return h(
    'ul',
    { class: 'bars', 'aria-label': label },
    rows.map(([name, value, text]) =>
      h(
        'li',
        { class: 'bar' },
        h('span', { class: 'bar-name', title: name }, href ? h('a', { href: href(name) }, name) : name),
        h(
          'span',
          { class: 'bar-track', 'aria-hidden': 'true' },
          h('span', { class: 'bar-fill', style: { width: `${Math.max(0.6, (100 * value) / top)}%` } }),
        ),
        h('span', { class: 'bar-value' }, text ?? value),
      ),
    ),
  );
}

/** Steps with their times, `["search > format", ms, text]`, each below the step it is part of. */
export function stepList(label, steps) {
  const tree = new Map();
  for (const [path, ms, text] of steps) {
    let level = tree;
    let node = null;
    for (const name of path.split(' > ')) {
      if (!level.has(name)) level.set(name, { ms: 0, text: '', parts: new Map() });
      node = level.get(name);
      level = node.parts;
    }
    Object.assign(node, { ms, text });
  }
  const rows = [];
  const walk = (level, depth) =>
    level.forEach((node, name) => {
      rows.push([name, node.ms, node.text, depth]);
      walk(node.parts, depth + 1);
    });
  walk(tree, 0);
  const top = Math.max(1e-9, ...rows.map((row) => row[1]));
  return h(
    'ul',
    { class: 'bars', 'aria-label': label },
    rows.map(([name, ms, text, depth]) =>
      h(
        'li',
        { class: 'bar' },
        h('span', { class: 'bar-name', title: name, style: { 'padding-left': `${depth * 14}px` } }, name),
        h(
          'span',
          { class: 'bar-track', 'aria-hidden': 'true' },
          h('span', { class: 'bar-fill', style: { width: `${Math.max(0.6, (100 * ms) / top)}%` } }),
        ),
        h('span', { class: 'bar-value' }, text),
      ),
    ),
  );
}

/** How numbers spread: `counts` pairs of number and how often, in at most `most` columns. */
export function histogram(label, counts, most = 24) {
  const numbers = counts.map(([number]) => number);
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const columns = Math.min(most, new Set(numbers).size);
  const heights = new Array(columns).fill(0);
  for (const [number, many] of counts) {
    const place = high === low ? 0 : Math.floor(((number - low) / (high - low)) * columns);
    heights[Math.min(columns - 1, place)] += many;
  }
  const top = Math.max(...heights);
  return h(
    'div',
    { class: 'histogram', role: 'img', 'aria-label': label },
    heights.map((height) =>
      h('span', { style: { height: `${height === 0 ? 0 : Math.max(6, (100 * height) / top)}%` } }),
    ),
  );
}
