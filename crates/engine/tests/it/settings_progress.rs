//! Progress of a change of settings, and its cancelation.

use std::time::{Duration, Instant};

use engine::keys::Access;
use model::IndexUid;
use serde_json::{Value, json};
use settings::{Change, Setting};
use tasks::{Method, Query, Status, Task};

use crate::support::Instance;

fn change(instance: &Instance, body: Value) -> Task {
    let change = Change::of_many(body).expect("a good body");
    let uid = IndexUid::new("a").expect("a good name");
    instance.engine().change_settings(uid, change, true, None).expect("the change is enqueued")
}

fn trace(instance: &Instance, body: Value) -> Vec<String> {
    let task = instance.wait(&change(instance, body));
    assert_eq!(task.status, Status::Succeeded, "{task:?}");
    let uid = task.batch_uid.expect("a batch");
    let batch = instance.engine().batch(&Access::full(), uid).expect("it is kept");
    let paths = batch.stats.progress_trace.keys();
    let within = paths.filter_map(|path| path.split_once("applying settings > "));
    within.map(|(_, step)| step.to_owned()).collect()
}

fn documents(count: usize) -> String {
    let document = |number: usize| {
        json!({ "id": number, "title": format!("Title number {number}"),
            "text": format!("Some words and more of them, {number}. ").repeat(8) })
    };
    Value::from_iter((0..count).map(document)).to_string()
}

#[test]
fn rebuilds_are_shown_in_the_progress() {
    let instance = Instance::new();
    instance.wait(&instance.add("a", Method::Replace, &documents(10)));
    let found = trace(&instance, json!({ "stopWords": ["of"], "filterableAttributes": ["id"] }));
    let step = "rebuilding words of 3 attributes and values of 1 attribute";
    let expected = [&format!("{step} > indexing documents"), step, "committing"];
    assert_eq!(found, expected);
    assert_eq!(trace(&instance, json!({ "stopWords": ["of"] })), ["committing"]);
    assert_eq!(trace(&instance, json!({ "rankingRules": ["words", "id:asc"] })), ["committing"]);
}

#[test]
fn a_cancelled_change_leaves_the_index_as_it_was() {
    let instance = Instance::new();
    instance.wait(&instance.add("a", Method::Replace, &documents(20_000)));
    instance.wait(&change(&instance, json!({ "searchableAttributes": ["title"] })));
    let task = change(&instance, json!({ "searchableAttributes": ["text", "title"] }));
    let is_rebuilding = || {
        let batches = instance
            .engine()
            .batches(&Access::full(), &Query::default())
            .expect("batches can be listed");
        let running = batches.results.into_iter().find_map(|batch| batch.progress);
        running.is_some_and(|progress| progress.steps.len() > 2)
    };
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_rebuilding() && Instant::now() < deadline {
        let status =
            instance.engine().task(&Access::full(), task.uid).expect("the task is kept").status;
        if status == Status::Succeeded {
            // It was quicker than this thread: nothing to be seen.
            return;
        }
    }
    let asked = Instant::now();
    let only_it = Query { uids: Some(vec![task.uid]), ..Query::default() };
    instance
        .engine()
        .cancel_tasks(&Access::full(), only_it, String::new())
        .expect("it is enqueued");
    let task = instance.wait(&task);
    let setting = Setting::named("searchableAttributes").expect("a setting");
    let setting = instance.engine().setting("a", setting).expect("it can be read");
    match task.status {
        Status::Canceled => {
            assert!(asked.elapsed() < Duration::from_secs(20), "{:?}", asked.elapsed());
            assert_eq!(setting, json!(["title"]));
        }
        _ => assert_eq!(setting, json!(["text", "title"])),
    }
}
