// Import: drop files, look at what was found in them, send them, watch them being indexed.

import { fill, freshId, h } from '../core/dom.js';
import { icon } from '../core/icons.js';
import { skeleton, viewHead } from '../core/parts.js';
import { drawPlan, examined } from './plan.js';

/** Files that were dropped on another view, for this one to begin with. */
let kept = [];

export function keepFiles(files) {
  kept = files;
}

export function importView(root, { params }) {
  const content = h('div', { class: 'stack-large' });
  let taken = null;
  const take = async (files) => {
    taken = files;
    fill(content, skeleton(3));
    const found = await Promise.all(files.map(examined));
    // Others may have been chosen while these were unpacked.
    if (taken === files) drawPlan(content, found, params.get('index') ?? '');
  };
  fill(root, h('div', { class: 'view view-narrow' }, viewHead('Import'), dropZone(take), content));
  if (kept.length > 0) take(kept);
  kept = [];
  const overlay = (isOver) => document.body.classList.toggle('is-dragging', isOver);
  const handlers = {
    dragover: (event) => {
      event.preventDefault();
      overlay(true);
    },
    dragleave: (event) => event.relatedTarget === null && overlay(false),
    drop: (event) => {
      event.preventDefault();
      overlay(false);
      if (event.dataTransfer.files.length > 0) take([...event.dataTransfer.files]);
    },
  };
  for (const [name, handler] of Object.entries(handlers)) addEventListener(name, handler);
  return () => {
    overlay(false);
    for (const [name, handler] of Object.entries(handlers)) removeEventListener(name, handler);
  };
}

function dropZone(take) {
  const id = freshId('file');
  return h(
    'div',
    { class: 'drop' },
    h('div', { class: 'drop-sign' }, icon('upload')),
    h('p', { class: 'drop-title' }, 'Drop files here'),
    h('p', { class: 'quiet' }, 'JSON, NDJSON or CSV of any size, optionally gzipped'),
    h('label', { class: 'button', for: id }, icon('file'), 'Choose files'),
    h('input', {
      id,
      class: 'unseen',
      type: 'file',
      multiple: true,
      accept: '.json,.ndjson,.jsonl,.csv,.tsv,.txt,.gz,application/json,text/csv,application/gzip',
      onchange: (event) => {
        const files = [...event.target.files];
        // The same file can be chosen again when it was taken off the list.
        event.target.value = '';
        if (files.length > 0) take(files);
      },
    }),
  );
}
