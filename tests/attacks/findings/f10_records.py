"""Finding 10: damage in the stored network and features was served, or switched every feature off."""

import subprocess
from pathlib import Path

from support.ground import MASTER_KEY, Ground
from support.process import DidNotStart
from support.suite import attack

REMOTE = "http://north.example:7700"
REMOTE_KEY = "key-that-goes-to-the-remote"
VERIFY_LIMIT_S = 60


def stopped_server(ground: Ground) -> Path:
    """The folder of a server that has stored a network and features, and was stopped."""
    folder = ground.folder()
    server = ground.start(folder, master_key=MASTER_KEY)
    server.done("PATCH", "/experimental-features", {"network": True, "containsFilter": True})
    remote = {"url": REMOTE, "searchApiKey": REMOTE_KEY}
    server.done("PATCH", "/network", {"self": "here", "remotes": {"north": remote, "here": {"url": REMOTE}}})
    server.process.stop()
    return folder


def flip(folder: Path, text: str) -> bytes:
    """Changes the last letter of the text wherever the file has it, and returns the file as it was."""
    path = folder / "data" / "meta.redb"
    before = path.read_bytes()
    sound = text.encode()
    assert sound in before, f"meta.redb does not hold {text}"
    path.write_bytes(before.replace(sound, sound[:-1] + bytes([sound[-1] ^ 1])))
    return before


@attack(finding=10, server=None)
def damaged_records_stop_the_start_by_name(ground: Ground) -> None:
    folder = stopped_server(ground)
    records = {"http://north.example": "network", REMOTE_KEY: "network", "containsFilter": "features"}
    for text, record in records.items():
        before = flip(folder, text)
        try:
            server = ground.start(folder, master_key=MASTER_KEY)
        except DidNotStart as error:
            assert record in str(error).lower(), f"the message does not name the {record}: {error}"
            assert "panicked" not in str(error), error
        else:
            shown = [server.done("GET", path) for path in ("/network", "/experimental-features")]
            server.process.stop()
            raise AssertionError(f"the server started with a damaged {text}: {shown}")
        command = [ground.binary, "verify", "--db-path", folder / "data"]
        verified = subprocess.run(command, capture_output=True, text=True, timeout=VERIFY_LIMIT_S, cwd=folder)
        assert verified.returncode == 1, f"verify ended with {verified.returncode}: {verified.stdout}{verified.stderr}"
        assert "panicked" not in verified.stderr, verified.stderr
        (folder / "data" / "meta.redb").write_bytes(before)
    # With the sound file it starts again.
    server = ground.start(folder, master_key=MASTER_KEY)
    assert server.done("GET", "/network")["remotes"]["north"]["url"] == REMOTE
    assert server.done("GET", "/experimental-features")["containsFilter"]
