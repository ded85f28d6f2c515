//! The arrows between crates are a decision. This compares those in the manifests with the ones
//! allowed; a new crate or arrow fails until it is added here, with a thought.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Each crate and the crates of the project it may use.
const ALLOWED: &[(&str, &[&str])] = &[
    ("sonde", &["server", "engine", "telemetry", "logs", "model"]),
    ("server", &["engine", "telemetry", "logs", "auth", "tasks", "settings", "document", "model"]),
    (
        "engine",
        &[
            "bucket", "dump", "auth", "tasks", "search", "filter", "index", "segment", "vectors",
            "embed", "chat", "template", "outbound", "settings", "text", "document", "model",
        ],
    ),
    ("dump", &[]),
    ("bucket", &["outbound", "settings"]),
    ("auth", &["model"]),
    ("telemetry", &["outbound", "model"]),
    ("tasks", &["model"]),
    ("search", &["filter", "index", "segment", "vectors", "settings", "text", "document", "model"]),
    ("index", &["segment", "vectors", "settings", "text", "model"]),
    ("embed", &["template", "outbound", "settings", "model"]),
    ("chat", &["outbound", "model"]),
    ("settings", &["template", "text", "model"]),
    ("template", &["model"]),
    ("outbound", &["model"]),
    ("logs", &["outbound"]),
    ("text", &[]),
    ("vectors", &["segment", "model"]),
    ("segment", &["model"]),
    ("document", &["model"]),
    ("filter", &["model"]),
    ("model", &[]),
];

#[test]
fn crates_use_only_what_they_may() {
    let allowed: BTreeMap<_, _> = ALLOWED.iter().copied().collect();
    let graph = graph();
    let mut mistakes = Vec::new();
    for (name, uses) in &graph {
        let Some(may_use) = allowed.get(name.as_str()) else {
            mistakes.push(format!("`{name}` is not a known crate"));
            continue;
        };
        for used in uses.iter().filter(|used| graph.contains_key(*used)) {
            if !may_use.contains(&used.as_str()) {
                mistakes.push(format!("`{name}` must not use `{used}`"));
            }
        }
    }
    for name in allowed.keys().filter(|name| !graph.contains_key(**name)) {
        mistakes.push(format!("`{name}` does not exist"));
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

#[test]
fn folders_are_named_after_their_crates() {
    for (folder, manifest) in manifests() {
        assert_eq!(manifest["package"]["name"].as_str(), Some(folder.as_str()));
    }
}

/// Crate name → everything it depends on, for building and for tests too.
fn graph() -> BTreeMap<String, Vec<String>> {
    let mut graph = BTreeMap::new();
    for (folder, manifest) in manifests() {
        let mut uses = Vec::new();
        for kind in ["dependencies", "build-dependencies", "dev-dependencies"] {
            if let Some(table) = manifest.get(kind).and_then(toml::Value::as_table) {
                uses.extend(table.keys().cloned());
            }
        }
        graph.insert(folder, uses);
    }
    graph
}

fn manifests() -> BTreeMap<String, toml::Table> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut manifests = BTreeMap::new();
    for entry in fs::read_dir(crates).expect("the folder of crates") {
        let folder = entry.expect("an entry").path();
        let Ok(text) = fs::read_to_string(folder.join("Cargo.toml")) else {
            continue;
        };
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        manifests.insert(name, text.parse().expect("a manifest is TOML"));
    }
    manifests
}
