"""Notes in a LangChain vector store, found by what they are about.

The embeddings count words, so that the example needs no model and no network. For real ones put a class of
LangChain in their place, for example OpenAIEmbeddings or HuggingFaceEmbeddings, and its number of dimensions.
"""

import os
import re
from zlib import crc32

from langchain_community.vectorstores import Meilisearch
from langchain_core.embeddings import Embeddings
from meilisearch import Client

DIMENSIONS = 256
NOTES = [
    "Water the tomatoes in the evening, never at noon.",
    "The spare key is in the blue pot beside the door.",
    "Sourdough: feed the starter the evening before baking.",
    "The boiler shows E4 when the water pressure is low.",
]


class WordEmbeddings(Embeddings):
    """A number for each word, in the place that a checksum gives it."""

    def embed_query(self, text: str) -> list[float]:
        vector = [0.0] * DIMENSIONS
        for word in re.findall(r"[a-z0-9]{3,}", text.lower()):
            vector[crc32(word.encode()) % DIMENSIONS] += 1.0
        return vector

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


client = Client(os.environ.get("SONDE_URL", "http://localhost:7700"), os.environ.get("SONDE_KEY"))
store = Meilisearch.from_texts(
    texts=NOTES,
    embedding=WordEmbeddings(),
    metadatas=[{"page": page} for page, _ in enumerate(NOTES, 1)],
    client=client,
    index_name="notes",
    embedders={"default": {"source": "userProvided", "dimensions": DIMENSIONS}},
)
# The store does not wait until what it adds is there.
for task in client.index("notes").get_tasks().results:
    client.wait_for_task(task.uid)

for question in ("when to water tomatoes", "where is the spare key", "boiler shows low pressure"):
    [(note, score)] = store.similarity_search_with_score(question, k=1)
    print(f"{question}? {note.page_content} (page {note.metadata['page']}, {score:.2f})")

retriever = store.as_retriever(search_kwargs={"k": 2})
print(" | ".join(note.page_content for note in retriever.invoke("the evening before baking")))
