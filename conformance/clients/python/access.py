"""API keys and tenant tokens."""

from datetime import UTC, datetime, timedelta

from meilisearch import Client

from context import ids, rejected
from suite import MASTER_KEY, URL, equal


def cases(suite, context):
    client = context.client
    expires_at = datetime.now(UTC) + timedelta(hours=1)

    def key(**members):
        return client.create_key({"actions": ["search"], "indexes": ["*"], "expiresAt": None, **members})

    @suite.case("Client.create_key")
    def _():
        # This client reads only dates that have a fraction of a second.
        fraction = expires_at.strftime("%Y-%m-%dT%H:%M:%S.5Z")
        made = key(name="Readers", description="For a case", indexes=["books"], expiresAt=fraction)
        equal(
            (made.name, made.description, made.actions, made.indexes),
            ("Readers", "For a case", ["search"], ["books"]),
        )
        equal(len(made.key), 64)
        reader = Client(URL, made.key)
        equal(len(reader.index("books").search("owls")["hits"]), 1)
        rejected("invalid_api_key", reader.index("made-1").search, "")
        rejected("invalid_api_key", reader.get_indexes)

    @suite.case("Client.get_keys", "Client.get_key")
    def _():
        made = key()
        listed = client.get_keys({"limit": 100})
        assert made.uid in [each.uid for each in listed.results] and listed.total >= 3
        equal(client.get_key(made.uid), made)
        equal(client.get_key(made.key).uid, made.uid)

    @suite.case("Client.update_key")
    def _():
        made = key()
        updated = client.update_key(made.uid, {"name": "Renamed", "description": "Other"})
        equal((updated.name, updated.description, updated.key), ("Renamed", "Other", made.key))

    @suite.case("Client.delete_key")
    def _():
        made = key()
        equal(client.delete_key(made.key), 204)
        rejected("api_key_not_found", client.get_key, made.uid)
        rejected("invalid_api_key", Client(URL, made.key).index("books").search, "")

    @suite.case("Client.generate_tenant_token")
    def _():
        made = key()
        rules = {"books": {"filter": "genres = nature"}}
        token = client.generate_tenant_token(made.uid, rules, api_key=made.key, expires_at=expires_at)
        tenant = Client(URL, token)
        equal(ids(tenant.index("books").search("")["hits"]), [3, 5])
        rejected("invalid_api_key", tenant.index("made-1").search, "")
        everything = Client(URL, client.generate_tenant_token(made.uid, ["*"], api_key=made.key))
        equal(len(everything.index("books").search("")["hits"]), 6)
        wrong = Client(URL, client.generate_tenant_token(made.uid, ["*"], api_key=MASTER_KEY))
        rejected("invalid_api_key", wrong.index("books").search, "")
