//! Records of `meta.redb` that are not as they were written: the start is refused with the name of
//! the record, whichever kind it is of.

use std::fs;
use std::path::Path;

use engine::{Engine, EngineOptions};
use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition, WriteTransaction};
use tasks::Method;

use crate::support::Instance;

type Texts = TableDefinition<'static, &'static str, (&'static str, u64)>;
type TextsByNumber = TableDefinition<'static, u128, (&'static str, u64)>;
type Bytes = TableDefinition<'static, u32, &'static [u8]>;

/// Returns the error of the start, if it is refused.
fn refusal(path: &Path) -> Option<String> {
    Engine::open(EngineOptions::new(path)).err().map(|error| error.to_string())
}

fn change(meta: &Path, change: impl FnOnce(&WriteTransaction)) {
    let database = Database::open(meta).expect("the task store");
    let transaction = database.begin_write().expect("a transaction");
    change(&transaction);
    transaction.commit().expect("it can be written");
}

/// Flips a bit in the bytes of the first record.
fn flip_bytes(transaction: &WriteTransaction, table: Bytes, place: usize) {
    let mut table = transaction.open_table(table).expect("the table");
    let (key, mut bytes) = {
        let (key, value) = table.first().expect("readable").expect("a record");
        (key.value(), value.value().to_vec())
    };
    let place = place % bytes.len();
    bytes[place] ^= 4;
    table.insert(key, bytes.as_slice()).expect("it can be written");
}

