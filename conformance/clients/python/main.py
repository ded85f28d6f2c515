"""Every public method of the PyPI package `meilisearch`."""

import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "shared"))

from meilisearch import Client
from meilisearch.index import Index

from context import Context
from suite import MASTER_KEY, URL, Suite

import access
import chats
import documents
import indexes
import instance
import network
import rules
import search
import settings
import tasks
import webhooks

suite = Suite("PyPI meilisearch", "meilisearch")
context = Context(Client(URL, MASTER_KEY))
context.prepare()
suite.watch("Client", Client)
suite.watch("Index", Index)
# The network comes last: it changes what the instance asks for an answer.
for part in (instance, indexes, documents, search, settings, tasks, access, webhooks, rules, chats, network):
    part.cases(suite, context)
asyncio.run(suite.run())
