"""Search rules that pin documents."""

from context import ids, rejected
from suite import equal

PIN_OWLS = {
    "description": "Owls first",
    "conditions": {"query": {"words": "harbour"}},
    "actions": [{"selector": {"indexUid": "books", "id": "3"}, "action": {"type": "pin", "position": 0}}],
}


def cases(suite, context):
    client = context.client

    @suite.case("Client.update_dynamic_search_rule", "Client.get_dynamic_search_rule")
    def _():
        context.enable("dynamicSearchRules")
        equal(context.succeeded(client.update_dynamic_search_rule("owls", PIN_OWLS)).type, "dsrUpdate")
        rule = client.get_dynamic_search_rule("owls")
        equal((rule.uid, rule.description, rule.active), ("owls", "Owls first", True))
        equal(ids(context.books.search("harbour")["hits"])[0], 3)

    @suite.case("Client.get_dynamic_search_rules")
    def _():
        context.succeeded(client.update_dynamic_search_rule("other", {"active": False}))
        equal([rule.uid for rule in client.get_dynamic_search_rules().results], ["other", "owls"])
        active = client.get_dynamic_search_rules({"filter": {"active": True}, "limit": 1})
        equal((active.total, active.results[0].uid), (1, "owls"))

    @suite.case("Client.delete_dynamic_search_rule")
    def _():
        for uid in ("owls", "other"):
            context.succeeded(client.delete_dynamic_search_rule(uid))
        rejected("dynamic_search_rule_not_found", client.get_dynamic_search_rule, "owls")
