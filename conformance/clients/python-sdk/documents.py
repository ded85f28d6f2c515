"""Adding, updating, reading, editing and deleting documents."""

from context import ids, now, rejected
from suite import BOOKS, equal, sorts_equal


def cases(suite, context):
    client = context.client

    @suite.case("Index.add_documents")
    async def _():
        index = client.index(context.uid())
        task = await context.succeeded(
            index.add_documents([{"isbn": "x1", "title": "One"}], "isbn", custom_metadata="from a case")
        )
        equal((task.details["indexedDocuments"], task.custom_metadata), (1, "from a case"))
        await context.succeeded(index.add_documents([{"isbn": "x1", "pages": 3}], compress=True))
        equal(await now(index.get_document("x1")), {"isbn": "x1", "pages": 3})

    @suite.case("Index.add_documents_in_batches", "Index.update_documents_in_batches")
    async def _():
        index = client.index(context.uid())
        tasks = await context.all_succeeded(index.add_documents_in_batches(BOOKS, batch_size=4, primary_key="id"))
        sorts_equal([task.details["receivedDocuments"] for task in tasks], [2, 4])
        changes = [{"id": book["id"], "pages": book["id"]} for book in BOOKS]
        await context.all_succeeded(index.update_documents_in_batches(changes, batch_size=5, compress=True))
        changed = await now(index.get_document("6"))
        equal((changed["pages"], changed["title"]), (6, "The Copper Bridge"))

    @suite.case("Index.update_documents")
    async def _():
        index = await context.index()
        await context.succeeded(index.update_documents([{"id": 1, "pages": 1}]))
        changed = await now(index.get_document("1"))
        equal((changed["title"], changed["pages"]), ("The Quiet Harbour", 1))
        await context.succeeded(index.update_documents([{"id": 70}], skip_creation=True))
        await rejected("document_not_found", index.get_document, "70")

    @suite.case("Index.get_document")
    async def _():
        equal(await now(context.books.get_document("3")), BOOKS[2])
        equal(await now(context.books.get_document("3", fields=["title"])), {"title": "A Field of Owls"})
        vectors = await now(context.books.get_document("3", retrieve_vectors=True))
        equal(len(vectors["_vectors"]["manual"]["embeddings"][0]), 3)

    @suite.case("Index.get_documents")
    async def _():
        page = await now(context.books.get_documents(offset=1, limit=2, fields=["id"]))
        equal((page.offset, page.limit, page.total, page.results), (1, 2, 6, [{"id": 2}, {"id": 3}]))
        filtered = await now(context.books.get_documents(filter="genres = nature", sort="year:desc"))
        equal(ids(filtered.results), [5, 3])
        sorts_equal(ids((await now(context.books.get_documents(ids=["2", "4"]))).results), [2, 4])

    @suite.case("Index.delete_document", "Index.delete_documents")
    async def _():
        index = await context.index()
        equal((await context.succeeded(index.delete_document("1"))).details["deletedDocuments"], 1)
        equal((await context.succeeded(index.delete_documents(["2", "99"]))).details["deletedDocuments"], 1)
        equal((await now(index.get_documents())).total, 4)

    @suite.case("Index.delete_documents_by_filter", "Index.delete_documents_in_batches_by_filter")
    async def _():
        index = await context.index()
        await context.succeeded(index.update_filterable_attributes(["genres", "author"]))
        task = await context.succeeded(index.delete_documents_by_filter("genres = nature"))
        equal(task.details["deletedDocuments"], 2)
        await context.all_succeeded(
            index.delete_documents_in_batches_by_filter(["genres = sea", ["author = 'Mina Okafor'"]])
        )
        equal((await now(index.get_documents())).total, 0)

    @suite.case("Index.delete_all_documents")
    async def _():
        index = await context.index()
        equal((await context.succeeded(index.delete_all_documents())).details["deletedDocuments"], 6)

    @suite.case("Index.edit_documents")
    async def _():
        await context.enable("editDocumentsByFunction")
        index = await context.index()
        await context.succeeded(index.update_filterable_attributes(["genres"]))
        function = "doc.title = `${context.mark} ${doc.title}`"
        await context.succeeded(index.edit_documents(function, context={"mark": "*"}, filter="genres = nature"))
        equal((await now(index.get_document("3")))["title"], "* A Field of Owls")
