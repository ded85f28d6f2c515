"""Requests over real sockets, and their answers. Headers are sent as given, so that a request can be wrong."""

import gzip
import http.client
import json
import threading
import time
from dataclasses import dataclass

# Far more than a request may take; an attack that needs this long has succeeded.
TIMEOUT_S = 60

_count_lock = threading.Lock()
_count = 0


@dataclass
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes
    seconds: float

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self) -> str | None:
        try:
            found = self.json
        except ValueError:
            return None
        return found.get("code") if isinstance(found, dict) else None

    def __str__(self) -> str:
        return f"{self.status} after {self.seconds:.2f} s: {self.body[:300].decode(errors='replace')}"


def requests_sent() -> int:
    return _count


def count_request() -> None:
    global _count
    with _count_lock:
        _count += 1


def packed(body) -> bytes:
    """The body as gzip, as an attacker would send it: the same effect for a thousandth of the bytes."""
    return gzip.compress(encoded(body), compresslevel=6)


def encoded(body) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()


def send(port: int, method: str, path: str, body=None, headers=(), timeout_s: float = TIMEOUT_S) -> Answer:
    """Sends a request on a new connection. A `Host` in `headers` takes the place of the usual one."""
    count_request()
    content = None if body is None else encoded(body)
    headers = list(headers)
    begin = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout_s)
    try:
        named = any(name.lower() == "host" for name, _ in headers)
        connection.putrequest(method, path, skip_host=named, skip_accept_encoding=True)
        for name, value in headers:
            connection.putheader(name, value)
        if content is not None:
            connection.putheader("Content-Length", str(len(content)))
        elif method in ("POST", "PUT", "PATCH"):
            connection.putheader("Content-Length", "0")
        try:
            connection.endheaders(content)
        except (BrokenPipeError, ConnectionResetError):
            pass  # The server may refuse a body before it has read all of it; its answer is still there.
        response = connection.getresponse()
        found = response.read()
        return Answer(response.status, response.headers, found, time.monotonic() - begin)
    finally:
        connection.close()


def together(count: int, action) -> list:
    """Runs `action(number)` on as many threads at once. A request that failed leaves its error as the result."""
    results: list = [None] * count
    gate = threading.Barrier(count)

    def run(number: int) -> None:
        gate.wait()
        try:
            results[number] = action(number)
        except (OSError, http.client.HTTPException) as error:
            results[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
