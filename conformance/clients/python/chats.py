"""Chat workspaces, with a provider on loopback that always answers the same."""

from suite import PROVIDER_URL, equal


def cases(suite, context):
    client = context.client

    @suite.case("Client.update_chat_workspace_settings", "Client.get_chat_workspace_settings")
    def _():
        context.enable("chatCompletions")
        settings = {"source": "vLlm", "baseUrl": PROVIDER_URL, "apiKey": "a-secret-api-key"}
        updated = client.update_chat_workspace_settings("desk", settings)
        equal((updated["source"], updated["apiKey"]), ("vLlm", "a-XXXX..."))
        equal(client.get_chat_workspace_settings("desk"), updated)

    @suite.case("Client.get_chat_workspaces")
    def _():
        equal(
            client.get_chat_workspaces(offset=0, limit=5),
            {"results": [{"uid": "desk"}], "offset": 0, "limit": 5, "total": 1},
        )

    @suite.case("Client.create_chat_completion")
    def _():
        messages = [{"role": "user", "content": "How is the harbour?"}]
        chunks = list(client.create_chat_completion("desk", messages, model="small"))
        text = "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks)
        equal(text, "The harbour is quiet.")
