"""Every public method of the client of `meilisearch-python-sdk` that waits."""

import start

from meilisearch_python_sdk import Client, Index

start.start("PyPI meilisearch-python-sdk, Client", Client, Index)
