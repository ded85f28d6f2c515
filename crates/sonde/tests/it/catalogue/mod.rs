//! Every error code of the contract is provoked by a test, or stands in `codes.txt` with the reason
//! why it never comes. Each line there is a code and
//!
//! - the file of a test that names it, or a recorded conversation with a step that is compared and
//!   is answered with it; or
//! - `never`: the program does not make it, and the reason; or
//! - `unreachable`: the program could make it, and the reason why no request gets there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use model::Code;
use serde_json::Value;

use crate::replay::skips::{self, Skips};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn table() -> Vec<(&'static str, &'static str)> {
    let lines = include_str!("codes.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_once(": ").unwrap_or_else(|| panic!("`{line}`"))).collect()
}

#[test]
fn every_code_has_its_line() {
    let listed: Vec<&str> = table().iter().map(|(code, _)| *code).collect();
    let all: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    assert_eq!(listed, all, "the lines are those of the catalogue, in its order");
}

#[test]
fn every_code_is_provoked_where_its_line_says() {
    let skips = Skips::read(&root().join("conformance/skips.toml"));
    let mut missing = Vec::new();
    for (code, place) in table() {
        if reason(place).is_some() {
            continue;
        }
        let Ok(text) = fs::read_to_string(root().join(place)) else {
            missing.push(format!("{code}: there is no {place}"));
            continue;
        };
        let is_there = match place.strip_prefix("conformance/") {
            Some(scenario) => is_compared(code, &text, &skips.of(scenario)),
            None => text.contains(&format!("\"{code}\"")) || names(&text, code),
        };
        if !is_there {
            missing.push(format!("{code}: {place} does not provoke it"));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn unused_codes_do_not_occur_in_the_program() {
    let sources = sources();
    for (code, place) in table() {
        let Some((kind, why)) = reason(place) else { continue };
        assert!(why.len() > 20, "{code}: the reason is missing");
        let made = sources.iter().find(|(_, text)| names(text, code));
        match kind {
            "never" => assert!(made.is_none(), "{code} is in {:?}", made.map(|(path, _)| path)),
            _ => assert!(made.is_some(), "{code} is not in the program: it never comes"),
        }
    }
}

fn reason(place: &str) -> Option<(&str, &str)> {
    let (kind, why) = place.split_once(": ")?;
    matches!(kind, "never" | "unreachable").then_some((kind, why))
}

/// Whether a source names the code as the program does: `Code::X`, or `X` where a macro puts the
/// rest.
fn names(source: &str, code: &str) -> bool {
    let code = Code::from_name(code).expect("a code of the catalogue");
    let mut words = source.split(|char: char| !char.is_alphanumeric());
    let variant = format!("{code:?}");
    words.any(|word| word == variant)
}

/// Whether a step that is compared is answered with this code, or shows a task that is.
fn is_compared(code: &str, scenario: &str, skipped: &skips::SkippedSteps) -> bool {
    let scenario: Value = serde_json::from_str(scenario).expect("a scenario");
    let steps = scenario["steps"].as_array().expect("steps").iter().enumerate();
    steps
        .filter(|(number, _)| !skipped.contains(*number))
        .any(|(_, step)| has_code(code, &step["answer"]) || has_code(code, &step["task"]))
}

fn has_code(code: &str, value: &Value) -> bool {
    match value {
        Value::Object(members) => {
            members.get("code").and_then(Value::as_str) == Some(code)
                || members.values().any(|member| has_code(code, member))
        }
        Value::Array(items) => items.iter().any(|item| has_code(code, item)),
        _ => false,
    }
}

/// The program without its tests, the catalogue itself and the description of the interface.
fn sources() -> BTreeMap<PathBuf, String> {
    let mut sources = BTreeMap::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        collect(&entry.unwrap().path().join("src"), &mut sources);
    }
    sources.retain(|path, _| {
        !path.ends_with("model/src/code.rs") && !path.iter().any(|part| part == "openapi")
    });
    assert!(sources.len() > 500, "{} files", sources.len());
    sources
}

fn collect(folder: &Path, sources: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            sources.insert(path, text);
        }
    }
}
