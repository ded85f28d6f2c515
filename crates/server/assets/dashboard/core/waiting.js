// The end of a task, however it becomes known: by the stream, or by asking where that is broken.

import { get } from './api.js';
import { listen } from './live.js';

const ASK_EVERY_MS = 1500;

export const isFinished = (task) => ['succeeded', 'failed', 'canceled'].includes(task.status);

/** Resolves with the finished task. `onChange` hears of every state before. */
export function finished(uid, onChange = () => {}) {
  return new Promise((resolve) => {
    const settle = (task) => {
      if (!isFinished(task)) {
        onChange(task);
        return;
      }
      clearInterval(timer);
      stop();
      resolve(task);
    };
    const ask = () => get(`/tasks/${uid}`, null, { quiet: true }).then(settle, () => {});
    const stop = listen('task', (task) => task.uid === uid && settle(task));
    const timer = setInterval(ask, ASK_EVERY_MS);
    ask();
  });
}
