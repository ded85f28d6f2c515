"""Finding 1: tags and markers of any length, repeated at every match, made answers of gigabytes."""

import json
from urllib.parse import quote

from support import expect
from support.server import Server
from support.suite import attack

LARGEST = 1024
CODES = {
    "highlightPreTag": "invalid_search_highlight_pre_tag",
    "highlightPostTag": "invalid_search_highlight_post_tag",
    "cropMarker": "invalid_search_crop_marker",
}
# No default budget is larger than this. Errors and the frames of messages come on top.
BUDGET = 100_000_000
ROOM = 1_000_000


def search(**more) -> dict:
    return {"q": "word", "attributesToHighlight": ["t"], **more}


def large(limit: int) -> dict:
    """A search with the longest tags that are accepted, which a match takes 2 KiB with."""
    return search(limit=limit, highlightPreTag="<" * LARGEST, highlightPostTag=">" * LARGEST)


@attack(finding=1, server="keyed")
def tags_of_1_kib_are_accepted(server: Server) -> None:
    for name in CODES:
        body = search(limit=1, **{name: "<" * LARGEST})
        expect.status(server.call("POST", "/indexes/words/search", body, server.search_key), 200, what=name)


@attack(finding=1, server="keyed")
def tags_over_1_kib_are_refused_by_every_search_route(server: Server) -> None:
    key = server.search_key
    for name, code in CODES.items():
        # The bound is one of bytes, whatever the script.
        for tag in ("<" * (LARGEST + 1), "é" * (LARGEST // 2 + 1)):
            body = search(**{name: tag})
            query = {"indexUid": "words", **body}
            answers = {
                "POST": server.call("POST", "/indexes/words/search", body, key),
                "GET": server.call("GET", f"/indexes/words/search?q=word&{name}={quote(tag)}", key=key),
                "multi-search": server.call("POST", "/multi-search", {"queries": [query]}, key),
                "federation": server.call("POST", "/multi-search", {"federation": {}, "queries": [query]}, key),
            }
            for what, answer in answers.items():
                expect.refused(answer, 400, code, what=f"{what} {name}")
            result = server.tool("search", query, key).json["result"]
            assert result["isError"] and result["structuredContent"]["code"] == code, result


@attack(finding=1, server="keyed")
def tags_of_megabytes_in_small_gzip_bodies_are_refused(server: Server) -> None:
    for name, code in CODES.items():
        body = search(**{name: "<" * 1_000_000})
        answer = server.call("POST", "/indexes/words/search", body, server.search_key, gzip=True)
        expect.refused(answer, 400, code, what=name)
        assert len(answer.body) < 4096, f"the refusal quotes {len(answer.body)} bytes"
    for size in (20_000_000, 90_000_000):
        body = search(attributesToCrop=["t"], cropMarker="<" * size)
        answer = server.call("POST", "/indexes/words/search", body, server.search_key, gzip=True)
        expect.refused(answer, 413, "payload_too_large", what=f"a marker of {size} bytes")


@attack(finding=1, server="keyed")
def an_answer_beyond_its_budget_is_an_error(server: Server) -> None:
    answer = server.call("POST", "/indexes/words/search", large(1000), server.search_key)
    expect.refused(answer, 400, "response_too_large")


@attack(finding=1, server="keyed")
def several_searches_share_one_budget(server: Server) -> None:
    queries = [{"indexUid": "words", **large(20)}] * 100
    answer = server.call("POST", "/multi-search", {"queries": queries}, server.search_key)
    expect.refused(answer, 400, "response_too_large")


@attack(finding=1, server="keyed")
def a_federated_search_has_the_same_budget(server: Server) -> None:
    query = {"indexUid": "words", **large(0)}
    del query["limit"]
    body = {"federation": {"limit": 1000}, "queries": [query]}
    expect.refused(server.call("POST", "/multi-search", body, server.search_key), 400, "response_too_large")


@attack(finding=1, server="keyed")
def a_batch_of_messages_shares_one_budget(server: Server) -> None:
    arguments = {"indexUid": "words", **large(20)}
    call = {"method": "tools/call", "params": {"name": "search", "arguments": arguments}}
    batch = [{"jsonrpc": "2.0", "id": number, **call} for number in range(50)]
    answer = server.mcp(batch, "2025-03-26", server.search_key, gzip=True)
    assert len(answer.body) <= BUDGET + ROOM, f"an answer of {len(answer.body)} bytes"
    assert "response_too_large" in json.dumps(answer.json)[-ROOM:], answer
