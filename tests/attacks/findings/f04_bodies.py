"""Finding 4: small bodies became gigabytes of parsed values, and a request held any number of queries."""

from support import expect
from support.server import Server
from support.suite import attack
from support.wire import packed, together

QUERIES = 1000
VALUES = 1_000_000
GZIP = [("Content-Encoding", "gzip")]
TOO_LARGE = (413, "payload_too_large")

# Routes of searches, and where a filter stands in their bodies.
ROUTES = {
    "/indexes/words/search": lambda filter: b'{"filter":' + filter + b"}",
    "/indexes/words/facet-search": lambda filter: b'{"facetName":"kind","filter":' + filter + b"}",
    "/indexes/words/similar": lambda filter: b'{"id":1,"embedder":"e","filter":' + filter + b"}",
    "/multi-search": lambda filter: b'{"queries":[{"indexUid":"words","filter":' + filter + b"}]}",
    "/mcp": lambda filter: (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":'
        b'{"indexUid":"words","filter":' + filter + b"}}}"
    ),
}


def listed(value: bytes, count: int) -> bytes:
    return b"[" + (value + b",") * (count - 1) + value + b"]"


def send(server: Server, path: str, content: bytes, key: str | None = ""):
    return server.call("POST", path, content, key, GZIP)


@attack(finding=4, server="keyed")
def search_bodies_over_10_mb_are_refused(server: Server) -> None:
    # One text, so that only the bytes count.
    text = b'"' + b"a" * 10_000_001 + b'"'
    for path, body in ROUTES.items():
        expect.refused(send(server, path, packed(body(text)), server.search_key), *TOO_LARGE, what=path)
    # The same without compression, and with a length that is stated in the head.
    plain = server.call("POST", "/indexes/words/search", ROUTES["/indexes/words/search"](text), server.search_key)
    expect.refused(plain, *TOO_LARGE, what="without compression")


@attack(finding=4, server="keyed")
def documents_may_still_be_larger(server: Server) -> None:
    document = {"id": 1, "t": "a" * 10_000_001}
    server.write("POST", "/indexes/large/documents", [document], gzip=True)
    server.write("DELETE", "/indexes/large")


@attack(finding=4, server="keyed")
def bodies_of_more_than_a_million_values_are_refused(server: Server) -> None:
    for value in (b"{}", b"[]", b"1", b'""'):
        filter = listed(value, VALUES + 1)
        for path, body in ROUTES.items():
            answer = send(server, path, packed(body(filter)), server.search_key)
            expect.refused(answer, *TOO_LARGE, what=f"{path} {value.decode()}")
        fetch = packed(b'{"filter":' + filter + b"}")
        for path in ("/indexes/words/documents/fetch", "/indexes/words/documents/delete"):
            expect.refused(send(server, path, fetch), *TOO_LARGE, what=f"{path} {value.decode()}")
    words = packed(b'{"stopWords":' + listed(b'"a"', VALUES + 1) + b"}")
    answer = server.call("PATCH", "/indexes/words/settings", words, headers=GZIP)
    expect.refused(answer, *TOO_LARGE, what="settings")


@attack(finding=4, server="keyed")
def the_members_of_objects_count_as_values(server: Server) -> None:
    members = b"{" + b",".join(b'"%d":1' % number for number in range(VALUES + 1)) + b"}"
    for path in ("/indexes/words/documents/fetch", "/swap-indexes"):
        answer = send(server, path, packed(b'{"filter":' + members + b"}"))
        expect.refused(answer, *TOO_LARGE, what=path)


@attack(finding=4, server="keyed")
def more_than_a_thousand_queries_are_refused(server: Server) -> None:
    for body in ({}, {"federation": {}}):
        query = {"indexUid": "words"} if body else {"indexUid": "words", "limit": 1}
        enough = {**body, "queries": [query] * QUERIES}
        expect.status(server.call("POST", "/multi-search", enough, server.search_key), 200, what=f"{QUERIES} {body}")
        for count in (QUERIES + 1, 100_000):
            queries = listed(b'{"indexUid":"words"}', count)
            federation = b'"federation":{},' if body else b""
            content = packed(b"{" + federation + b'"queries":' + queries + b"}")
            answer = send(server, "/multi-search", content, server.search_key)
            expect.status(answer, 400, what=f"{count} queries {body}")
    queries = [{"indexUid": "words", "limit": 1}] * (QUERIES + 1)
    result = server.tool("multi_search", {"queries": queries}, server.search_key, gzip=True).json["result"]
    assert result["isError"], str(result)[:300]


@attack(finding=4, server="keyed")
def a_million_queries_in_41_kb_are_refused(server: Server) -> None:
    content = packed(b'{"queries":' + listed(b'{"indexUid":"i"}', 1_000_000) + b"}")
    expect.status(send(server, "/multi-search", content, server.search_key), 400, 413)


@attack(finding=4, server="keyed")
def batches_of_more_than_a_thousand_messages_are_refused(server: Server) -> None:
    batch = [{"jsonrpc": "2.0", "id": 1, "method": "ping"}] * (QUERIES + 1)
    answer = server.mcp(batch, "2025-03-26", server.search_key, gzip=True)
    expect.status(answer, 400, 413)


@attack(finding=4, server="keyed")
def six_bodies_of_90_mb_at_once_stay_within_memory(server: Server) -> None:
    content = packed(b'{"filter":' + listed(b"{}", 30_000_000) + b"}")
    # A document route accepts bodies of this size, a search route does not.
    for path, allowed in (("/indexes/words/search", (413,)), ("/indexes/words/documents/fetch", (413, 503))):
        for answer in together(6, lambda _: send(server, path, content)):
            expect.status(answer, *allowed, what=path)


@attack(finding=4, server="keyed")
def twenty_bodies_of_almost_a_million_values_at_once_stay_within_memory(server: Server) -> None:
    # Lists and objects that are empty may count twice: a server need not parse them to count them.
    for value, count in ((b"{}", VALUES // 2), (b"[]", VALUES // 2), (b'""', VALUES)):
        content = packed(ROUTES["/indexes/words/search"](listed(value, count - 100)))
        for answer in together(20, lambda _: send(server, "/indexes/words/search", content, server.search_key)):
            expect.status(answer, 200, 400, 503, what=value.decode())
