"""Finding 14, tokens: a misspelled rule was no rule."""

from support import expect
from support.server import Server
from support.suite import attack
from support.tokens import token

MISSPELLED = [{"filters": "kind = 'kind 1'"}, {"Filter": "kind = 'kind 1'"}, {"filter": None, "extra": 1}]


@attack(finding=14, server="keyed")
def tokens_with_unknown_members_in_their_rules_are_refused(server: Server) -> None:
    parent = server.done("POST", "/keys", {"actions": ["search"], "indexes": ["*"], "expiresAt": None})

    def search(rules):
        return server.call("POST", "/indexes/words/search", {}, token(parent["uid"], parent["key"], rules))

    found = expect.status(search({"words": {"filter": "kind = 'kind 1'"}}), 200).json
    assert found["estimatedTotalHits"] == 100, found["estimatedTotalHits"]
    for rule in MISSPELLED:
        for rules in ({"words": rule}, {"*": rule}, {"words": {}, "others": rule}):
            expect.status(search(rules), 403, what=str(rules))
