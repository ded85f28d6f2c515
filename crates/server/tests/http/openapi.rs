//! `/openapi.json`: that it is served and kept in the repository as it is, and that requests are
//! taken as it says. That answers are as it says is seen to by the harness.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};
use settings::Setting;

use crate::documented::DOCUMENT;
use crate::harness::{Answer, Setup, TestServer};

#[test]
fn the_file_in_the_repository_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let current = format!("{:#}\n", *DOCUMENT);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &current).expect("the file is written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == current,
        "docs/openapi.json is not current; to renew it: UPDATE_DOCS=1 cargo test --workspace --test http openapi"
    );
}

/// With a master key, because without one there are no keys.
fn guarded() -> TestServer {
    let master_key = Some("a-key-of-twenty-bytes");
    TestServer::start(Setup { master_key, ..Setup::default() })
}

#[test]
fn openapi_document_is_public() {
    let server = guarded();
    let answer = server.request("GET /openapi.json").without_key().send();
    assert_eq!((answer.status, &answer.json()), (200, &*DOCUMENT));
    let tag = answer.header("etag").unwrap().to_owned();
    server.request("GET /openapi.json").header("If-None-Match", &tag).send().is_empty(304);
}

/// Every operation with its method and a target that leads to it.
fn operations() -> Vec<(String, &'static Value)> {
    let mut operations = Vec::new();
    for (path, methods) in DOCUMENT["paths"].as_object().unwrap() {
        let target = path
            .split('/')
            .map(|name| if name.starts_with('{') { "1" } else { name })
            .collect::<Vec<_>>()
            .join("/");
        for (method, operation) in methods.as_object().unwrap() {
            operations.push((format!("{} {target}", method.to_uppercase()), operation));
        }
    }
    operations
}

/// The names that a refusal of an unknown one lists.
fn accepted(answer: &Answer) -> BTreeSet<String> {
    let message = answer.json()["message"].as_str().unwrap_or_default().to_owned();
    let list = message.split("expected one of").nth(1).unwrap_or_else(|| panic!("{message}"));
    list.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Messages of the reference do not name what it does not have.
fn without_own(mut names: BTreeSet<String>) -> BTreeSet<String> {
    const MEMBERS: &[&str] = &[
        "attributeWeights",
        "boosts",
        "didYouMean",
        "hybridFusion",
        "hybridK",
        "rerank",
        "rerankLimit",
        "rerankReranker",
    ];
    let is_own_setting = |name: &str| Setting::named(name).is_some_and(|setting| setting.is_own);
    names.retain(|name| !MEMBERS.contains(&name.as_str()) && !is_own_setting(name));
    names
}

#[test]
fn documented_parameters_are_exactly_those_accepted() {
    let server = guarded();
    let mut compared = 0;
    for (line, operation) in operations() {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let told: BTreeSet<String> = parameters
            .filter(|parameter| parameter["in"] == "query")
            .map(|parameter| parameter["name"].as_str().unwrap().to_owned())
            .collect();
        if told.is_empty() {
            continue;
        }
        let told = without_own(told);
        let answer = server.request(&format!("{line}?zzzzz=1")).json(&json!({})).send();
        assert_eq!(accepted(&answer), told, "{line}");
        compared += 1;
    }
    assert!(compared > 15, "{compared}");
}

#[test]
fn documented_members_are_exactly_those_accepted() {
    let server = guarded();
    let mut compared = 0;
    for (line, operation) in operations() {
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        let schema = match schema["$ref"].as_str() {
            Some(target) => DOCUMENT.pointer(target.trim_start_matches('#')).unwrap(),
            None => schema,
        };
        // Facet search passes over what it does not know; members of networks speak otherwise.
        let is_lax = line.ends_with("/facet-search") || line.ends_with("/network/control");
        let (Some(members), false) = (schema["properties"].as_object(), is_lax) else { continue };
        if schema["additionalProperties"] != json!(false) {
            continue;
        }
        let told = without_own(members.keys().cloned().collect());
        let answer = server.request(&line).json(&json!({"zzzzz": 1})).send();
        assert_eq!(accepted(&answer), told, "{line}");
        compared += 1;
    }
    assert!(compared > 15, "{compared}");
}
