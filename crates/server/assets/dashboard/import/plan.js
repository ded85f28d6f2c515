// What is to become of the files that were chosen: their index, their primary key, how they meet
// documents that are there. Nothing is sent before somebody says so.

import { fill, freshId, h } from '../core/dom.js';
import { plural } from '../core/format.js';
import { icon } from '../core/icons.js';
import { indexNames, instance } from '../core/instance.js';
import { card, field, problem } from '../core/parts.js';
import { fieldPreview, fileLine, keyWarning } from './preview.js';
import { sendFile } from './rows.js';
import { inferredKey, sniff } from './sniff.js';
import { unpacked } from './unpack.js';

/** A file with what was found in it, or with why it cannot be sent. */
export async function examined(chosen) {
  try {
    const file = await unpacked(chosen);
    const about = await sniff(file);
    const isEmpty = about.records.length === 0 && about.isWhole;
    return { file, about, refusal: isEmpty ? 'This file contains no documents.' : null };
  } catch (error) {
    return { file: chosen, about: null, refusal: error.message };
  }
}

const nameFrom = (file) =>
  file.name
    .replace(/\.[^.]+$/, '')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '') || 'documents';

export function drawPlan(content, files, wanted) {
  const usable = files.filter((one) => !one.refusal);
  const leaveOut = (one) => {
    const rest = files.filter((other) => other !== one);
    if (rest.length > 0) drawPlan(content, rest, wanted);
    else fill(content);
    (content.querySelector('.file-line button') ?? document.querySelector('.drop input')).focus();
  };
  fill(
    content,
    card(
      plural(files.length, 'file'),
      h(
        'div',
        { class: 'stack' },
        files.map((one) => [fileLine(one.file, one.about, () => leaveOut(one)), complaint(one)]),
        usable.length > 0 ? form(usable, wanted) : null,
      ),
    ),
  );
}

function complaint({ about, refusal }) {
  if (refusal) return problem({ message: refusal });
  return about.fault ? problem({ message: `${about.fault} The server will refuse this file.` }) : null;
}

function form(files, wanted) {
  const [{ file, about }] = files;
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
    h('option', { value: 'POST' }, 'Replace them'),
    h('option', { value: 'PUT' }, 'Update the sent fields'),
  );
  const types = h('input', { type: 'checkbox', checked: true });
  const [fields, warning] = [h('div'), h('div', { class: 'import-warning', role: 'status' })];
  const result = h('div', { class: 'stack import-results' });
  const button = h(
    'button',
    { type: 'submit', class: 'button button-main' },
    icon('upload'),
    `Import ${plural(files.length, 'file')}`,
  );
  const stored = () => instance().indexes.find(({ uid }) => uid === index.value)?.primaryKey;
  const drawFields = () => {
    fill(fields, fieldPreview(about, stored() ?? (key.value || inferredKey(about.records))));
    fill(warning, keyWarning(files, index.value, stored()));
  };

  /** The key is taken by itself only where the server would take it; otherwise somebody chooses. */
  function keyChoices() {
    const inferred = inferredKey(about.records);
    const fitting = about.fields.filter((one) => one.isId && one.name !== inferred).map(({ name }) => name);
    const first = stored()
      ? `${stored()} (set by the index)`
      : inferred
        ? `${inferred} (detected)`
        : fitting.length > 0
          ? 'Choose a field'
          : 'No suitable field';
    key.required = !stored() && !inferred && fitting.length > 0;
    fill(
      key,
      h('option', { value: '' }, first),
      stored() ? null : fitting.map((name) => h('option', { value: name }, name)),
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
    for (const one of files) await sendFile(result, one, choice);
    button.disabled = false;
    keyChoices();
  };
  return h(
    'div',
    null,
    h(
      'form',
      { class: 'stack', onsubmit: start },
      fields,
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
        field('Existing documents', method),
      ),
      warning,
      files.some((one) => one.about.guessesTypes)
        ? h(
            'label',
            { class: 'check' },
            types,
            h(
              'span',
              null,
              'Store number and boolean columns with their types. Otherwise all values of a CSV file are text.',
            ),
          )
        : null,
      h('div', { class: 'row row-end' }, button),
    ),
    result,
  );
}
