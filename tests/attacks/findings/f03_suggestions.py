"""Finding 3: a misspelled name of any length was compared with every known name, on the event loop."""

import time

from support import expect
from support.server import Server
from support.suite import attack
from support.wire import packed, together

# The largest text that is parsed where connections are driven.
LENGTH = 262_000
CLIENTS = 20
SECONDS = 4
LONG = "a" * LENGTH
LARGEST_REFUSAL = 32 * 1024
QUICK_S = 5

SEARCHES = {
    "locale": {"locales": [LONG]},
    "member": {LONG: 1},
    "enum value": {"matchingStrategy": LONG},
    "member of hybrid": {"hybrid": {"embedder": "e", LONG: 1}},
    "attribute": {"attributesToSearchOn": [LONG]},
    "filter": {"filter": f"{LONG} = 1"},
    "sort": {"sort": [LONG]},
    "facet": {"facets": [LONG]},
    "distinct": {"distinct": LONG},
    "embedder": {"q": "word", "hybrid": {"embedder": LONG}},
}
SETTINGS = {
    "member": {LONG: 1},
    "locale": {"localizedAttributes": [{"attributePatterns": ["*"], "locales": [LONG]}]},
    "enum value": {"proximityPrecision": LONG},
    "member of typo tolerance": {"typoTolerance": {LONG: 1}},
    "ranking rule": {"rankingRules": [LONG]},
    "source": {"embedders": {"e": {"source": LONG}}},
}


def refused(answer, what: str) -> None:
    expect.quick(expect.status(answer, 400, what=what), QUICK_S, what=what)
    size = len(answer.body)
    assert size <= LARGEST_REFUSAL, f"{what}: the refusal has {size} bytes: {answer}"


@attack(finding=3, server="keyed")
def twenty_clients_with_long_names_do_not_stall_others(server: Server) -> None:
    for body in (SEARCHES["locale"], SEARCHES["member"]):
        content = packed(body)
        headers = [("Content-Encoding", "gzip")]
        until = time.monotonic() + SECONDS

        def ask(_) -> int:
            count = 0
            while time.monotonic() < until:
                answer = server.call("POST", "/indexes/words/search", content, server.search_key, headers)
                expect.status(answer, 400, 503)
                count += 1
            return count

        for count in together(CLIENTS, ask):
            assert isinstance(count, int), count


@attack(finding=3, server="keyed")
def searches_with_long_names_are_refused_in_few_words(server: Server) -> None:
    for what, body in SEARCHES.items():
        refused(server.call("POST", "/indexes/words/search", body, server.search_key, gzip=True), what)
        queries = {"queries": [{"indexUid": "words", **body}]}
        refused(server.call("POST", "/multi-search", queries, server.search_key, gzip=True), f"multi-search, {what}")


@attack(finding=3, server="keyed")
def settings_with_long_names_are_refused_in_few_words(server: Server) -> None:
    for what, body in SETTINGS.items():
        refused(server.call("PATCH", "/indexes/words/settings", body, gzip=True), what)


@attack(finding=3, server="keyed")
def other_routes_refuse_long_names_in_few_words(server: Server) -> None:
    for method, path, body in (
        ("POST", "/keys", {LONG: 1}),
        ("POST", "/keys", {"actions": [LONG], "indexes": ["*"], "expiresAt": None}),
        ("PATCH", "/experimental-features", {LONG: True}),
        ("POST", "/indexes", {"uid": LONG}),
        ("POST", "/indexes/words/documents/fetch", {LONG: 1}),
        ("POST", "/indexes/words/similar", {LONG: 1}),
        ("POST", "/swap-indexes", [{LONG: 1}]),
        ("POST", "/webhooks", {LONG: 1}),
        ("PATCH", "/network", {LONG: 1}),
    ):
        refused(server.call(method, path, body, gzip=True), f"{method} {path}")
    # An address may have 64 KiB.
    name = "a" * 60_000
    for path in ("/indexes/words/search", "/tasks", "/indexes/words/documents"):
        refused(server.call("GET", f"{path}?{name}=1"), f"GET {path}")
    refused(server.call("GET", f"/tasks?statuses={name}"), "GET /tasks?statuses=")
    refused(server.call("GET", f"/indexes/words/search?matchingStrategy={name}"), "GET search?matchingStrategy=")


@attack(finding=3, server="keyed")
def tools_refuse_long_names_in_few_words(server: Server) -> None:
    for what, body in SEARCHES.items():
        answer = server.tool("search", {"indexUid": "words", **body}, server.search_key, gzip=True)
        expect.quick(answer, QUICK_S, what=what)
        assert answer.json.get("error") or answer.json["result"]["isError"], f"{what}: {answer}"
        # The error stands in it twice, as text and as JSON.
        assert len(answer.body) <= 4 * LARGEST_REFUSAL, f"{what}: the refusal has {len(answer.body)} bytes"
    for name, arguments in ((LONG, {}), ("get_settings", {"indexUid": LONG}), ("list_indexes", {LONG: 1})):
        answer = server.tool(name, arguments, gzip=True)
        expect.quick(answer, QUICK_S)
        assert len(answer.body) <= 4 * LARGEST_REFUSAL, f"{name[:20]}: the refusal has {len(answer.body)} bytes"


@attack(finding=3, server="keyed")
def names_of_9_mb_are_refused_quickly(server: Server) -> None:
    name = "a" * 9_000_000
    searches = {"member": {name: 1}, "locale": {"locales": [name]}, "enum value": {"matchingStrategy": name}}
    for what, body in searches.items():
        refused(server.call("POST", "/indexes/words/search", body, server.search_key, gzip=True), what)
    for what, body in (("settings member", {name: 1}), ("settings value", {"proximityPrecision": name})):
        refused(server.call("PATCH", "/indexes/words/settings", body, gzip=True), what)
