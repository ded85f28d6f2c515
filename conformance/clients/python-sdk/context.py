"""What the cases share: an index of books that is only read, and new indexes for those that write."""

import inspect

from meilisearch_python_sdk.errors import MeilisearchApiError
from meilisearch_python_sdk.models.settings import MeilisearchSettings
from suite import BOOKS, BOOKS_WITH_VECTORS, LIBRARY, equal


async def now(answer):
    """The answer of a method of either client."""
    return await answer if inspect.isawaitable(answer) else answer


class Context:
    def __init__(self, client, client_type: type, index_type: type):
        self.client = client
        self.client_type = client_type
        self.index_type = index_type
        self._made = 0

    async def prepare(self) -> None:
        books = self.client.index("books")
        await self.succeeded(books.update_settings(MeilisearchSettings(**LIBRARY["searchSettings"])))
        await self.succeeded(books.add_documents(BOOKS_WITH_VECTORS, "id"))

    @property
    def books(self):
        return self.client.index("books")

    def uid(self) -> str:
        """A uid nobody has used."""
        self._made += 1
        return f"made-{self._made}"

    async def index(self, documents: list[dict] = BOOKS):
        """A new index with the given documents."""
        index = self.client.index(self.uid())
        if documents:
            await self.succeeded(index.add_documents(documents, "id"))
        else:
            await now(self.client.create_index(index.uid, "id"))
        return index

    async def enable(self, feature: str) -> None:
        await now(self.client.update_experimental_features({feature: True}))

    async def finished(self, write):
        info = await now(write)
        return await now(self.client.wait_for_task(info.task_uid, timeout_in_ms=60_000, interval_in_ms=10))

    async def succeeded(self, write):
        task = await self.finished(write)
        assert task.status == "succeeded", f"{task.task_type}: {task.error}"
        return task

    async def all_succeeded(self, writes) -> list:
        return [await self.succeeded(info) for info in await now(writes)]

    async def failed(self, write, code: str) -> None:
        task = await self.finished(write)
        equal((task.status, (task.error or {}).get("code")), ("failed", code))


async def rejected(code: str, call, *args, **kwargs) -> None:
    try:
        answer = await now(call(*args, **kwargs))
    except MeilisearchApiError as error:
        equal(error.code, code)
        return
    raise AssertionError(f"answered {answer!r} instead of {code}")


def ids(hits) -> list:
    return [hit["id"] for hit in hits]
