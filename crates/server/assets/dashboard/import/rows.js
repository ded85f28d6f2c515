// One row for each file that is sent: how far it is, and how it ended.

import { fill, h } from '../core/dom.js';
import { bytes, plural } from '../core/format.js';
import { icon } from '../core/icons.js';
import { problem, progressBar } from '../core/parts.js';
import { href } from '../core/router.js';
import { send } from './send.js';

const STEPS = { sending: 'Sending', waiting: 'Queued', indexing: 'Indexing' };

export async function sendFile(result, { file, about }, choice) {
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
    drawEnd(row, label, tasks, choice.index, performance.now() - begun);
  } catch (error) {
    fill(label, error.name === 'AbortError' ? 'Stopped' : 'Refused');
    row.classList.add('is-bad');
    if (error.name !== 'AbortError') row.append(problem(error));
  }
  cancel.remove();
  place.remove();
}

function drawEnd(row, label, tasks, index, tookMs) {
  const failed = tasks.filter((task) => task.status !== 'succeeded');
  const indexed = tasks.reduce((sum, task) => sum + (task.details?.indexedDocuments ?? 0), 0);
  const hasIndexed = `${plural(indexed, 'document')} indexed in ${(tookMs / 1000).toFixed(1)} s`;
  fill(
    label,
    failed.length === 0
      ? hasIndexed
      : indexed > 0
        ? `${hasIndexed}, the rest failed`
        : 'Failed, nothing indexed',
  );
  row.classList.add(failed.length > 0 ? 'is-bad' : 'is-good');
  failed.forEach((task) => row.append(problem(task.error ?? { message: `Task ${task.uid} was canceled.` })));
  const shown = (failed[0] ?? tasks.at(-1))?.uid;
  row.append(
    h(
      'div',
      { class: 'row' },
      indexed > 0
        ? [
            h(
              'a',
              { class: 'button button-small button-main', href: href(['search', index]) },
              icon('search'),
              `Search ${index}`,
            ),
            h(
              'a',
              { class: 'button button-small', href: href(['indexes', index, 'settings']) },
              icon('gear'),
              'Choose filters and sorting',
            ),
          ]
        : null,
      shown === undefined
        ? null
        : h('a', { class: 'button button-small', href: href(['tasks'], { uid: shown }) }, `Task ${shown}`),
    ),
  );
}
