//! Tests what a task shows: details while it waits, after success, failure and cancelation.

use model::{Code, ServiceError};
use serde_json::{Value, json};
use tasks::*;

use crate::support::*;

fn details(harness: &Harness, uid: TaskUid) -> Value {
    harness.task(uid).details.to_json().map_or(Value::Null, Value::Object)
}

/// One of each type, with the details shown while it waits.
fn every_type(harness: &Harness) -> Vec<(TaskUid, Value)> {
    let mut expected = vec![(
        harness.add_documents("books", 3, b"[{},{},{}]"),
        json!({ "receivedDocuments": 3, "indexedDocuments": null }),
    )];
    let mut more = |content: Content, details: Value| {
        expected.push((harness.enqueue(content), details));
    };
    more(creation("books"), json!({ "primaryKey": null }));
    more(
        settings("books", json!({ "stopWords": ["the"], "rankingRules": null })),
        json!({ "stopWords": ["the"], "rankingRules": null }),
    );
    more(
        deletion("books", &["1", "2"]),
        json!({ "providedIds": 2, "deletedDocuments": null, "originalFilter": null }),
    );
    more(
        Content::DocumentDeletionByFilter {
            index_uid: "books".to_owned(),
            filter: json!("pages > 100"),
        },
        json!({
            "providedIds": 0, "deletedDocuments": null, "originalFilter": "\"pages > 100\"",
        }),
    );
    more(clear("books"), json!({ "deletedDocuments": null }));
    more(
        Content::DocumentEdition {
            index_uid: "books".to_owned(),
            filter: Some(json!(["a = 1"])),
            context: None,
            function: "doc.x = 1".to_owned(),
        },
        json!({
            "editedDocuments": null, "deletedDocuments": null, "context": null,
            "function": "doc.x = 1", "originalFilter": "[\"a = 1\"]",
        }),
    );
    more(
        rename("books", "library"),
        json!({ "primaryKey": null, "oldIndexUid": "books", "newIndexUid": "library" }),
    );
    more(
        Content::IndexUpdate {
            index_uid: "books".to_owned(),
            primary_key: Some("sku".to_owned()),
            new_uid: None,
        },
        json!({ "primaryKey": "sku" }),
    );
    more(deletion_of_index("books"), json!({ "deletedDocuments": null }));
    more(
        swap("books", "teas"),
        json!({ "swaps": [{ "indexes": ["books", "teas"], "rename": false }] }),
    );
    more(Content::IndexCompaction { index_uid: "books".to_owned() }, json!({}));
    more(Content::DumpCreation { instance_uid: None }, json!({ "dumpUid": null }));
    more(Content::SnapshotCreation, Value::Null);
    more(
        export("*"),
        json!({
            "url": "http://127.0.0.1:1", "apiKey": "01234XXXXXX...", "payloadSize": "24 MiB",
            "indexes": { "*": { "filter": null, "overrideSettings": false } },
        }),
    );
    more(
        Content::UpgradeDatabase { from: "v1.49.0".to_owned(), to: "v1.50.0".to_owned() },
        json!({ "upgradeFrom": "v1.49.0", "upgradeTo": "v1.50.0" }),
    );
    more(
        Content::DsrUpdate { rule_uid: "r".into(), rule: Some(json!({ "uid": "r" })) },
        json!({ "rule": { "uid": "r" }, "updatedRules": 1 }),
    );
    more(Content::DsrClear, json!({ "deletedDocuments": null }));
    expected
}

