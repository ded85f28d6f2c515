"""Finding 7: without a master key, every web page that a user of the machine visits could read and write everything."""

import json
from pathlib import Path

from support import expect
from support.ground import Ground
from support.server import Server
from support.suite import attack

EVIL = "https://evil.example"
# Origins of pages that are not of this machine, some of which look as if they were.
FOREIGN_ORIGINS = [
    EVIL,
    "http://evil.example:7700",
    "http://localhost.evil.example",
    "http://127.0.0.1.evil.example",
    "http://localhost@evil.example",
    "null",
    "chrome-extension://abcdef",
]
# Requests that a browser sends without asking first.
SIMPLE = ["/dumps", "/snapshots", "/tasks/cancel?uids=*", "/indexes/i/compact"]
BROWSER = [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64)"), ("Accept-Language", "en")]
HOSTS_OPTION = "--http-allowed-hosts"


def operations() -> list[tuple[str, str]]:
    """Every operation of the OpenAPI document, with names in the place of its parameters."""
    document = json.loads((Path(__file__).parents[3] / "docs" / "openapi.json").read_text())
    methods = ("get", "post", "put", "patch", "delete")
    found = []
    for path, item in document["paths"].items():
        named = path.replace("{uid}", "i" if "/indexes/" in path else "0")
        for parameter in ("id", "key", "uuid", "page", "file", "folder"):
            named = named.replace("{" + parameter + "}", "1")
        found += [(method.upper(), named) for method in methods if method in item]
    return found


def last_task(server: Server) -> int:
    return server.done("GET", "/tasks?limit=1")["results"][0]["uid"]


@attack(finding=7, server="open")
def every_route_refuses_pages_of_other_machines(server: Server) -> None:
    before = last_task(server)
    found = operations()
    assert len(found) > 100, len(found)
    for method, path in found:
        answer = server.call(method, path, None if method == "GET" else {}, headers=[("Origin", EVIL)], timeout_s=5)
        expect.status(answer, 403, what=f"{method} {path}")
        allowed = answer.headers.get("Access-Control-Allow-Origin")
        assert allowed in (None, "null"), f"{method} {path} lets {allowed} read the answer"
    assert last_task(server) == before, "a task was enqueued"


@attack(finding=7, server="open")
def origins_that_look_like_this_machine_are_refused(server: Server) -> None:
    for origin in FOREIGN_ORIGINS:
        answer = server.call("GET", "/indexes", headers=[("Origin", origin)])
        expect.status(answer, 403, what=origin)
        expect.absent('"uid"', answer, what=origin)


@attack(finding=7, server="open")
def simple_requests_of_other_pages_change_nothing(server: Server) -> None:
    before = last_task(server)
    for path in SIMPLE:
        for headers in (
            [("Origin", EVIL)],
            [("Origin", EVIL), ("Sec-Fetch-Site", "cross-site"), ("Content-Type", "text/plain")],
            [("Origin", "null"), ("Sec-Fetch-Site", "cross-site")],
        ):
            expect.status(server.call("POST", path, b"", headers=headers), 403, what=path)
    assert last_task(server) == before, "a task was enqueued"


@attack(finding=7, server="open")
def requests_of_other_sites_without_an_origin_are_refused(server: Server) -> None:
    elsewhere = ("Sec-Fetch-Site", "cross-site")
    for mode in ("no-cors", "navigate"):
        answer = server.call("GET", "/indexes", headers=[elsewhere, ("Sec-Fetch-Mode", mode)])
        expect.status(answer, 403, what=mode)
    # A link to the dashboard may be followed.
    expect.status(server.call("GET", "/", headers=[elsewhere, ("Sec-Fetch-Mode", "navigate")]), 200)


@attack(finding=7, server="open")
def preflights_of_other_pages_are_refused(server: Server) -> None:
    for path in ("/indexes", "/indexes/i/documents", "/indexes/i/search", "/mcp"):
        headers = [("Origin", EVIL), ("Access-Control-Request-Method", "POST")]
        answer = server.call("OPTIONS", path, headers=headers)
        expect.status(answer, 403, what=path)
        assert answer.headers.get("Access-Control-Allow-Origin") in (None, "null"), answer.headers


@attack(finding=7, server="open")
def names_that_were_made_to_lead_here_are_refused(server: Server) -> None:
    for headers in (
        [("Host", "evil.example"), ("Sec-Fetch-Site", "same-origin")],
        [("Host", f"evil.example:{server.port}"), ("Origin", f"http://evil.example:{server.port}")],
        [("Host", "evil.example"), ("Sec-Fetch-Site", "none")],
        # Over plain HTTP, a page that reads from its own server sends neither header.
        [("Host", "evil.example"), *BROWSER],
    ):
        expect.status(server.call("GET", "/indexes", headers=headers), 403, what=str(headers))


@attack(finding=7, server="open")
def programs_and_pages_of_this_machine_are_served(server: Server) -> None:
    here = f"127.0.0.1:{server.port}"
    for headers in (
        [],
        [("Host", "search:7700")],
        [("Host", "localhost:7700"), *BROWSER],
        [("Origin", "http://localhost:3000")],
        [("Origin", "http://127.0.0.1:5173"), ("Sec-Fetch-Site", "same-site")],
        [("Origin", "http://[::1]:8080")],
        [("Host", here), ("Origin", f"http://{here}"), ("Sec-Fetch-Site", "same-origin")],
        [("Host", f"localhost:{server.port}"), ("Sec-Fetch-Site", "same-origin")],
        [("Host", f"localhost:{server.port}"), ("Sec-Fetch-Site", "none")],
    ):
        expect.status(server.call("GET", "/indexes", headers=headers), 200, what=str(headers))


@attack(finding=7, server=None)
def hosts_that_the_operator_names_are_served(ground: Ground) -> None:
    server = ground.start(ground.folder(), HOSTS_OPTION, "search.example,shop.example")
    for headers in (
        [("Host", "search.example"), ("Sec-Fetch-Site", "same-origin")],
        [("Host", "search.example:7700"), ("Origin", "http://search.example:7700")],
        [("Origin", "https://shop.example")],
    ):
        expect.status(server.call("GET", "/indexes", headers=headers), 200, what=str(headers))
    for headers in ([("Origin", EVIL)], [("Host", "evil.example"), ("Sec-Fetch-Site", "same-origin")]):
        answer = expect.status(server.call("GET", "/indexes", headers=headers), 403, what=str(headers))
        assert HOSTS_OPTION in answer.json["message"], answer


@attack(finding=7, server="keyed")
def with_a_master_key_every_origin_is_welcome(server: Server) -> None:
    answer = server.call("POST", "/indexes/words/search", {"limit": 1}, server.search_key, [("Origin", EVIL)])
    expect.status(answer, 200)
    assert answer.headers.get("Access-Control-Allow-Origin") == "*", answer.headers
