"""The servers that attacks share. Each starts when it is first needed, and again after an attack has ended it."""

import itertools
from pathlib import Path

from .fixtures import fill_keyed, fill_open
from .server import Server

MASTER_KEY = "master-key-of-the-attack-suite"


class Ground:
    def __init__(self, binary: Path, scratch: Path):
        self.binary = binary
        self._scratch = scratch
        self._numbers = itertools.count()
        self._shared: dict[str, Server] = {}
        self._own: list[Server] = []

    def __enter__(self) -> "Ground":
        return self

    def __exit__(self, *_) -> None:
        self.clear()
        for server in self._shared.values():
            server.process.stop()

    @property
    def keyed(self) -> Server:
        """A server with a master key, features that are off by default, and the indexes of fixtures.py."""
        return self._shared_server("keyed", fill_keyed, MASTER_KEY)

    @property
    def open(self) -> Server:
        """A server without a master key."""
        return self._shared_server("open", fill_open, None)

    def folder(self) -> Path:
        return self._scratch / str(next(self._numbers))

    def start(self, folder: Path, *options: str, master_key: str | None = None) -> Server:
        """Starts a server for one test. It ends with the test."""
        server = Server(self.binary, folder, *options, master_key=master_key)
        self._own.append(server)
        return server

    def clear(self) -> None:
        for server in self._own:
            if server.process.exit_code is None:
                server.process.stop()
        self._own.clear()

    def _shared_server(self, name: str, fill, master_key: str | None) -> Server:
        server = self._shared.get(name)
        if server is None or server.process.exit_code is not None:
            server = Server(self.binary, self.folder(), master_key=master_key)
            self._shared[name] = server
            fill(server)
        return server
