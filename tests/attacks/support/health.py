"""The watch over the health of the server under attack."""

import json
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .server import Server


@dataclass
class Health:
    """Times are those beyond what the machine itself took, see prober.py."""

    probes: int = 0
    unanswered: int = 0
    late: int = 0
    slowest_s: float = 0.0
    slowest_raw_s: float = 0.0
    peak_bytes: int = 0

    def is_good(self) -> bool:
        return not self.late and not self.unanswered

    def __str__(self) -> str:
        return (
            f"{self.late} of {self.probes} answers were late and {self.unanswered} missing,"
            f" the slowest took {self.slowest_s * 1000:.0f} ms"
        )

    def add(self, other: "Health") -> None:
        self.probes += other.probes
        self.unanswered += other.unanswered
        self.late += other.late
        self.slowest_s = max(self.slowest_s, other.slowest_s)
        self.slowest_raw_s = max(self.slowest_raw_s, other.slowest_raw_s)
        self.peak_bytes = max(self.peak_bytes, other.peak_bytes)


class Prober:
    def __enter__(self) -> "Prober":
        self._process = subprocess.Popen(
            [sys.executable, "-B", str(Path(__file__).with_name("prober.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *_) -> None:
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    @contextmanager
    def watching(self, server: Server, health: Health):
        """Watches the server while the block runs, and adds what was seen to `health`."""
        self._say(f"watch {server.port} {server.process.pid}")
        try:
            yield
        finally:
            self._say("end")
            health.add(Health(**json.loads(self._process.stdout.readline())))

    def _say(self, line: str) -> None:
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
