"""Tasks and batches: reading, waiting, canceling, deleting."""

from context import rejected
from suite import equal


def cases(suite, context):
    client = context.client

    @suite.case("Client.get_task", "Index.get_task")
    def _():
        index = context.index()
        uid = index.get_tasks().results[0].uid
        task = client.get_task(uid)
        equal(
            (task.uid, task.index_uid, task.type, task.status),
            (uid, index.uid, "documentAdditionOrUpdate", "succeeded"),
        )
        assert task.duration and task.enqueued_at <= task.started_at <= task.finished_at
        equal(index.get_task(uid).uid, uid)
        rejected("task_not_found", client.get_task, 99_999)

    @suite.case("Client.get_tasks", "Index.get_tasks")
    def _():
        index = context.index()
        context.succeeded(index.delete_document(1))
        found = client.get_tasks({"indexUids": [index.uid], "statuses": ["succeeded"]})
        equal([task.type for task in found.results], ["documentDeletion", "documentAdditionOrUpdate"])
        first = client.get_tasks({"limit": 1, "reverse": "true"})
        equal((first.results[0].uid, first.from_, first.next_, first.limit), (0, 0, 1, 1))
        equal([task.type for task in index.get_tasks({"types": ["documentDeletion"]}).results], ["documentDeletion"])

    @suite.case("Client.wait_for_task", "Index.wait_for_task")
    def _():
        index = client.index(context.uid())
        info = index.add_documents([{"id": 1}])
        equal(client.wait_for_task(info.task_uid).status, "succeeded")
        equal(index.wait_for_task(info.task_uid).status, "succeeded")

    @suite.case("Client.cancel_tasks")
    def _():
        task = context.succeeded(client.cancel_tasks({"uids": ["0"]}))
        equal((task.type, task.details["matchedTasks"], task.details["canceledTasks"]), ("taskCancelation", 1, 0))

    @suite.case("Client.delete_tasks")
    def _():
        index = context.index()
        task = context.succeeded(client.delete_tasks({"indexUids": [index.uid]}))
        equal((task.type, task.details["deletedTasks"]), ("taskDeletion", 1))
        equal(index.get_tasks().results, [])

    @suite.case("Client.get_batch", "Client.get_batches")
    def _():
        index = context.index()
        found = client.get_batches({"indexUids": [index.uid]}).results
        equal(len(found), 1)
        batch = client.get_batch(found[0].uid)
        equal(batch.details, {"receivedDocuments": 6, "indexedDocuments": 6})
        equal(batch.stats["indexUids"] if isinstance(batch.stats, dict) else batch.stats.index_uids, {index.uid: 1})
        rejected("batch_not_found", client.get_batch, 99_999)