#[test]
fn a_flipped_bit_in_any_record_stops_the_start_by_name() {
    let mut instance = Instance::new();
    instance.wait(&instance.add("books", Method::Replace, r#"[{"id":1}]"#));
    instance.stop();
    let meta = instance.path().join("meta.redb");
    let saved = fs::read(&meta).expect("the task store");

    type Corruption = Box<dyn Fn(&WriteTransaction)>;
    let text = |table: &'static str, key: &'static str| -> Corruption {
        Box::new(move |transaction| {
            let mut table = transaction.open_table(Texts::new(table)).expect("the table");
            table.insert(key, (r#"{"network":false}"#, 1)).expect("it can be written");
        })
    };
    let numbered = |table: &'static str| -> Corruption {
        Box::new(move |transaction| {
            let mut table = transaction.open_table(TextsByNumber::new(table)).expect("the table");
            table.insert(7, ("{}", 1)).expect("it can be written");
        })
    };
    let key = "00000000-0000-0000-0000-000000000007";
    let cases: Vec<(&str, &str, Corruption)> = vec![
        ("`features`", "`instance`", text("instance", "features")),
        ("`network`", "`instance`", text("instance", "network")),
        ("`placement`", "`instance`", text("instance", "placement")),
        ("`leftBehind`", "`instance`", text("instance", "leftBehind")),
        ("`desk`", "chat workspace", text("chats", "desk")),
        ("`sale`", "search rule", text("search_rules", "sale")),
        (key, "webhook", numbered("webhooks")),
        (key, "API key", numbered("keys")),
        (
            "`books`",
            "index",
            Box::new(|transaction| {
                let table = TableDefinition::<&str, (u128, u64)>::new("indexes");
                let mut table = transaction.open_table(table).expect("the table");
                let (id, sum) = table.get("books").expect("readable").expect("there").value();
                table.insert("books", (id ^ 1, sum)).expect("it can be written");
            }),
        ),
        (
            key,
            "`removed_indexes`",
            Box::new(|transaction| {
                let table = TableDefinition::<u128, u64>::new("removed_indexes");
                let mut table = transaction.open_table(table).expect("the table");
                table.insert(7, 1).expect("it can be written");
            }),
        ),
        ("task 0", "record", Box::new(|t| flip_bytes(t, Bytes::new("tasks"), 40))),
        ("batch 0", "record", Box::new(|t| flip_bytes(t, Bytes::new("task_batches"), 9))),
        ("`next_batch_uid`", "`task_meta`", flip_number("next_batch_uid")),
        ("`format_version`", "`task_meta`", flip_number("format_version")),
        (
            "`kiel`",
            "`task_inbox`",
            Box::new(|transaction| {
                let table = TableDefinition::<&str, (u128, u32, u32, u64)>::new("task_inbox");
                let mut table = transaction.open_table(table).expect("the table");
                table.insert("kiel", (7, 1, 1, 1)).expect("it can be written");
            }),
        ),
        (
            "`kiel, 3`",
            "`task_outbox_waiting`",
            Box::new(|transaction| {
                let table = TableDefinition::<(&str, u32), u64>::new("task_outbox_waiting");
                let mut table = transaction.open_table(table).expect("the table");
                table.insert(("kiel", 3), 1).expect("it can be written");
            }),
        ),
        (
            "task 3",
            "record",
            Box::new(|transaction| {
                let mut table = transaction.open_table(Bytes::new("task_outbox")).expect("it");
                table.insert(3, &[1_u8; 90][..]).expect("it can be written");
            }),
        ),
        (
            "`notice/1`",
            "put aside",
            Box::new(|transaction| {
                let table = TableDefinition::<&str, &[u8]>::new("task_stash");
                let mut table = transaction.open_table(table).expect("the table");
                table.insert("notice/1", &b"{\"value\":1}01234567"[..]).expect("it can be written");
            }),
        ),
    ];
    for (name, kind, damage) in cases {
        change(&meta, damage);
        let told = refusal(&instance.path());
        let told = told.unwrap_or_else(|| panic!("{name} of {kind} is damaged, yet it starts"));
        assert!(told.contains(name) && told.contains(kind), "{name} of {kind}: {told}");
        let report = engine::check::verify(&instance.path()).expect("a data folder");
        let is_named = report.problems.iter().any(|problem| problem.what.contains(name));
        assert!(is_named, "{name} of {kind}: {:?}", report.problems);
        fs::write(&meta, &saved).expect("it can be restored");
    }
    assert_eq!(refusal(&instance.path()), None);
}

fn flip_number(key: &'static str) -> Box<dyn Fn(&WriteTransaction)> {
    Box::new(move |transaction| {
        let table = TableDefinition::<&str, u64>::new("task_meta");
        let mut table = transaction.open_table(table).expect("the table");
        let number = table.get(key).expect("readable").expect("there").value();
        table.insert(key, number ^ 8).expect("it can be written");
    })
}

/// Without checksums, as the release before wrote them.
#[test]
fn a_database_of_the_release_before_is_opened_and_rewritten() {
    const INSTANCE: &str = "instance";
    let mut instance = Instance::new();
    instance.wait(&instance.add("books", Method::Replace, r#"[{"id":1}]"#));
    instance.stop();
    let meta = instance.path().join("meta.redb");
    change(&meta, |transaction| {
        transaction.delete_table(Texts::new(INSTANCE)).expect("it was there");
        let before = TableDefinition::<&str, &str>::new(INSTANCE);
        let mut table = transaction.open_table(before).expect("the table");
        table.insert("features", r#"{"metrics":true}"#).expect("it can be written");
        let now = TableDefinition::<u128, u64>::new("removed_indexes");
        transaction.delete_table(now).expect("it was there");
        let before = TableDefinition::<u128, ()>::new("removed_indexes");
        transaction.open_table(before).expect("it").insert(7, ()).expect("it can be written");
        let now = TableDefinition::<&str, (u128, u32, u32, u64)>::new("task_inbox");
        transaction.delete_table(now).expect("it was there");
        let before = TableDefinition::<&str, (u128, u32, u32)>::new("task_inbox");
        let mut table = transaction.open_table(before).expect("the table");
        table.insert("kiel", (7, 1, 0)).expect("it can be written");
        let now = TableDefinition::<(&str, u32), u64>::new("task_outbox_waiting");
        transaction.delete_table(now).expect("it was there");
        let before = TableDefinition::<(&str, u32), ()>::new("task_outbox_waiting");
        let mut table = transaction.open_table(before).expect("the table");
        table.insert(("kiel", 0), ()).expect("it can be written");
        let mut numbers =
            transaction.open_table(TableDefinition::<&str, u64>::new("task_meta")).expect("it");
        numbers.insert("format_version", 1).expect("it can be written");
        numbers.insert("next_batch_uid", 1).expect("it can be written");
    });
    for _ in 0..2 {
        instance.start();
        assert!(instance.engine().features().metrics);
        assert_eq!(instance.documents("books").expect("the index").len(), 1);
        instance.stop();
    }
    let database = Database::open(&meta).expect("the task store");
    let read = database.begin_read().expect("a transaction");
    let inbox = TableDefinition::<&str, (u128, u32, u32, u64)>::new("task_inbox");
    let last = read.open_table(inbox).expect("it").get("kiel").expect("it").expect("it").value();
    assert_eq!((last.0, last.1, last.2), (7, 1, 0));
    let waiting = TableDefinition::<(&str, u32), u64>::new("task_outbox_waiting");
    assert!(read.open_table(waiting).expect("it").get(("kiel", 0)).expect("it").is_some());
}

/// Checks that no overwritten bytes cause a panic and that the error names `meta.redb`.
#[test]
fn a_damaged_file_is_refused_or_read_and_never_panics() {
    let mut instance = Instance::new();
    instance.wait(&instance.add("books", Method::Replace, r#"[{"id":1}]"#));
    instance.stop();
    let meta = instance.path().join("meta.redb");
    let saved = fs::read(&meta).expect("the task store");
    let step = (saved.len() / 24).max(1);
    for start in (0..saved.len()).step_by(step) {
        for fill in [0x00_u8, 0xff] {
            let mut bytes = saved.clone();
            let end = (start + 48).min(bytes.len());
            bytes[start..end].fill(fill);
            fs::write(&meta, bytes).expect("it can be written");
            let report = engine::check::verify(&instance.path()).expect("a data folder");
            assert!(report.problems.iter().all(|problem| problem.file == "meta.redb"));
            if let Some(told) = refusal(&instance.path()) {
                assert!(told.contains("meta.redb") || told.contains("task"), "{start}: {told}");
            }
        }
    }
}
