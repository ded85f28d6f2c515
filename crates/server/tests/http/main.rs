//! Every route, parameter, default, error code and message, through a real server on a loopback
//! port. Tests share servers where they use different indexes.

mod harness;

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
    documents_add,
    documents_delete,
    documents_edit,
    documents_filter,
    documents_read,
    documents_sort,
    encodings,
    facet_search,
    features,
    indexes,
    instance,
    methods_and_paths,
    routes,
    search,
    search_errors,
    search_facets,
    search_filter,
    search_get,
    search_queue,
    search_sort,
    settings,
    settings_refused,
    shutdown,
    stats,
    streams,
    swap,
    tasks,
    tasks_change,
    tasks_filters,
}
