"""API keys and tenant tokens."""

from datetime import UTC, datetime, timedelta

from meilisearch_python_sdk.models.client import KeyCreate, KeyUpdate

from context import ids, now, rejected
from suite import URL, equal


def cases(suite, context):
    client = context.client
    expires_at = datetime.now(UTC) + timedelta(hours=1)

    async def key(**members):
        return await now(client.create_key(KeyCreate(**{"actions": ["search"], "indexes": ["*"], **members})))

    def holding(secret: str):
        return context.client_type(URL, secret)

    @suite.case("Client.create_key")
    async def _():
        made = await key(name="Readers", description="For a case", indexes=["books"], expires_at=expires_at)
        equal((made.name, made.actions, made.indexes, len(made.key)), ("Readers", ["search"], ["books"], 64))
        reader = holding(made.key)
        equal(len((await now(reader.index("books").search("owls"))).hits), 1)
        await rejected("invalid_api_key", reader.index("made-1").search, "")

    @suite.case("Client.get_keys", "Client.get_key")
    async def _():
        made = await key()
        listed = await now(client.get_keys(offset=0, limit=100))
        assert made.uid in [each.uid for each in listed.results] and listed.total >= 3
        equal(await now(client.get_key(made.uid)), made)

    @suite.case("Client.update_key")
    async def _():
        made = await key()
        updated = await now(client.update_key(KeyUpdate(key=made.key, name="Renamed", description="Other")))
        equal((updated.name, updated.description, updated.uid), ("Renamed", "Other", made.uid))

    @suite.case("Client.delete_key")
    async def _():
        made = await key()
        equal(await now(client.delete_key(made.key)), 204)
        await rejected("api_key_not_found", client.get_key, made.uid)

    @suite.case("Client.generate_tenant_token")
    async def _():
        made = await key()
        rules = {"books": {"filter": "genres = nature"}}
        token = client.generate_tenant_token(rules, api_key=made, expires_at=expires_at)
        tenant = holding(token)
        equal(ids((await now(tenant.index("books").search(""))).hits), [3, 5])
        await rejected("invalid_api_key", tenant.index("made-1").search, "")
        everything = holding(client.generate_tenant_token(["*"], api_key=made))
        equal(len((await now(everything.index("books").search(""))).hits), 6)
