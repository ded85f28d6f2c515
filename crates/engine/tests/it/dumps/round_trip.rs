//! Imports restore dumps exactly, to the last number and vector.

use std::io::Read;
use std::net::TcpListener;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use engine::EngineOptions;
use engine::chats::ChatChange;
use engine::keys::{Access, Action, IndexPattern, NewKey};
use engine::search_rules::RulePatch;
use engine::webhooks::WebhookChange;
use model::features::Feature;
use model::{Cancel, IndexUid, Patch, Secret};
use network::NetworkChange;
use serde_json::{Value, json};
use settings::Change;
use tasks::{Content, Method, Query, Status, Task};
use testkit::wait_until;

use crate::dumps::archive::{Lines, dump, import, imported, read};
use crate::dumps::stored_keys;
use crate::support::Instance;

const TASKS: &str = "tasks-0.ndjson";
const BATCHES: &str = "batches-0.ndjson";

fn change_settings(instance: &Instance, uid: &str, settings: Value) -> Task {
    let change = Change::of_many(settings).unwrap();
    let uid = IndexUid::new(uid).unwrap();
    let task = instance.engine().change_settings(uid, change, true, None).unwrap();
    let task = instance.wait(&task);
    assert_eq!(task.status, Status::Succeeded, "{:?}", task.error);
    task
}

fn add(instance: &Instance, uid: &str, documents: Value) {
    let task = instance.wait(&instance.add(uid, Method::Replace, &documents.to_string()));
    assert_eq!(task.status, Status::Succeeded, "{:?}", task.error);
}

/// An instance with something of everything.
pub fn furnished() -> Instance {
    let instance = Instance::new();
    let embedder = |quantised: bool| json!({"source": "userProvided", "dimensions": 3, "binaryQuantized": quantised});
    change_settings(
        &instance,
        "books",
        json!({
            "filterableAttributes": ["genre", "_geo"],
            "synonyms": {"tome": ["book"]},
            "stopWords": ["the"],
            "embedders": {"plain": embedder(false), "bits": embedder(true)},
        }),
    );
    let vectors = |n: f32| {
        json!({
            "plain": {"embeddings": [[n, 0.25, -1.5], [0.1, 0.2, 0.3]], "regenerate": true},
            "bits": [n, -1.0, 1.0],
            "other": {"embeddings": [[1.0, 2.5]], "regenerate": false},
        })
    };
    let books: Vec<Value> = (0..40)
        .map(|n| {
            let place = json!({"lat": n, "lng": -n});
            let genre = ["a", "b"][n as usize % 2];
            let vectors =
                if n == 7 { json!({"plain": null, "bits": []}) } else { vectors(n as f32) };
            json!({"id": n, "title": format!("The tome {n}"), "genre": genre,
                   "nested": {"deep": [n]}, "_geo": place, "_vectors": vectors})
        })
        .collect();
    add(&instance, "books", json!(books));
    // Gaps in the numbers, one of them filled again.
    let ids = ["3", "4", "17"].map(str::to_owned).to_vec();
    instance.wait(&instance.enqueue(Content::DocumentDeletion { index_uid: "books".into(), ids }));
    let mut again = books[39].clone();
    again["id"] = json!("again");
    add(&instance, "books", json!([again]));
    add(&instance, "teas", json!([{"sku_id": "x", "n": 18446744073709551615_u64, "f": 1.50}]));
    let made = Content::IndexCreation { index_uid: "empty".into(), primary_key: Some("k".into()) };
    instance.wait(&instance.enqueue(made));
    // One that fails.
    let lost = Content::IndexDeletion { index_uid: "nothing".into() };
    assert_eq!(instance.wait(&instance.enqueue(lost)).status, Status::Failed);
    furnish_small_things(&instance);
    instance
}

fn furnish_small_things(instance: &Instance) {
    let engine = instance.engine();
    engine.change_features(&[(Feature::dynamic_search_rules, true)]).unwrap();
    let key = NewKey {
        uid: None,
        name: Some("a key".into()),
        description: None,
        actions: vec![serde_json::from_value::<Action>(json!("search")).unwrap()],
        indexes: vec![IndexPattern::new("bo*").unwrap()],
        expires_at: None,
    };
    engine.keys().create(key).unwrap();
    let hook = WebhookChange {
        url: Patch::Set("http://example.com/hook".into()),
        headers: Patch::Set([("Authorization".into(), Some(Secret::new("sesame")))].into()),
        is_new: true,
    };
    engine.webhooks().create(hook).unwrap();
    let chat = ChatChange { api_key: Patch::Set(Secret::new("sk-1")), ..ChatChange::default() };
    engine.chats().change("desk", chat).unwrap();
    let name = Patch::Set("here".to_owned());
    engine.change_network(NetworkChange { name, ..NetworkChange::default() }).unwrap();
    let rule: RulePatch = serde_json::from_value(json!({"description": "spring"})).unwrap();
    let uid = IndexUid::new("spring").unwrap();
    instance.wait(&engine.update_search_rule(uid, &rule, None).unwrap());
    std::fs::write(instance.path().join("instance-uid"), "9e15e977-f2ae-4761-943f-1eaf75fd736d")
        .unwrap();
}

