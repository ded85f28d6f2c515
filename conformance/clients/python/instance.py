"""The instance as a whole: health, version, figures, features, dumps, snapshots, export."""

from meilisearch import Client

from context import ids
from suite import FOLDER, MASTER_KEY, OTHER_URL, equal


def cases(suite, context):
    client = context.client

    @suite.case("Client.health")
    def _():
        equal(client.health(), {"status": "available"})

    @suite.case("Client.is_healthy")
    def _():
        equal(client.is_healthy(), True)
        equal(Client("http://127.0.0.1:9").is_healthy(), False)

    @suite.case("Client.get_version", "Client.version")
    def _():
        equal(sorted(client.get_version()), ["commitDate", "commitSha", "pkgVersion"])
        equal(client.version(), client.get_version())

    @suite.case("Client.get_all_stats")
    def _():
        stats = client.get_all_stats()
        assert stats["databaseSize"] > 0 and stats["lastUpdate"]
        equal(stats["indexes"]["books"]["numberOfDocuments"], 6)
        human = client.get_all_stats(size_format="human", show_internal_database_sizes=True)
        assert human["databaseSize"].endswith("B")

    @suite.case("Client.get_experimental_features", "Client.update_experimental_features")
    def _():
        equal(client.get_experimental_features()["containsFilter"], False)
        equal(client.update_experimental_features({"containsFilter": True})["containsFilter"], True)
        equal(client.get_experimental_features()["containsFilter"], True)
        equal(len(context.books.search("", {"filter": "author CONTAINS kaf"})["hits"]), 2)

    @suite.case("Client.create_dump")
    def _():
        task = context.succeeded(client.create_dump())
        equal(task.type, "dumpCreation")
        assert (FOLDER / "dumps" / f"{task.details['dumpUid']}.dump").is_file()

    @suite.case("Client.create_snapshot")
    def _():
        equal(context.succeeded(client.create_snapshot()).type, "snapshotCreation")
        equal(len(list((FOLDER / "snapshots").glob("*.snapshot"))), 1)

    @suite.case("Client.render_template")
    def _():
        context.enable("renderRoute")
        template = {"kind": "inlineDocumentTemplate", "inline": "{{doc.title}}!"}
        equal(client.render_template(template)["rendered"], None)
        answer = client.render_template(template, {"kind": "indexDocument", "indexUid": "books", "id": "3"})
        equal(answer, {"template": "{{doc.title}}!", "rendered": "A Field of Owls!"})

    @suite.case("Client.export")
    def _():
        task = context.succeeded(
            client.export(
                OTHER_URL, MASTER_KEY, "1MiB", {"books": {"filter": "genres = nature", "overrideSettings": True}}
            )
        )
        equal(task.type, "export")
        other = Client(OTHER_URL, MASTER_KEY)
        for sent in other.get_tasks({"limit": 100}).results:
            other.wait_for_task(sent.uid)
        equal(ids(other.index("books").get_documents().results), [3, 5])
        equal(sorted(other.index("books").get_sortable_attributes()), ["_geo", "pages", "year"])
        other.wait_for_task(other.delete_index("books").task_uid)
