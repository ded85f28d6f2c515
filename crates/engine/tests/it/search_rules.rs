//! Dynamic search rules are changed by tasks: in order, once, and for good.

use engine::Engine;
use engine::search_rules::{Rule, RuleFilter, RulePatch};
use model::IndexUid;
use serde_json::{Value, json};
use tasks::{Details, Status, Task};

use crate::support::Instance;

fn uid(uid: &str) -> IndexUid {
    IndexUid::new(uid).expect("a good name")
}

fn update(instance: &Instance, rule: &str, patch: Value) -> Task {
    let patch: RulePatch = serde_json::from_value(patch).expect("a good change");
    instance.engine().update_search_rule(uid(rule), &patch, None).expect("the change is enqueued")
}

fn delete(instance: &Instance, rule: &str) -> Task {
    instance.engine().delete_search_rule(uid(rule), None).expect("the deletion is enqueued")
}

fn clear(instance: &Instance) -> Task {
    instance.engine().clear_search_rules(None).expect("the deletion is enqueued")
}

fn rules(engine: &Engine) -> Vec<Rule> {
    engine.search_rules(&RuleFilter::default(), 0, usize::MAX).results
}

fn listed(instance: &Instance) -> Vec<(String, Option<u64>)> {
    let rules = rules(instance.engine()).into_iter();
    rules.map(|rule| (rule.uid, rule.precedence)).collect()
}

#[test]
fn rules_outlive_the_process_and_a_compaction() {
    let mut instance = Instance::new();
    let whole = json!({
        "description": "Spring", "precedence": 3, "active": false,
        "conditions": {
            "query": { "words": "a \"b\"" }, "time": { "end": "2030-01-01T00:00:00.5+01:00" },
            "filter": { "values": { "kind": "shoe", "price": 7.5, "sold": true } },
        },
        "actions": [{
            "selector": { "indexUid": "shoes", "id": "7" },
            "action": { "type": "pin", "position": 4 },
        }],
    });
    instance.wait(&update(&instance, "spring", whole.clone()));
    instance.wait(&update(&instance, "gone", json!({})));
    instance.wait(&delete(&instance, "gone"));
    let before = rules(instance.engine());
    let mut shown = json!(before[0]);
    let shown = shown.as_object_mut().expect("an object");
    assert_eq!(shown.shift_remove("uid"), Some(json!("spring")));
    assert!(shown.shift_remove("lastUpdatedAt").is_some_and(|date| date.is_string()));
    assert_eq!(json!(shown), whole);

    instance.restart();
    assert_eq!(rules(instance.engine()), before);
    instance.engine().compact_tasks().expect("it is compacted");
    instance.restart();
    assert_eq!(rules(instance.engine()), before);
    instance.stop();
    let report = engine::check::verify(&instance.path()).expect("a data folder");
    assert!(report.problems.is_empty(), "{:?}", report.problems);
}

#[test]
fn changes_that_waited_are_made_in_order_and_once() {
    let mut instance = Instance::new();
    instance.wait(&update(&instance, "a", json!({ "description": "old", "precedence": 1 })));
    let tasks = instance.together(|instance| {
        vec![
            update(instance, "a", json!({ "precedence": 2 })),
            update(instance, "b", json!({ "precedence": 3 })),
            delete(instance, "a"),
            update(instance, "a", json!({ "precedence": 4 })),
            delete(instance, "never"),
        ]
    });
    assert!(tasks.iter().all(|task| task.status == Status::Succeeded), "{tasks:?}");
    assert!(tasks.iter().all(|task| task.batch_uid == tasks[0].batch_uid), "{tasks:?}");
    // Of one batch, the one that was changed last comes first all the same.
    assert_eq!(listed(&instance), [("a".to_owned(), Some(4)), ("b".to_owned(), Some(3))]);
    assert_eq!(instance.engine().search_rule("a").expect("a rule").description, None);
    instance.restart();
    assert_eq!(listed(&instance), [("a".to_owned(), Some(4)), ("b".to_owned(), Some(3))]);
}

#[test]
fn clearing_counts_what_was_there() {
    let mut instance = Instance::new();
    instance.wait(&update(&instance, "a", json!({})));
    let tasks = instance.together(|instance| {
        let created = update(instance, "b", json!({}));
        vec![created, clear(instance), clear(instance), update(instance, "c", json!({}))]
    });
    let batches: Vec<_> = tasks.iter().map(|task| task.batch_uid).collect();
    assert!(batches[0] == batches[1] && batches[1] == batches[2] && batches[2] != batches[3]);
    let deleted = |task: &Task| match task.details {
        Details::ClearAll { deleted_documents } => deleted_documents,
        _ => None,
    };
    assert_eq!(tasks.iter().map(deleted).collect::<Vec<_>>(), [None, Some(2), Some(0), None]);
    assert_eq!(listed(&instance), [("c".to_owned(), None)]);
}