/// Without what must differ: the date of the dump, and the names of bodies.
fn comparable(mut lines: Lines) -> Lines {
    let metadata = &mut lines.get_mut("metadata.json").unwrap()[0];
    metadata["dumpDate"] = Value::Null;
    metadata["tasks"] = Value::Null;
    for task in lines.get_mut(TASKS).unwrap() {
        if let Some(content) = task.get_mut("content").and_then(Value::as_object_mut) {
            content.remove("payload");
        }
    }
    lines
}

/// The last task and batch, which are those of the dump.
fn last(lines: &Lines, name: &str) -> Value {
    lines[name].last().unwrap().clone()
}

#[test]
fn a_dump_of_what_was_imported_is_the_same_dump() {
    let instance = furnished();
    let first = dump(&instance);
    let restored = imported(&first);
    let second = dump(&restored);
    let (before, mut after) = (read(&first), read(&second));

    // The dump contains its own task as finished.
    let task = last(&before, TASKS);
    assert_eq!(
        (&task["status"], &task["content"]["kind"]),
        (&json!("succeeded"), &json!("dumpCreation"))
    );
    let name = first.file_stem().unwrap().to_str().unwrap();
    assert_eq!(task["details"]["dumpUid"], name);
    assert_eq!(last(&before, BATCHES)["uid"], task["batchUid"]);

    let metadata = &before["metadata.json"][0];
    assert_eq!(metadata["instanceUid"], "9e15e977-f2ae-4761-943f-1eaf75fd736d");
    assert_eq!((&metadata["indexes"], &metadata["format"]), (&json!(3), &json!("sonde-dump")));
    let documents = &before["indexes/0/documents-0.ndjson"];
    assert_eq!(documents.len(), 38);
    assert!(before.contains_key("webhooks-0.ndjson") && before.contains_key("chats-0.ndjson"));
    assert!(before.contains_key("rules-0.ndjson"));
    assert_eq!(before["keys-0.ndjson"].len(), 5);

    // Afterwards there is one more of each: the second dump.
    for list in [TASKS, BATCHES] {
        assert_eq!(after[list].len(), before[list].len() + 1);
        after.get_mut(list).unwrap().pop();
    }
    let (before, after) = (comparable(before), comparable(after));
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    for (name, lines) in &before {
        assert_eq!(lines, &after[name], "{name}");
    }
}

#[test]
fn an_imported_instance_works() {
    let instance = furnished();
    let restored = imported(&dump(&instance));
    for uid in ["books", "teas", "empty"] {
        assert_eq!(restored.documents_with_vectors(uid), instance.documents_with_vectors(uid));
        let info = |of: &Instance| of.engine().index(uid).unwrap();
        assert_eq!(info(&restored), info(&instance));
        assert_eq!(
            restored.engine().settings(uid).unwrap(),
            instance.engine().settings(uid).unwrap()
        );
    }
    assert_eq!(stored_keys(restored.engine()), stored_keys(instance.engine()));
    assert_eq!(restored.engine().webhooks().list(), instance.engine().webhooks().list());
    assert_eq!(restored.engine().features(), instance.engine().features());
    assert_eq!(*restored.engine().network(), *instance.engine().network());
    let (chat, rule) = (restored.engine().chats().settings("desk").unwrap(), "spring");
    assert_eq!(*chat, *instance.engine().chats().settings("desk").unwrap());
    assert_eq!(
        restored.engine().search_rule(rule).unwrap(),
        instance.engine().search_rule(rule).unwrap()
    );
    // Numbers of tasks and of documents go on where they were.
    let next = instance.add("books", Method::Update, r#"[{"id": 5, "title": "five"}]"#);
    let same = restored.add("books", Method::Update, r#"[{"id": 5, "title": "five"}]"#);
    assert_eq!((next.uid, instance.wait(&next).status), (same.uid, restored.wait(&same).status));
    assert_eq!(restored.documents_with_vectors("books"), instance.documents_with_vectors("books"));
    let filtered = |of: &Instance| {
        let list = engine::ListDocuments {
            limit: 100,
            filter: Some(json!("genre = a AND _geoRadius(1, -1, 500000)")),
            ..Default::default()
        };
        of.engine().documents().list("books", &list, &Cancel::default()).unwrap().results
    };
    assert!(!filtered(&instance).is_empty());
    assert_eq!(filtered(&restored), filtered(&instance));
}

/// Accepts connections and says nothing.
fn silent_provider() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let _ = { stream }.read_to_end(&mut Vec::new());
            });
        }
    });
    format!("http://{address}/embed")
}

