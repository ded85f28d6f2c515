"""Finding 12: one search of a very large document took gigabytes to format it."""

from support import expect
from support.server import Server
from support.suite import attack
from support.wire import together

BYTES = 20_000_000
# Words beyond this position are stored and shown, but cannot match.
POSITIONS = 65_535
QUICK_S = 15
SHOWN = {"attributesToRetrieve": ["id"]}
SEARCHES = {
    "highlight": {"attributesToHighlight": ["t"]},
    "crop": {"attributesToCrop": ["t"]},
    "a large crop": {"attributesToCrop": ["t"], "cropLength": 1_000_000},
    "positions": {"showMatchesPosition": True},
    "everything": {"attributesToHighlight": ["t"], "attributesToCrop": ["t"], "showMatchesPosition": True},
}


def fill(server: Server) -> None:
    if server.call("GET", "/indexes/long").status == 200:
        return
    text = "ab cd ef gh " * (BYTES // 12)
    late = "needle " + "salt " * 100_000 + "needle"
    documents = [{"id": 1, "t": text}, {"id": 2, "t": late}]
    server.write("POST", "/indexes/long/documents", documents, gzip=True)


@attack(finding=12, server="keyed")
def searches_of_a_document_of_20_mb_stay_within_memory(server: Server) -> None:
    fill(server)
    for what, body in SEARCHES.items():
        answer = server.call("POST", "/indexes/long/search", {"q": "ab cd", **SHOWN, **body}, server.search_key)
        expect.quick(expect.status(answer, 200, what=what), QUICK_S, what=what)
    document = expect.status(server.call("GET", "/indexes/long/documents/1"), 200)
    assert len(document.body) > BYTES


@attack(finding=12, server="keyed")
def four_such_searches_at_once_stay_within_memory(server: Server) -> None:
    fill(server)
    body = {"q": "ab cd ef gh", **SHOWN, **SEARCHES["everything"]}
    for answer in together(4, lambda _: server.call("POST", "/indexes/long/search", body, server.search_key)):
        expect.status(answer, 200, 400, 503)


@attack(finding=12, server="keyed")
def twenty_reads_of_such_a_document_at_once_stay_within_memory(server: Server) -> None:
    fill(server)
    for answer in together(20, lambda _: server.call("GET", "/indexes/long/documents/1")):
        expect.status(answer, 200, 503)


@attack(finding=12, server="keyed")
def words_that_cannot_match_are_not_formatted(server: Server) -> None:
    fill(server)
    body = {"q": "needle", "attributesToHighlight": ["t"], "showMatchesPosition": True, **SHOWN}
    hit = expect.status(server.call("POST", "/indexes/long/search", body, server.search_key), 200).json["hits"][0]
    assert len(hit["_matchesPosition"]["t"]) == 1, hit["_matchesPosition"]
    shown = hit["_formatted"]["t"]
    assert shown.count("<em>") == 1 and shown.endswith("salt needle"), shown[-40:]
