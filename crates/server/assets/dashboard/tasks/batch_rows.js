// Batches as rows: progress step by step while they run, a chart of where the time went after.

import { h } from '../core/dom.js';
import { stepList } from '../core/charts.js';
import { ago, durationMs, milliseconds, moment, plural, stepMs } from '../core/format.js';
import { progressBar } from '../core/parts.js';
import { progressLine, statusPill } from './task_rows.js';
import { title } from './words.js';

export function batchRow(batch, { isOpen, onToggle }) {
  const stats = batch.stats ?? {};
  const status = batch.finishedAt ? worst(stats.status ?? {}) : 'processing';
  const took = durationMs(batch.duration);
  return h(
    'li',
    { class: 'task', data: { uid: batch.uid, status } },
    h(
      'button',
      { type: 'button', class: 'task-head', 'aria-expanded': String(isOpen), onclick: onToggle },
      h('span', { class: 'task-uid' }, batch.uid),
      statusPill(status),
      h(
        'span',
        { class: 'task-title' },
        Object.keys(stats.types ?? {})
          .map(title)
          .join(', '),
        Object.keys(stats.indexUids ?? {}).map((uid) => h('span', { class: 'task-index' }, uid)),
      ),
      h('span', { class: 'task-summary' }, plural(stats.totalNbTasks ?? 0, 'task')),
      h('span', { class: 'task-time' }, took === null ? '' : milliseconds(took)),
      h(
        'span',
        { class: 'task-when', title: moment(batch.startedAt) },
        ago(batch.finishedAt ?? batch.startedAt),
      ),
    ),
    batch.progress ? progressLine(batch.progress, `Progress of batch ${batch.uid}`) : null,
    isOpen ? details(batch, stats) : null,
  );
}

/** A batch is as good as its worst task. */
function worst(statuses) {
  return ['failed', 'canceled', 'succeeded'].find((status) => statuses[status] > 0) ?? 'succeeded';
}

function details(batch, stats) {
  const trace = Object.entries(stats.progressTrace ?? {}).map(([name, text]) => [
    name,
    stepMs(text),
    milliseconds(stepMs(text)),
  ]);
  return h(
    'div',
    { class: 'task-details' },
    batch.progress
      ? h(
          'ol',
          { class: 'steps' },
          batch.progress.steps.map((step) =>
            h(
              'li',
              null,
              h('span', null, step.currentStep),
              progressBar(step.total === 0 ? 0 : step.finished / step.total, step.currentStep),
              h('span', null, `${step.finished} / ${step.total}`),
            ),
          ),
        )
      : null,
    batch.batchStrategy ? h('p', { class: 'quiet' }, batch.batchStrategy) : null,
    h(
      'dl',
      { class: 'facts' },
      [
        ['Started', batch.startedAt],
        ['Finished', batch.finishedAt],
      ].map(([name, date]) => h('div', null, h('dt', null, name), h('dd', null, moment(date)))),
      Object.entries(stats.status ?? {}).map(([status, many]) =>
        h('div', null, h('dt', null, status), h('dd', null, many)),
      ),
      stats.embedderRequests
        ? h(
            'div',
            null,
            h('dt', null, 'Embedder requests'),
            h('dd', null, `${stats.embedderRequests.total}, ${stats.embedderRequests.failed} failed`),
          )
        : null,
    ),
    trace.length > 0 ? stepList('Where the time went', trace) : null,
  );
}
