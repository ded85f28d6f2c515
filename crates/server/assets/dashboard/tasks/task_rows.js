// Tasks as rows that open to show what they did, how long it took, and what went wrong.

import { post } from '../core/api.js';
import { h } from '../core/dom.js';
import { ago, durationMs, milliseconds, moment, pretty } from '../core/format.js';
import { problem, progressBar } from '../core/parts.js';
import { complain, tell } from '../core/toast.js';
import { isFinished } from '../core/waiting.js';
import { summary, title } from './words.js';

export function statusPill(status) {
  return h('span', { class: `pill pill-${status}` }, status);
}

/** `progress` is the batch's, where the task is in one that runs. */
export function taskRow(task, { isOpen, progress, onToggle }) {
  const took = durationMs(task.duration);
  return h(
    'li',
    { class: 'task', data: { uid: task.uid, status: task.status } },
    h(
      'button',
      { type: 'button', class: 'task-head', 'aria-expanded': String(isOpen), onclick: onToggle },
      h('span', { class: 'task-uid' }, task.uid),
      statusPill(task.status),
      h(
        'span',
        { class: 'task-title' },
        title(task.type),
        task.indexUid ? h('span', { class: 'task-index' }, task.indexUid) : null,
      ),
      h(
        'span',
        { class: 'task-summary' },
        task.error ? task.error.message : summary(task.type, task.details),
      ),
      h('span', { class: 'task-time' }, took === null ? '' : milliseconds(took)),
      h(
        'span',
        { class: 'task-when', title: moment(task.enqueuedAt) },
        ago(task.finishedAt ?? task.startedAt ?? task.enqueuedAt),
      ),
    ),
    task.status === 'processing' && progress ? progressLine(progress, `Progress of task ${task.uid}`) : null,
    isOpen ? details(task) : null,
  );
}

/** How far a batch is, and what it does at the moment. */
export function progressLine(progress, label) {
  return h(
    'div',
    { class: 'task-progress' },
    progressBar(progress.percentage / 100, label),
    h('span', null, `${progress.percentage.toFixed(0)} %`),
    h('span', { class: 'task-step' }, progress.steps.at(-1)?.currentStep ?? ''),
  );
}

function details(task) {
  const cancel = async () => {
    try {
      await post(`/tasks/cancel?uids=${task.uid}`);
      tell(`Task ${task.uid} will be canceled.`);
    } catch (error) {
      complain(error);
    }
  };
  const moments = [
    ['Enqueued', task.enqueuedAt],
    ['Started', task.startedAt],
    ['Finished', task.finishedAt],
  ];
  return h(
    'div',
    { class: 'task-details' },
    task.error ? problem(task.error) : null,
    h(
      'dl',
      { class: 'facts' },
      moments.map(([name, date]) => h('div', null, h('dt', null, name), h('dd', null, moment(date)))),
      h('div', null, h('dt', null, 'Batch'), h('dd', null, task.batchUid ?? '–')),
      task.canceledBy === null || task.canceledBy === undefined
        ? null
        : h('div', null, h('dt', null, 'Canceled by'), h('dd', null, `task ${task.canceledBy}`)),
      task.customMetadata
        ? h('div', null, h('dt', null, 'Metadata'), h('dd', null, task.customMetadata))
        : null,
    ),
    task.details
      ? h('pre', { class: 'json json-small', tabindex: 0, 'aria-label': 'Details' }, pretty(task.details))
      : null,
    isFinished(task)
      ? null
      : h(
          'div',
          null,
          h(
            'button',
            { type: 'button', class: 'button button-small button-bad-quiet', onclick: cancel },
            'Cancel task',
          ),
        ),
  );
}
