"""Making, reading, changing, swapping and deleting indexes."""

from datetime import datetime

from meilisearch.index import Index

from context import ids, rejected
from suite import equal


def cases(suite, context):
    client = context.client

    @suite.case("Client.create_index")
    def _():
        uid = context.uid()
        task = context.succeeded(client.create_index(uid, {"primaryKey": "isbn"}, metadata="from a case"))
        equal((task.type, task.details["primaryKey"]), ("indexCreation", "isbn"))
        context.failed(client.create_index(uid), "index_already_exists")

    @suite.case("Index.create")
    def _():
        uid = context.uid()
        context.succeeded(Index.create(client.config, uid, {"primaryKey": "isbn"}))
        equal(client.get_raw_index(uid)["primaryKey"], "isbn")

    @suite.case("Client.index")
    def _():
        equal(client.index("anything").uid, "anything")

    @suite.case("Client.get_index", "Client.get_raw_index")
    def _():
        index = client.get_index("books")
        equal((index.uid, index.primary_key), ("books", "id"))
        assert isinstance(index.created_at, datetime)
        equal(sorted(client.get_raw_index("books")), ["createdAt", "primaryKey", "uid", "updatedAt"])
        rejected("index_not_found", client.get_index, "nowhere")

    @suite.case("Client.get_indexes", "Client.get_raw_indexes")
    def _():
        every = client.get_indexes({"limit": 100})
        assert "books" in [index.uid for index in every["results"]]
        one = client.get_raw_indexes({"offset": 1, "limit": 1})
        equal((one["offset"], one["limit"], one["total"]), (1, 1, every["total"]))
        equal(one["results"][0]["uid"], every["results"][1].uid)

    @suite.case("Index.update")
    def _():
        index = context.index()
        context.failed(index.update(primary_key="title"), "index_primary_key_already_exists")
        renamed = context.uid()
        context.succeeded(index.update(new_uid=renamed))
        equal(client.index(renamed).get_documents().total, 6)
        rejected("index_not_found", index.fetch_info)

    @suite.case("Index.fetch_info", "Index.get_primary_key")
    def _():
        info = context.books.fetch_info()
        assert info.updated_at >= info.created_at
        equal(context.books.get_primary_key(), "id")

    @suite.case("Client.swap_indexes")
    def _():
        first, second = context.index([{"id": 1}]), context.index([{"id": 2}])
        task = context.succeeded(client.swap_indexes([{"indexes": [first.uid, second.uid]}]))
        equal(task.details["swaps"], [{"indexes": [first.uid, second.uid], "rename": False}])
        equal(ids(first.get_documents().results), [2])
        renamed = context.uid()
        context.succeeded(client.swap_indexes([{"indexes": [first.uid, renamed], "rename": True}]))
        equal(ids(client.index(renamed).get_documents().results), [2])

    @suite.case("Client.delete_index")
    def _():
        index = context.index()
        equal(context.succeeded(client.delete_index(index.uid)).details["deletedDocuments"], 6)
        rejected("index_not_found", client.get_index, index.uid)

    @suite.case("Index.delete")
    def _():
        index = context.index()
        context.succeeded(index.delete())
        context.failed(index.delete(), "index_not_found")

    @suite.case("Index.get_stats")
    def _():
        stats = context.books.get_stats()
        equal((stats.number_of_documents, stats.is_indexing, stats.field_distribution.title), (6, False, 6))
        equal(context.books.get_stats(size_format="human").number_of_documents, 6)

    @suite.case("Index.compact")
    def _():
        index = context.index()
        equal(context.succeeded(index.compact()).type, "indexCompaction")
        equal(index.get_stats().number_of_documents, 6)

    @suite.case("Index.get_fields")
    def _():
        fields = context.books.get_fields(
            offset=0, limit=100, filter={"sortable": True, "attributePatterns": ["ye*", "pages"]}
        )
        equal([field["name"] for field in fields.results], ["pages", "year"])
        equal(fields.results[1]["filterable"]["comparison"], True)
        equal((fields.offset, fields.limit, fields.total), (0, 100, 2))