#[test]
fn every_type_has_its_details_while_it_waits() {
    let harness = Harness::with(Options { max_batched_tasks: 0, ..Options::default() });
    let expected = every_type(&harness);
    let cancel = harness.queue.cancel(&uids(&[0, 1]), "?uids=0,1", None).unwrap().uid;
    let statuses = Some(vec![Status::Enqueued]);
    let enqueued = Query { statuses, ..Query::default() };
    let delete = harness.queue.delete(&enqueued, "?statuses=enqueued", None).unwrap().uid;
    assert_eq!(harness.step_all(), 0, "a limit of 0 holds everything still");

    // The same after a restart.
    let harness = harness.reopened();
    for (uid, expected) in expected {
        assert_eq!(details(&harness, uid), expected);
    }
    assert_eq!(
        details(&harness, cancel),
        json!({ "matchedTasks": 2, "canceledTasks": null, "originalFilter": "?uids=0,1" })
    );
    assert_eq!(
        details(&harness, delete),
        json!({
            "matchedTasks": delete, "deletedTasks": null, "originalFilter": "?statuses=enqueued",
        })
    );
    let task = harness.task(0);
    assert_eq!((task.batch_uid, task.started_at, task.finished_at), (None, None, None));
    assert_eq!((task.index_uid(), task.duration()), (Some("books"), None));
}

#[test]
fn canceled_tasks_show_the_failure_form() {
    let harness = Harness::new();
    let expected = every_type(&harness);
    harness.queue.cancel(&Query::default(), "?uids=*", None).unwrap();
    assert_eq!(harness.step_all(), 1);
    for (uid, mut expected) in expected {
        let of_edition = expected.get("editedDocuments").is_some();
        for (name, value) in expected.as_object_mut().into_iter().flatten() {
            let counter = name.starts_with("indexed")
                || name.starts_with("edited")
                || (name.starts_with("deleted") && !of_edition);
            if counter {
                *value = json!(0);
            }
        }
        assert_eq!(details(&harness, uid), expected);
        assert_eq!(harness.task(uid).status, Status::Canceled);
    }
}

#[test]
fn succeeded_tasks_have_runner_details_and_failed_ones_zeros() {
    let harness = Harness::new();
    let added = harness.add("books");
    let missing = harness.enqueue(clear("ghost"));
    let exists = harness.enqueue(creation("books"));
    assert_eq!(harness.step_all(), 3);
    assert_eq!(details(&harness, added), json!({ "receivedDocuments": 3, "indexedDocuments": 3 }));
    assert_eq!(details(&harness, missing), json!({ "deletedDocuments": 0 }));
    assert_eq!(details(&harness, exists), json!({ "primaryKey": null }));
    let task = harness.task(missing);
    assert_eq!(task.status, Status::Failed);
    assert_eq!(task.error, Some(ServiceError::index_not_found("ghost")));
    assert_eq!(harness.task(added).error, None);
    assert!(task.duration().is_some());
}

#[test]
fn secrets_are_forgotten_at_the_end() {
    let harness = Harness::new();
    let exported = harness.enqueue(export("*"));
    let set = harness.enqueue(settings("books", json!({ "embedders": "in clear" })));
    let deleted = harness.enqueue(deletion("books", &["1"]));
    harness.step_all();
    assert!(matches!(harness.task(exported).content, Content::Export { api_key: None, .. }));
    assert!(matches!(
        harness.task(set).content,
        Content::SettingsUpdate { settings: Value::Null, .. }
    ));
    let Content::DocumentDeletion { ids, .. } = harness.task(deleted).content else { panic!() };
    assert!(ids.is_empty());
}

#[test]
fn custom_metadata_stays_with_the_task() {
    let harness = Harness::new();
    let task = NewTask::new(creation("books")).with_metadata(Some("été".to_owned()));
    let task = harness.queue.enqueue(task).unwrap();
    assert_eq!(task.custom_metadata.as_deref(), Some("été"));
    harness.step_all();
    assert_eq!(harness.task(task.uid).custom_metadata.as_deref(), Some("été"));
    assert_eq!(harness.task(harness.add("books")).custom_metadata, None);
}

#[test]
fn absent_tasks_and_batches_are_not_found() {
    let harness = Harness::new();
    let error = harness.queue.task(7, None).unwrap_err();
    assert_eq!(error, ServiceError::new(Code::TaskNotFound, "Task `7` not found."));
    let error = harness.queue.batch(0, None).unwrap_err();
    assert_eq!(error, ServiceError::new(Code::BatchNotFound, "Batch `0` not found."));
}
