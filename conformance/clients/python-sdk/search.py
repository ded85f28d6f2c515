"""Searching: one index, facet values, similar documents, several indexes, federation."""

from meilisearch_python_sdk.models.search import Federation, FederationOptions, Hybrid, SearchParams

from context import ids, now
from suite import equal, sorts_equal


def cases(suite, context):
    client = context.client

    @suite.case("Index.search")
    async def _():
        books = context.books
        found = await now(books.search("harbour", attributes_to_highlight=["title"], show_ranking_score=True))
        sorts_equal(ids(found.hits), [1, 4])
        equal((found.query, found.limit, found.estimated_total_hits), ("harbour", 20, 2))
        equal({hit["id"]: hit["_formatted"]["title"] for hit in found.hits}[1], "The Quiet <em>Harbour</em>")
        page = await now(books.search("", filter=[["genres = sea", "genres = travel"]], hits_per_page=2, page=2))
        equal((page.total_hits, page.total_pages, len(page.hits)), (3, 2, 1))
        facets = await now(books.search("", facets=["year"], sort=["year:desc"], distinct="author"))
        equal((facets.facet_stats["year"]["max"], ids(facets.hits)), (2018, [6, 5, 2]))
        semantic = Hybrid(semantic_ratio=1.0, embedder="manual")
        vector = await now(books.search("", vector=[0, 0, 1], hybrid=semantic, limit=2, retrieve_vectors=True))
        equal(ids(vector.hits), [3, 5])
        assert vector.hits[0]["_vectors"]["manual"]["embeddings"]
        detailed = await now(books.search("owls", show_performance_details=True, show_ranking_score_details=True))
        assert detailed.performance_details and detailed.hits[0]["_rankingScoreDetails"]["words"]

    @suite.case("Index.facet_search")
    async def _():
        found = await now(context.books.facet_search(facet_name="author", facet_query="mi"))
        equal([(hit.value, hit.count) for hit in found.facet_hits], [("Mina Okafor", 2)])
        narrowed = await now(
            context.books.facet_search("harbour", facet_name="genres", facet_query="m", filter="year > 2010")
        )
        equal([(hit.value, hit.count) for hit in narrowed.facet_hits], [("mystery", 1)])

    @suite.case("Index.search_similar_documents")
    async def _():
        found = await now(
            context.books.search_similar_documents("1", embedder="manual", limit=2, show_ranking_score=True)
        )
        equal((ids(found.hits), found.id), ([4, 2], "1"))

    @suite.case("Client.multi_search")
    async def _():
        queries = [
            SearchParams(index_uid="books", query="owls"),
            SearchParams(index_uid="books", query="harbour", limit=1),
        ]
        results = await now(client.multi_search(queries))
        equal([(result.index_uid, len(result.hits)) for result in results], [("books", 1), ("books", 1)])
        weighted = [
            SearchParams(index_uid="books", query=query, federation_options=FederationOptions(weight=weight))
            for query, weight in (("owls", 0.5), ("harbour", 1.0))
        ]
        merged = await now(
            client.multi_search(weighted, federation=Federation(facets_by_index={"books": ["genres"]}))
        )
        equal((sorted(ids(merged.hits)), merged.hits[-1]["id"]), ([1, 3, 4], 3))
        equal(merged.facets_by_index["books"]["distribution"]["genres"]["mystery"], 2)
