// The end of a task, however it becomes known: by the stream, or by asking where that is broken.

import { get } from './api.js';
import { listen } from './live.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1500;

export const isFinished = (task) => ['succeeded', 'failed', 'canceled'].includes(task.status);

/** Resolves with the finished task. `onChange` hears of every state before. */
export function finished(uid, onChange = () => {}) {
  return new Promise((resolve) => {
    let pause = FIRST_PAUSE_MS;
    let isOver = false;
    const settle = (task) => {
      // An answer that was under way while the stream told of the end knows less than is known.
      if (isOver) return;
      if (!isFinished(task)) {
        onChange(task);
        return;
      }
      isOver = true;
      stop();
      resolve(task);
    };
    const ask = async () => {
      await get(`/tasks/${uid}`, null, { quiet: true }).then(settle, () => {});
      if (isOver) return;
      setTimeout(ask, pause);
      pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
    };
    const stop = listen('task', (task) => task.uid === uid && settle(task));
    ask();
  });
}
