"""Finding 14, files: a truncated file ended the process, and verify called the leftovers of a crash damage."""

import shutil
import subprocess
import threading
import time
import uuid
from pathlib import Path

from support import expect
from support.ground import MASTER_KEY, Ground
from support.server import Server
from support.suite import attack

ROUNDS = 3
VERIFY_LIMIT_S = 60
CLEAR_LIMIT_S = 20


def documents(count: int) -> list[dict]:
    return [{"id": number, "t": f"salt {uuid.UUID(int=number * 7919)}", "n": number} for number in range(count)]


def index_folders(server: Server) -> set[Path]:
    return set((server.folder / "data" / "indexes").iterdir())


def verify(ground: Ground, folder: Path) -> None:
    command = [ground.binary, "verify", "--db-path", folder / "data"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=VERIFY_LIMIT_S, cwd=folder)
    assert ended.returncode == 0, f"verify ended with {ended.returncode}: {ended.stdout}{ended.stderr}"


@attack(finding=14, server=None)
def a_truncated_file_fails_the_search_and_not_the_process(ground: Ground) -> None:
    server = ground.start(ground.folder(), master_key=MASTER_KEY)
    settings = {"filterableAttributes": ["n"], "sortableAttributes": ["n"]}
    for uid in ("sound", "victim"):
        before = index_folders(server) if uid == "victim" else set()
        server.done("PATCH", f"/indexes/{uid}/settings", settings)
        server.write("POST", f"/indexes/{uid}/documents", documents(3000))
    (victim,) = index_folders(server) - before
    body = {"q": "salt", "filter": "n > 10", "sort": ["n:desc"], "attributesToHighlight": ["t"]}
    expect.status(server.call("POST", "/indexes/victim/search", body), 200)
    files = [path for path in victim.rglob("*") if path.is_file() and path.stat().st_size > 4096]
    assert files, list(victim.rglob("*"))
    for path in files:
        with path.open("r+b") as file:
            file.truncate(0)
    for body in (body, {"q": "salt"}, {"filter": "n > 10"}, {"sort": ["n:asc"]}):
        answer = server.call("POST", "/indexes/victim/search", body)
        assert answer.status >= 400, f"a truncated index answers: {answer}"
        found = expect.status(server.call("POST", "/indexes/sound/search", body), 200, what="the other index")
        assert found.json["hits"], found
    for path in ("/indexes/victim/documents", "/indexes/victim/documents/1"):
        assert server.call("GET", path).status >= 400, path
    server.assert_healthy()


@attack(finding=14, server=None)
def verify_finds_nothing_wrong_after_kill_9(ground: Ground) -> None:
    folder = ground.folder()
    for _ in range(ROUNDS):
        server = ground.start(folder, master_key=MASTER_KEY)
        over = threading.Event()
        threads = [threading.Thread(target=churn, args=(server, number, over)) for number in range(4)]
        for thread in threads:
            thread.start()
        server.write("POST", "/indexes/kept/documents", documents(50))
        server.process.kill()
        over.set()
        for thread in threads:
            thread.join()
        verify(ground, folder)


def churn(server: Server, number: int, over: threading.Event) -> None:
    """Creates, fills and deletes indexes until the server is gone."""
    round = 0
    while not over.is_set():
        uid = f"churn-{number}-{round % 5}"
        round += 1
        try:
            server.call("POST", f"/indexes/{uid}/documents", documents(5))
            server.call("DELETE", f"/indexes/{uid}")
        except Exception:  # Killed in the middle, an answer can be anything.
            return


@attack(finding=14, server=None)
def verify_takes_unfinished_creations_for_what_they_are(ground: Ground) -> None:
    folder = ground.folder()
    server = ground.start(folder, master_key=MASTER_KEY)
    server.write("POST", "/indexes/kept/documents", documents(50))
    (kept,) = index_folders(server)
    server.process.kill()
    # A creation or deletion that a crash interrupted leaves a folder that no index has, with or without files.
    copy = kept.with_name(str(uuid.uuid4()))
    shutil.copytree(kept, copy)
    kept.with_name(str(uuid.uuid4())).mkdir()
    verify(ground, folder)
    server = ground.start(folder, master_key=MASTER_KEY)
    # A folder with documents is left to the operator. The other one goes in the background.
    until = time.monotonic() + CLEAR_LIMIT_S
    while index_folders(server) != {kept, copy}:
        assert time.monotonic() < until, "the start did not clear the empty folder"
        time.sleep(0.05)
