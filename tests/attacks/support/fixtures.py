"""Documents that attacks need. Small, because a debug build must index them within seconds."""

from .server import Server

# Found by every search for `word`, often enough that tags of 1 KiB make an answer of more than 100 MB.
DOCUMENTS = 700
WORDS = 100

FEATURES = {"foreignKeys": True, "containsFilter": True, "network": True, "chatCompletions": True}


def fill_keyed(server: Server) -> None:
    server.done("PATCH", "/experimental-features", FEATURES)
    server.done("PATCH", "/indexes/words/settings", {"filterableAttributes": ["kind"], "searchableAttributes": ["t", "kind"]})
    text = "word " * WORDS
    documents = [{"id": number, "t": text, "kind": f"kind {number % 7}"} for number in range(DOCUMENTS)]
    server.write("POST", "/indexes/words/documents", documents)


def fill_open(server: Server) -> None:
    documents = [{"id": number, "title": f"title {number}"} for number in range(10)]
    server.write("POST", "/indexes/i/documents", documents)
