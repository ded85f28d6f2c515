//! Tests bodies of tasks: stored small or large, read while they wait, removed with the task.

use std::io::Write;

use model::Code;

use crate::support::*;

#[test]
fn small_bodies_are_in_the_database_and_large_ones_in_files() {
    let harness = Harness::new();
    let small = vec![b'a'; 64 << 10];
    let large = vec![b'b'; (64 << 10) + 1];
    let uids = [
        harness.add_documents("books", 1, &small),
        harness.add_documents("books", 1, &large),
        harness.add_documents("books", 0, b""),
    ];
    assert_eq!(harness.payload_files(), 1);
    // The bodies survive a restart.
    let harness = harness.reopened();
    for (uid, expected) in uids.into_iter().zip([&small[..], &large, b""]) {
        let (task, body) = harness.queue.payload_of(uid, None).unwrap();
        assert_eq!(task.uid, uid);
        assert_eq!(&*body, expected);
        let payload = task.content.payload().unwrap();
        assert_eq!(payload.bytes(), expected.len() as u64);
        assert_eq!(&*harness.queue.payloads().open_payload(payload).unwrap(), expected);
    }
    let stored = harness.queue.stored_bytes();
    assert!(stored > 64 << 10);
    assert_eq!(harness.step_all(), 1);
    assert_eq!(harness.payload_files(), 0);
    assert!(harness.queue.stored_bytes() < 10_000);
    let stored = harness.queue.stored_bytes();
    assert_eq!(harness.reopened().queue.stored_bytes(), stored);
}

#[test]
fn a_finished_task_has_no_body() {
    let harness = Harness::new();
    let added = harness.add("books");
    let created = harness.enqueue(creation("books"));
    harness.step_all();
    for uid in [added, created] {
        let error = harness.queue.payload_of(uid, None).unwrap_err();
        assert_eq!(error.code, Code::TaskFileNotFound);
        assert_eq!(
            error.message,
            format!(
                "Task `{uid}` does not contain any documents. Only `documentAdditionOrUpdate` \
                 tasks with the statuses `enqueued` or `processing` contain documents"
            )
        );
    }
    assert_eq!(harness.queue.payload_of(77, None).unwrap_err().code, Code::TaskNotFound);
}

#[test]
fn a_draft_can_be_read_and_dropped_at_any_point() {
    let harness = Harness::new();
    let payloads = harness.queue.payloads();
    let body = vec![b'x'; 200_000];
    let fill = || {
        let mut writer = payloads.writer();
        for part in body.chunks(7_000) {
            writer.write_all(part).unwrap();
        }
        writer
    };
    let writer = fill();
    assert_eq!(harness.payload_files(), 1);
    drop(writer);
    assert_eq!(harness.payload_files(), 0);
    let draft = fill().finish().unwrap();
    assert_eq!(&*draft, &body[..]);
    drop(draft);
    assert_eq!(harness.payload_files(), 0);
    drop(fill().finish().unwrap().seal().unwrap());
    assert_eq!(harness.payload_files(), 0);
}

#[test]
fn orphans_are_swept_away_at_start() {
    let harness = Harness::new();
    harness.add_documents("books", 1, &[b'b'; 100_000]);
    let folder = harness.folder.path().join("payloads");
    std::fs::write(folder.join("0190f1a2-0000-7000-8000-000000000000"), b"cut short").unwrap();
    std::fs::write(folder.join("README"), b"not ours").unwrap();
    let harness = harness.reopened();
    assert_eq!(harness.payload_files(), 2, "the task's body and the stranger stay");
    assert!(harness.queue.payload_of(0, None).is_ok());
}

#[test]
fn a_task_and_its_payload_must_match() {
    let harness = Harness::new();
    let mut task = addition(&harness.queue, "books", 1, b"[]");
    task.payload = None;
    assert!(harness.queue.enqueue(task).is_err());
    assert_eq!(harness.add("books"), 0, "the refused task took no uid");
}
