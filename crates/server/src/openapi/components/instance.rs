//! Schemas of what an instance stores besides indexes: keys, webhooks, the network, rules,
//! workspaces, features.

use auth::Action;
use model::features::Feature;

use super::{Named, Schema};
use crate::schema::{
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
            "Null after importing a Meilisearch dump that does not contain it.",
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
            "Value to send with requests; null if the key allows more than the caller's key.",
        ),
        always("uid", uuid(), ""),
        always("actions", list(named("Action")), ""),
        always("indexes", list(text()), "Index names, prefixes such as `shop_*`, or `*` for all."),
        always("expiresAt", date().or_null(), ""),
        always("createdAt", date(), ""),
        always("updatedAt", date(), ""),
    ])
}

fn webhook() -> Schema {
    object([
        always("uuid", uuid(), ""),
        always("isEditable", boolean(), "False for the webhook of the launch options."),
        always("url", text(), ""),
        always("headers", map(text()), "HTTP headers; `Authorization` is returned redacted."),
    ])
}

pub fn network_members() -> [Member; 5] {
    let remote = object([
        always("url", text(), ""),
        always("searchApiKey", text().or_null(), ""),
        always("writeApiKey", text().or_null(), ""),
        always("status", one_of(&["available", "unavailable"]), "Whether it gets requests."),
    ]);
    let shard = object([always("remotes", list(text()), "Remotes that own the shard.")]);
    [
        always("self", text().or_null(), "Name of this instance."),
        always("remotes", map(remote), ""),
        always("shards", map(shard), ""),
        always("leader", text().or_null(), "Remote that accepts writes."),
        always("version", uuid(), "Version of the topology; it changes with each update."),
    ]
}

fn search_rule() -> Schema {
    object([
        always("uid", text(), ""),
        maybe("description", text(), ""),
        always("lastUpdatedAt", date(), ""),
        maybe("precedence", integer(), "Rules with a lower number apply first."),
        always("active", boolean(), ""),
        always("conditions", named("RuleConditions"), ""),
        always("actions", list(named("RuleAction")), ""),
    ])
}

fn rule_conditions() -> Schema {
    let query = object([
        maybe("isEmpty", boolean().or_null(), ""),
        maybe("words", text().or_null(), "Words that the query must all contain."),
    ]);
    let time = object([maybe("start", date().or_null(), ""), maybe("end", date().or_null(), "")]);
    let filter = object([always("values", map(anything()), "Required value of each attribute.")]);
    object([
        maybe("query", query.or_null(), ""),
        maybe("time", time.or_null(), ""),
        maybe("filter", filter.or_null(), "Values that the filter of the search must require."),
    ])
}

fn rule_action() -> Schema {
    let selector = object([
        maybe("indexUid", text().or_null(), "Index of the document. Absent for all indexes."),
        always("id", text(), "ID of the document."),
    ]);
    let pin = object([
        always("type", one_of(&["pin"]), ""),
        always("position", integer(), "Position in the hits, starting at 0."),
    ]);
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
        always("apiKey", text_or_null(), "API key of the provider; returned redacted."),
        always("prompts", object(PROMPTS.iter().map(|name| always(name, text(), ""))), ""),
    ])
}

pub const SOURCES: &[&str] = &["openAi", "mistral", "azureOpenAi", "vLlm"];

pub const PROMPTS: &[&str] =
    &["system", "searchDescription", "searchQParam", "searchFilterParam", "searchIndexUidParam"];

/// A number of bytes, or a string with a unit.
pub fn size() -> Schema {
    any_of([integer(), text()])
}
