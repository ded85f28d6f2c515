"""Finding 8: bodies that send one byte now and then were never given up, and kept every place for connections."""

import selectors
import socket
import time

from support import expect
from support.ground import MASTER_KEY, Ground
from support.server import Server
from support.suite import attack
from support.wire import count_request

PLACES = 50
PAUSE_S = 1.0
# Ten seconds pass before the rate counts. The rest is for machines that are busy.
LIMIT_S = 25


def slow_head(path: str, key: str) -> bytes:
    lines = [
        f"POST {path} HTTP/1.1",
        "Host: localhost",
        f"Authorization: Bearer {key}",
        "Content-Type: application/json",
        "Content-Length: 100000",
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def trickle(port: int, heads: list[bytes], limit_s: float) -> tuple[list[bytes], float]:
    """Sends one byte on each connection every second until all are closed. Returns the answers and the time taken."""
    chosen = selectors.DefaultSelector()
    answers = [b""] * len(heads)
    open_connections = {}
    for number, head in enumerate(heads):
        count_request()
        connection = socket.create_connection(("127.0.0.1", port))
        connection.sendall(head)
        connection.setblocking(False)
        chosen.register(connection, selectors.EVENT_READ)
        open_connections[connection] = number
    begin = time.monotonic()
    next_byte = begin
    while open_connections and time.monotonic() - begin < limit_s:
        for selected, _ in chosen.select(timeout=0.1):
            connection = selected.fileobj
            chunk = _received(connection)
            answers[open_connections[connection]] += chunk
            if not chunk:
                chosen.unregister(connection)
                connection.close()
                del open_connections[connection]
        if time.monotonic() >= next_byte:
            next_byte += PAUSE_S
            for connection in open_connections:
                _send_byte(connection)
    for connection in open_connections:
        connection.close()
    left = len(open_connections)
    assert not left, f"{left} of {len(heads)} slow bodies were still read after {limit_s} s"
    return answers, time.monotonic() - begin


def _received(connection: socket.socket) -> bytes:
    try:
        return connection.recv(65536)
    except BlockingIOError:
        return b""
    except OSError:
        return b""


def _send_byte(connection: socket.socket) -> None:
    try:
        connection.send(b" ")
    except OSError:
        pass  # Closed meanwhile; the next read finds that out.


@attack(finding=8, server=None)
def slow_bodies_are_ended_and_give_their_places_back(ground: Ground) -> None:
    options = ("--http-max-connections", str(PLACES))
    server: Server = ground.start(ground.folder(), *options, master_key=MASTER_KEY)
    server.write("POST", "/indexes/i/documents", [{"id": 1}])
    requests = [(path, server.search_key) for path in ("/indexes/i/search", "/multi-search", "/mcp")]
    requests.append(("/indexes/i/documents", MASTER_KEY))
    heads = [slow_head(*requests[number % len(requests)]) for number in range(PLACES + 20)]
    answers, _ = trickle(server.port, heads, LIMIT_S)
    for answer in answers:
        status = answer[9:12]
        # 503 for those that came when no place was left.
        assert not answer or status in (b"408", b"400", b"503"), answer[:300]
    expect.status(server.call("POST", "/indexes/i/search", {}, server.search_key), 200, what="afterwards")
    server.assert_healthy()
