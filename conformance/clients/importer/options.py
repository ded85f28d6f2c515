"""What the command is given and what the index holds then."""

import itertools
import json
import os
import subprocess
import time
import urllib.request
from pathlib import Path

from suite import BOOKS, MASTER_KEY, URL, equal

LIMIT_S = 60
_names = itertools.count()


class Import:
    """Runs the command into a new index."""

    def __init__(self, suite, command: str):
        self.suite = suite
        self.command = command

    def __call__(self, *words: str, index: str | None = None, data: str | None = None, fails: bool = False) -> str:
        index = index or f"imported-{next(_names)}"
        given = ["--url", URL, "--index", index, "--api-key", MASTER_KEY, *words]
        for word in given:
            self.suite.note_call(word)
        ended = subprocess.run([self.command, *given], input=data, capture_output=True, text=True, timeout=LIMIT_S)
        assert ended.returncode == 0, ended.stderr[-300:]
        _settle(index)
        if not fails:
            equal(failures(index), [])
        return index


def _get(path: str):
    request = urllib.request.Request(URL + path, headers={"Authorization": f"Bearer {MASTER_KEY}"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def _settle(index: str) -> None:
    """The command does not wait for the tasks it makes."""
    until = time.monotonic() + LIMIT_S
    while _get(f"/tasks?indexUids={index}&statuses=enqueued,processing")["total"]:
        assert time.monotonic() < until, "the tasks do not end"
        time.sleep(0.02)


def failures(index: str) -> list[str]:
    return [task["error"]["code"] for task in _get(f"/tasks?indexUids={index}&statuses=failed")["results"]]


def documents(index: str) -> list:
    return _get(f"/indexes/{index}/documents?limit=10000")["results"]


def batches(index: str) -> int:
    return _get(f"/tasks?indexUids={index}")["total"]


def written(name: str, text: str) -> str:
    path = Path(os.environ["TMPDIR"]) / name
    path.write_text(text)
    return str(path)


def cases(suite, run: Import) -> None:
    lines = "".join(json.dumps({"id": number, "text": "x" * 90}) + "\n" for number in range(200))

    @suite.case("--url", "--index", "--api-key", "--files")
    def _():
        index = run("--files", written("books.json", json.dumps(BOOKS)))
        equal(documents(index), BOOKS)

    @suite.case("--batch-size", "--jobs")
    def _():
        index = run("--files", written("many.ndjson", lines), "--batch-size", "2 KiB", "--jobs", "3")
        equal(sorted(found["id"] for found in documents(index)), list(range(200)))
        assert batches(index) > 5, "it was sent at once"

    @suite.case("--primary-key")
    def _():
        table = written("table.csv", "code,id,name\na,1,Salt\nb,1,Copper\n")
        index = run("--files", table, "--primary-key", "code")
        equal(documents(index), [{"code": "a", "id": "1", "name": "Salt"}, {"code": "b", "id": "1", "name": "Copper"}])

    @suite.refused("--csv-delimiter", "the package writes what it sends with the delimiter and does not tell the server of it")
    def _():
        table = written("delimited.csv", "id,name\n1,Salt\n")
        index = run("--files", table, "--csv-delimiter", str(ord(";")), "--primary-key", "id", fails=True)
        equal(failures(index), ["missing_document_id"])

    @suite.case("--format")
    def _():
        index = run("--files", written("table.txt", "id,name\n1,Salt\n"), "--format", "csv")
        equal(documents(index), [{"id": "1", "name": "Salt"}])

    @suite.case("--stdin")
    def _():
        index = run("--stdin", "ndjson", data='{"id": 1}\n{"id": 2}\n')
        equal(documents(index), [{"id": 1}, {"id": 2}])

    @suite.case("--upload-operation")
    def _():
        index = run("--files", written("first.json", '[{"id": 1, "a": 1}]'))
        run("--files", written("second.json", '[{"id": 1, "b": 2}]'), "--upload-operation", "add-or-update", index=index)
        equal(documents(index), [{"id": 1, "a": 1, "b": 2}])
        run("--files", written("third.json", '[{"id": 1, "c": 3}]'), "--upload-operation", "add-or-replace", index=index)
        equal(documents(index), [{"id": 1, "c": 3}])

    @suite.refused("--skip-batches", "the package compares it with the number of all batches and then sends none of them")
    def _():
        many = written("skipped.ndjson", lines)
        index = run("--files", many, "--batch-size", "2 KiB", "--skip-batches", "2")
        equal(batches(index), 0)
