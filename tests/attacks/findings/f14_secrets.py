"""Finding 14, secrets: those inside URLs were shown, whereas keys and headers are masked."""

from support import expect
from support.server import Server
from support.suite import attack

SECRETS = ["hush-password", "hush-query"]
URL = f"http://user:{SECRETS[0]}@127.0.0.1:9/embed?key={SECRETS[1]}"
REST = {"source": "rest", "url": URL, "dimensions": 2, "request": "{{text}}", "response": "{{embedding}}"}


def check(server: Server, *paths: str) -> None:
    for path in paths:
        for secret in SECRETS:
            expect.absent(secret, expect.status(server.call("GET", path), 200, what=path), what=path)


@attack(finding=14, server="keyed")
def secrets_in_urls_of_embedders_are_masked(server: Server) -> None:
    answer = server.call("PATCH", "/indexes/remote/settings", {"embedders": {"e": REST}})
    task = server.task_of(answer)
    check(server, f"/tasks/{task['uid']}", "/tasks", f"/batches/{task['batchUid']}", "/batches")
    if task["status"] == "succeeded":
        check(server, "/indexes/remote/settings", "/indexes/remote/settings/embedders")
        assert b"127.0.0.1" in server.call("GET", "/indexes/remote/settings").body


@attack(finding=14, server="keyed")
def secrets_in_urls_of_webhooks_are_masked(server: Server) -> None:
    made = server.call("POST", "/webhooks", {"url": URL})
    expect.status(made, 201, 400)
    for secret in SECRETS:
        expect.absent(secret, made, what="POST /webhooks")
    check(server, "/webhooks")
    if made.status == 201:
        uuid = made.json["uuid"]
        check(server, f"/webhooks/{uuid}")
        server.done("DELETE", f"/webhooks/{uuid}")


@attack(finding=14, server="keyed")
def secrets_in_urls_of_chats_are_masked(server: Server) -> None:
    made = server.call("PATCH", "/chats/desk/settings", {"source": "vLlm", "baseUrl": URL})
    expect.status(made, 200, 400)
    for secret in SECRETS:
        expect.absent(secret, made, what="PATCH /chats/desk/settings")
    if made.status == 200:
        check(server, "/chats/desk/settings")
        server.done("DELETE", "/chats/desk")


@attack(finding=14, server="keyed")
def secrets_in_urls_of_exports_are_masked(server: Server) -> None:
    task = server.task_of(server.call("POST", "/export", {"url": URL}))
    check(server, f"/tasks/{task['uid']}", "/tasks", f"/batches/{task['batchUid']}", "/batches")
