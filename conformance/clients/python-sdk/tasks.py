"""Tasks and batches: reading, waiting, canceling, deleting."""

from datetime import UTC, datetime, timedelta

from meilisearch_python_sdk.errors import BatchNotFoundError

from context import now, rejected
from suite import equal


def cases(suite, context):
    client = context.client

    @suite.case("Client.get_task")
    async def _():
        index = await context.index()
        uid = (await now(client.get_tasks(index_ids=[index.uid]))).results[0].uid
        task = await now(client.get_task(uid))
        equal(
            (task.uid, task.index_uid, task.task_type, task.status),
            (uid, index.uid, "documentAdditionOrUpdate", "succeeded"),
        )
        await rejected("task_not_found", client.get_task, 99_999)

    @suite.case("Client.get_tasks")
    async def _():
        index = await context.index()
        await context.succeeded(index.delete_document("1"))
        # This client writes times as those of UTC whatever they are.
        hour_ago = datetime.now(UTC).replace(tzinfo=None) - timedelta(hours=1)
        found = await now(client.get_tasks(index_ids=[index.uid], statuses=["succeeded"], after_enqueued_at=hour_ago))
        equal([task.task_type for task in found.results], ["documentDeletion", "documentAdditionOrUpdate"])
        first = await now(client.get_tasks(limit=1, reverse=True))
        equal((first.results[0].uid, first.from_, first.next, first.limit), (0, 0, 1, 1))
        typed = await now(client.get_tasks(index_ids=[index.uid], types="documentDeletion"))
        equal(typed.total, 1)

    @suite.case("Client.wait_for_task")
    async def _():
        info = await now(client.index(context.uid()).add_documents([{"id": 1}]))
        task = await now(client.wait_for_task(info.task_uid, timeout_in_ms=60_000, interval_in_ms=10))
        equal(task.status, "succeeded")

    @suite.case("Client.cancel_tasks")
    async def _():
        task = await context.succeeded(client.cancel_tasks(uids=[0, 1]))
        equal(
            (task.task_type, task.details["matchedTasks"], task.details["canceledTasks"]), ("taskCancelation", 2, 0)
        )

    @suite.case("Client.delete_tasks")
    async def _():
        index = await context.index()
        task = await context.succeeded(client.delete_tasks(index_uids=[index.uid]))
        equal((task.task_type, task.details["deletedTasks"]), ("taskDeletion", 1))
        equal((await now(client.get_tasks(index_ids=[index.uid]))).total, 0)

    @suite.case("Client.get_batch", "Client.get_batches")
    async def _():
        index = await context.index()
        found = (await now(client.get_batches(index_uids=[index.uid]))).results
        equal(len(found), 1)
        batch = await now(client.get_batch(found[0].uid))
        equal(batch.details, {"receivedDocuments": 6, "indexedDocuments": 6})
        equal((batch.stats.index_uids, batch.stats.status.succeeded), ({index.uid: 1}, 1))
        try:
            await now(client.get_batch(99_999))
        except BatchNotFoundError:
            return
        raise AssertionError("a batch that nobody made was found")
