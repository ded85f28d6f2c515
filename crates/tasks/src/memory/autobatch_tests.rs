//! Tests of the growth table, row by row, in a small language: `add`, `add?` (may not create the
//! index), `add:id` (with a primary key), `ids`, `filter`, `clear`, `set`, `set?`, `drop`, `alone`,
//! `rule`, `norules`.

use super::*;

const EXISTING: &str = "existing";
const ABSENT: &str = "absent";

fn kind(word: &str) -> (TaskType, TaskKind) {
    let (word, primary_key) = match word.split_once(':') {
        Some((word, key)) => (word, Some(key.to_owned())),
        None => (word, None),
    };
    let may_create_index = !word.ends_with('?');
    match word.trim_end_matches('?') {
        "add" => (
            TaskType::DocumentAdditionOrUpdate,
            TaskKind::Addition { primary_key, may_create_index },
        ),
        "ids" => (TaskType::DocumentDeletion, TaskKind::DeletionByIds),
        "filter" => (TaskType::DocumentDeletion, TaskKind::DeletionByFilter),
        "clear" => (TaskType::DocumentDeletion, TaskKind::Clear),
        "set" => (TaskType::SettingsUpdate, TaskKind::Settings { may_create_index }),
        "drop" => (TaskType::IndexDeletion, TaskKind::IndexDeletion),
        "alone" => (TaskType::DocumentEdition, TaskKind::Alone(Work::DocumentEdition)),
        "rule" => (TaskType::DsrUpdate, TaskKind::DsrUpdate),
        "norules" => (TaskType::DsrClear, TaskKind::DsrClear),
        other => panic!("no such word: {other}"),
    }
}

/// Reads `existing`, `absent`, or `key:…` for an existing index with a primary key.
fn state(index: &str) -> IndexState {
    match index {
        ABSENT => IndexState::default(),
        EXISTING => IndexState { exists: true, primary_key: None },
        keyed => {
            IndexState { exists: true, primary_key: keyed.strip_prefix("key:").map(str::to_owned) }
        }
    }
}

fn plan_of(index: &str, words: &str, limits: Limits) -> Plan {
    let kinds: Vec<(TaskType, TaskKind)> = words.split_whitespace().map(kind).collect();
    let candidates = kinds.iter().enumerate().map(|(uid, (task_type, kind))| Candidate {
        uid: uid as u32,
        task_type: *task_type,
        kind,
        payload_bytes: 10,
    });
    plan(candidates, "books", &state(index), limits).unwrap()
}

const UNLIMITED: Limits = Limits { tasks: usize::MAX, payload_bytes: u64::MAX };

/// Checks a plan; `|` marks where the first batch must end.
#[track_caller]
fn check(index: &str, words: &str, work: Work) {
    let expected = words.split('|').next().unwrap().split_whitespace().count();
    let plan = plan_of(index, &words.replace('|', " "), UNLIMITED);
    let tasks: Vec<TaskUid> = (0..expected as u32).collect();
    assert_eq!((plan.tasks, plan.work), (tasks, work), "{index}: {words} ({})", plan.stop);
}

#[test]
fn row_with_an_addition() {
    check(EXISTING, "add add ids add", Work::Documents);
    check(EXISTING, "add | filter", Work::Documents);
    check(EXISTING, "add clear", Work::DocumentClear);
    check(EXISTING, "add ids clear ids", Work::DocumentClear);
    check(EXISTING, "add | set", Work::Documents);
    check(EXISTING, "filter add | filter", Work::Documents);
    check(EXISTING, "add drop | add", Work::IndexDeletion);
}

#[test]
fn row_of_deletions_only() {
    check(EXISTING, "ids filter ids filter", Work::DocumentDeletion);
    check(EXISTING, "ids add ids", Work::Documents);
    check(EXISTING, "filter filter ids add clear | add", Work::DocumentClear);
    check(EXISTING, "filter | set", Work::DocumentDeletion);
    check(EXISTING, "ids drop | ids", Work::IndexDeletion);
}

#[test]
fn an_absent_index_is_not_created_behind_deletions() {
    check(ABSENT, "ids | add", Work::DocumentDeletion);
    check(ABSENT, "filter | add", Work::DocumentDeletion);
    check(ABSENT, "ids add? | add", Work::Documents);
    check(EXISTING, "ids add add", Work::Documents);
    check(ABSENT, "ids drop", Work::IndexDeletion);
}

