"""Ten books: added, made filterable, and searched."""

import json
import os
from pathlib import Path

from meilisearch import Client

client = Client(os.environ.get("SONDE_URL", "http://localhost:7700"), os.environ.get("SONDE_KEY"))
books = client.index("books")

# Writes are tasks: each is done once it is waited for.
settings = {
    "searchableAttributes": ["title", "author", "overview"],
    "filterableAttributes": ["genres", "year"],
    "sortableAttributes": ["price"],
}
client.wait_for_task(books.update_settings(settings).task_uid)
documents = json.loads((Path(__file__).parent.parent / "books.json").read_text())
client.wait_for_task(books.add_documents(documents).task_uid)

print("A word with a typo:")
for hit in books.search("harbuor")["hits"]:
    print(f"  {hit['title']}, by {hit['author']}")

print("Since 2010, cheapest first:")
for hit in books.search("", {"filter": "year >= 2010", "sort": ["price:asc"], "limit": 3})["hits"]:
    print(f"  {hit['price']:3} {hit['title']}")

print("Books by genre:")
for genre, count in books.search("", {"facets": ["genres"], "limit": 0})["facetDistribution"]["genres"].items():
    print(f"  {genre}: {count}")
