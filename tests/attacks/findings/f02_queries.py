"""Finding 2: the whole text of a query was cut into words, of which the first thousand counted."""

import json

from support import expect
from support.server import Server
from support.suite import attack
from support.wire import together

BYTES = 9_000_000
QUICK_S = 10
TEXTS = {
    "short words": "a ",
    "words without spaces": "日本",
    "phrases": '"a" ',
    "negative words": " -a",
    "one word": "a",
    "marks": "\u0301",
}


def text(part: str) -> str:
    # Quotes are escaped in JSON.
    return part * (BYTES // len(json.dumps(part, ensure_ascii=False)[1:-1].encode()))


@attack(finding=2, server="keyed")
def queries_of_9_mb_are_answered(server: Server) -> None:
    for what, part in TEXTS.items():
        answer = server.call("POST", "/indexes/words/search", {"q": text(part)}, server.search_key, gzip=True)
        expect.quick(expect.status(answer, 200, what=what), QUICK_S, what=what)


@attack(finding=2, server="keyed")
def facet_queries_of_9_mb_are_answered(server: Server) -> None:
    for what, part in TEXTS.items():
        for member in ("q", "facetQuery"):
            body = {"facetName": "kind", member: text(part)}
            answer = server.call("POST", "/indexes/words/facet-search", body, server.search_key, gzip=True)
            # A text that is longer than any value may be refused instead of being cut.
            expect.quick(expect.status(answer, 200, 400, what=what), QUICK_S, what=f"{member}: {what}")


@attack(finding=2, server="keyed")
def many_queries_of_9_kb_are_answered(server: Server) -> None:
    for part in ("a ", "日本"):
        queries = [{"indexUid": "words", "q": part * (9_000 // len(part.encode())), "limit": 1}] * 100
        answer = server.call("POST", "/multi-search", {"queries": queries}, server.search_key, gzip=True)
        expect.quick(expect.status(answer, 200), 2 * QUICK_S)


@attack(finding=2, server="keyed")
def ten_queries_of_9_mb_at_once_stay_within_memory(server: Server) -> None:
    body = {"q": text("a ")}
    answers = together(
        10, lambda _: server.call("POST", "/indexes/words/search", body, server.search_key, gzip=True)
    )
    for answer in answers:
        expect.status(answer, 200, 503)
