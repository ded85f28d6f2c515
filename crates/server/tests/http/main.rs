//! Every route, parameter, default, error code and message, through a real server on a loopback
//! port. Tests share servers where they use different indexes.

mod chat_provider;
#[path = "../../../telemetry/tests/support/mod.rs"]
#[allow(dead_code, reason = "shared with tests that need more of it")]
mod collector;
mod harness;
mod provider;
mod receiver;
mod remotes;

macro_rules! resources {
    ($($name:ident),* $(,)?) => {
        $(mod $name;)*

        /// The text of the tests, for the check that no route is left out.
        const SOURCES: &[&str] = &[$(include_str!(concat!(stringify!($name), ".rs"))),*];
    };
}

resources! {
    batches,
    bodies,
    chat_completions,
    chat_keys,
    chat_searches,
    chats,
    connections,
    dashboard,
    documents_add,
    documents_delete,
    documents_edit,
    documents_filter,
    documents_read,
    documents_sort,
    dumps,
    dynamic_search_rules,
    dynamic_search_rules_refused,
    encodings,
    export,
    facet_search,
    features,
    federation,
    federation_facets,
    federation_refused,
    foreign_keys,
    fields,
    indexes,
    instance,
    keys,
    keys_guard,
    keys_refused,
    keys_scope,
    legacy_search,
    logs,
    methods_and_paths,
    metrics,
    multi_search,
    network,
    network_reads,
    network_search,
    patterns,
    pinned,
    render_template,
    routes,
    search,
    search_errors,
    search_facets,
    search_filter,
    search_get,
    search_queue,
    search_sort,
    settings,
    settings_at_once,
    settings_documented,
    settings_effect,
    settings_effect_words,
    settings_refused,
    sharded_failover,
    sharded_search,
    sharding,
    sharding_members,
    shutdown,
    similar,
    snapshots,
    stats,
    streams,
    swap,
    tasks,
    tasks_change,
    tasks_filters,
    tenant_tokens,
    telemetry,
    vectors,
    vectors_search,
    webhooks,
}
