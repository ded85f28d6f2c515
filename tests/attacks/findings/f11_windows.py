"""Finding 11: decoders of zstd kept windows of 128 MiB, and open uploads were not counted."""

import socket
import time

from support import expect, zstd
from support.server import Server
from support.suite import attack
from support.wire import count_request

UPLOADS = 40
# Each of them becomes this much, in 640 bytes on the wire.
BYTES = 20 * 1024 * 1024
PATH = "/indexes/uploads/documents"


def upload_head(key: str, length: int) -> bytes:
    lines = [
        f"POST {PATH} HTTP/1.1",
        "Host: localhost",
        f"Authorization: Bearer {key}",
        "Content-Type: application/json",
        "Content-Encoding: zstd",
        f"Content-Length: {length}",
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


@attack(finding=11, server="keyed")
def windows_over_8_mib_are_refused(server: Server) -> None:
    document = b'[{"id": 1, "t": "salt"}]'
    headers = [("Content-Encoding", "zstd")]
    small = server.call("POST", PATH, zstd.raw_frame(document, 23), headers=headers)
    assert server.task_of(small)["status"] == "succeeded"
    for window_log in (24, 27, 30):
        frame = zstd.raw_frame(document, window_log)
        answer = server.call("POST", PATH, frame, headers=headers)
        expect.status(answer, 400, what=f"a window of 2^{window_log} bytes")
        search = server.call("POST", "/indexes/words/search", zstd.raw_frame(b"{}", window_log), headers=headers)
        expect.status(search, 400, what=f"a search with a window of 2^{window_log} bytes")


@attack(finding=11, server="keyed")
def forty_open_uploads_stay_within_memory(server: Server) -> None:
    for window_log in (23, 27):
        content = zstd.header(window_log) + zstd.repeated_bytes(b" ", BYTES)
        connections = []
        try:
            for _ in range(UPLOADS):
                count_request()
                connection = socket.create_connection(("127.0.0.1", server.port))
                connections.append(connection)
                # One byte is missing in the end, so the upload stays open.
                connection.sendall(upload_head(server.key, len(content) + 1) + content)
            time.sleep(2)
            expect.status(server.call("POST", "/indexes/words/search", {"limit": 1}), 200, what="a search meanwhile")
        finally:
            for connection in connections:
                connection.close()
