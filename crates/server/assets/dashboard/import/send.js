// Sending one file: its pieces one after the other, then waiting for their tasks.

import { upload } from '../core/api.js';
import { listen } from '../core/live.js';
import { finished } from '../core/waiting.js';
import { pieces } from './pieces.js';

const TYPES = { json: 'application/json', ndjson: 'application/x-ndjson', csv: 'text/csv' };

/** `plan`: index, method, primaryKey, usesTypes. `tell` hears `{sent, share, step}`. */
export async function send(file, about, plan, tell, signal) {
  const tasks = [];
  let sent = 0;
  for await (const piece of pieces(file, about, plan.usesTypes)) {
    const task = await upload(plan.method, `/indexes/${plan.index}/documents`, {
      type: TYPES[about.format],
      body: piece.body,
      signal,
      query: {
        primaryKey: plan.primaryKey,
        csvDelimiter: about.format === 'csv' && about.delimiter !== ',' ? about.delimiter : undefined,
      },
      onProgress: (bytes) =>
        tell({
          step: 'sending',
          sent: sent + Math.min(bytes, piece.bytes),
          share: (sent + Math.min(bytes, piece.bytes)) / file.size,
        }),
    }).catch((error) => {
      throw placed(error, piece.shift);
    });
    sent += piece.bytes;
    tasks.push(task.taskUid);
  }
  return settle(tasks, tell);
}

/** The server counts bytes in what it was sent; people look for them in the file. */
function placed(error, shift) {
  error.message = error.message.replace(/\bbyte: (\d+)/, (_, at) => `byte: ${Number(at) + shift}`);
  return error;
}

/** Follows the batch of the tasks, so that indexing has a bar of its own. */
async function settle(tasks, tell) {
  let batch = null;
  const stop = listen('batch', (next) => {
    if (next.uid === batch && next.progress)
      tell({ step: 'indexing', share: next.progress.percentage / 100 });
  });
  tell({ step: 'waiting', share: 0 });
  const ends = [];
  for (const uid of tasks) {
    ends.push(
      await finished(uid, (task) => {
        batch = task.batchUid ?? batch;
        if (task.status === 'processing') tell({ step: 'indexing', share: 0 });
      }),
    );
  }
  stop();
  return ends;
}
