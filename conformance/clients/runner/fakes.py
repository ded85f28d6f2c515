"""What the server calls during a suite: a provider of chat completions and a receiver of webhooks."""

import gzip
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Provider:
    """POST /chat/completions streams a fixed answer; POST /hook/NAME keeps the tasks it is told,
    GET /hook/NAME lists them."""

    def __enter__(self) -> "Provider":
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.told = {}
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_) -> None:
        self._server.shutdown()
        self._server.server_close()


ANSWER = ["The ", "harbour ", "is ", "quiet."]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self._body()
        if self.path.endswith("/chat/completions"):
            self._stream(json.loads(body))
        elif self.path.startswith("/hook/"):
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            call = {
                "authorization": self.headers.get("Authorization"),
                "tasks": [json.loads(line) for line in body.splitlines()],
            }
            self.server.told.setdefault(self.path, []).append(call)
            self._json({})
        else:
            self.send_error(404)

    def do_GET(self) -> None:
        self._json(self.server.told.get(self.path, []))

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _stream(self, request: dict) -> None:
        deltas = [{"role": "assistant", "content": ""}, *({"content": text} for text in ANSWER)]
        chunks = [_chunk(request["model"], delta, None) for delta in deltas]
        chunks.append(_chunk(request["model"], {}, "stop"))
        events = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
        self._send("text/event-stream", events.encode())

    def _json(self, value) -> None:
        self._send("application/json", json.dumps(value).encode())

    def _send(self, content_type: str, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_) -> None:
        pass


def _chunk(model: str, delta: dict, finish: str | None) -> dict:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "chat-1", "object": "chat.completion.chunk", "created": 1, "model": model, "choices": [choice]}
