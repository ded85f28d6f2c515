"""Adding, updating, reading, editing and deleting documents."""

from context import ids, rejected
from suite import BOOKS, equal, sorts_equal

JSON = b'[{"id": 7, "title": "Seven"}]'
NDJSON = b'{"id": 8, "title": "Eight"}\n{"id": 9, "title": "Nine"}\n'
CSV = b"id;title;pages:number\n10;Ten;100\n"


def document(index, key) -> dict:
    return dict(index.get_document(key))


def cases(suite, context):
    client = context.client

    @suite.case("Index.add_documents")
    def _():
        index = client.index(context.uid())
        task = context.succeeded(
            index.add_documents([{"isbn": "x1", "title": "One"}], "isbn", metadata="from a case")
        )
        equal(task.details, {"receivedDocuments": 1, "indexedDocuments": 1})
        context.succeeded(index.add_documents([{"isbn": "x1", "pages": 3}]))
        equal(document(index, "x1"), {"isbn": "x1", "pages": 3})

    @suite.case("Index.add_documents_in_batches", "Index.update_documents_in_batches")
    def _():
        index = client.index(context.uid())
        infos = index.add_documents_in_batches(BOOKS, 4, "id")
        equal([context.succeeded(info).details["receivedDocuments"] for info in infos], [4, 2])
        changes = [{"id": book["id"], "pages": book["id"]} for book in BOOKS]
        for info in index.update_documents_in_batches(changes, batch_size=5):
            context.succeeded(info)
        equal((document(index, 6)["pages"], document(index, 6)["title"]), (6, "The Copper Bridge"))

    @suite.case(
        "Index.add_documents_json", "Index.add_documents_ndjson", "Index.add_documents_csv", "Index.add_documents_raw"
    )
    def _():
        index = client.index(context.uid())
        context.succeeded(index.add_documents_json(JSON, "id"))
        context.succeeded(index.add_documents_ndjson(NDJSON))
        context.succeeded(index.add_documents_csv(CSV, csv_delimiter=";"))
        context.succeeded(
            index.add_documents_raw(b'[{"id": 11, "title": "Eleven"}]', content_type="application/json")
        )
        equal(index.get_documents().total, 5)
        equal(document(index, 10), {"id": "10", "title": "Ten", "pages": 100})

    @suite.case(
        "Index.update_documents_json",
        "Index.update_documents_ndjson",
        "Index.update_documents_csv",
        "Index.update_documents_raw",
    )
    def _():
        index = context.index()
        context.succeeded(index.update_documents_json(b'[{"id": 1, "pages": 11}]'))
        context.succeeded(index.update_documents_ndjson(b'{"id": 2, "pages": 22}\n'))
        context.succeeded(index.update_documents_csv(b"id;pages:number\n3;33\n", csv_delimiter=";"))
        context.succeeded(index.update_documents_raw(b'[{"id": 4, "pages": 44}]', content_type="application/json"))
        equal([document(index, key)["pages"] for key in (1, 2, 3, 4)], [11, 22, 33, 44])
        equal(document(index, 3)["title"], "A Field of Owls")

    @suite.case("Index.update_documents")
    def _():
        index = context.index()
        context.succeeded(index.update_documents([{"id": 1, "pages": 1}]))
        equal((document(index, 1)["title"], document(index, 1)["pages"]), ("The Quiet Harbour", 1))
        context.succeeded(index.update_documents([{"id": 70}], skip_creation=True))
        rejected("document_not_found", index.get_document, 70)

    @suite.case("Index.get_document")
    def _():
        equal(dict(context.books.get_document(3)), BOOKS[2])
        equal(dict(context.books.get_document("3", {"fields": ["title"]})), {"title": "A Field of Owls"})
        rejected("document_not_found", context.books.get_document, 99)

    @suite.case("Index.get_documents")
    def _():
        page = context.books.get_documents({"offset": 1, "limit": 2, "fields": ["id"]})
        equal((page.offset, page.limit, page.total, ids(page.results)), (1, 2, 6, [2, 3]))
        filtered = context.books.get_documents(
            {"filter": "genres = nature", "sort": "year:desc", "fields": ["id", "title"]}
        )
        equal(ids(filtered.results), [5, 3])
        sorts_equal(ids(context.books.get_documents({"ids": ["2", "4"]}).results), [2, 4])

    @suite.case("Index.delete_document")
    def _():
        index = context.index()
        equal(context.succeeded(index.delete_document(1)).details["deletedDocuments"], 1)
        rejected("document_not_found", index.get_document, 1)

    @suite.case("Index.delete_documents")
    def _():
        index = context.index()
        equal(context.succeeded(index.delete_documents([1, "2", 99])).details["deletedDocuments"], 2)
        context.succeeded(index.update_filterable_attributes(["genres"]))
        equal(context.succeeded(index.delete_documents(filter="genres = nature")).details["deletedDocuments"], 2)
        equal(ids(index.get_documents().results), [4, 6])

    @suite.case("Index.delete_all_documents")
    def _():
        index = context.index()
        equal(context.succeeded(index.delete_all_documents()).details["deletedDocuments"], 6)
        equal(index.get_documents().total, 0)

    @suite.case("Client.update_documents_by_function")
    def _():
        context.enable("editDocumentsByFunction")
        index = context.index()
        answer = client.update_documents_by_function(index.uid, {"function": "doc.title = doc.title.to_upper()"})
        equal(client.wait_for_task(answer["taskUid"]).details["editedDocuments"], 6)
        equal(document(index, 3)["title"], "A FIELD OF OWLS")
