//! Lists of tasks and batches: filters, pages, totals, what is hidden. The scenes are those of the
//! recorded conversations.

use std::sync::mpsc;

use serde_json::json;
use tasks::*;
use time::macros::datetime;

use crate::support::*;

/// Eight finished tasks over two indexes, a dump, a swap and a failure.
fn scene() -> Harness {
    let harness = Harness::new();
    let contents = [
        creation("books"),
        settings("teas", json!({ "stopWords": ["and"] })),
        deletion("books", &["1"]),
        Content::DumpCreation { instance_uid: None },
        swap("books", "teas"),
        deletion_of_index("ghost"),
    ];
    for index_uid in ["books", "teas"] {
        harness.add(index_uid);
        harness.step_all();
    }
    for content in contents {
        harness.enqueue(content);
        assert_eq!(harness.step_all(), 1);
    }
    harness
}

fn page(harness: &Harness, query: Query) -> (Vec<TaskUid>, u64, Option<u32>, Option<u32>) {
    let page = harness.queue.tasks(&query, None).unwrap();
    (page.results.iter().map(|task| task.uid).collect(), page.total, page.from, page.next)
}

fn batch_page(harness: &Harness, query: Query) -> (Vec<BatchUid>, u64, Option<u32>, Option<u32>) {
    let page = harness.queue.batches(&query, None).unwrap();
    (page.results.iter().map(|batch| batch.uid).collect(), page.total, page.from, page.next)
}

fn paged(limit: u32, from: Option<u32>, reverse: bool) -> Query {
    Query { limit: Some(limit), from, reverse, ..Query::default() }
}

fn of_indexes(names: &[&str]) -> Query {
    let index_uids = Some(names.iter().map(|&name| name.to_owned()).collect());
    Query { index_uids, limit: Some(20), ..Query::default() }
}

#[test]
fn pages_start_at_from_and_name_the_next() {
    let harness = Harness::new();
    for _ in 0..5 {
        harness.enqueue(creation("books"));
        harness.step_all();
    }
    let cases = [
        (paged(20, None, false), (vec![4, 3, 2, 1, 0], Some(4), None)),
        (paged(2, None, false), (vec![4, 3], Some(4), Some(2))),
        (paged(2, Some(2), false), (vec![2, 1], Some(2), Some(0))),
        (paged(2, Some(0), false), (vec![0], Some(0), None)),
        (paged(20, Some(100), false), (vec![4, 3, 2, 1, 0], Some(4), None)),
        (paged(20, Some(u32::MAX), false), (vec![4, 3, 2, 1, 0], Some(4), None)),
        (paged(0, None, false), (vec![], None, Some(4))),
        (paged(0, Some(3), false), (vec![], None, Some(3))),
        (paged(5, None, false), (vec![4, 3, 2, 1, 0], Some(4), None)),
        (paged(u32::MAX, None, false), (vec![4, 3, 2, 1, 0], Some(4), None)),
        (paged(2, None, true), (vec![0, 1], Some(0), Some(2))),
        (paged(2, Some(2), true), (vec![2, 3], Some(2), Some(4))),
        (paged(20, Some(4), true), (vec![4], Some(4), None)),
        (paged(20, Some(50), true), (vec![], None, None)),
        (paged(0, None, true), (vec![], None, Some(0))),
    ];
    for (query, (uids, from, next)) in cases {
        assert_eq!(page(&harness, query.clone()), (uids.clone(), 5, from, next), "{query:?}");
        assert_eq!(batch_page(&harness, query.clone()), (uids, 5, from, next), "{query:?}");
    }
    let all = harness.queue.tasks(&Query::default(), None).unwrap();
    assert_eq!((all.results.len(), all.next), (5, None));
}

#[test]
fn filters_are_combined() {
    let harness = scene();
    let cases = [
        (uids(&[3, 1, 3, 99]), vec![3, 1]),
        (uids(&[]), vec![]),
        (Query { types: Some(vec![TaskType::DocumentDeletion]), ..Query::default() }, vec![4]),
        (
            Query {
                types: Some(vec![TaskType::DumpCreation, TaskType::IndexSwap]),
                ..Query::default()
            },
            vec![6, 5],
        ),
        (Query { types: Some(vec![]), ..Query::default() }, vec![]),
        (Query { statuses: Some(vec![Status::Failed]), ..Query::default() }, vec![7, 2]),
        (
            Query {
                statuses: Some(vec![Status::Enqueued, Status::Processing]),
                ..Query::default()
            },
            vec![],
        ),
        (Query { canceled_by: Some(vec![3]), ..Query::default() }, vec![]),
        (Query { batch_uids: Some(vec![0, 2, 77]), ..Query::default() }, vec![2, 0]),
        (
            Query {
                types: Some(vec![TaskType::IndexCreation]),
                statuses: Some(vec![Status::Failed]),
                ..Query::default()
            },
            vec![2],
        ),
        (of_indexes(&["nothing"]), vec![]),
        (of_indexes(&[]), vec![]),
    ];
    for (query, expected) in cases {
        let (found, total, _, next) = page(&harness, query.clone());
        assert_eq!(
            (found, total, next),
            (expected.clone(), expected.len() as u64, None),
            "{query:?}"
        );
    }
}

