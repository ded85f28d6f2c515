//! Deletions by filter in batches with other work: which documents they see, what they count, and
//! whom a filter that cannot be applied takes with it.

use model::{Code, IndexUid};
use serde_json::{Value, json};
use settings::Change;
use tasks::{Content, Details, Method, Status, Task};

use crate::support::Instance;

/// Six documents; `kind` can be filtered by.
fn instance() -> Instance {
    let instance = Instance::new();
    let change =
        Change::of_many(json!({"filterableAttributes": ["kind", "_geo"]})).expect("a body");
    let uid = IndexUid::new("a").expect("a name");
    let task = instance.engine().change_settings(uid, change, true, None).expect("the change");
    assert_eq!(instance.wait(&task).status, Status::Succeeded);
    let documents: Vec<Value> =
        (0..6).map(|id| json!({"id": id, "kind": if id < 4 { "x" } else { "y" }})).collect();
    let task = instance.add("a", Method::Replace, &json!(documents).to_string());
    assert_eq!(instance.wait(&task).status, Status::Succeeded);
    instance
}

fn by_filter(instance: &Instance, filter: &str) -> Task {
    let content =
        Content::DocumentDeletionByFilter { index_uid: "a".to_owned(), filter: json!(filter) };
    instance.enqueue(content)
}

fn by_ids(instance: &Instance, ids: &[&str]) -> Task {
    let ids = ids.iter().map(ToString::to_string).collect();
    instance.enqueue(Content::DocumentDeletion { index_uid: "a".to_owned(), ids })
}

fn ids(instance: &Instance) -> Vec<u64> {
    let documents = instance.documents("a").expect("the index");
    documents.iter().map(|document| document["id"].as_u64().expect("an id")).collect()
}

fn deleted(tasks: &[Task]) -> Vec<Option<u64>> {
    let count = |task: &Task| match task.details {
        Details::DocumentDeletion { deleted_documents, .. } => deleted_documents,
        _ => None,
    };
    tasks.iter().map(count).collect()
}

#[track_caller]
fn share_a_batch(tasks: &[Task]) {
    assert!(tasks.iter().all(|task| task.batch_uid == tasks[0].batch_uid), "{tasks:?}");
}

#[test]
fn documents_deleted_earlier_are_not_counted_again() {
    let mut instance = instance();
    let tasks = instance.together(|instance| {
        vec![
            by_ids(instance, &["0", "5", "77"]),
            by_filter(instance, "kind = x"),
            by_filter(instance, "kind = x OR kind = y"),
            by_ids(instance, &["4"]),
        ]
    });
    share_a_batch(&tasks);
    assert_eq!(deleted(&tasks), [Some(2), Some(3), Some(1), Some(0)]);
    assert_eq!(ids(&instance), [] as [u64; 0]);
}

#[test]
fn additions_after_a_deletion_stay() {
    let mut instance = instance();
    let tasks = instance.together(|instance| {
        vec![
            by_filter(instance, "kind = x"),
            instance.add(
                "a",
                Method::Replace,
                r#"[{"id": 1, "kind": "x"}, {"id": 9, "kind": "x"}]"#,
            ),
        ]
    });
    share_a_batch(&tasks);
    assert_eq!(deleted(&tasks[..1]), [Some(4)]);
    assert_eq!(ids(&instance), [1, 4, 5, 9]);
}

/// It cannot share their batch, since it has to see them.
#[test]
fn additions_before_a_deletion_are_found() {
    let mut instance = instance();
    let tasks = instance.together(|instance| {
        vec![
            instance.add("a", Method::Replace, r#"[{"id": 9, "kind": "x"}]"#),
            by_filter(instance, "kind = x"),
        ]
    });
    assert_ne!(tasks[0].batch_uid, tasks[1].batch_uid);
    assert_eq!(deleted(&tasks[1..]), [Some(5)]);
    assert_eq!(ids(&instance), [4, 5]);
}

#[test]
fn a_bad_filter_fails_alone_among_deletions() {
    let mut instance = instance();
    let tasks = instance.together(|instance| {
        vec![
            by_filter(instance, "kind = y"),
            by_filter(instance, "size = 1"),
            by_ids(instance, &["0"]),
        ]
    });
    share_a_batch(&tasks);
    let error = tasks[1].error.as_ref().expect("an error");
    assert_eq!(error.code, Code::InvalidDocumentFilter);
    assert!(error.message.starts_with("Index `a`: Attribute `size` is not filterable."), "{error}");
    assert_eq!(deleted(&tasks), [Some(2), Some(0), Some(1)]);
    assert_eq!(ids(&instance), [1, 2, 3]);
}

#[test]
fn a_bad_filter_fails_the_additions_of_its_batch_too() {
    let mut instance = instance();
    let tasks = instance.together(|instance| {
        vec![
            by_ids(instance, &["0"]),
            by_filter(instance, "size = 1"),
            instance.add("a", Method::Replace, r#"[{"id": 9}]"#),
        ]
    });
    share_a_batch(&tasks);
    for task in &tasks {
        let error = task.error.as_ref().expect("an error");
        assert_eq!(error.code, Code::InvalidDocumentFilter);
    }
    assert_eq!(ids(&instance), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn a_place_that_is_none_fails_only_the_task_that_brings_it() {
    let mut instance = instance();
    let tasks = instance.together(|instance| {
        vec![
            instance.add("a", Method::Update, r#"[{"id": 7, "_geo": {"lat": 1, "lng": 2}}]"#),
            instance.add("a", Method::Update, r#"[{"id": 8}, {"id": 0, "_geo": {"lat": 1}}]"#),
        ]
    });
    share_a_batch(&tasks);
    assert_eq!(tasks[0].status, Status::Succeeded);
    let error = tasks[1].error.as_ref().expect("an error");
    assert_eq!(error.code, Code::InvalidDocumentGeoField);
    assert!(error.message.starts_with("Index `a`: Could not find longitude"), "{error}");
    assert_eq!(ids(&instance), [0, 1, 2, 3, 4, 5, 7]);
}

#[test]
fn a_deletion_outlives_the_process() {
    let mut instance = instance();
    instance.wait(&by_filter(&instance, "kind = y"));
    instance.restart();
    assert_eq!(ids(&instance), [0, 1, 2, 3]);
}
