// Tasks and batches: reading, waiting, canceling, deleting.

import assert from 'node:assert/strict';
import { rejected, succeeded } from './context.js';

export function tasks(suite, client, context) {
  suite.test('TaskClient.getTask', async () => {
    const { taskUid } = await context.books.updateSynonyms({});
    const task = await client.tasks.getTask(taskUid);
    assert.deepEqual([task.uid, task.indexUid, task.type], [taskUid, 'books', 'settingsUpdate']);
    await rejected(client.tasks.getTask(99_999), 'task_not_found');
  });

  suite.test('TaskClient.getTasks', async () => {
    const index = await context.index();
    await succeeded(index.deleteDocument(1));
    const mine = await client.tasks.getTasks({ indexUids: [index.uid], statuses: ['succeeded'] });
    assert.deepEqual(
      mine.results.map((task) => task.type),
      ['documentDeletion', 'documentAdditionOrUpdate'],
    );
    assert.equal(mine.total, 2);
    const first = await client.tasks.getTasks({ limit: 1, reverse: true });
    assert.deepEqual([first.results[0].uid, first.from, first.next, first.limit], [0, 0, 1, 1]);
    const since = await client.tasks.getTasks({
      afterEnqueuedAt: mine.results[1].enqueuedAt,
      types: ['documentDeletion'],
    });
    assert.equal(since.results[0].uid, mine.results[0].uid);
  });

  suite.test('TaskClient.getTasks', async () => {
    const every = { uids: ['*'], indexUids: ['*'], types: ['*'], statuses: ['*'] };
    const hour = (hours) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const all = await client.tasks.getTasks({
      ...every,
      afterEnqueuedAt: hour(-1),
      beforeEnqueuedAt: hour(1),
      afterStartedAt: hour(-1),
      beforeStartedAt: hour(1),
      afterFinishedAt: hour(-1),
      beforeFinishedAt: hour(1),
    });
    assert.equal(all.results.length, 20);
    assert.equal((await client.tasks.getTasks({ afterEnqueuedAt: hour(1) })).total, 0);
    assert.equal(
      (await client.tasks.getTasks({ batchUids: [all.results[0].batchUid], from: 9_999 })).total,
      1,
    );
    await rejected(client.tasks.getTasks({ statuses: ['lost'] }), 'invalid_task_statuses');
  });

  suite.test('TaskClient.getTaskDocuments', async () => {
    await context.enable('getTaskDocumentsRoute');
    // Many, so that the task is still there to be asked: its payload goes when it is done.
    const many = Array.from({ length: 5000 }, (_, id) => ({ id, title: `Sent as number ${id}` }));
    const write = client.index(context.uid()).addDocuments(many);
    const { taskUid } = await write;
    assert.deepEqual(await client.tasks.getTaskDocuments(taskUid), many);
    await succeeded(write);
    await rejected(client.tasks.getTaskDocuments(taskUid), 'task_file_not_found');
  });

  suite.test(
    ['TaskClient.waitForTask', 'TaskClient.waitForTasks', 'TaskClient.waitForTasksIter'],
    async () => {
      const uid = context.uid();
      const writes = await Promise.all([client.createIndex(uid), client.createIndex(context.uid())]);
      const one = await client.tasks.waitForTask(writes[0]);
      assert.deepEqual([one.uid, one.status, one.indexUid], [writes[0].taskUid, 'succeeded', uid]);
      assert.match(one.duration, /^PT\d+(\.\d+)?S$/);
      const all = await client.tasks.waitForTasks(writes);
      assert.deepEqual(
        all.map((task) => task.status),
        ['succeeded', 'succeeded'],
      );
      const uids = [];
      for await (const task of client.tasks.waitForTasksIter(writes)) uids.push(task.uid);
      assert.deepEqual(
        uids,
        writes.map((write) => write.taskUid),
      );
    },
  );

  suite.test('TaskClient.cancelTasks', async () => {
    const task = await succeeded(client.tasks.cancelTasks({ uids: [0] }));
    assert.equal(task.type, 'taskCancelation');
    assert.deepEqual(task.details, { matchedTasks: 1, canceledTasks: 0, originalFilter: '?uids=0' });
  });

  suite.test('TaskClient.deleteTasks', async () => {
    const index = await context.index();
    const task = await succeeded(client.tasks.deleteTasks({ indexUids: [index.uid] }));
    assert.equal(task.type, 'taskDeletion');
    assert.deepEqual([task.details.matchedTasks, task.details.deletedTasks], [1, 1]);
    assert.equal((await client.tasks.getTasks({ indexUids: [index.uid] })).total, 0);
  });

  suite.test(['BatchClient.getBatch', 'BatchClient.getBatches'], async () => {
    const index = await context.index();
    const { results } = await client.batches.getBatches({ indexUids: [index.uid] });
    assert.equal(results.length, 1);
    const batch = await client.batches.getBatch(results[0].uid);
    assert.deepEqual(batch, results[0]);
    assert.equal(batch.stats.totalNbTasks, 1);
    assert.deepEqual(batch.stats.status, { succeeded: 1 });
    assert.deepEqual(batch.stats.types, { documentAdditionOrUpdate: 1 });
    assert.deepEqual(batch.stats.indexUids, { [index.uid]: 1 });
    assert.deepEqual(batch.details, { receivedDocuments: 6, indexedDocuments: 6 });
    await rejected(client.batches.getBatch(99_999), 'batch_not_found');
  });
}
