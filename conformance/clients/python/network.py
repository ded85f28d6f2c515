"""A network of two instances."""

from meilisearch import Client

from context import ids
from suite import MASTER_KEY, OTHER_URL, URL, equal, sorts_equal


def cases(suite, context):
    client = context.client

    @suite.case("Client.get_all_networks", "Client.add_or_update_networks")
    def _():
        other = Client(OTHER_URL, MASTER_KEY)
        for instance in (client, other):
            instance.update_experimental_features({"network": True})
        equal(client.get_all_networks()["remotes"], {})
        other.wait_for_task(other.index("far").add_documents([{"id": 50, "title": "Far harbour"}]).task_uid)
        remotes = {name: {"url": url, "searchApiKey": MASTER_KEY} for name, url in (("one", URL), ("two", OTHER_URL))}
        updated = client.add_or_update_networks({"self": "one", "remotes": remotes})
        equal((updated["self"], updated["remotes"]["two"]["url"]), ("one", OTHER_URL))
        equal(client.get_all_networks()["version"], updated["version"])
        queries = [
            {"indexUid": "books", "q": "owls"},
            {"indexUid": "far", "q": "harbour", "federationOptions": {"remote": "two"}},
        ]
        sorts_equal(ids(client.multi_search(queries, {})["hits"]), [3, 50])
