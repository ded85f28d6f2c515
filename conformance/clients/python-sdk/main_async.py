"""Every public method of the asynchronous client of `meilisearch-python-sdk`."""

import start

from meilisearch_python_sdk import AsyncClient, AsyncIndex

start.start("PyPI meilisearch-python-sdk, AsyncClient", AsyncClient, AsyncIndex)