fn options(path: &Path) -> EngineOptions {
    let mut options = EngineOptions::new(path);
    options.address_policy = "any".parse().unwrap();
    options
}

#[test]
fn waiting_tasks_come_with_their_bodies_and_run_after_the_import() {
    let mut instance = Instance::new();
    instance.stop();
    instance.start_with(options(&instance.path()));
    let embedder = json!({
        "source": "rest", "url": silent_provider(), "dimensions": 2,
        "request": {"input": "{{text}}"}, "response": {"data": "{{embedding}}"},
    });
    change_settings(&instance, "held", json!({"embedders": {"slow": embedder}}));
    let large = "x".repeat(100_000);
    let bodies = [json!([{"id": 1, "t": "small"}]), json!([{"id": 2, "t": large}])];
    let held: Vec<Task> = bodies
        .iter()
        .map(|body| instance.add("held", Method::Replace, &body.to_string()))
        .collect();
    wait_until_processing(&instance);
    let file = dump(&instance);
    let entries = read(&file);
    for (task, body) in held.iter().zip(&bodies) {
        let lines = &entries[&format!("payloads/{}", task.uid)];
        assert_eq!(lines.as_slice(), std::slice::from_ref(body));
    }

    let folder = tempfile::tempdir().unwrap();
    let idle = EngineOptions { max_batched_tasks: 0, ..options(&folder.path().join("data")) };
    assert!(import(&file, &idle).unwrap());
    let engine = engine::Engine::open(idle).unwrap();
    for (task, body) in held.iter().zip(&bodies) {
        let found = engine.task(&Access::full(), task.uid).unwrap();
        assert_eq!((found.status, found.enqueued_at), (Status::Enqueued, task.enqueued_at));
        let documents = engine.task_documents(&Access::full(), task.uid).unwrap();
        let document: Value = serde_json::from_slice(&documents).unwrap();
        assert_eq!(document, body[0]);
    }
    // Without the embedder that holds them up they run.
    drop(engine);
    let engine = engine::Engine::open(options(&folder.path().join("data"))).unwrap();
    let query =
        Query { uids: Some(held.iter().map(|task| task.uid).collect()), ..Query::default() };
    engine.cancel_tasks(&Access::full(), query, "?".to_owned()).unwrap();
    wait_until("the task is canceled", || {
        engine.task(&Access::full(), held[1].uid).unwrap().status == Status::Canceled
    });
}

fn wait_until_processing(instance: &Instance) {
    let query = Query { statuses: Some(vec![Status::Processing]), ..Query::default() };
    wait_until("a batch begins", || {
        !instance.engine().tasks(&Access::full(), &query).unwrap().results.is_empty()
    });
}

#[test]
fn every_dump_made_while_documents_come_in_is_of_one_moment() {
    let instance = Instance::new();
    add(&instance, "a", json!([{"id": 0}]));
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut tasks = Vec::new();
            let mut n = 1;
            while !is_over.load(std::sync::atomic::Ordering::Acquire) && n < 400 {
                let uid = ["a", "b", "c"][n % 3];
                tasks.push(instance.add(uid, Method::Replace, &json!([{"id": n}]).to_string()));
                n += 1;
            }
            tasks
        });
        for _ in 0..4 {
            let entries = read(&dump(&instance));
            check_agreement(&entries);
        }
        is_over.store(true, std::sync::atomic::Ordering::Release);
        writer.join().unwrap();
    });
}

/// Checks that a document exists exactly if its task is marked finished.
fn check_agreement(entries: &Lines) {
    let mut there = Vec::new();
    for number in 0..3 {
        let documents = entries.get(&format!("indexes/{number}/documents-0.ndjson"));
        for line in documents.into_iter().flatten() {
            there.push(line["json"]["id"].as_u64().unwrap());
        }
    }
    there.sort_unstable();
    let tasks = entries[TASKS].iter();
    let additions = tasks.filter(|task| task["content"]["kind"] == "documentAdditionOrUpdate");
    let mut done = 0;
    for task in additions {
        let payload = entries.get(&format!("payloads/{}", task["uid"]));
        match task["status"].as_str().unwrap() {
            "succeeded" => {
                done += 1;
                assert!(payload.is_none());
            }
            "enqueued" => {
                let id = payload.unwrap()[0][0]["id"].as_u64().unwrap();
                assert!(!there.contains(&id), "document {id} is there before its task");
            }
            other => panic!("{other}"),
        }
    }
    assert_eq!(there.len(), done, "every task that is done brought a document");
}
