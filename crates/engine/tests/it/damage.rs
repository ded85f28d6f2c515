//! Files that are missing or not as they were written: reported by name, never served, and never
//! a reason to remove anything else.

use std::fs;
use std::path::Path;

use engine::keys::Access;
use engine::{Engine, EngineOptions};
use model::{Cancel, Code};
use tasks::{Method, Status};

use crate::support::Instance;

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
fn a_flipped_byte_in_the_task_store_costs_no_index_or_name() {
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

#[test]
fn a_file_truncated_at_run_time_fails_its_index_by_name() {
    let mut instance = Instance::new();
    let titles: Vec<String> =
        (0..2000).map(|n| format!(r#"{{"id":{n},"title":"word{n} common"}}"#)).collect();
    for uid in ["cut", "whole"] {
        instance.wait(&instance.add(uid, Method::Replace, &format!("[{}]", titles.join(","))));
    }
    let index_of = |instance: &Instance, uid: &str| instance.documents(uid).map(|list| list.len());
    // One folder has been created before the other.
    let mut folders: Vec<_> = fs::read_dir(instance.path().join("indexes"))
        .expect("the folder of indexes")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    let created = |path: &std::path::PathBuf| {
        fs::metadata(path).and_then(|found| found.created()).expect("a time of creation")
    };
    folders.sort_by_key(created);
    for entry in fs::read_dir(&folders[0]).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.to_string_lossy().contains(".documents.") {
            fs::OpenOptions::new()
                .write(true)
                .open(&path)
                .expect("a file")
                .set_len(0)
                .expect("cut");
        }
    }
    let cancel = Cancel::default();
    let everything = engine::ListDocuments { limit: 10, ..Default::default() };
    // The first request reads the lost part, the others are refused before.
    for _ in 0..2 {
        let error = instance.engine().documents().list("cut", &everything, &cancel).unwrap_err();
        assert_eq!(error.code, Code::Internal);
        assert!(error.message.contains(".documents."), "{error}");
    }
    let request =
        engine::search::SearchRequest { text: Some("common".to_owned()), ..Default::default() };
    let error = instance.engine().searcher().search("cut", &request, &cancel).unwrap_err();
    assert!(error.message.contains(".documents."), "{error}");
    assert_eq!(index_of(&instance, "whole"), Some(2000));
    // Nothing is written from what was lost.
    let task = instance.wait(&instance.add("cut", Method::Update, r#"[{"id":1,"more":1}]"#));
    assert_eq!(task.status, Status::Failed);
    assert!(task.error.expect("a failed task has one").message.contains(".documents."));
    let task = instance.wait(&instance.add("whole", Method::Update, r#"[{"id":1,"more":1}]"#));
    assert_eq!(task.status, Status::Succeeded);
    // After a restart the file itself is found to be damaged.
    instance.restart();
    assert_eq!(index_of(&instance, "cut"), None);
    assert_eq!(index_of(&instance, "whole"), Some(2000));
}

#[test]
fn leftovers_of_creations_and_deletions_are_no_damage() {
    let mut instance = Instance::new();
    instance.wait(&instance.add("books", Method::Replace, r#"[{"id":1}]"#));
    let kept = fs::read_dir(instance.path().join("indexes")).expect("it").count();
    instance.stop();
    let left = instance.path().join("indexes/0190f3a2-7b1c-4d2e-8f3a-4b5c6d7e8f90");
    fs::create_dir(&left).expect("a folder");
    fs::write(left.join("1.documents.1"), "half").expect("a file");
    let report = engine::check::verify(&instance.path()).expect("a data folder");
    assert_eq!(report.problems, []);
    assert_eq!(report.leftovers, ["indexes/0190f3a2-7b1c-4d2e-8f3a-4b5c6d7e8f90"]);
    assert_eq!(report.indexes, kept);
    instance.start();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while left.exists() {
        assert!(std::time::Instant::now() < deadline, "the next start removes it");
        std::thread::yield_now();
    }
}