#[test]
fn global_tasks_are_left_out_after_the_page_was_cut() {
    let harness = scene();
    // The swap names both indexes: it is counted, and it takes a place on the page.
    assert_eq!(page(&harness, of_indexes(&["books"])), (vec![3, 1], 3, Some(3), None));
    assert_eq!(
        page(&harness, of_indexes(&["teas", "ghost"])),
        (vec![7, 4, 2, 0], 5, Some(7), None)
    );
    let query = Query { limit: Some(0), ..of_indexes(&["books"]) };
    assert_eq!(page(&harness, query), (vec![], 3, None, None));
    let query = Query { uids: Some(vec![5, 6]), ..of_indexes(&["books"]) };
    assert_eq!(page(&harness, query), (vec![], 1, None, None));
}

#[test]
fn dates_are_strict_bounds() {
    let harness = scene();
    let early = datetime!(2001-01-01 0:00 UTC);
    let late = datetime!(9999-12-30 0:00 UTC);
    let task = harness.task(2);
    let finished = task.finished_at.unwrap();
    type Field = fn(&mut Query) -> &mut DateBounds;
    let fields: [Field; 3] = [|q| &mut q.enqueued, |q| &mut q.started, |q| &mut q.finished];
    for field in fields {
        for (after, before, expected) in [
            (Some(early), None, 8),
            (Some(late), None, 0),
            (None, Some(early), 0),
            (None, Some(late), 8),
            (Some(early), Some(late), 8),
            (Some(late), Some(early), 0),
        ] {
            let mut query = Query::default();
            *field(&mut query) = DateBounds { after, before };
            assert_eq!(page(&harness, query.clone()).1, expected, "{query:?}");
            assert_eq!(batch_page(&harness, query.clone()).1, expected, "{query:?}");
        }
    }
    let bounded = |after, before| {
        let finished = DateBounds { after, before };
        harness.uids(Query { finished, reverse: true, ..Query::default() })
    };
    assert_eq!(bounded(Some(finished), None), [3, 4, 5, 6, 7]);
    assert_eq!(bounded(None, Some(finished)), [0, 1]);

    let waiting = harness.add("books");
    let started = DateBounds { after: Some(early), before: None };
    let query = Query { started, ..Query::default() };
    assert!(!harness.uids(query).contains(&waiting), "it has not started");
}

#[test]
fn batches_have_filters_of_their_own() {
    let harness = scene();
    let cases = [
        (uids(&[1, 3]), vec![3, 1]),
        (Query { batch_uids: Some(vec![1]), ..Query::default() }, vec![1]),
        (
            Query { batch_uids: Some(vec![0, 2, 77]), uids: Some(vec![2]), ..Query::default() },
            vec![2],
        ),
        (of_indexes(&["ghost"]), vec![7]),
        (of_indexes(&["nothing"]), vec![]),
        (Query { types: Some(vec![TaskType::IndexSwap]), ..Query::default() }, vec![6]),
        (Query { statuses: Some(vec![Status::Enqueued]), ..Query::default() }, vec![]),
        (Query { statuses: Some(vec![Status::Processing]), ..Query::default() }, vec![]),
        (Query { statuses: Some(vec![Status::Failed]), ..Query::default() }, vec![7, 2]),
        (Query { canceled_by: Some(vec![1]), ..Query::default() }, vec![]),
    ];
    for (query, expected) in cases {
        let (found, total, _, _) = batch_page(&harness, query.clone());
        assert_eq!((found, total), (expected.clone(), expected.len() as u64), "{query:?}");
    }
    // Batches keep the names of their time; the swap takes the place on the page.
    let query = Query { limit: Some(1), ..of_indexes(&["books"]) };
    assert_eq!(batch_page(&harness, query), (vec![4], 4, Some(4), None));
}

#[test]
fn a_limited_key_sees_its_indexes_only() {
    let harness = Harness::new();
    for index_uid in ["books", "teas", "books_fr"] {
        harness.add(index_uid);
        harness.step_all();
    }
    harness.enqueue(Content::DumpCreation { instance_uid: None });
    harness.step_all();
    let books = |name: &str| name.starts_with("books");
    let visible: Visibility<'_> = Some(&books);

    let query = Query { limit: Some(20), ..Query::default() };
    let tasks = harness.queue.tasks(&query, visible).unwrap();
    let found: Vec<_> = tasks.results.iter().map(|task| task.uid).collect();
    assert_eq!((found, tasks.total, tasks.from, tasks.next), (vec![2, 0], 2, Some(2), None));
    let batches = harness.queue.batches(&query, visible).unwrap();
    let found: Vec<_> = batches.results.iter().map(|batch| batch.uid).collect();
    assert_eq!((found, batches.total, batches.from), (vec![2, 0], 2, Some(2)));
    let teas = harness.queue.tasks(&of_indexes(&["teas"]), visible).unwrap();
    assert_eq!((teas.results.len(), teas.total), (0, 0));

    // Pages are full although what lies between their tasks is hidden.
    let query = Query { limit: Some(1), ..Query::default() };
    let page = harness.queue.tasks(&query, visible).unwrap();
    assert_eq!((page.results.len(), page.from, page.next), (1, Some(2), Some(0)));

    assert!(harness.queue.task(0, visible).is_ok());
    assert!(harness.queue.task(1, visible).is_err());
    assert!(harness.queue.task(3, visible).is_err(), "a dump is nobody's index");
    assert!(harness.queue.batch(1, visible).is_err());

    let cancel = harness.queue.cancel(&Query::default(), "?uids=*", visible).unwrap();
    harness.step_all();
    let details = harness.task(cancel.uid).details.to_json().unwrap();
    assert_eq!((&details["matchedTasks"], &details["canceledTasks"]), (&json!(2), &json!(0)));
}

