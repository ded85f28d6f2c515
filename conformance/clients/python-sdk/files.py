"""Documents from files and folders of JSON, NDJSON and CSV."""

import json
import tempfile
from pathlib import Path

from context import now
from suite import BOOKS, equal, sorts_equal

NEW = [{"id": 10, "title": "Ten"}, {"id": 11, "title": "Eleven"}, {"id": 12, "title": "Twelve"}]
CHANGED = [{"id": book["id"], "pages": book["id"]} for book in BOOKS[:3]]


def folder_of(documents: list[dict]) -> Path:
    """A new folder with one file for each document, as JSON."""
    folder = Path(tempfile.mkdtemp())
    for document in documents:
        (folder / f"{document['id']}.json").write_text(json.dumps([document]))
    return folder


def file_of(documents: list[dict], form: str) -> Path:
    """A new file with the documents as JSON, NDJSON or CSV."""
    file = Path(tempfile.mkdtemp()) / f"documents.{form}"
    if form == "json":
        file.write_text(json.dumps(documents))
    elif form == "ndjson":
        file.write_text("".join(json.dumps(document) + "\n" for document in documents))
    else:
        names = list(documents[0])
        rows = [",".join(names)] + [",".join(str(document[name]) for name in names) for document in documents]
        file.write_text("\n".join(rows) + "\n")
    return file


def cases(suite, context):
    client = context.client

    async def added(write, uid: str) -> None:
        """The write, of one task or several, made the new documents."""
        infos = await now(write)
        for info in infos if isinstance(infos, list) else [infos]:
            await context.succeeded(info)
        found = await now(client.index(uid).get_documents())
        # Files of a folder come in no particular order.
        sorts_equal([document["title"] for document in found.results], ["Ten", "Eleven", "Twelve"])

    async def changed(index, write) -> None:
        """The write changed the pages of three books and left the rest of them."""
        infos = await now(write)
        for info in infos if isinstance(infos, list) else [infos]:
            await context.succeeded(info)
        found = (await now(index.get_documents(limit=3))).results
        equal(
            [(int(book["pages"]), book["title"]) for book in found],
            [(book["id"], book["title"]) for book in BOOKS[:3]],
        )

    @suite.case(
        "Index.add_documents_from_file",
        "Index.add_documents_from_file_in_batches",
        "Index.add_documents_from_raw_file",
    )
    async def _():
        for form in ("json", "ndjson", "csv"):
            uid = context.uid()
            await added(client.index(uid).add_documents_from_file(file_of(NEW, form), "id"), uid)
            uid = context.uid()
            await added(
                client.index(uid).add_documents_from_file_in_batches(
                    file_of(NEW, form), batch_size=2, primary_key="id"
                ),
                uid,
            )
        for form in ("ndjson", "csv"):
            uid = context.uid()
            await added(client.index(uid).add_documents_from_raw_file(file_of(NEW, form), "id"), uid)

    @suite.case("Index.add_documents_from_directory", "Index.add_documents_from_directory_in_batches")
    async def _():
        uid = context.uid()
        await added(client.index(uid).add_documents_from_directory(folder_of(NEW), primary_key="id"), uid)
        uid = context.uid()
        write = client.index(uid).add_documents_from_directory_in_batches(
            folder_of(NEW), batch_size=2, primary_key="id"
        )
        await added(write, uid)

    @suite.case(
        "Index.update_documents_from_file",
        "Index.update_documents_from_file_in_batches",
        "Index.update_documents_from_raw_file",
    )
    async def _():
        for form in ("json", "ndjson", "csv"):
            index = await context.index()
            await changed(index, index.update_documents_from_file(file_of(CHANGED, form)))
            index = await context.index()
            await changed(index, index.update_documents_from_file_in_batches(file_of(CHANGED, form), batch_size=2))
        for form in ("ndjson", "csv"):
            index = await context.index()
            await changed(index, index.update_documents_from_raw_file(file_of(CHANGED, form)))

    @suite.case("Index.update_documents_from_directory", "Index.update_documents_from_directory_in_batches")
    async def _():
        index = await context.index()
        await changed(index, index.update_documents_from_directory(folder_of(CHANGED)))
        index = await context.index()
        await changed(index, index.update_documents_from_directory_in_batches(folder_of(CHANGED), batch_size=2))
