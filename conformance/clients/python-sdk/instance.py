"""The instance as a whole: health, version, figures, features, network, dumps, snapshots, transfer."""

from meilisearch_python_sdk.models.client import Network, Remote

from context import ids, now
from suite import FOLDER, MASTER_KEY, OTHER_URL, URL, equal


def cases(suite, context):
    client = context.client

    @suite.case("Client.health")
    async def _():
        equal((await now(client.health())).status, "available")

    @suite.case("Client.get_version")
    async def _():
        version = await now(client.get_version())
        assert version.pkg_version and version.commit_sha and version.commit_date

    @suite.case("Client.get_all_stats")
    async def _():
        stats = await now(client.get_all_stats())
        assert stats.database_size > 0 and stats.last_update
        equal(stats.indexes["books"].number_of_documents, 6)
        human = await now(client.get_all_stats(show_internal_database_sizes=True, size_format="human"))
        assert human.database_size.endswith("B")

    @suite.case("Client.get_experimental_features", "Client.update_experimental_features")
    async def _():
        equal((await now(client.get_experimental_features()))["containsFilter"], False)
        equal((await now(client.update_experimental_features({"containsFilter": True})))["containsFilter"], True)
        found = await now(context.books.search("", filter="author CONTAINS kaf"))
        equal(len(found.hits), 2)

    @suite.case("Client.create_dump")
    async def _():
        task = await context.succeeded(client.create_dump())
        assert (FOLDER / "dumps" / f"{task.details['dumpUid']}.dump").is_file()

    @suite.case("Client.create_snapshot")
    async def _():
        equal((await context.succeeded(client.create_snapshot())).task_type, "snapshotCreation")
        equal(len(list((FOLDER / "snapshots").glob("*.snapshot"))), 1)

    @suite.case("Client.transfer_documents")
    async def _():
        chosen = {"books": {"filter": "genres = nature", "overrideSettings": True}}
        task = await context.succeeded(
            client.transfer_documents(OTHER_URL, api_key=MASTER_KEY, payload_size="1MiB", indexes=chosen)
        )
        equal(task.task_type, "export")
        other = context.client_type(OTHER_URL, MASTER_KEY)
        for sent in (await now(other.get_tasks(limit=100))).results:
            await now(other.wait_for_task(sent.uid))
        found = await now(other.index("books").get_documents())
        equal(ids(found.results), [3, 5])

    @suite.case("Client.get_networks", "Client.add_or_update_networks")
    async def _():
        await context.enable("network")
        equal((await now(client.get_networks())).remotes, {})
        remotes = {"one": Remote(url=URL, search_api_key=MASTER_KEY), "two": Remote(url=OTHER_URL)}
        updated = await now(client.add_or_update_networks(network=Network(self_="one", remotes=remotes)))
        equal((updated.self_, updated.remotes["two"].url), ("one", OTHER_URL))
        equal(await now(client.get_networks()), updated)
