//! Keys, webhooks, the network, rules, workspaces, features: what an instance keeps besides indexes.

use auth::Action;
use model::features::Feature;

use super::{Named, Schema};
use crate::openapi::schema::{
    Member, always, any_of, anything, boolean, date, integer, list, map, maybe, named, object,
    one_of, text, uuid,
};

pub fn all() -> Vec<Named> {
    vec![
        ("Key", key()),
        ("Action", one_of(Action::NAMES)),
        ("Features", object(Feature::ALL.iter().map(|feature| switch(*feature)))),
        ("Webhook", webhook()),
        ("Network", object(network_members())),
        ("SearchRule", search_rule()),
        ("RuleConditions", rule_conditions()),
        ("RuleAction", rule_action()),
        ("Workspace", object([always("uid", text(), "")])),
        ("ChatSettings", chat_settings()),
    ]
}

fn switch(feature: Feature) -> Member {
    match feature {
        Feature::legacy_search => always(
            feature.wire_name(),
            boolean().or_null(),
            "null after the import of a dump of Meilisearch that does not name it.",
        ),
        _ => always(feature.wire_name(), boolean(), ""),
    }
}

fn key() -> Schema {
    object([
        always("name", text().or_null(), ""),
        always("description", text().or_null(), ""),
        always(
            "key",
            text().or_null(),
            "What requests are sent with; null for callers who may do less than the key.",
        ),
        always("uid", uuid(), ""),
        always("actions", list(named("Action")), ""),
        always("indexes", list(text()), "Names, beginnings of names with a star, or `*`."),
        always("expiresAt", date().or_null(), ""),
        always("createdAt", date(), ""),
        always("updatedAt", date(), ""),
    ])
}

fn webhook() -> Schema {
    object([
        always("uuid", uuid(), ""),
        always("isEditable", boolean(), "False for the one of the launch options."),
        always("url", text(), ""),
        always("headers", map(text()), "Of `Authorization` only the beginning is shown."),
    ])
}

pub fn network_members() -> [Member; 5] {
    let remote = object([
        always("url", text(), ""),
        always("searchApiKey", text().or_null(), ""),
        always("writeApiKey", text().or_null(), ""),
        always("status", one_of(&["available", "unavailable"]), "Whether it is asked."),
    ]);
    let shard = object([always("remotes", list(text()), "Its owners.")]);
    [
        always("self", text().or_null(), "What this instance is called."),
        always("remotes", map(remote), ""),
        always("shards", map(shard), ""),
        always("leader", text().or_null(), "Who takes the writes."),
        always("version", uuid(), "New with each change."),
    ]
}

fn search_rule() -> Schema {
    object([
        always("uid", text(), ""),
        maybe("description", text(), ""),
        always("lastUpdatedAt", date(), ""),
        maybe("precedence", integer(), "The lower goes first."),
        always("active", boolean(), ""),
        always("conditions", named("RuleConditions"), ""),
        always("actions", list(named("RuleAction")), ""),
    ])
}

fn rule_conditions() -> Schema {
    let query = object([
        maybe("isEmpty", boolean().or_null(), ""),
        maybe("words", text().or_null(), "Each must stand in the query."),
    ]);
    let time = object([maybe("start", date().or_null(), ""), maybe("end", date().or_null(), "")]);
    let filter = object([always("values", map(anything()), "Attribute and value.")]);
    object([
        maybe("query", query.or_null(), ""),
        maybe("time", time.or_null(), ""),
        maybe("filter", filter.or_null(), "What the filter of the search must ask for."),
    ])
}

fn rule_action() -> Schema {
    let selector = object([
        maybe("indexUid", text().or_null(), "None: every index."),
        always("id", text(), "The document."),
    ]);
    let pin =
        object([always("type", one_of(&["pin"]), ""), always("position", integer(), "From 0 on.")]);
    object([always("selector", selector, ""), always("action", pin, "")])
}

fn chat_settings() -> Schema {
    let text_or_null = || text().or_null();
    object([
        always("source", one_of(SOURCES), ""),
        always("orgId", text_or_null(), ""),
        always("projectId", text_or_null(), ""),
        always("apiVersion", text_or_null(), ""),
        always("deploymentId", text_or_null(), ""),
        always("baseUrl", text_or_null(), ""),
        always("apiKey", text_or_null(), "Only its beginning."),
        always("prompts", object(PROMPTS.iter().map(|name| always(name, text(), ""))), ""),
    ])
}

pub const SOURCES: &[&str] = &["openAi", "mistral", "azureOpenAi", "vLlm"];

pub const PROMPTS: &[&str] =
    &["system", "searchDescription", "searchQParam", "searchFilterParam", "searchIndexUidParam"];

/// A number of bytes, or a text with a unit.
pub fn size() -> Schema {
    any_of([integer(), text()])
}
