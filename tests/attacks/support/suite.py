"""The list of attacks, and the run through them."""

import http.client
import time
from dataclasses import dataclass
from typing import Callable

from .ground import Ground
from .health import Health, Prober
from .process import MEMORY_LIMIT, DidNotStart
from .prober import BOUND_S
from .wire import requests_sent

# Other work on the machine can hold up one server and not the other. An attack that stalls the server does so every
# time.
ATTEMPTS = 4

_attacks: list["Attack"] = []


@dataclass
class Attack:
    finding: int
    server: str | None
    run: Callable

    @property
    def name(self) -> str:
        return f"{self.finding:02} {self.run.__name__}"


def attack(finding: int, server: str | None):
    """Registers a test for a finding of the security review.

    `server` is the shared server that it attacks and whose health is watched. A test without one is given the ground,
    and starts servers of its own.
    """

    def register(function: Callable) -> Callable:
        _attacks.append(Attack(finding, server, function))
        return function

    return register


class Suite:
    def __init__(self, ground: Ground, words: list[str]):
        self.ground = ground
        self.health = Health()
        self.attacks = [a for a in _attacks if not words or any(word in a.name for word in words)]
        self.attacks.sort(key=lambda a: a.finding)

    def run(self) -> int:
        failed = []
        begin = time.monotonic()
        with Prober() as prober:
            for attack in self.attacks:
                started = time.monotonic()
                problem = self._try(attack, prober)
                if problem:
                    failed.append(attack.name)
                took = f"{time.monotonic() - started:5.1f} s"
                print(f"{'FAILED' if problem else 'ok    '} {took}  {attack.name}", flush=True)
                if problem:
                    print(f"           {problem}", flush=True)
        self._summary(failed, time.monotonic() - begin)
        return 1 if failed or not self.attacks else 0

    def _try(self, attack: Attack, prober: Prober) -> str | None:
        late = []
        for _ in range(ATTEMPTS):
            problem, health = self._attempt(attack, prober)
            self.health.add(health)
            if problem or health.is_good():
                return problem
            late.append(str(health))
        return f"/health did not answer in time in {ATTEMPTS} attempts: {'; '.join(late)}"

    def _attempt(self, attack: Attack, prober: Prober) -> tuple[str | None, Health]:
        health = Health()
        try:
            if attack.server is None:
                attack.run(self.ground)
            else:
                server = getattr(self.ground, attack.server)
                problem = None
                with prober.watching(server, health):
                    problem = _problem_of(attack.run, server)
                return problem or _problem_of(type(server).assert_healthy, server), health
        except DidNotStart as error:
            return f"a server did not start: {str(error)[-2000:]}", health
        except (AssertionError, OSError, http.client.HTTPException) as error:
            return _described(error), health
        finally:
            self.ground.clear()
        return None, health

    def _summary(self, failed: list[str], seconds: float) -> None:
        health = self.health
        share = 100 * health.late / max(1, health.probes)
        counts = f"{len(self.attacks)} tests, {len(failed)} failed, {requests_sent()} requests"
        print(f"\nattacks: {counts}, {seconds:.0f} s")
        print(f"memory: at most {health.peak_bytes / 1e6:.0f} MB of {MEMORY_LIMIT / 1e6:.0f} MB beside files")
        print(
            f"health: {health.probes} answers, {health.unanswered} missing, {health.late} later than"
            f" {BOUND_S * 1000:.0f} ms ({share:.2f} %), slowest {health.slowest_s * 1000:.0f} ms"
            f" ({health.slowest_raw_s * 1000:.0f} ms with the delay of the machine)"
        )
        for name in failed:
            print(f"failed: {name}")


def _problem_of(action: Callable, server) -> str | None:
    try:
        action(server)
    except (AssertionError, OSError, http.client.HTTPException) as error:
        # Connections of a process that dies are closed a moment before it is gone.
        code = server.process.exit_code if isinstance(error, AssertionError) else server.process.exit_code_soon()
        ended = "" if code is None else f"the process ended with {code}: {server.process.log()[-400:].strip()} / "
        return ended + _described(error)
    return None


def _described(error: BaseException) -> str:
    text = f"{error}" if isinstance(error, AssertionError) else f"{type(error).__name__}: {error}"
    return text[:1500] or type(error).__name__
