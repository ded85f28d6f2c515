"""Finding 14, HTTP: requests without a host or with two, and answers that browsers may take for something else."""

import socket

from support import expect
from support.server import Server
from support.suite import attack
from support.wire import count_request


def status_of(server: Server, *lines: str) -> int | None:
    """The status of the answer; none where the connection was closed while the request was sent."""
    count_request()
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        try:
            connection.sendall(("\r\n".join(lines) + "\r\nConnection: close\r\n\r\n").encode())
            answer = connection.makefile("rb").readline()
        except (BrokenPipeError, ConnectionResetError):
            return None
    return int(answer.split()[1]) if answer else None


@attack(finding=14, server="keyed")
def a_request_has_exactly_one_host(server: Server) -> None:
    assert status_of(server, "GET /health HTTP/1.1", "Host: localhost") == 200
    for lines in ([], ["Host: localhost", "Host: localhost"], ["Host: localhost", "Host: evil.example"]):
        status = status_of(server, "GET /health HTTP/1.1", *lines)
        assert status == 400, f"{lines}: {status}"


@attack(finding=14, server="keyed")
def heads_over_128_kib_are_refused(server: Server) -> None:
    for size in (140, 150, 200, 500):
        header = "X-Long: " + "a" * (size * 1024)
        status = status_of(server, "GET /health HTTP/1.1", "Host: localhost", header)
        assert status in (431, None), f"{size} KiB: {status}"
    assert status_of(server, "GET /health HTTP/1.1", "Host: localhost", "X-Long: " + "a" * 100 * 1024) == 200


@attack(finding=14, server="keyed")
def answers_are_not_taken_for_another_type(server: Server) -> None:
    for path in ("/health", "/indexes", "/indexes/words/search", "/indexes/none", "/none", "/keys"):
        answer = server.call("GET", path)
        expect.status(answer, 200, 404, what=path)
        assert answer.headers.get("X-Content-Type-Options") == "nosniff", f"{path}: {answer.headers}"
