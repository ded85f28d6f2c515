//! Golden files: an instance as each version of the formats wrote it, as a dump and as a snapshot (its
//! data folder). Every later build starts from both and finds the same; and a dump of this build has
//! the form of the newest one, unless the version in it says that it differs.
//!
//! `UPDATE_GOLDEN=1 cargo test -p engine --test it dumps::golden` adds a folder for this build.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use engine::keys::Access;
use engine::snapshots::import_snapshot;
use engine::{EngineOptions, Import};
use serde_json::Value;
use tasks::{Content, Method, Query, Status, Task};
use testkit::golden;

use crate::dumps::archive::{Lines, dump, imported, read};
use crate::dumps::round_trip::furnished;
use crate::dumps::stored_keys;
use crate::support::Instance;

const DUMP: &str = "instance.dump";
const SNAPSHOT: &str = "instance.snapshot";

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/dumps/golden")
}

/// An instance made from a snapshot, started.
fn restored(file: &Path) -> Instance {
    let mut instance = Instance::new();
    instance.stop();
    fs::remove_dir_all(instance.path()).expect("an empty instance can go");
    let (ignore_missing, ignore_if_db_exists) = (false, false);
    let import = Import { file: file.to_owned(), ignore_missing, ignore_if_db_exists };
    assert!(import_snapshot(&import, &instance.path()).expect("the snapshot is imported"));
    instance.start();
    instance
}

fn snapshot(instance: &Instance) -> PathBuf {
    let task = instance.wait(&instance.enqueue(Content::SnapshotCreation));
    assert_eq!(task.status, Status::Succeeded, "{:?}", task.error);
    EngineOptions::new(instance.path()).snapshots.folder.join("data.snapshot")
}

/// What an instance holds, without what is chosen at random or by the clock.
fn facts(instance: &Instance) -> Vec<String> {
    let engine = instance.engine();
    let mut facts = Vec::new();
    for uid in ["books", "teas", "empty"] {
        facts.push(format!("{uid}: {:?}", engine.index(uid).unwrap().primary_key));
        facts.push(format!("{:?}", engine.settings(uid).unwrap()));
        let documents = instance.documents_with_vectors(uid).unwrap();
        facts.extend(documents.iter().map(Value::to_string));
    }
    for key in stored_keys(engine) {
        facts.push(format!("{:?} {:?} {:?}", key.name, key.actions, key.indexes));
    }
    let hooks = engine.webhooks().list();
    facts.extend(hooks.iter().map(|(_, hook)| format!("{hook:?} {:?}", hook.shown_headers())));
    facts.push(format!("{:?}", engine.features()));
    facts.push(format!("{:?} {:?}", engine.network().name, engine.network().remotes));
    facts.push(format!("{:?}", engine.chats().settings("desk").unwrap()));
    facts.push(format!("{:?}", engine.search_rule("spring").unwrap().description));
    let tasks = engine.tasks(&Access::full(), &Query::default()).unwrap();
    let is_own = |task: &&Task| {
        !matches!(task.content, Content::DumpCreation { .. } | Content::SnapshotCreation)
    };
    let task = |task: &Task| format!("{} {:?} {:?}", task.uid, task.status, task.details);
    facts.extend(tasks.results.iter().filter(is_own).map(task));
    facts
}

/// The names and types of a value, without what it says.
fn form(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            members.iter().map(|(name, member)| (name.clone(), form(member))).collect()
        }
        Value::Array(items) => {
            let forms: BTreeSet<String> = items.iter().map(|item| form(item).to_string()).collect();
            forms.into_iter().map(Value::from).collect()
        }
        Value::String(_) => "text".into(),
        Value::Number(_) => "number".into(),
        Value::Bool(_) => "boolean".into(),
        Value::Null => Value::Null,
    }
}

/// The forms of the lines of each entry.
fn forms(dump: &Lines) -> Vec<(&str, BTreeSet<String>)> {
    let lines = |lines: &[Value]| lines.iter().map(|line| form(line).to_string()).collect();
    dump.iter().map(|(name, of_entry)| (name.as_str(), lines(of_entry))).collect()
}

#[test]
fn golden_instances_start_and_hold_what_was_written() {
    let folders = golden::folders(&root());
    assert!(!folders.is_empty(), "no golden files");
    let expected = facts(&furnished());
    for (number, folder) in folders {
        for instance in [imported(&folder.join(DUMP)), restored(&folder.join(SNAPSHOT))] {
            let found = facts(&instance);
            assert_eq!(found.len(), expected.len(), "golden {number}");
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found, expected, "golden {number}");
            }
            // Tasks and documents go on where they were.
            let task = instance.add("books", Method::Update, r#"[{"id": 5}]"#);
            assert_eq!(instance.wait(&task).status, Status::Succeeded, "golden {number}");
        }
    }
}

#[test]
fn a_dump_changes_its_form_only_with_its_version() {
    let instance = furnished();
    let snapshot = snapshot(&instance);
    let path = dump(&instance);
    let written = read(&path);
    let newest = golden::folders(&root()).pop();
    let golden = newest.map(|(_, folder)| read(&folder.join(DUMP)));
    let version = |dump: &Lines| dump["metadata.json"][0]["formatVersion"].clone();
    let is_same = golden.as_ref().is_some_and(|golden| forms(golden) == forms(&written));
    if golden::is_update() && !is_same {
        let folder = golden::new_folder(&root()).unwrap();
        fs::copy(path, folder.join(DUMP)).unwrap();
        fs::copy(snapshot, folder.join(SNAPSHOT)).unwrap();
        return;
    }
    let golden = golden.expect("golden files: run with UPDATE_GOLDEN=1");
    if version(&golden) == version(&written) {
        assert_eq!(forms(&golden), forms(&written), "raise the version of dumps");
    }
    assert!(is_same, "a new version of dumps needs golden files: run with UPDATE_GOLDEN=1");
}
