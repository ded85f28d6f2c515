"""Finding 14, CONTAINS: hundreds of conditions kept the threads of searches busy for minutes."""

import random

from support import expect
from support.server import Server
from support.suite import attack
from support.wire import together

TITLES = 10_000
CONDITIONS = 900
# Hundreds of conditions may not take hundreds of times as long as one. Compared with one, so that a slow machine and
# a debug build change nothing.
LONGEST = 100
LEAST_S = 1.0
ABANDONED_AFTER_S = 0.5
SOON_S = 5


def fill(server: Server) -> None:
    if server.call("GET", "/indexes/titles").status == 200:
        return
    chosen = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz "
    documents = [{"id": number, "t": "".join(chosen.choices(letters, k=40))} for number in range(TITLES)]
    server.done("PATCH", "/indexes/titles/settings", {"filterableAttributes": ["t"]})
    server.write("POST", "/indexes/titles/documents", documents, gzip=True)


def condition(number: int) -> str:
    return f't CONTAINS "{number:03}zz"'


def search(server: Server, filter: str, **more):
    body = {"filter": filter, "limit": 1}
    return server.call("POST", "/indexes/titles/search", body, server.search_key, **more)


@attack(finding=14, server="keyed")
def hundreds_of_contains_take_little_longer_than_one(server: Server) -> None:
    fill(server)
    one = min(expect.status(search(server, condition(number)), 200).seconds for number in range(5))
    limit_s = LEAST_S + LONGEST * one
    forms = {
        "OR": " OR ".join(condition(number) for number in range(CONDITIONS)),
        "AND NOT": " AND ".join(f"NOT {condition(number)}" for number in range(CONDITIONS)),
    }
    for what, filter in forms.items():
        expect.quick(expect.status(search(server, filter), 200, what=what), limit_s, what=what)


@attack(finding=14, server="keyed")
def contains_ends_when_its_client_is_gone(server: Server) -> None:
    fill(server)
    filter = " OR ".join(condition(number) for number in range(CONDITIONS))
    # More of them than there are threads for searches.
    together(8, lambda _: search(server, filter, timeout_s=ABANDONED_AFTER_S))
    answer = server.call("POST", "/indexes/words/search", {"q": "word"}, server.search_key)
    expect.quick(expect.status(answer, 200), SOON_S, what="a search after them")
