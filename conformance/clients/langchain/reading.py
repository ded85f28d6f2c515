"""Searches of a store."""

from suite import equal

from store import TopicEmbeddings

QUERY = "where is the harbour"
NEAREST = ["the harbour at night", "copper in the harbour"]


def contents(documents) -> list[str]:
    return [document.page_content for document in documents]


def refused_cases(suite, filled):
    """Methods of the base class that this store does not implement."""
    vector = TopicEmbeddings().embed_query(QUERY)
    calls = {
        "get_by_ids": (["a"],),
        "max_marginal_relevance_search": (QUERY,),
        "max_marginal_relevance_search_by_vector": (vector,),
        "similarity_search_with_relevance_scores": (QUERY,),
    }
    for name, arguments in calls.items():
        for method in (name, "a" + name):
            refused_case(suite, filled, method, arguments)


def refused_case(suite, filled, method: str, arguments: tuple) -> None:
    @suite.refused(f"Meilisearch.{method}", "the package does not implement it")
    async def _():
        try:
            answer = getattr(filled, method)(*arguments)
            if method.startswith("a"):
                await answer
        except NotImplementedError:
            return
        raise AssertionError("it is implemented now")


def cases(suite, store):
    filled = store.filled()
    vector = TopicEmbeddings().embed_query(QUERY)
    refused_cases(suite, filled)

    @suite.case("Meilisearch.similarity_search")
    def _():
        found = filled.similarity_search(QUERY, k=2)
        equal((contents(found), found[0].metadata), (NEAREST, {"genre": "sea"}))
        equal(contents(filled.similarity_search(QUERY, filter="metadata.genre = town")), ["a copper bridge"])

    @suite.case("Meilisearch.asimilarity_search")
    async def _():
        equal(contents(await filled.asimilarity_search(QUERY, k=2)), NEAREST)

    @suite.case("Meilisearch.similarity_search_with_score", "Meilisearch.similarity_search_by_vector_with_scores")
    def _():
        for found in (
            filled.similarity_search_with_score(QUERY, k=2),
            filled.similarity_search_by_vector_with_scores(vector, k=2),
        ):
            equal(contents(document for document, _ in found), NEAREST)
            scores = [score for _, score in found]
            assert 0.99 < scores[0] <= 1 and scores[0] > scores[1] > 0.5, scores

    @suite.case("Meilisearch.asimilarity_search_with_score")
    async def _():
        found = await filled.asimilarity_search_with_score(QUERY, k=2)
        equal(contents(document for document, _ in found), NEAREST)

    @suite.case("Meilisearch.similarity_search_by_vector")
    def _():
        equal(contents(filled.similarity_search_by_vector(vector, k=2)), NEAREST)

    @suite.case("Meilisearch.asimilarity_search_by_vector")
    async def _():
        equal(contents(await filled.asimilarity_search_by_vector(vector, k=2)), NEAREST)

    @suite.case("Meilisearch.search")
    def _():
        equal(contents(filled.search(QUERY, "similarity", k=2)), NEAREST)

    @suite.case("Meilisearch.asearch")
    async def _():
        equal(contents(await filled.asearch(QUERY, "similarity", k=2)), NEAREST)

    @suite.case("Meilisearch.as_retriever")
    def _():
        retriever = filled.as_retriever(search_kwargs={"k": 2})
        equal(contents(retriever.invoke(QUERY)), NEAREST)
