"""Webhooks: kept, changed, called, deleted."""

from context import rejected
from suite import PROVIDER_URL, equal, told


def cases(suite, context):
    client = context.client
    url = f"{PROVIDER_URL}/hook/python"
    headers = {"Authorization": "Bearer a-secret-token", "X-Case": "one"}

    @suite.case("Client.create_webhook", "Client.get_webhook", "Client.delete_webhook")
    def _():
        made = client.create_webhook({"url": url, "headers": headers})
        equal((made.url, made.headers["Authorization"]), (url, "Bearer a-XXXX..."))
        equal(client.get_webhook(made.uuid), made)
        info = client.create_index(context.uid())
        equal(told("python", info.task_uid)["authorization"], "Bearer a-secret-token")
        equal(client.delete_webhook(made.uuid), 204)
        rejected("webhook_not_found", client.get_webhook, made.uuid)

    @suite.case("Client.get_webhooks", "Client.update_webhook")
    def _():
        made = client.create_webhook({"url": url, "headers": headers})
        updated = client.update_webhook(made.uuid, {"url": url + "2", "headers": {"X-Case": None}})
        equal((updated.url, updated.headers), (url + "2", {"Authorization": "Bearer a-XXXX..."}))
        equal([webhook.uuid for webhook in client.get_webhooks().results], [made.uuid])
        client.delete_webhook(made.uuid)
