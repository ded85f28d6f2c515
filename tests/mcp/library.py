"""A small library on the server under test, and keys for parts of it."""

import os
import time

from meilisearch import Client
from meilisearch.models.task import TaskInfo

URL = os.environ["SONDE_URL"]
MASTER_KEY = os.environ["SONDE_MASTER_KEY"]

BOOKS = [
    {"id": 1, "title": "The Salt Road", "genre": "travel", "year": 1990, "_vectors": {"hand": [0, 1]}},
    {"id": 2, "title": "Salt and Ash", "genre": "novel", "year": 2001, "_vectors": {"hand": [1, 0]}},
    {"id": 3, "title": "Rope Tricks", "genre": "craft", "year": 2010, "_vectors": {"hand": [0.1, 1]}},
]
SETTINGS = {
    "filterableAttributes": ["genre"],
    "sortableAttributes": ["year"],
    "embedders": {"hand": {"source": "userProvided", "dimensions": 2}},
}


class Library:
    def __init__(self):
        self.client = Client(URL, MASTER_KEY)

    def fill(self) -> None:
        self._done(self.client.index("books").update_settings(SETTINGS))
        self._done(self.client.index("books").add_documents(BOOKS))
        self._done(self.client.index("teas").add_documents([{"id": 1, "title": "Salt tea"}]))

    def key(self, actions: list[str], indexes: list[str]) -> str:
        return self._made(actions, indexes).key

    def token(self, rules: dict) -> str:
        """A tenant token for searches under these rules."""
        parent = self._made(["search"], ["*"])
        return self.client.generate_tenant_token(parent.uid, rules, api_key=parent.key)

    def _made(self, actions: list[str], indexes: list[str]):
        return self.client.create_key({"actions": actions, "indexes": indexes, "expiresAt": None})

    def _done(self, task: TaskInfo) -> None:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            found = self.client.get_task(task.task_uid)
            if found.status not in ("enqueued", "processing"):
                assert found.status == "succeeded", found
                return
            time.sleep(0.02)
        raise TimeoutError(f"task {task.task_uid} never ended")