#[test]
fn row_of_delete_all() {
    check(EXISTING, "clear ids filter clear", Work::DocumentClear);
    check(EXISTING, "clear | add", Work::DocumentClear);
    check(EXISTING, "clear | set", Work::DocumentClear);
    check(EXISTING, "clear clear drop | clear", Work::IndexDeletion);
}

#[test]
fn row_of_settings() {
    check(EXISTING, "set set", Work::Settings);
    check(EXISTING, "set | add", Work::Settings);
    check(EXISTING, "set | ids", Work::Settings);
    check(EXISTING, "set | filter", Work::Settings);
    check(EXISTING, "set drop | set", Work::IndexDeletion);
    check(EXISTING, "set clear ids filter clear set", Work::SettingsAndClear);
    check(EXISTING, "set clear | add", Work::SettingsAndClear);
    check(EXISTING, "set clear drop | set", Work::IndexDeletion);
}

#[test]
fn some_types_are_always_alone() {
    check(EXISTING, "alone | alone", Work::DocumentEdition);
    check(EXISTING, "add | alone", Work::Documents);
    check(EXISTING, "clear | alone", Work::DocumentClear);
    check(EXISTING, "set | alone", Work::Settings);
    check(EXISTING, "drop | add", Work::IndexDeletion);
}

#[test]
fn rules_join_rules() {
    check(ABSENT, "rule rule norules norules", Work::DsrClear);
    check(ABSENT, "rule rule", Work::DsrUpdate);
    check(ABSENT, "norules | rule", Work::DsrClear);
}

#[test]
fn an_index_is_created_only_for_a_batch_that_may() {
    check(ABSENT, "add? add? | add", Work::Documents);
    check(ABSENT, "add add?", Work::Documents);
    check(ABSENT, "set? | set", Work::Settings);
    check(ABSENT, "set set? set", Work::Settings);
    check(ABSENT, "set? clear | set", Work::SettingsAndClear);
    check(EXISTING, "add? add", Work::Documents);
}

#[test]
fn a_primary_key_other_than_the_index_s_runs_alone() {
    check("key:id", "add:id add add:id", Work::Documents);
    check("key:id", "add | add:code", Work::Documents);
    check("key:id", "add:code | add:code", Work::Documents);
    check("key:id", "ids | add:code", Work::DocumentDeletion);
    check("key:id", "ids add:id", Work::Documents);
}

#[test]
fn without_a_key_in_the_index_the_first_addition_decides() {
    for index in [ABSENT, EXISTING] {
        check(index, "add:id add add:id | add:code", Work::Documents);
        check(index, "add | add:id", Work::Documents);
        check(index, "add add", Work::Documents);
    }
    check(EXISTING, "ids add:id add | add:code", Work::Documents);
    check(EXISTING, "ids add | add:id", Work::Documents);
}

#[test]
fn limits_close_a_batch_but_one_task_is_always_taken() {
    let two_tasks = Limits { tasks: 2, ..UNLIMITED };
    let plan = plan_of(EXISTING, "add add add", two_tasks);
    assert_eq!((plan.tasks, plan.stop), (vec![0, 1], Stop::TaskLimit(2)));
    let small = Limits { payload_bytes: 25, ..UNLIMITED };
    let plan = plan_of(EXISTING, "add add add", small);
    assert_eq!((plan.tasks, plan.stop), (vec![0, 1], Stop::SizeLimit(25)));
    let tiny = Limits { payload_bytes: 1, ..UNLIMITED };
    assert_eq!(plan_of(EXISTING, "add add", tiny).tasks, [0]);
}

#[test]
fn batch_strategies_are_worded() {
    let told = |words: &str| plan_of(EXISTING, words, UNLIMITED).stop.to_string();
    assert_eq!(told("add add"), "batched all enqueued tasks for index `books`");
    assert_eq!(
        told("alone"),
        "created batch containing only task with id 0 of type `documentEdition` that cannot be \
         batched with any other task."
    );
    assert_eq!(
        told("set set add"),
        "stopped after the last task of type `settingsUpdate` because they cannot be batched with \
         tasks of any other type."
    );
    assert_eq!(Stop::NoMoreTasks.to_string(), "batched all enqueued tasks");
}

#[test]
fn without_tasks_there_is_no_batch() {
    assert_eq!(plan([], "books", &IndexState::default(), UNLIMITED), None);
}
