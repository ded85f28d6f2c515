"""Finding 6: the default key for reading showed the key for everything, and could start exports."""

from support import expect
from support.server import Server
from support.suite import attack

READ_ONLY = "Default Read-Only Admin API Key"


@attack(finding=6, server="keyed")
def a_key_for_reading_sees_no_value_of_a_stronger_key(server: Server) -> None:
    admin = server.default_keys["Default Admin API Key"]
    reader = server.default_keys[READ_ONLY]
    listed = expect.status(server.call("GET", "/keys", key=reader), 200)
    expect.absent(admin, listed, what="GET /keys")
    for shown in listed.json["results"]:
        single = expect.status(server.call("GET", f"/keys/{shown['uid']}", key=reader), 200)
        expect.absent(admin, single, what=f"GET /keys/{shown['uid']}")
    # The holder of everything still sees it.
    assert admin.encode() in server.call("GET", "/keys").body


@attack(finding=6, server="keyed")
def a_key_for_reading_cannot_export(server: Server) -> None:
    body = {"url": "http://127.0.0.1:9"}
    answer = server.call("POST", "/export", body, server.default_keys[READ_ONLY])
    expect.refused(answer, 403, "invalid_api_key")
