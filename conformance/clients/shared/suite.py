"""Runs the cases of one client in order and keeps account of its methods.

A case names the methods it checks; it fails when one of them was not called. A public method that no case
names fails the suite, so that a new version of the client shows what is missing here.
"""

import asyncio
import functools
import inspect
import json
import os
import time
import traceback
from importlib.metadata import version
from pathlib import Path

CASE_LIMIT_S = 120

LIBRARY = json.loads((Path(__file__).parent / "library.json").read_text())
BOOKS = LIBRARY["books"]
BOOKS_WITH_VECTORS = [{**book, "_vectors": {"manual": LIBRARY["vectors"][str(book["id"])]}} for book in BOOKS]

URL = os.environ["SONDE_URL"]
OTHER_URL = os.environ["SONDE_OTHER_URL"]
MASTER_KEY = os.environ["SONDE_MASTER_KEY"]
PROVIDER_URL = os.environ["PROVIDER_URL"]
FOLDER = Path(os.environ["SONDE_FOLDER"])


class Suite:
    def __init__(self, client: str, package: str | None = None, version_text: str | None = None):
        """The version is that of a Python package, or is told."""
        self.client = client
        self.version = version_text or version(package)
        self._cases = []
        self._surface: set[str] = set()
        self._called: set[str] = set()
        self._methods: dict[str, dict] = {}

    def watch(self, name: str, owner: type) -> None:
        """Counts the public methods of a class, inherited ones included, and notes when they are called."""
        for method in [each for each in dir(owner) if not each.startswith("_")]:
            kind = inspect.getattr_static(owner, method)
            inner = kind.__func__ if isinstance(kind, (staticmethod, classmethod)) else kind
            if not inspect.isfunction(inner):
                continue
            label = f"{name}.{method}"
            self._surface.add(label)
            wrapped = self._noting(label, inner)
            # Where it is defined: some classes look whether a subclass has a method of its own.
            definer = next(base for base in owner.__mro__ if method in vars(base))
            setattr(definer, method, wrapped if inner is kind else type(kind)(wrapped))

    def expect(self, *labels: str) -> None:
        """Counts what is called by name, as the tools of a server are."""
        self._surface.update(labels)

    def note_call(self, label: str) -> None:
        self._called.add(label)

    def _noting(self, label: str, function):
        @functools.wraps(function)
        def noting(*args, **kwargs):
            self._called.add(label)
            return function(*args, **kwargs)

        return noting

    def case(self, *methods: str):
        """Decorates a case, which may be asynchronous."""

        def keep(body):
            self._cases.append((methods, body, None))
            return body

        return keep

    def refused(self, method: str, reason: str):
        """Decorates the case of a method that no server of this interface can satisfy: it checks how the
        method is refused."""

        def keep(body):
            self._cases.append(((method,), body, reason))
            return body

        return keep

    async def run(self) -> None:
        for methods, body, reason in self._cases:
            started = time.monotonic()
            failure = await self._failure(methods, body)
            if os.environ.get("TIMES"):
                print(f"{round((time.monotonic() - started) * 1000)} ms: {', '.join(methods)}")
            for method in methods:
                self._note(method, failure, reason)
        for method in self._surface - self._methods.keys():
            self._note(method, "no case calls it", None)
        self._write()

    async def _failure(self, methods, body) -> str | None:
        self._called.clear()
        try:
            result = body()
            if inspect.isawaitable(result):
                await asyncio.wait_for(result, CASE_LIMIT_S)
        except Exception as error:
            return _described(error)
        missed = [method for method in methods if method in self._surface and method not in self._called]
        return f"the case did not call {', '.join(missed)}" if missed else None

    def _note(self, method: str, failure: str | None, reason: str | None) -> None:
        if self._methods.get(method, {}).get("status") == "failed":
            return
        status = "failed" if failure else "refused" if reason else "passed"
        self._methods[method] = {"name": method, "status": status, "reason": failure or reason}

    def _write(self) -> None:
        methods = [self._methods[name] for name in sorted(self._methods)]
        report = {"client": self.client, "version": self.version, "cases": len(self._cases), "methods": methods}
        Path(os.environ["RESULTS"]).write_text(json.dumps(report))


def _described(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "site-packages" not in frame.filename and frame.filename != __file__]
    place = f" [{Path(own[-1].filename).name}:{own[-1].lineno}]" if own else ""
    text = f"{type(error).__name__}: {error}"
    return " ".join(text.split())[:400] + place


def equal(found, expected) -> None:
    """Like `assert`, and tells both sides; of objects only the members that differ."""
    if found == expected:
        return
    if isinstance(found, dict) and isinstance(expected, dict):
        names = [name for name in {**found, **expected} if found.get(name, ...) != expected.get(name, ...)]
        found = {name: found[name] for name in names if name in found}
        expected = {name: expected[name] for name in names if name in expected}
    raise AssertionError(f"found {found!r}, expected {expected!r}")


def sorts_equal(found, expected) -> None:
    equal(sorted(found), sorted(expected))


def told(hook: str, task_uid: int) -> dict:
    """The call of a webhook that told of a task. It comes after the task is done."""
    import urllib.request

    for _ in range(2000):
        with urllib.request.urlopen(f"{PROVIDER_URL}/hook/{hook}") as answer:
            for call in json.load(answer):
                if any(task["uid"] == task_uid for task in call["tasks"]):
                    return call
        time.sleep(0.025)
    raise AssertionError(f"the webhook was not told of task {task_uid}")
