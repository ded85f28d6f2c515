"""Asks `GET /health` again and again, as a process of its own so that the attacks do not slow it down.

Beside it, the same request goes to a tiny server that does nothing else. A machine that is busy with other work keeps
both waiting; only the time that the server under attack takes beyond the tiny one counts.

Reads `watch PORT PID` and `end` from stdin, one a line; answers each `end` with one line of JSON.
"""

import json
import os
import socket
import sys
import threading
import time
from dataclasses import dataclass, field

BOUND_S = 0.1
PAUSE_S = 0.05
GIVE_UP_S = 30
REQUEST = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
REPLY = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


@dataclass
class Probe:
    begin: float
    seconds: float
    answered: bool


@dataclass
class Watch:
    port: int
    pid: int
    health: list[Probe] = field(default_factory=list)
    control: list[Probe] = field(default_factory=list)
    peak_bytes: int = 0
    over: threading.Event = field(default_factory=threading.Event)

    def start(self, control_port: int) -> None:
        self.threads = [
            threading.Thread(target=self._ask, args=(self.port, self.health, PAUSE_S, True)),
            threading.Thread(target=self._ask, args=(control_port, self.control, PAUSE_S / 4, False)),
        ]
        for thread in self.threads:
            thread.start()

    def end(self) -> dict:
        self.over.set()
        for thread in self.threads:
            thread.join()
        beyond = [(self._beyond_control(probe), probe) for probe in self.health]
        return {
            "probes": len(self.health),
            "unanswered": sum(not probe.answered for probe in self.health),
            "late": sum(seconds > BOUND_S for seconds, _ in beyond),
            "slowest_s": max((seconds for seconds, _ in beyond), default=0.0),
            "slowest_raw_s": max((probe.seconds for probe in self.health), default=0.0),
            "peak_bytes": self.peak_bytes,
        }

    def _ask(self, port: int, into: list[Probe], pause_s: float, measure: bool) -> None:
        while not self.over.is_set():
            into.append(probe(port))
            if measure:
                self.peak_bytes = max(self.peak_bytes, anonymous_bytes(self.pid))
            self.over.wait(pause_s)

    def _beyond_control(self, asked: Probe) -> float:
        end = asked.begin + asked.seconds
        meanwhile = [c.seconds for c in self.control if c.begin < end and c.begin + c.seconds > asked.begin]
        return max(0.0, asked.seconds - max(meanwhile, default=0.0))


def probe(port: int) -> Probe:
    begin = time.monotonic()
    answer = b""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=GIVE_UP_S) as connection:
            connection.sendall(REQUEST)
            while chunk := connection.recv(4096):
                answer += chunk
    except OSError:
        answer = b""
    return Probe(begin, time.monotonic() - begin, answer.startswith(b"HTTP/1.1 200"))


def anonymous_bytes(pid: int) -> int:
    """Memory in use that is not a file."""
    try:
        with open(f"/proc/{pid}/status") as status:
            for line in status:
                if line.startswith("RssAnon:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def start_control() -> int:
    """Forks the tiny server and returns its port. It ends when this process closes its end of the pipe."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    alive, held = os.pipe()
    if os.fork() == 0:
        os.close(held)
        threading.Thread(target=lambda: (os.read(alive, 1), os._exit(0)), daemon=True).start()
        serve_control(listener)
    os.close(alive)
    port = listener.getsockname()[1]
    listener.close()
    return port


def serve_control(listener: socket.socket) -> None:
    while True:
        connection, _ = listener.accept()
        with connection:
            try:
                connection.recv(4096)
                connection.sendall(REPLY)
            except OSError:
                continue


def main() -> None:
    control_port = start_control()
    watch = None
    for line in sys.stdin:
        match line.split():
            case ["watch", port, pid]:
                watch = Watch(int(port), int(pid))
                watch.start(control_port)
            case ["end"] if watch:
                print(json.dumps(watch.end()), flush=True)
                watch = None


if __name__ == "__main__":
    main()
