"""Searching: one index, facet values, similar documents, several indexes, federation."""

from context import ids
from suite import equal, sorts_equal


def cases(suite, context):
    client = context.client

    @suite.case("Index.search")
    def _():
        found = context.books.search("harbour", {"attributesToHighlight": ["title"], "showRankingScore": True})
        sorts_equal(ids(found["hits"]), [1, 4])
        equal((found["query"], found["limit"], found["estimatedTotalHits"]), ("harbour", 20, 2))
        titles = {hit["id"]: hit["_formatted"]["title"] for hit in found["hits"]}
        equal(titles[1], "The Quiet <em>Harbour</em>")
        assert 0 < found["hits"][0]["_rankingScore"] <= 1
        page = context.books.search(
            "", {"filter": [["genres = sea", "genres = travel"]], "hitsPerPage": 2, "page": 2}
        )
        equal((page["totalHits"], page["totalPages"], len(page["hits"])), (3, 2, 1))
        facets = context.books.search("", {"facets": ["year"], "sort": ["year:desc"]})
        equal((facets["facetStats"]["year"], ids(facets["hits"])[0]), ({"min": 2001, "max": 2018}, 6))
        vector = {"vector": [0, 0, 1], "hybrid": {"embedder": "manual", "semanticRatio": 1}, "limit": 2}
        equal(ids(context.books.search("", vector)["hits"]), [3, 5])
        detailed = context.books.search("owls", {"showPerformanceDetails": True})
        assert isinstance(detailed["performanceDetails"], dict)

    @suite.case("Index.facet_search")
    def _():
        found = context.books.facet_search("author", "mi")
        equal((found["facetHits"], found["facetQuery"]), ([{"value": "Mina Okafor", "count": 2}], "mi"))
        narrowed = context.books.facet_search("genres", None, {"q": "harbour", "filter": "year > 2010"})
        equal(narrowed["facetHits"], [{"value": "mystery", "count": 1}])

    @suite.case("Index.get_similar_documents")
    def _():
        found = context.books.get_similar_documents({"id": "1", "embedder": "manual", "limit": 2})
        equal((ids(found["hits"]), found["id"]), ([4, 2], "1"))

    @suite.case("Client.multi_search")
    def _():
        queries = [{"indexUid": "books", "q": "owls"}, {"indexUid": "books", "q": "harbour", "limit": 1}]
        results = client.multi_search(queries)["results"]
        equal([(result["indexUid"], len(result["hits"])) for result in results], [("books", 1), ("books", 1)])
        merged = client.multi_search(queries[:1] + [{"indexUid": "books", "q": "harbour"}], {"limit": 10})
        sorts_equal(ids(merged["hits"]), [1, 3, 4])
        equal(merged["hits"][0]["_federation"]["indexUid"], "books")
