// Import: drop files, look at what was found in them, send them, watch them being indexed.

import { fill, freshId, h } from '../core/dom.js';
import { count, bytes, plural } from '../core/format.js';
import { icon } from '../core/icons.js';
import { indexNames, instance } from '../core/instance.js';
import { card, field, problem, progressBar, viewHead } from '../core/parts.js';
import { href } from '../core/router.js';
import { fieldPreview, fileLine } from './preview.js';
import { send } from './send.js';
import { inferredKey, sniff } from './sniff.js';

const STEPS = { sending: 'Sending', waiting: 'Waiting for its turn', indexing: 'Indexing' };

/** Files that were dropped on another view, for this one to begin with. */
let kept = [];

export function keepFiles(files) {
  kept = files;
}

export function importView(root, { params }) {
  const content = h('div', { class: 'stack-large' });
  const take = (files) => plan(content, files, params.get('index') ?? '');
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
    h('p', { class: 'quiet' }, 'JSON, NDJSON or CSV, of any size'),
    h('label', { class: 'button', for: id }, icon('file'), 'Choose files'),
    h('input', {
      id,
      class: 'unseen',
      type: 'file',
      multiple: true,
      accept: '.json,.ndjson,.jsonl,.csv,.tsv,.txt,application/json,text/csv',
      onchange: (event) => take([...event.target.files]),
    }),
  );
}

const nameFrom = (file) =>
  file.name
    .replace(/\.[^.]+$/, '')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '') || 'documents';

async function plan(content, files, wanted) {
  const found = await Promise.all(files.map(async (file) => ({ file, about: await sniff(file) })));
  const [{ file, about }] = found;
  const list = freshId('indexes');
  const index = h('input', {
    class: 'input',
    value: wanted || nameFrom(file),
    list,
    autocomplete: 'off',
    spellcheck: 'false',
    required: true,
    pattern: '[A-Za-z0-9_\\-]+',
    oninput: () => keyChoices(),
  });
  const key = h('select', { class: 'select', onchange: () => drawFields() });
  const method = h(
    'select',
    { class: 'select' },
    h('option', { value: 'POST' }, 'Replace documents with the same id'),
    h('option', { value: 'PUT' }, 'Update only the fields that are sent'),
  );
  const types = h('input', { type: 'checkbox', checked: true });
  const fields = h('div');
  const result = h('div', { class: 'stack' });
  const button = h(
    'button',
    { type: 'submit', class: 'button button-main' },
    icon('upload'),
    `Import ${plural(files.length, 'file')}`,
  );
  const drawFields = () => fill(fields, fieldPreview(about, key.value || inferredKey(about.records)));

  function keyChoices() {
    const stored = instance().indexes.find(({ uid }) => uid === index.value)?.primaryKey;
    const inferred = inferredKey(about.records);
    const fitting = about.fields.filter((one) => one.isId).map(({ name }) => name);
    const options = stored
      ? [['', `${stored}, as the index has it`]]
      : [
          ...(inferred ? [['', `${inferred}, found by itself`]] : []),
          ...fitting.filter((name) => name !== inferred).map((name) => [name, name]),
        ];
    if (options.length === 0) options.push(['', 'No field could be one']);
    fill(
      key,
      options.map(([value, text]) => h('option', { value }, text)),
    );
    drawFields();
  }
  keyChoices();

  const start = async (event) => {
    event.preventDefault();
    button.disabled = true;
    const choice = {
      index: index.value,
      method: method.value,
      primaryKey: key.value || undefined,
      usesTypes: types.checked,
    };
    fill(result);
    for (const one of found) await sendFile(result, one, choice);
    button.disabled = false;
    keyChoices();
  };
  fill(
    content,
    card(
      plural(files.length, 'file'),
      h(
        'form',
        { class: 'stack', onsubmit: start },
        found.map((one) => fileLine(one.file, one.about)),
        about.records.length === 0
          ? problem({ message: 'No document was found at the beginning of this file.' })
          : fields,
        h(
          'div',
          { class: 'import-plan' },
          field('Index', index),
          h(
            'datalist',
            { id: list },
            indexNames().map((value) => h('option', { value })),
          ),
          field('Primary key', key),
          field('Documents that exist already', method),
        ),
        found.some((one) => one.about.guessesTypes)
          ? h(
              'label',
              { class: 'check' },
              types,
              h(
                'span',
                null,
                'Store columns of numbers, true and false as such. Otherwise all values of a CSV file are text.',
              ),
            )
          : null,
        h('div', { class: 'row row-end' }, button),
      ),
      result,
    ),
  );
}

async function sendFile(result, { file, about }, choice) {
  const stop = new AbortController();
  const label = h('span', { class: 'import-label' });
  const place = h('div', { class: 'import-bar' });
  const cancel = h(
    'button',
    { type: 'button', class: 'button button-small', onclick: () => stop.abort() },
    'Stop',
  );
  const row = h(
    'div',
    { class: 'import-row', role: 'status' },
    h('div', { class: 'import-head' }, h('strong', null, file.name), label, cancel),
    place,
  );
  result.append(row);
  const begun = performance.now();
  const tell = ({ step, share, sent }) => {
    const rate = sent
      ? ` · ${bytes(sent)} of ${bytes(file.size)} · ${bytes(sent / ((performance.now() - begun) / 1000 || 1))}/s`
      : '';
    fill(label, `${STEPS[step]}${rate}`);
    fill(place, progressBar(share, `${STEPS[step]} ${file.name}`));
    cancel.hidden = step !== 'sending';
  };
  tell({ step: 'sending', share: 0 });
  try {
    const tasks = await send(file, about, choice, tell, stop.signal);
    cancel.remove();
    fill(place, progressBar(1, `Import of ${file.name}`));
    drawEnd(row, label, tasks, choice.index, performance.now() - begun);
  } catch (error) {
    cancel.remove();
    fill(place);
    fill(label, error.name === 'AbortError' ? 'Stopped' : 'Refused');
    row.classList.add('is-bad');
    if (error.name !== 'AbortError') row.append(problem(error));
  }
}

function drawEnd(row, label, tasks, index, tookMs) {
  const failed = tasks.filter((task) => task.status !== 'succeeded');
  const indexed = tasks.reduce((sum, task) => sum + (task.details?.indexedDocuments ?? 0), 0);
  fill(label, `${count(indexed)} documents indexed in ${(tookMs / 1000).toFixed(1)} s`);
  row.classList.add(failed.length > 0 ? 'is-bad' : 'is-good');
  failed.forEach((task) => row.append(problem(task.error ?? { message: `Task ${task.uid} was canceled.` })));
  row.append(
    h(
      'div',
      { class: 'row' },
      indexed > 0
        ? h(
            'a',
            { class: 'button button-small button-main', href: href(['search', index]) },
            icon('search'),
            `Search ${index}`,
          )
        : null,
      h(
        'a',
        { class: 'button button-small', href: href(['indexes', index, 'settings']) },
        icon('gear'),
        'Choose filters and order',
      ),
      h('a', { class: 'button button-small', href: `#/tasks?uid=${tasks.at(-1)?.uid}` }, 'Task'),
    ),
  );
}
