"""The two clients of this package have the same methods, so one set of cases serves both: what a method
answers goes through `now`, which waits for it where it has to be waited for."""

import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "shared"))

from suite import MASTER_KEY, URL, Suite

import access
import connection
import documents
import files
import indexes
import instance
import search
import settings
import tasks
import webhooks
from context import Context

PARTS = (instance, indexes, documents, files, search, settings, tasks, access, webhooks, connection)


def start(name: str, client_type: type, index_type: type) -> None:
    asyncio.run(_run(Suite(name, "meilisearch-python-sdk"), client_type, index_type))


async def _run(suite: Suite, client_type: type, index_type: type) -> None:
    context = Context(client_type(URL, MASTER_KEY), client_type, index_type)
    await context.prepare()
    suite.watch("Client", client_type)
    suite.watch("Index", index_type)
    for part in PARTS:
        part.cases(suite, context)
    await suite.run()
