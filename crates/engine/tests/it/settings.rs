//! Changes of settings: applied together, all or none, and still there after a restart.

use model::{Code, IndexUid};
use serde_json::{Value, json};
use settings::{Change, Setting};
use tasks::{Content, Method, Status, Task};

use crate::support::Instance;

fn change(instance: &Instance, uid: &str, body: Value) -> Task {
    let change = Change::of_many(body).expect("a good body");
    let uid = IndexUid::new(uid).expect("a good name");
    instance.engine().change_settings(uid, change, true, None).expect("the change is enqueued")
}

fn setting(instance: &Instance, uid: &str, name: &str) -> Value {
    let setting = Setting::named(name).expect("a setting");
    instance.engine().setting(uid, setting).expect("the setting can be read")
}

#[test]
fn settings_outlive_the_process() {
    let mut instance = Instance::new();
    let long: Vec<String> = (0..2000).map(|number| format!("word{number:05}")).collect();
    instance.wait(&change(&instance, "a", json!({"stopWords": long, "searchCutoffMs": 7})));
    instance.restart();
    assert_eq!(setting(&instance, "a", "stopWords"), json!(long));
    assert_eq!(setting(&instance, "a", "searchCutoffMs"), json!(7));
}

#[test]
fn changes_of_one_batch_are_laid_over_each_other() {
    let mut instance = Instance::new();
    let tasks = instance.together(|instance| {
        vec![
            change(instance, "a", json!({"typoTolerance": {"enabled": false}, "stopWords": ["a"]})),
            change(instance, "a", json!({"typoTolerance": {"disableOnNumbers": true}})),
            change(instance, "a", json!({"stopWords": null})),
        ]
    });
    assert!(tasks.iter().all(|task| task.status == Status::Succeeded), "{tasks:?}");
    assert!(tasks.iter().all(|task| task.batch_uid == tasks[0].batch_uid), "{tasks:?}");
    let typo_tolerance = setting(&instance, "a", "typoTolerance");
    assert_eq!(typo_tolerance["enabled"], json!(false));
    assert_eq!(typo_tolerance["disableOnNumbers"], json!(true));
    assert_eq!(setting(&instance, "a", "stopWords"), json!([]));
}

#[test]
fn one_change_that_does_not_fit_fails_its_batch() {
    let mut instance = Instance::new();
    let tasks = instance.together(|instance| {
        let sizes = json!({"typoTolerance": {"minWordSizeForTypos": {"oneTypo": 10}}});
        vec![change(instance, "a", json!({"stopWords": ["a"]})), change(instance, "a", sizes)]
    });
    for task in &tasks {
        assert_eq!(task.status, Status::Failed);
        let error = task.error.as_ref().expect("an error");
        assert_eq!(error.code, Code::InvalidSettingsTypoTolerance);
        assert!(error.message.starts_with("Index `a`: `minWordSizeForTypos`"), "{error}");
    }
    // The index was made, and that is all.
    assert_eq!(setting(&instance, "a", "stopWords"), json!([]));
}

#[test]
fn a_delete_all_among_changes_is_done_too() {
    let mut instance = Instance::new();
    instance.wait(&instance.add("a", Method::Replace, r#"[{"id": 1}, {"id": 2}]"#));
    let clear = || Content::DocumentClear { index_uid: "a".to_owned() };
    let tasks = instance.together(|instance| {
        vec![
            change(instance, "a", json!({"stopWords": ["a"]})),
            instance.enqueue(clear()),
            instance.enqueue(clear()),
            change(instance, "a", json!({"dictionary": ["b"]})),
        ]
    });
    assert!(tasks.iter().all(|task| task.batch_uid == tasks[0].batch_uid), "{tasks:?}");
    let removed = |task: &Task| match task.details {
        tasks::Details::ClearAll { deleted_documents } => deleted_documents,
        _ => None,
    };
    assert_eq!(tasks.iter().map(removed).collect::<Vec<_>>(), [None, Some(2), Some(0), None]);
    assert_eq!(instance.documents("a"), Some(Vec::new()));
    assert_eq!(setting(&instance, "a", "stopWords"), json!(["a"]));
    assert_eq!(setting(&instance, "a", "dictionary"), json!(["b"]));
}
