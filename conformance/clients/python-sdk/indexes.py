"""Making, reading, changing, swapping and deleting indexes."""

from meilisearch_python_sdk.models.index import FieldsFilter
from meilisearch_python_sdk.models.settings import MeilisearchSettings

from context import ids, now, rejected
from suite import equal


def cases(suite, context):
    client = context.client

    @suite.case("Client.create_index")
    async def _():
        settings = MeilisearchSettings(filterable_attributes=["year"], stop_words=["the"])
        index = await now(client.create_index(context.uid(), "isbn", settings=settings))
        equal(index.primary_key, "isbn")
        equal(await now(index.get_filterable_attributes()), ["year"])

    @suite.case("Index.create")
    async def _():
        index = await now(context.index_type.create(client.http_client, context.uid(), "isbn"))
        equal(index.primary_key, "isbn")

    @suite.case("Client.index", "Client.get_index", "Client.get_raw_index")
    async def _():
        equal(client.index("anything").uid, "anything")
        index = await now(client.get_index("books"))
        equal((index.uid, index.primary_key), ("books", "id"))
        equal((await now(client.get_raw_index("books"))).primary_key, "id")
        equal(await now(client.get_raw_index("nowhere")), None)
        await rejected("index_not_found", client.get_index, "nowhere")

    @suite.case("Client.get_indexes", "Client.get_raw_indexes")
    async def _():
        every = await now(client.get_indexes(limit=100))
        assert "books" in [index.uid for index in every]
        one = await now(client.get_raw_indexes(offset=1, limit=1))
        equal([index.uid for index in one], [every[1].uid])

    @suite.case("Client.get_or_create_index")
    async def _():
        uid = context.uid()
        made = await now(client.get_or_create_index(uid, "isbn"))
        again = await now(client.get_or_create_index(uid))
        equal((made.primary_key, again.primary_key), ("isbn", "isbn"))

    @suite.case("Index.update", "Index.fetch_info", "Index.get_primary_key")
    async def _():
        index = await now(client.create_index(context.uid()))
        equal(await now(index.get_primary_key()), None)
        equal((await now(index.update("isbn"))).primary_key, "isbn")
        info = await now(client.index(index.uid).fetch_info())
        equal(info.primary_key, "isbn")
        assert info.updated_at >= info.created_at

    @suite.case("Client.swap_indexes")
    async def _():
        first, second = await context.index([{"id": 1}]), await context.index([{"id": 2}])
        await context.succeeded(client.swap_indexes([(first.uid, second.uid)]))
        equal(ids((await now(first.get_documents())).results), [2])
        renamed = context.uid()
        await context.succeeded(client.swap_indexes([(first.uid, renamed)], rename=True))
        equal(ids((await now(client.index(renamed).get_documents())).results), [2])

    @suite.case("Index.delete")
    async def _():
        index = await context.index()
        await context.succeeded(index.delete())
        await rejected("index_not_found", client.get_index, index.uid)

    @suite.case("Index.delete_if_exists", "Client.delete_index_if_exists")
    async def _():
        first, second = await context.index(), await context.index()
        equal(await now(first.delete_if_exists()), True)
        equal(await now(first.delete_if_exists()), False)
        equal(await now(client.delete_index_if_exists(second.uid)), True)
        equal(await now(client.delete_index_if_exists(second.uid)), False)

    @suite.case("Index.get_stats")
    async def _():
        stats = await now(context.books.get_stats())
        equal((stats.number_of_documents, stats.number_of_embeddings, stats.is_indexing), (6, 6, False))
        equal(stats.field_distribution["title"], 6)
        equal((await now(context.books.get_stats(size_format="human"))).number_of_documents, 6)

    @suite.case("Index.compact")
    async def _():
        index = await context.index()
        equal((await context.succeeded(index.compact())).task_type, "indexCompaction")

    @suite.case("Index.fields")
    async def _():
        every = await now(context.books.fields(limit=100))
        year = next(field for field in every.fields if field.name == "year")
        equal((year.sortable.enabled, year.filterable.comparison, year.localized.locales), (True, True, []))
        sortable = await now(context.books.fields(limit=1, filter=FieldsFilter(sortable=True)))
        assert sortable.total >= 2 and len(sortable.fields) == 1
