"""What the cases share: an index of books that is only read, and new indexes for those that write."""

from meilisearch import Client
from meilisearch.errors import MeilisearchApiError
from meilisearch.index import Index
from suite import BOOKS, BOOKS_WITH_VECTORS, LIBRARY, equal


class Context:
    def __init__(self, client: Client):
        self.client = client
        self._made = 0

    def prepare(self) -> None:
        books = self.client.index("books")
        self.succeeded(books.update_settings(LIBRARY["searchSettings"]))
        self.succeeded(books.add_documents(BOOKS_WITH_VECTORS, "id"))

    @property
    def books(self) -> Index:
        return self.client.index("books")

    def uid(self) -> str:
        """A uid nobody has used."""
        self._made += 1
        return f"made-{self._made}"

    def index(self, documents: list[dict] = BOOKS) -> Index:
        """A new index with the given documents."""
        index = self.client.index(self.uid())
        self.succeeded(index.add_documents(documents, "id"))
        return index

    def empty_index(self) -> Index:
        uid = self.uid()
        self.succeeded(self.client.create_index(uid, {"primaryKey": "id"}))
        return self.client.index(uid)

    def enable(self, feature: str) -> None:
        self.client.update_experimental_features({feature: True})

    def finished(self, info):
        return self.client.wait_for_task(info.task_uid, timeout_in_ms=60_000, interval_in_ms=10)

    def succeeded(self, info):
        task = self.finished(info)
        assert task.status == "succeeded", f"{task.type}: {task.error}"
        return task

    def failed(self, info, code: str):
        task = self.finished(info)
        equal((task.status, (task.error or {}).get("code")), ("failed", code))
        return task


def rejected(code: str, call, *args, **kwargs) -> None:
    try:
        answer = call(*args, **kwargs)
    except MeilisearchApiError as error:
        equal(error.code, code)
        return
    raise AssertionError(f"answered {answer!r} instead of {code}")


def ids(hits) -> list:
    return [hit["id"] if isinstance(hit, dict) else hit.id for hit in hits]
