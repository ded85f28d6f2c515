//! The arrows between crates are a decision. This compares those in the manifests with the ones
//! allowed; a new crate or arrow fails until it is added here, with a thought, and one that is no
//! longer there until it is taken out. What ARCHITECTURE.md names must exist. `modules` does the same
//! inside of crates; `names` looks at the names of types, `facts` at the files that name a search
//! parameter, a setting or a ranking rule.

mod facts;
mod modules;
mod names;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Each crate and the crates of the project it may use.
const ALLOWED: &[(&str, &[&str])] = &[
    ("sonde", &["server", "engine", "cli", "telemetry", "logs", "model"]),
    ("cli", &["outbound", "document", "json", "model"]),
    (
        "server",
        &[
            "remote_search",
            "engine",
            "network",
            "telemetry",
            "logs",
            "auth",
            "tasks",
            "settings",
            "document",
            "model",
        ],
    ),
    ("remote_search", &["engine", "network", "search", "outbound", "settings", "text", "model"]),
    (
        "engine",
        &[
            "network", "transfer", "bucket", "dump", "auth", "tasks", "search", "filter", "index",
            "segment", "vectors", "embed", "chat", "template", "outbound", "settings", "text",
            "document", "model",
        ],
    ),
    (
        "network",
        &[
            "transfer", "tasks", "filter", "index", "segment", "vectors", "outbound", "document",
            "model",
        ],
    ),
    ("transfer", &["tasks", "index", "segment", "document", "model"]),
    ("dump", &[]),
    ("bucket", &["outbound", "model"]),
    ("auth", &["model"]),
    ("telemetry", &["outbound", "model"]),
    ("tasks", &["maps", "model"]),
    ("search", &["filter", "index", "segment", "vectors", "settings", "text", "document", "model"]),
    ("index", &["segment", "vectors", "settings", "text", "json", "model"]),
    ("embed", &["template", "outbound", "settings", "model"]),
    ("chat", &["outbound", "model"]),
    ("settings", &["template", "text", "model"]),
    ("template", &[]),
    ("outbound", &["model"]),
    ("logs", &["outbound"]),
    ("text", &[]),
    ("vectors", &["segment", "model"]),
    ("segment", &["maps", "model"]),
    ("maps", &[]),
    ("document", &["json", "model"]),
    ("filter", &["model"]),
    ("json", &[]),
    ("model", &[]),
    (FOR_TESTS, &[]),
];

/// The crate that every crate may use in its tests, and only there.
const FOR_TESTS: &str = "testkit";

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
        for unused in may_use.iter().filter(|used| !uses.iter().any(|name| name == *used)) {
            mistakes.push(format!("`{name}` no longer uses `{unused}`"));
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

/// Files by the end of their path, folders with or without `crates`.
#[test]
fn files_named_in_the_description_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).expect("the description");
    let mut files = Vec::new();
    for folder in ["crates", "docs", "tests"] {
        collect_files(&root.join(folder), &mut files);
    }
    // Between backticks; what stands in a block of code has several lines.
    let names =
        text.split('`').skip(1).step_by(2).filter(|name| !name.contains(char::is_whitespace));
    let folders = [root.join("crates"), root];
    let mut count = 0;
    for name in names {
        let is_file = [".rs", ".js", ".md"].iter().any(|end| name.ends_with(end));
        let is_there = match is_file {
            true => files.iter().any(|file| file.ends_with(name)),
            false if name.contains("/src") => folders.iter().any(|it| it.join(name).is_dir()),
            false => continue,
        };
        assert!(is_there, "`{name}` is not there");
        count += 1;
    }
    assert!(count > 100, "{count} names were found");
}

fn collect_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if !path.is_dir() {
            files.push(path);
        } else if !path.ends_with("node_modules") {
            collect_files(&path, files);
        }
    }
}

/// Crate name → everything it depends on, for building and for tests too, but for what all tests may use.
fn graph() -> BTreeMap<String, Vec<String>> {
    let mut graph = BTreeMap::new();
    for (folder, manifest) in manifests() {
        let mut uses = Vec::new();
        for kind in ["dependencies", "build-dependencies", "dev-dependencies"] {
            if let Some(table) = manifest.get(kind).and_then(toml::Value::as_table) {
                let is_free = |name: &&String| kind == "dev-dependencies" && *name == FOR_TESTS;
                uses.extend(table.keys().filter(|name| !is_free(name)).cloned());
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
