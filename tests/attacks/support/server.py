"""A running server, with the requests that attacks make of it."""

import time
from pathlib import Path

from . import expect
from .process import Process
from .wire import TIMEOUT_S, Answer, packed, send

TASK_LIMIT_S = 120
UNFINISHED = ("enqueued", "processing")


class Server:
    """`key` is sent with every request that names no other one; `None` sends none."""

    def __init__(self, binary: Path, folder: Path, *options: str, master_key: str | None = None):
        environment = {"SONDE_MASTER_KEY": master_key} if master_key else {}
        self.process = Process(binary, folder, list(options), environment)
        self.folder = folder
        self.port = self.process.port
        self.key = master_key
        self.default_keys: dict[str, str] = {}
        if master_key:
            found = self.done("GET", "/keys")["results"]
            self.default_keys = {key["name"]: key["key"] for key in found}

    @property
    def search_key(self) -> str:
        """The key that front-ends publish."""
        return self.default_keys["Default Search API Key"]

    def call(
        self, method: str, path: str, body=None, key: str | None = "", headers=(), gzip=False, timeout_s=TIMEOUT_S
    ) -> Answer:
        """Sends a JSON body, or the bytes given, and returns the answer."""
        sent = list(headers)
        key = self.key if key == "" else key
        if key:
            sent.append(("Authorization", f"Bearer {key}"))
        if body is not None and not any(name.lower() == "content-type" for name, _ in sent):
            sent.append(("Content-Type", "application/json"))
        if gzip:
            sent.append(("Content-Encoding", "gzip"))
            body = packed(body)
        return send(self.port, method, path, body, sent, timeout_s)

    def done(self, method: str, path: str, body=None, **more):
        """Sends a request that must succeed."""
        answer = self.call(method, path, body, **more)
        expect.status(answer, 200, 201, 202, 204, what=f"{method} {path}")
        return answer.json if answer.body else None

    def write(self, method: str, path: str, body=None, **more) -> dict:
        """Sends a write, waits until its task has succeeded, and returns the task."""
        task = self.task_of(self.call(method, path, body, **more))
        assert task["status"] == "succeeded", f"{method} {path}: {task}"
        return task

    def task_of(self, answer: Answer) -> dict:
        """Waits until the task that the answer names has finished."""
        expect.status(answer, 200, 202)
        uid = answer.json["taskUid"]
        until = time.monotonic() + TASK_LIMIT_S
        while time.monotonic() < until:
            task = self.done("GET", f"/tasks/{uid}")
            if task["status"] not in UNFINISHED:
                return task
            time.sleep(0.02)
        raise AssertionError(f"task {uid} did not finish within {TASK_LIMIT_S} s")

    def tool(self, name: str, arguments: dict, key: str | None = "", gzip=False) -> Answer:
        """Calls a tool of `/mcp`."""
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        return self.mcp(message, "2025-11-25", key, gzip)

    def mcp(self, body, revision: str, key: str | None = "", gzip=False) -> Answer:
        return self.call("POST", "/mcp", body, key, [("MCP-Protocol-Version", revision)], gzip)

    def assert_healthy(self) -> None:
        assert self.process.exit_code is None, f"the process ended with {self.process.exit_code}"
        assert not self.process.panics(), self.process.panics()[0]
        expect.status(self.call("GET", "/health", key=None), 200, what="GET /health")
