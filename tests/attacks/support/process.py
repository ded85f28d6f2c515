"""The process of a server, under its limit of memory."""

import os
import re
import resource
import subprocess
import threading
from pathlib import Path

# All memory that is not a file: heap, stacks and private writable maps, which is what Linux counts for RLIMIT_DATA.
# RLIMIT_AS also counts mapped files and address ranges that are merely reserved; an idle server has 1 GB of those.
MEMORY_LIMIT = 1_000_000_000
START_LIMIT_S = 60
STOP_LIMIT_S = 60


class DidNotStart(Exception):
    """Holds what the process wrote before it ended."""


class Process:
    def __init__(self, binary: Path, folder: Path, options: list[str], environment: dict[str, str]):
        self.folder = folder
        self._log: list[str] = []
        self._listening = threading.Event()
        self.port = 0
        folder.mkdir(parents=True, exist_ok=True)
        self._process = subprocess.Popen(
            [
                binary,
                "--no-analytics",
                *("--db-path", folder / "data"),
                *("--dump-dir", folder / "dumps"),
                *("--snapshot-dir", folder / "snapshots"),
                *("--http-addr", "127.0.0.1:0"),
                # The default follows from the memory of the machine, of which this process may use a part only.
                *("--max-indexing-memory", "200MiB"),
                *options,
            ],
            cwd=folder,
            env={"PATH": os.environ["PATH"], "HOME": str(folder), **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            umask=0o022,
            preexec_fn=_limit,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if not self._listening.wait(START_LIMIT_S) or not self.port:
            self.kill()
            raise DidNotStart(self.log())

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        return self._process.poll()

    def exit_code_soon(self) -> int | None:
        try:
            return self._process.wait(1)
        except subprocess.TimeoutExpired:
            return None

    def log(self) -> str:
        return "".join(self._log)

    def panics(self) -> list[str]:
        return [line.strip() for line in self._log if "panicked" in line]

    def stop(self) -> None:
        """Ends the process the ordinary way."""
        self._process.terminate()
        try:
            self._process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self.kill()
        self._reader.join()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()

    def _read(self) -> None:
        for line in self._process.stderr:
            self._log.append(line)
            found = re.search(r"Server listening on:\s+\S+:(\d+)", line)
            if found:
                self.port = int(found[1])
                self._listening.set()
        self._process.stderr.close()
        self._listening.set()


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_LIMIT, MEMORY_LIMIT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
