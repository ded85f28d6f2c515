//! The catalogue of tools: each is a route under a descriptive name, with its most useful
//! arguments. A tool has exactly the rights of its route.

use std::sync::LazyLock;

use axum::http::{HeaderMap, Method};
use engine::Engine;
use serde_json::{Value, json};

use super::inputs;
use crate::route::Guarded;
use crate::routes;

/// Actions of which one is needed: those of the tools. The first one words the refusal, and it is
/// the one that tenant tokens can have.
pub const ACTIONS: &str = "search|documents.get|indexes.get|settings.get|stats.get";

pub struct Tool {
    pub name: &'static str,
    title: &'static str,
    about: &'static str,
    inputs: Value,
    pub route: Guarded,
}

pub fn all() -> &'static [Tool] {
    static ALL: LazyLock<Vec<Tool>> = LazyLock::new(tools);
    &ALL
}

pub fn named(name: &str) -> Option<&'static Tool> {
    all().iter().find(|tool| tool.name == name)
}

impl Tool {
    /// Returns whether the caller may use the tool, for at least one index.
    pub fn is_open_to(&self, engine: &Engine, headers: &HeaderMap) -> bool {
        self.route.guard.is_open_somewhere(engine, headers)
    }

    pub fn action(&self) -> &'static str {
        self.route.route.action.unwrap_or_default()
    }

    /// Returns the entry of `tools/list`.
    pub fn shown(&self) -> Value {
        json!({
            "name": self.name,
            "title": self.title,
            "description": self.about,
            "inputSchema": self.inputs,
            "annotations": { "title": self.title, "readOnlyHint": true, "openWorldHint": false },
        })
    }
}

fn tools() -> Vec<Tool> {
    const GET: Method = Method::GET;
    const POST: Method = Method::POST;
    let described = [
        (
            "list_indexes",
            "List indexes",
            "Lists the searchable indexes with their primary keys.",
            (GET, "/indexes"),
            inputs::list_indexes(),
        ),
        (
            "get_settings",
            "Get settings",
            "Returns the settings of an index: its searchable, filterable, sortable and displayed \
             attributes, its ranking rules, and its embedders for hybrid search.",
            (GET, "/indexes/{uid}/settings"),
            inputs::of_index(),
        ),
        (
            "get_index_stats",
            "Get index statistics",
            "Returns the number of documents in an index, and how many of them have each field.",
            (GET, "/indexes/{uid}/stats"),
            inputs::of_index(),
        ),
        (
            "search",
            "Search an index",
            "Searches an index by keywords, with typo tolerance, and optionally by meaning \
             (`hybrid`), with filters, sorting and facets. Returns the best hits first.",
            (POST, "/indexes/{uid}/search"),
            inputs::search(),
        ),
        (
            "multi_search",
            "Search several indexes",
            "Runs several searches in one call. With `federation`, merges their hits into one \
             ranked list.",
            (POST, "/multi-search"),
            inputs::multi_search(),
        ),
        (
            "facet_search",
            "Search facet values",
            "Finds values of a filterable attribute by prefix, with the number of documents for \
             each value.",
            (POST, "/indexes/{uid}/facet-search"),
            inputs::facet_search(),
        ),
        (
            "similar_documents",
            "Find similar documents",
            "Finds the documents closest in meaning to a document. Requires an embedder in the \
             settings.",
            (POST, "/indexes/{uid}/similar"),
            inputs::similar_documents(),
        ),
        (
            "get_document",
            "Get a document",
            "Returns a document by its id.",
            (GET, "/indexes/{uid}/documents/{id}"),
            inputs::get_document(),
        ),
        (
            "list_documents",
            "List documents",
            "Returns documents of an index by id or filter, page by page, without ranking.",
            (POST, "/indexes/{uid}/documents/fetch"),
            inputs::list_documents(),
        ),
    ];
    let mut table = routes::table();
    let tools = described.into_iter().filter_map(|(name, title, about, (method, path), inputs)| {
        // A test checks that each route exists.
        let place = table.iter().position(|it| it.method == method && it.pattern == path)?;
        let route = Guarded::new(table.swap_remove(place));
        Some(Tool { name, title, about, inputs, route })
    });
    tools.collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn keys_for_any_tool_are_admitted() {
        let needed: BTreeSet<&str> = all().iter().map(Tool::action).collect();
        assert_eq!(needed, ACTIONS.split('|').collect());
        assert_eq!(all().len(), 9);
    }

    #[test]
    fn names_of_a_path_are_required_arguments() {
        for tool in all() {
            let schema = &tool.inputs;
            let required = |name: &str| {
                let required = schema["required"].as_array();
                required.is_some_and(|names| names.iter().any(|it| it == name))
            };
            let pattern = tool.route.route.pattern;
            assert_eq!(pattern.contains("{uid}"), required("indexUid"), "{}", tool.name);
            assert!(!pattern.contains("{id}") || required("id"), "{}", tool.name);
            for name in schema["required"].as_array().into_iter().flatten() {
                let name = name.as_str().unwrap();
                assert!(schema["properties"].get(name).is_some(), "{} {name}", tool.name);
            }
        }
    }
}
