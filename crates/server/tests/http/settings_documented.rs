//! The tables of docs/settings.md: every setting stands there once, with its default and a value
//! that is accepted.

use serde_json::{Value, json};
use settings::Setting;

use super::harness::{Setup, TestServer};

const DOCUMENT: &str = include_str!("../../../../docs/settings.md");

/// The rows that name a setting first: its name, default and example.
fn rows() -> Vec<(&'static str, Value, Value)> {
    let cell = |text: &'static str| text.trim().strip_prefix('`')?.strip_suffix('`');
    let value = |text: &'static str| Some(serde_json::from_str(cell(text)?).expect("JSON"));
    DOCUMENT
        .lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix("| `")?.split('|');
            let name = cells.next()?.trim().strip_suffix('`')?;
            Some((name, value(cells.next()?)?, value(cells.next()?)?))
        })
        .collect()
}

#[test]
fn defaults_are_as_documented_and_examples_are_accepted() {
    let server = TestServer::start(Setup::default());
    let features = json!({"chatCompletions": true, "foreignKeys": true});
    server.call_json("PATCH /experimental-features", features).json();
    server.call_json("POST /indexes", json!({"uid": "books"})).task(&server);
    let defaults = server.call("GET /indexes/books/settings").json();

    let rows = rows();
    let mut names: Vec<&str> = rows.iter().map(|(name, ..)| *name).collect();
    names.sort_unstable();
    let mut expected: Vec<&str> = Setting::ALL.iter().map(|setting| setting.name).collect();
    expected.sort_unstable();
    assert_eq!(names, expected);
    for (name, default, example) in rows {
        // Settings that the reference does not have are shown among all only where they are set.
        let route = Setting::named(name).expect("a setting").route;
        let alone = || server.call(&format!("GET /indexes/books/settings/{route}")).json();
        let shown = defaults.get(name).cloned().unwrap_or_else(alone);
        assert_eq!(shown, default, "{name}");
        let line = "PATCH /indexes/books/settings";
        let task = server.call_json(line, json!({name: example})).task(&server);
        assert_eq!(task["status"], "succeeded", "{name} {task}");
        assert_ne!(server.call("GET /indexes/books/settings").json()[name], default, "{name}");
    }
}
