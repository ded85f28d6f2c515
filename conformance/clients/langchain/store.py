"""Vector stores over new indexes, and embeddings that need no model."""

from langchain_community.vectorstores import Meilisearch
from langchain_core.embeddings import Embeddings
from meilisearch import Client
from suite import MASTER_KEY, URL

TOPICS = ("harbour", "copper", "owl")
EMBEDDERS = {"default": {"source": "userProvided", "dimensions": len(TOPICS)}}
TEXTS = ["the harbour at night", "a copper bridge", "owls and other birds", "copper in the harbour"]
METADATAS = [{"genre": "sea"}, {"genre": "town"}, {"genre": "nature"}, {"genre": "sea"}]
IDS = ["a", "b", "c", "d"]


class TopicEmbeddings(Embeddings):
    """One number for each topic that a text may speak of."""

    def embed_query(self, text: str) -> list[float]:
        return [1.0 if topic in text else 0.05 for topic in TOPICS]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


class Store:
    def __init__(self):
        self.client = Client(URL, MASTER_KEY)
        self._made = 0

    def name(self) -> str:
        self._made += 1
        return f"store-{self._made}"

    def empty(self) -> Meilisearch:
        return Meilisearch(TopicEmbeddings(), client=self.client, index_name=self.name(), embedders=EMBEDDERS)

    def filled(self) -> Meilisearch:
        store = self.empty()
        store.add_texts(TEXTS, [dict(metadata) for metadata in METADATAS], IDS)
        self.client.index(store._index_name).update_filterable_attributes(["metadata.genre"])
        return self.settled(store)

    def settled(self, store: Meilisearch) -> Meilisearch:
        """The store once all its writes are done: it does not wait for them itself."""
        for task in self.client.index(store._index_name).get_tasks().results:
            done = self.client.wait_for_task(task.uid, timeout_in_ms=60_000, interval_in_ms=10)
            assert done.status == "succeeded", done.error
        return store

    def texts(self, store: Meilisearch) -> list[str]:
        """What the index of a store holds, in order of id."""
        documents = self.client.index(self.settled(store)._index_name).get_documents({"limit": 100}).results
        return [document.metadata["text"] for document in sorted(documents, key=lambda document: document.id)]
