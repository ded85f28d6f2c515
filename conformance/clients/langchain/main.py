"""The vector store `Meilisearch` of the PyPI package `langchain-community`, with embeddings made of letters."""

import asyncio
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "shared"))
# The package tells at every start that it is no longer maintained.
warnings.simplefilter("ignore", DeprecationWarning)

from langchain_community.vectorstores import Meilisearch
from suite import Suite

import reading
import writing
from store import Store

suite = Suite("PyPI langchain-community, Meilisearch", "langchain-community")
suite.watch("Meilisearch", Meilisearch)
for part in (writing, reading):
    part.cases(suite, Store())
asyncio.run(suite.run())
