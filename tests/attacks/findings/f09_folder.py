"""Finding 9: every user of the machine could read the data folder."""

import os
import stat

from support.server import Server
from support.suite import attack

FOR_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@attack(finding=9, server="keyed")
def other_users_cannot_read_the_data_folder(server: Server) -> None:
    # A payload that is too large to stay in memory, a dump, and a second segment.
    server.write("POST", "/indexes/words/documents", [{"id": 100_000, "t": "word " * 1_000_000}], gzip=True)
    server.write("DELETE", "/indexes/words/documents/100000")
    data = server.folder / "data"
    paths = [data]
    for folder, folders, files in os.walk(data):
        paths += [type(data)(folder) / name for name in folders + files]
    assert len(paths) > 5, paths
    opened = []
    for path in paths:
        try:
            mode = stat.S_IMODE(path.lstat().st_mode)
        except FileNotFoundError:
            continue  # Files of merges and payloads come and go.
        if mode & FOR_OTHERS:
            opened.append(f"{path.relative_to(server.folder)} {mode:04o}")
    assert not opened, f"{len(opened)} of {len(paths)} are open to others: {', '.join(opened[:8])}"
