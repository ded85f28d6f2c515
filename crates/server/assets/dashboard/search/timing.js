// How long a search took, and what in it.

import { h } from '../core/dom.js';
import { stepList } from '../core/charts.js';
import { milliseconds, stepMs } from '../core/format.js';

export function timingLine(answer) {
  return h(
    'span',
    { class: 'timing-line' },
    h('strong', null, answer.processingTimeMs < 1 ? 'under 1 ms' : milliseconds(answer.processingTimeMs)),
    ' in the engine, ',
    milliseconds(answer.roundTripMs),
    ' in total',
  );
}

export function timingPanel(answer) {
  const steps = Object.entries(answer.performanceDetails ?? {}).map(([name, text]) => [
    name,
    stepMs(text),
    milliseconds(stepMs(text)),
  ]);
  if (steps.length === 0) return h('p', { class: 'quiet' }, 'The server returned no details.');
  return stepList('Steps of the search', steps);
}
