"""The connection itself, and the decorators that send what a function returns."""

import inspect

from meilisearch_python_sdk.decorators import ConnectionInfo, add_documents, async_add_documents

from context import now
from suite import MASTER_KEY, URL, equal

NEW = [{"id": 1, "title": "One"}, {"id": 2, "title": "Two"}]


def cases(suite, context):
    asynchronous = inspect.iscoroutinefunction(context.client_type.health)
    close = "aclose" if hasattr(context.client_type, "aclose") else "close"

    @suite.case(f"Client.{close}")
    async def _():
        client = context.client_type(URL, MASTER_KEY)
        await now(client.health())
        await now(getattr(client, close)())
        assert client.http_client.is_closed

    # A function of a module, which cannot be watched as the methods of a class are.
    @suite.case("decorators.async_add_documents" if asynchronous else "decorators.add_documents")
    async def _():
        for batch_size in (None, 1):
            uid = context.uid()
            options = {"index_name": uid, "primary_key": "id", "batch_size": batch_size, "wait_for_task": True}
            connection = ConnectionInfo(url=URL, api_key=MASTER_KEY)
            if asynchronous:

                @async_add_documents(connection_info=connection, **options)
                async def new():
                    return NEW

            else:

                @add_documents(connection_info=connection, **options)
                def new():
                    return NEW

            equal(await now(new()), NEW)
            equal((await now(context.client.index(uid).get_documents())).results, NEW)
