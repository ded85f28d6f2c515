"""A server for one suite: free loopback port, master key, new data folder, gone at the end."""

import os
import re
import subprocess
import threading
from pathlib import Path

MASTER_KEY = "master-key-of-the-client-suites"
START_LIMIT_S = 120
STOP_LIMIT_S = 60


class Server:
    master_key = MASTER_KEY

    def __init__(self, binary: Path, folder: Path):
        self.binary = binary
        self.folder = folder
        self._listening = threading.Event()
        self._log: list[str] = []

    def __enter__(self) -> "Server":
        self.folder.mkdir(parents=True)
        self._process = subprocess.Popen(
            [
                self.binary,
                "--no-analytics",
                *("--db-path", self.folder / "data"),
                *("--dump-dir", self.folder / "dumps"),
                *("--snapshot-dir", self.folder / "snapshots"),
                *("--http-addr", "127.0.0.1:0"),
                *("--experimental-allowed-ip-networks", "127.0.0.0/8"),
            ],
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "SONDE_MASTER_KEY": MASTER_KEY},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if not self._listening.wait(START_LIMIT_S) or not self.url:
            self._process.kill()
            raise RuntimeError("the server did not start:\n" + "".join(self._log[-20:]))
        return self

    def __exit__(self, *_) -> None:
        self._process.terminate()
        try:
            self._process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def problem(self) -> str | None:
        """What is wrong with the server itself, whatever its answers were."""
        code = self._process.poll()
        if code is not None:
            return f"the server ended with {code}"
        panics = [line.strip() for line in self._log if "panicked" in line]
        return panics[0] if panics else None

    def _read(self) -> None:
        self.url = ""
        for line in self._process.stderr:
            self._log.append(line)
            found = re.search(r"Server listening on:\s+(\S+)", line)
            if found:
                self.url = found[1].strip('"')
                self._listening.set()
        self._listening.set()
