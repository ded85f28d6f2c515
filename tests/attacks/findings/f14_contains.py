"""Finding 14, CONTAINS: hundreds of conditions kept the threads of searches busy for minutes."""

import random
import threading

from support import expect
from support.server import Server
from support.suite import attack
from support.wire import together

TITLES = 10_000
CONDITIONS = 900
LIMIT_S = 20
CUTOFF_MS = 500


def fill(server: Server) -> None:
    if server.call("GET", "/indexes/titles").status == 200:
        return
    chosen = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz "
    documents = [{"id": number, "t": "".join(chosen.choices(letters, k=40))} for number in range(TITLES)]
    server.done("PATCH", "/indexes/titles/settings", {"filterableAttributes": ["t"], "searchCutoffMs": CUTOFF_MS})
    server.write("POST", "/indexes/titles/documents", documents, gzip=True)


def conditions() -> str:
    return " OR ".join(f't CONTAINS "{number:03}zz"' for number in range(CONDITIONS))


@attack(finding=14, server="keyed")
def hundreds_of_contains_end_in_time(server: Server) -> None:
    fill(server)
    body = {"filter": conditions()}
    answer = server.call("POST", "/indexes/titles/search", body, server.search_key)
    expect.quick(expect.status(answer, 200, 400, 503), LIMIT_S)


@attack(finding=14, server="keyed")
def hundreds_of_contains_leave_room_for_other_searches(server: Server) -> None:
    fill(server)
    over = threading.Event()
    others = []

    def ask() -> None:
        while not over.is_set():
            others.append(server.call("POST", "/indexes/words/search", {"q": "word"}, server.search_key))

    asker = threading.Thread(target=ask)
    asker.start()
    try:
        body = {"filter": conditions()}
        answers = together(4, lambda _: server.call("POST", "/indexes/titles/search", body, server.search_key))
    finally:
        over.set()
        asker.join()
    for answer in answers:
        expect.quick(expect.status(answer, 200, 400, 503), 2 * LIMIT_S)
    assert others
    for answer in others:
        expect.quick(expect.status(answer, 200), LIMIT_S, what="another search")
