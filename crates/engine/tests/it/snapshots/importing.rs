//! Startup with a snapshot to import, and what remains when the import fails.

use std::fs;

use engine::snapshots::import_snapshot;
use engine::{Engine, EngineOptions, Import, OpenError};
use tasks::Method;

use crate::snapshots::{import, snapshot_of, take};
use crate::support::Instance;

fn small() -> Instance {
    let instance = Instance::new();
    instance.wait(&instance.add("books", Method::Replace, r#"[{"id":1},{"id":2}]"#));
    take(&instance);
    instance
}

#[test]
fn the_database_and_the_file_decide_together() {
    let instance = small();
    let folder = tempfile::tempdir().unwrap();
    let with = |file: &str, ignore_missing, ignore_if_db_exists| {
        let file = match file {
            "present" => snapshot_of(&instance),
            _ => folder.path().join("absent"),
        };
        Import { file, ignore_missing, ignore_if_db_exists }
    };
    let empty = folder.path().join("empty");
    let absent = import_snapshot(&with("absent", false, false), &empty);
    assert!(matches!(absent, Err(OpenError::ImportMissing { .. })), "{absent:?}");
    assert!(!empty.exists());
    assert!(!import_snapshot(&with("absent", true, false), &empty).unwrap());
    assert!(import_snapshot(&with("present", false, false), &empty).unwrap());

    for file in ["present", "absent"] {
        let full = import_snapshot(&with(file, true, false), &empty);
        assert!(matches!(full, Err(OpenError::ImportOverDatabase { .. })), "{full:?}");
        assert!(!import_snapshot(&with(file, false, true), &empty).unwrap());
    }
    let engine = Engine::open(EngineOptions::new(&empty)).unwrap();
    assert_eq!(engine.index("books").unwrap().uid, "books");
}

#[test]
fn a_folder_that_is_there_and_empty_is_empty() {
    let instance = small();
    let folder = tempfile::tempdir().unwrap();
    assert!(import(&snapshot_of(&instance), folder.path()).unwrap());
    assert!(Engine::open(EngineOptions::new(folder.path())).is_ok());
}

#[test]
fn an_interrupted_import_is_no_database_and_starts_again() {
    let instance = small();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    import(&snapshot_of(&instance), &path).unwrap();
    // As a crash in the middle would leave it.
    fs::write(path.join("IMPORT-UNFINISHED"), "").unwrap();
    fs::remove_file(path.join("VERSION")).unwrap();
    let refused = Engine::open(EngineOptions::new(&path)).unwrap_err();
    assert!(matches!(refused, OpenError::UnfinishedImport { .. }), "{refused}");

    assert!(import(&snapshot_of(&instance), &path).unwrap());
    let engine = Engine::open(EngineOptions::new(&path)).unwrap();
    assert_eq!(engine.index("books").unwrap().uid, "books");
}

#[test]
fn a_database_in_use_is_left_alone() {
    let instance = small();
    let error = import(&snapshot_of(&instance), &instance.path()).unwrap_err();
    assert!(matches!(error, OpenError::ImportOverDatabase { .. }), "{error}");
    assert_eq!(instance.documents("books").unwrap().len(), 2);
}

#[test]
fn the_file_is_read_only_and_replaced_as_a_whole() {
    let instance = small();
    let file = snapshot_of(&instance);
    assert!(fs::metadata(&file).unwrap().permissions().readonly());
    let first = fs::read(&file).unwrap();
    instance.wait(&instance.add("books", Method::Replace, r#"[{"id":3}]"#));
    take(&instance);
    assert_ne!(fs::read(&file).unwrap(), first);
    let names: Vec<_> =
        fs::read_dir(file.parent().unwrap()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["data.snapshot"], "nothing else is left there");
    assert!(!instance.path().join("snapshot-staging").exists());
}

#[test]
fn the_next_start_removes_an_unfinished_snapshot() {
    let mut instance = small();
    let staging = instance.path().join("snapshot-staging");
    instance.stop();
    fs::create_dir_all(staging.join("indexes/x")).unwrap();
    fs::write(snapshot_of(&instance).with_extension("snapshot.draft"), "half").unwrap();
    instance.start();
    assert!(!staging.exists());
    take(&instance);
    assert!(!snapshot_of(&instance).with_extension("snapshot.draft").exists());
}
