//! Files that are missing or not as they were written: reported by name, never served, and never
//! a reason to remove anything else.

mod support;

use std::fs;
use std::path::Path;

use engine::keys::Access;
use engine::{Engine, EngineOptions};
use model::Code;
use support::Instance;
use tasks::{Method, Status};

fn error_of_opening(path: &Path) -> String {
    Engine::open(EngineOptions::new(path)).expect_err("it must not open").to_string()
}

fn folders(path: &Path) -> usize {
    fs::read_dir(path.join("indexes")).expect("the folder of indexes").count()
}

#[test]
fn a_missing_or_empty_task_store_costs_no_index() {
    let mut instance = Instance::new();
    instance.wait(&instance.add("books", Method::Replace, r#"[{"id":1}]"#));
    instance.stop();
    let meta = instance.path().join("meta.redb");
    let saved = fs::read(&meta).expect("the task store");

    for damage in [None, Some(&[] as &[u8])] {
        fs::remove_file(&meta).expect("it can be removed");
        if let Some(bytes) = damage {
            fs::write(&meta, bytes).expect("it can be written");
        }
        assert!(error_of_opening(&instance.path()).contains("meta.redb"));
        assert_eq!(folders(&instance.path()), 1, "the index is still there");
        fs::write(&meta, &saved).expect("it can be restored");
    }
    instance.start();
    assert_eq!(instance.documents("books").expect("the index").len(), 1);
}

#[test]
fn a_flipped_byte_in_the_task_store_never_costs_an_index_or_changes_a_name() {
    let mut instance = Instance::new();
    instance.wait(&instance.add("books", Method::Replace, r#"[{"id":1}]"#));
    instance.stop();
    let meta = instance.path().join("meta.redb");
    let saved = fs::read(&meta).expect("the task store");
    let name = b"books";
    let places = saved.windows(name.len()).enumerate().filter(|(_, bytes)| bytes == name);
    let places: Vec<usize> = places.map(|(place, _)| place).collect();
    assert!(!places.is_empty());

    for place in places {
        let mut bytes = saved.clone();
        bytes[place] ^= 1;
        fs::write(&meta, bytes).expect("it can be written");
        if let Ok(engine) = Engine::open(EngineOptions::new(instance.path())) {
            let names = engine.indexes(&Access::full(), 0, 20).expect("a list").results;
            let names: Vec<&str> = names.iter().map(|index| index.uid.as_str()).collect();
            assert_eq!(names, ["books"], "byte {place}");
            match engine.task(&Access::full(), 0) {
                Ok(task) => assert_eq!(task.index_uid(), Some("books"), "byte {place}"),
                Err(error) => assert_eq!(error.code, Code::Internal, "byte {place}: {error}"),
            }
        }
        assert_eq!(folders(&instance.path()), 1, "byte {place}");
    }
    fs::write(&meta, saved).expect("it can be restored");
}

#[test]
fn a_body_that_is_not_as_received_is_not_indexed() {
    let mut instance = Instance::new();
    instance.stop();
    let held = EngineOptions { max_batched_tasks: 0, ..EngineOptions::new(instance.path()) };
    instance.start_with(held);
    let text = "x".repeat(200_000);
    let task = instance.add("books", Method::Replace, &format!(r#"[{{"id":1,"text":"{text}"}}]"#));
    instance.stop();

    let payloads = fs::read_dir(instance.path().join("payloads")).expect("the payload folder");
    let payload = payloads.flatten().next().expect("a large body is a file").path();
    let mut bytes = fs::read(&payload).expect("the body");
    bytes[100_000] = b'y';
    fs::write(&payload, bytes).expect("it can be written");
    let report = engine::check::verify(&instance.path()).expect("it can be read");
    assert!(report.problems.iter().any(|problem| problem.what.contains("payloads/")));

    instance.start();
    let task = instance.wait(&task);
    assert_eq!(task.status, Status::Failed);
    let error = task.error.expect("a failed task has one");
    assert_eq!(error.code, Code::Internal);
    assert!(error.message.contains("payloads/"), "{error}");
    assert!(instance.documents("books").is_none_or(|documents| documents.is_empty()));
}

#[test]
fn a_folder_of_something_else_is_left_as_it_is() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("photo.jpg"), "a photo").expect("it can be written");
    assert!(error_of_opening(folder.path()).contains("not a data folder"));
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1);
}

#[test]
fn a_first_start_that_was_cut_short_is_begun_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("LOCK"), "").expect("it can be written");
    fs::write(folder.path().join("VERSION.draft"), "").expect("it can be written");
    Engine::open(EngineOptions::new(folder.path())).expect("it opens");
}
