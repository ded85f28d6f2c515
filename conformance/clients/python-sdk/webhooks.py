"""Webhooks: kept, changed, called, deleted."""

from meilisearch_python_sdk.models.webhook import WebhookCreate, WebhookUpdate

from context import now, rejected
from suite import PROVIDER_URL, equal, told


def cases(suite, context):
    client = context.client
    url = f"{PROVIDER_URL}/hook/sdk"
    headers = {"Authorization": "Bearer a-secret-token", "X-Case": "one"}

    @suite.case("Client.create_webhook", "Client.get_webhook", "Client.delete_webhook")
    async def _():
        made = await now(client.create_webhook(WebhookCreate(url=url, headers=headers)))
        equal((made.url, made.is_editable, made.headers["Authorization"]), (url, True, "Bearer a-XXXX..."))
        equal(await now(client.get_webhook(made.uuid)), made)
        task = await context.succeeded(client.index(context.uid()).add_documents([{"id": 1}]))
        equal(told("sdk", task.uid)["authorization"], "Bearer a-secret-token")
        equal(await now(client.delete_webhook(made.uuid)), 204)
        await rejected("webhook_not_found", client.get_webhook, made.uuid)

    @suite.case("Client.get_webhooks", "Client.update_webhook")
    async def _():
        made = await now(client.create_webhook(WebhookCreate(url=url, headers=headers)))
        change = WebhookUpdate(url=url + "2", headers={"X-Other": "two"})
        updated = await now(client.update_webhook(uuid=made.uuid, webhook=change))
        equal(updated.url, url + "2")
        equal(updated.headers, {"Authorization": "Bearer a-XXXX...", "X-Case": "one", "X-Other": "two"})
        equal([webhook.uuid for webhook in (await now(client.get_webhooks())).results], [made.uuid])
        await now(client.delete_webhook(made.uuid))
