//! The API as an OpenAPI 3.1 document: every route of the route table, with its parameters, answers
//! and errors. `chapters` describe routes, `components` the schemas they share.
//!
//! The route table decides what is in the document; a route without a description fails a test. The
//! HTTP tests check every answer against the document.

mod chapters;
mod components;
mod operation;

use serde_json::{Map, Value, json};

use crate::route::RouteInfo;

const ABOUT: &str = "\
A typo-tolerant search engine with vector search. Send an API key as `Authorization: Bearer \
<key>`; without a master key, no key is needed. The roles of a route are the actions that the key \
needs.

Writes are asynchronous: they return a task, which you can follow with `GET /tasks/{uid}`. All \
errors have the same format, and `/docs/errors` explains each code.

In addition to the responses of each route, an unknown path returns 404 and an unsupported method \
405, a client that accepts no supported encoding gets 406, and a server at its connection limit \
returns 503. None of these has an error object.";

/// Describes the routes of a table.
pub fn document(table: Vec<RouteInfo>) -> Value {
    let mut described = chapters::all();
    let mut paths: Map<String, Value> = Map::new();
    for RouteInfo { method, pattern, action } in table {
        let place = described
            .iter()
            .position(|(_, operation)| operation.method == method && operation.path == pattern);
        // A test finds routes without a description.
        let Some(place) = place else { continue };
        let (tag, operation) = described.swap_remove(place);
        let entry = paths.entry(pattern).or_insert_with(|| json!({}));
        entry[method.to_lowercase()] = operation.write(tag, action);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Sonde",
            "version": env!("CARGO_PKG_VERSION"),
            "description": ABOUT,
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "tags": chapters::tags(),
        "paths": paths,
        "components": {
            "securitySchemes": {
                "key": { "type": "http", "scheme": "bearer", "description": "Master key, API key or tenant token." },
            },
            "responses": operation::shared_refusals(),
            "schemas": components::all(),
        },
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::routes::route_table;

    /// Every `$ref` of the document.
    fn references(value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    match (name.as_str(), member) {
                        ("$ref", Value::String(target)) => drop(found.insert(target.clone())),
                        _ => references(member, found),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }

    #[test]
    fn every_route_is_described_and_nothing_else_is() {
        let mut routes: Vec<(String, String)> = route_table()
            .into_iter()
            .map(|route| (route.method, route.pattern.to_owned()))
            .collect();
        let mut described: Vec<(String, String)> = chapters::all()
            .into_iter()
            .map(|(_, operation)| (operation.method.to_owned(), operation.path.to_owned()))
            .collect();
        routes.sort();
        described.sort();
        assert_eq!(routes, described);
    }

    #[test]
    fn everything_that_is_referred_to_is_there_and_used() {
        let document = document(route_table());
        let mut found = BTreeSet::new();
        references(&document, &mut found);
        for target in &found {
            let pointer = target.trim_start_matches('#');
            assert!(document.pointer(pointer).is_some(), "{target}");
        }
        let parts = &document["components"];
        for kind in ["schemas", "responses"] {
            for name in parts[kind].as_object().unwrap().keys() {
                let target = format!("#/components/{kind}/{name}");
                assert!(found.contains(&target), "{target} is used by nobody");
            }
        }
    }

    #[test]
    fn ids_of_operations_differ() {
        let document = document(route_table());
        let mut ids = BTreeSet::new();
        for (path, operations) in document["paths"].as_object().unwrap() {
            for operation in operations.as_object().unwrap().values() {
                assert!(ids.insert(operation["operationId"].to_string()), "{path}");
                assert_ne!(operation["summary"], "", "{path}");
            }
        }
    }
}
