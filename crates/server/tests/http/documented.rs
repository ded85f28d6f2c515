//! Holds answers against the OpenAPI document: the status must be one that the route tells of, the
//! code one of its codes, and the body as its schema says. The harness does so with every answer
//! that any test gets, which is what keeps the document true.

use std::sync::LazyLock;

use serde_json::Value;

use crate::harness::Answer;
use crate::schema::faults;

pub static DOCUMENT: LazyLock<Value> = LazyLock::new(server::openapi_document);

/// Answers of the front door, before there is a route.
const OF_EVERY_PATH: [u16; 4] = [405, 406, 414, 431];

/// Fails if the document does not tell of this answer.
#[track_caller]
pub fn check(method: &str, target: &str, headers: &[(String, String)], answer: &Answer) {
    // What instances say to each other is no part of the document.
    let is_between_instances = headers.iter().any(|(name, _)| {
        let name = name.to_ascii_lowercase();
        name == "meili-proxy-search" || name.contains("meili-proxy-")
    });
    // There was no room for the connection.
    let is_turned_away = answer.status == 503 && answer.body.is_empty();
    if is_refused_at_the_door(answer) {
        return;
    }
    if is_between_instances || is_turned_away || OF_EVERY_PATH.contains(&answer.status) {
        return;
    }
    let Some((path, operation)) = operation(method, target) else { return };
    let status = answer.status.to_string();
    let told = operation["responses"].get(&status).map(resolved);
    let Some(response) = told else {
        panic!("{method} {path} does not tell of {status}: {}", printed(answer));
    };
    let Some(forms) = response["content"].as_object() else {
        assert_eq!(answer.body.len(), 0, "{method} {path}: {status} has a body");
        return;
    };
    let kind = answer.header("content-type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default();
    if forms.contains_key("*/*") {
        return;
    }
    let form = forms.get(kind).unwrap_or_else(|| panic!("{method} {path} does not tell of {kind}"));
    if kind != "application/json" || answer.header("content-encoding").is_some() {
        return;
    }
    let found = faults(&DOCUMENT, &form["schema"], &answer.json(), "");
    assert!(found.is_empty(), "{method} {path}, {status}: {found:#?}\nin {}", printed(answer));
}

/// Answers before there is a route: to pages that may not ask, and to requests without a host.
fn is_refused_at_the_door(answer: &Answer) -> bool {
    let error: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    match answer.status {
        403 => error["code"] == "browser_not_allowed",
        400 => error["message"] == "A request needs exactly one `Host` header.",
        _ => false,
    }
}

fn resolved(response: &Value) -> &Value {
    match response["$ref"].as_str() {
        Some(target) => DOCUMENT.pointer(target.trim_start_matches('#')).unwrap(),
        None => response,
    }
}

fn printed(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.body).chars().take(2000).collect()
}

/// The operation that a request leads to; the path with the most fixed names wins.
fn operation(method: &str, target: &str) -> Option<(&'static str, &'static Value)> {
    let path = target.split('?').next().unwrap_or_default();
    let given: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
    let paths = DOCUMENT["paths"].as_object()?;
    let fitting = paths.iter().filter_map(|(pattern, operations)| {
        let names: Vec<&str> = pattern.split('/').filter(|name| !name.is_empty()).collect();
        let is_open = |name: &str| name.starts_with('{');
        let fits = names.len() == given.len()
            && names.iter().zip(&given).all(|(name, given)| is_open(name) || name == given);
        let fixed = names.iter().filter(|name| !is_open(name)).count();
        fits.then_some((fixed, pattern.as_str(), operations))
    });
    let (_, pattern, operations) = fitting.max_by_key(|(fixed, ..)| *fixed)?;
    Some((pattern, operations.get(method.to_lowercase())?))
}
