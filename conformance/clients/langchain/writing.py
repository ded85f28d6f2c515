"""Stores that are made and filled."""

from langchain_community.vectorstores import Meilisearch
from langchain_core.documents import Document
from suite import MASTER_KEY, URL, equal

from store import EMBEDDERS, IDS, METADATAS, TEXTS, TopicEmbeddings

DOCUMENTS = [Document(page_content=text, metadata=metadata) for text, metadata in zip(TEXTS, METADATAS)]


def refused_cases(suite, store):
    reason = "the package does not implement it"

    @suite.refused("Meilisearch.delete", reason)
    def _():
        expect_unimplemented(store.filled().delete, IDS)

    @suite.refused("Meilisearch.adelete", reason)
    async def _():
        try:
            await store.filled().adelete(IDS)
        except NotImplementedError:
            return
        raise AssertionError("it is implemented now")


def expect_unimplemented(call, *args) -> None:
    try:
        call(*args)
    except NotImplementedError:
        return
    raise AssertionError("it is implemented now")


def cases(suite, store):
    refused_cases(suite, store)
    new = {"embedding": TopicEmbeddings(), "embedders": EMBEDDERS}

    @suite.case("Meilisearch.add_texts")
    def _():
        filled = store.empty()
        equal(filled.add_texts(TEXTS, ids=IDS), IDS)
        equal(len(filled.add_texts(["more"])[0]), 32)
        equal(sorted(store.texts(filled)), sorted([*TEXTS, "more"]))

    @suite.case("Meilisearch.aadd_texts")
    async def _():
        filled = store.empty()
        equal(await filled.aadd_texts(TEXTS, ids=IDS), IDS)
        equal(store.texts(filled), TEXTS)

    @suite.case("Meilisearch.add_documents")
    def _():
        filled = store.empty()
        equal(filled.add_documents([document.model_copy(deep=True) for document in DOCUMENTS], ids=IDS), IDS)
        equal(store.texts(filled), TEXTS)

    @suite.case("Meilisearch.aadd_documents")
    async def _():
        filled = store.empty()
        equal(await filled.aadd_documents([document.model_copy(deep=True) for document in DOCUMENTS], ids=IDS), IDS)
        equal(store.texts(filled), TEXTS)

    @suite.case("Meilisearch.from_texts")
    def _():
        made = Meilisearch.from_texts(TEXTS, url=URL, api_key=MASTER_KEY, index_name=store.name(), ids=IDS, **new)
        equal(store.texts(made), TEXTS)

    @suite.case("Meilisearch.afrom_texts")
    async def _():
        made = await Meilisearch.afrom_texts(TEXTS, client=store.client, index_name=store.name(), ids=IDS, **new)
        equal(store.texts(made), TEXTS)

    @suite.case("Meilisearch.from_documents")
    def _():
        copies = [document.model_copy(deep=True) for document in DOCUMENTS]
        made = Meilisearch.from_documents(copies, client=store.client, index_name=store.name(), ids=IDS, **new)
        equal(store.texts(made), TEXTS)

    @suite.case("Meilisearch.afrom_documents")
    async def _():
        copies = [document.model_copy(deep=True) for document in DOCUMENTS]
        made = await Meilisearch.afrom_documents(copies, client=store.client, index_name=store.name(), ids=IDS, **new)
        equal(store.texts(made), TEXTS)
