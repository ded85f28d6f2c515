// Tasks and batches as they change. Two event streams stay open for the life of the page; when
// one breaks it is opened again, with growing pauses, and listeners are told to look anew,
// because what happened meanwhile is not repeated.

import { events } from './api.js';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

const listeners = { task: new Set(), batch: new Set(), gap: new Set(), state: new Set() };
const open = { task: false, batch: false };
let stop = null;

/** `kind` is `task`, `batch`, `gap` (something may have been missed) or `state` (live or not). */
export function listen(kind, listener) {
  listeners[kind].add(listener);
  return () => listeners[kind].delete(listener);
}

export const isLive = () => open.task && open.batch;

/** Begins, or begins again with another key. */
export function start() {
  stop?.abort();
  stop = new AbortController();
  follow('task', '/tasks/stream', stop.signal);
  follow('batch', '/batches/stream', stop.signal);
}

function tell(kind, value) {
  listeners[kind].forEach((listener) => listener(value));
}

function mark(kind, isOpen) {
  if (open[kind] === isOpen) return;
  open[kind] = isOpen;
  tell('state', isLive());
}

async function follow(kind, path, signal) {
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    try {
      await events(
        path,
        signal,
        () => {
          pause = FIRST_PAUSE_MS;
          mark(kind, true);
          tell('gap');
        },
        (object) => tell(kind, object),
      );
    } catch (error) {
      // A key that may not see tasks will not be able to later. All else is worth another try.
      if (error.isAuth) return;
    }
    if (signal.aborted) return;
    mark(kind, false);
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
  }
}