#[test]
fn a_rename_is_found_under_both_names() {
    let harness = Harness::new();
    harness.add("books");
    let renamed = harness.enqueue(rename("books", "library"));
    harness.step_all();
    assert_eq!(harness.uids(of_indexes(&["books"])), [renamed]);
    assert_eq!(harness.uids(of_indexes(&["library"])), [renamed, 0]);
    assert_eq!(harness.task(0).index_uid(), Some("library"));
    assert_eq!(harness.task(renamed).index_uid(), Some("books"));
}

#[test]
fn processing_tasks_and_batches_are_seen_as_such() {
    let harness = Harness::new();
    let (started, wait_for_start) = mpsc::channel();
    let (go_on, wait) = mpsc::channel::<()>();
    let (started, wait) = (std::sync::Mutex::new(started), std::sync::Mutex::new(wait));
    harness.runner.on_run(move |_, progress, _| {
        let step = progress.enter("indexing", 4);
        step.add(2);
        started.lock().unwrap().send(()).unwrap();
        wait.lock().unwrap().recv().unwrap();
        Ok(())
    });
    harness.scheduler.start(1).unwrap();
    let before = time::OffsetDateTime::now_utc();
    harness.add("books");
    wait_for_start.recv().unwrap();
    let second = harness.add("books");

    let task = harness.task(0);
    assert_eq!((task.status, task.batch_uid), (Status::Processing, Some(0)));
    assert!(task.started_at.is_some() && task.finished_at.is_none() && task.duration().is_none());
    let with_status =
        |status| harness.uids(Query { statuses: Some(vec![status]), ..Query::default() });
    assert_eq!(with_status(Status::Processing), [0]);
    assert_eq!(with_status(Status::Enqueued), [second]);
    let started = DateBounds { after: Some(before), before: None };
    assert_eq!(harness.uids(Query { started, ..Query::default() }), [0]);
    assert_eq!(harness.uids(Query { batch_uids: Some(vec![0]), ..Query::default() }), [0]);
    assert!(harness.queue.is_processing("books") && !harness.queue.is_processing("teas"));
    let counts = harness.queue.counts();
    assert_eq!(counts.by_status[..2], [(Status::Enqueued, 1), (Status::Processing, 1)]);
    assert_eq!(counts.by_index, [("books".to_owned(), 2)]);

    let batch = harness.queue.batch(0, None).unwrap();
    assert_eq!(
        json!(batch.progress),
        json!({
            "steps": [
                { "currentStep": "processing tasks", "finished": 0, "total": 2 },
                { "currentStep": "indexing", "finished": 2, "total": 4 },
            ],
            "percentage": 25.0,
        })
    );
    assert_eq!(json!(batch.details), json!({ "receivedDocuments": 3, "indexedDocuments": null }));
    let mut stats = batch.stats.to_json();
    let trace = stats.as_object_mut().unwrap().shift_remove("progressTrace").unwrap();
    let steps: Vec<&String> = trace.as_object().unwrap().keys().collect();
    assert_eq!(steps, ["processing tasks", "processing tasks > indexing"]);
    assert_eq!(
        stats,
        json!({
            "totalNbTasks": 1, "status": { "processing": 1 },
            "types": { "documentAdditionOrUpdate": 1 }, "indexUids": { "books": 1 },
        })
    );
    assert_eq!((batch.finished_at, batch.duration()), (None, None));
    let processing = Query { statuses: Some(vec![Status::Processing]), ..Query::default() };
    assert_eq!(batch_page(&harness, processing).0, [0]);
    assert_eq!(batch_page(&harness, of_indexes(&["books"])).0, [0]);
    assert_eq!(batch_page(&harness, uids(&[0])).0, [0]);
    let failed = Query { statuses: Some(vec![Status::Failed]), ..Query::default() };
    assert_eq!(batch_page(&harness, failed).1, 0);
    go_on.send(()).unwrap();
    wait_for_start.recv().unwrap();
    go_on.send(()).unwrap();
    harness.scheduler.shutdown();
}
