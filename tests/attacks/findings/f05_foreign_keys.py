"""Finding 5: a key of one index read the documents of every other one, by a foreign key."""

from support import expect
from support.server import Server
from support.suite import attack
from support.tokens import token

VAULT = [
    {"id": "k1", "pin": "1234", "owner": "root", "ssn": "078-05-1120"},
    {"id": "k2", "pin": "9876", "owner": "admin", "ssn": "219-09-9999"},
]
KEY_TO_VAULT = [{"foreignIndexUid": "vault", "fieldName": "ref"}]


def made_key(server: Server, actions: list[str], indexes: list[str]) -> dict:
    return server.done("POST", "/keys", {"actions": actions, "indexes": indexes, "expiresAt": None})


def fill(server: Server) -> None:
    vault = {"filterableAttributes": ["owner", "ssn"], "displayedAttributes": ["id", "pin", "owner"]}
    server.write("PATCH", "/indexes/vault/settings", vault)
    server.write("POST", "/indexes/vault/documents", VAULT)
    server.write("PATCH", "/indexes/mine_a/settings", {"filterableAttributes": ["ref"], "foreignKeys": []})
    server.write("POST", "/indexes/mine_a/documents", [{"id": 1, "ref": ["k1", "k2"]}])


def hits(server: Server, key: str, body: dict | None = None) -> list:
    answer = server.call("POST", "/indexes/mine_a/search", body or {}, key)
    return expect.status(answer, 200).json["hits"]


@attack(finding=5, server="keyed")
def a_foreign_key_needs_access_to_the_foreign_index(server: Server) -> None:
    fill(server)
    actions = ["search", "documents.add", "settings.update", "indexes.create"]
    key = made_key(server, actions, ["mine_*"])["key"]
    expect.status(server.call("POST", "/indexes/vault/search", {}, key), 403)
    changes = {
        "/indexes/mine_a/settings": ("PATCH", {"foreignKeys": KEY_TO_VAULT}),
        "/indexes/mine_a/settings/foreign-keys": ("PUT", KEY_TO_VAULT),
        # An index that the change would create.
        "/indexes/mine_new/settings": ("PATCH", {"foreignKeys": KEY_TO_VAULT}),
    }
    for path, (method, body) in changes.items():
        expect.status(server.call(method, path, body, key), 403, what=path)
    assert hits(server, key) == [{"id": 1, "ref": ["k1", "k2"]}]
    own = [{"foreignIndexUid": "mine_b", "fieldName": "ref"}]
    server.write("POST", "/indexes/mine_b/documents", [{"id": "k1", "colour": "red"}])
    task = server.task_of(server.call("PUT", "/indexes/mine_a/settings/foreign-keys", own, key))
    assert task["status"] == "succeeded", task
    assert hits(server, key)[0]["ref"][0] == {"id": "k1", "colour": "red"}


@attack(finding=5, server="keyed")
def documents_are_joined_only_for_keys_that_can_search_the_foreign_index(server: Server) -> None:
    fill(server)
    server.write("PUT", "/indexes/mine_a/settings/foreign-keys", KEY_TO_VAULT)
    narrow = made_key(server, ["search"], ["mine_a"])
    wide = made_key(server, ["search"], ["mine_a", "vault"])
    joined = [{"id": 1, "ref": [{name: doc[name] for name in ("id", "pin", "owner")} for doc in VAULT]}]
    assert hits(server, wide["key"]) == joined
    for body in ({}, {"attributesToHighlight": ["*"]}, {"q": "", "attributesToRetrieve": ["ref"]}):
        answer = server.call("POST", "/indexes/mine_a/search", body, narrow["key"])
        expect.absent("1234", expect.status(answer, 200), what="a key of one index")
    queries = {"queries": [{"indexUid": "mine_a"}]}
    for body in (queries, {"federation": {}, **queries}):
        answer = server.call("POST", "/multi-search", body, narrow["key"])
        expect.absent("1234", expect.status(answer, 200), what="multi-search")
    expect.absent("1234", server.tool("search", {"indexUid": "mine_a"}, narrow["key"]), what="a tool")
    tenant = token(wide["uid"], wide["key"], {"mine_a": {}})
    answer = server.call("POST", "/indexes/mine_a/search", {}, tenant)
    expect.absent("1234", expect.status(answer, 200), what="a token of one index")


@attack(finding=5, server="keyed")
def filters_do_not_see_what_is_hidden_in_the_foreign_index(server: Server) -> None:
    fill(server)
    server.write("PUT", "/indexes/mine_a/settings/foreign-keys", KEY_TO_VAULT)
    narrow = made_key(server, ["search"], ["mine_a"])["key"]
    wide = made_key(server, ["search"], ["mine_a", "vault"])["key"]
    hidden = [{"filter": f'_foreign(ref, ssn STARTS WITH "{start}")'} for start in ("078-05", "079-05")]
    for key in (narrow, wide):
        answers = [server.call("POST", "/indexes/mine_a/search", body, key) for body in hidden]
        for answer in answers:
            expect.status(answer, 400, 403, what="an attribute that is not displayed")
        assert answers[0].code == answers[1].code, [str(answer) for answer in answers]
    shown = {"filter": "_foreign(ref, owner = root)"}
    assert len(hits(server, wide, shown)) == 1
    expect.status(server.call("POST", "/indexes/mine_a/search", shown, narrow), 400, 403, what="a narrow key")
