//! Moving over: dumps put together by the published layout of Meilisearch v1.

use std::path::PathBuf;

use engine::EngineOptions;
use engine::keys::Access;
use model::Code;
use serde_json::{Value, json};
use tasks::{Content, Details, Method, Query, Status};
use tempfile::TempDir;
use time::macros::datetime;

use crate::dumps::archive::{archive_of, dump, import, imported};
use crate::dumps::stored_keys;

const DATE: &str = "2024-05-06T07:08:09.123456Z";

struct Dump {
    folder: TempDir,
    entries: Vec<(&'static str, String)>,
}

impl Dump {
    /// Entries come in the order in which a file system lists them: any.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder, entries: Vec::new() }
    }

    fn file(mut self, name: &'static str, content: Value) -> Self {
        self.entries.push((name, content.to_string()));
        self
    }

    fn lines(mut self, name: &'static str, lines: &[Value]) -> Self {
        let lines = lines.iter().map(|line| format!("{line}\n")).collect();
        self.entries.push((name, lines));
        self
    }

    fn metadata(self) -> Self {
        self.file(
            "metadata.json",
            json!({"dumpVersion": "V6", "dbVersion": "1.15.2", "dumpDate": DATE}),
        )
    }

    fn path(&self) -> PathBuf {
        let path = self.folder.path().join("v6.dump");
        archive_of(&path, &self.entries);
        path
    }

    fn refusal(&self) -> String {
        let data = self.folder.path().join("data");
        let error = import(&self.path(), &EngineOptions::new(&data)).unwrap_err().to_string();
        assert!(!data.exists());
        error
    }
}

fn index_metadata(uid: &str, primary_key: Option<&str>) -> Value {
    json!({"uid": uid, "primaryKey": primary_key, "createdAt": "2024-01-01T00:00:00Z",
           "updatedAt": "2024-02-02T00:00:00.5Z"})
}

fn settings() -> Value {
    json!({
        "displayedAttributes": ["*"], "searchableAttributes": ["*"],
        "filterableAttributes": ["genre"], "sortableAttributes": [],
        "rankingRules": ["words", "typo", "proximity", "attribute", "sort", "exactness"],
        "stopWords": ["the"], "synonyms": {}, "distinctAttribute": null,
        "proximityPrecision": "byWord", "searchCutoffMs": null,
        "typoTolerance": {"enabled": true, "minWordSizeForTypos": {"oneTypo": 5, "twoTypos": 9},
                          "disableOnWords": [], "disableOnAttributes": []},
        "faceting": {"maxValuesPerFacet": 100, "sortFacetValuesBy": {"*": "alpha"}},
        "pagination": {"maxTotalHits": 1000},
        "settingOfTomorrow": {"a": 1},
        "embedders": {
            "mine": {"source": "userProvided", "dimensions": 2},
            "theirs": {"source": "openAi", "apiKey": "sk-secret-of-theirs", "model": "text-embedding-3-small"},
        },
    })
}

/// A small instance with a bit of everything.
fn furnished() -> Dump {
    let vectors = |n: f64, regenerate: bool| {
        let theirs: Vec<f64> = (0..1536).map(|place| f64::from(place) + n).collect();
        json!({
            "mine": {"embeddings": [[n, 1.0]], "regenerate": false},
            "theirs": {"embeddings": [theirs], "regenerate": regenerate},
            "nobodys": [0.5, 1.5],
        })
    };
    let task = |uid: u32, status: &str, kind: Value| {
        json!({"uid": uid, "batchUid": null, "indexUid": "movies", "status": status, "type": kind,
               "enqueuedAt": DATE})
    };
    let mut done = task(
        0,
        "succeeded",
        json!({"documentImport": {"primary_key": null, "method": "ReplaceDocuments",
               "documents_count": 2, "allow_index_creation": true}}),
    );
    done["batchUid"] = json!(0);
    done["details"] =
        json!({"DocumentAdditionOrUpdate": {"received_documents": 2, "indexed_documents": 2}});
    (done["startedAt"], done["finishedAt"]) = (json!(DATE), json!("2024-05-06T07:08:10Z"));
    let mut failed = task(1, "failed", json!({"indexCreation": {"primary_key": "id"}}));
    failed["error"] = json!({"message": "Index `movies` already exists.",
        "code": "index_already_exists", "type": "invalid_request", "link": "https://…"});
    failed["batchUid"] = json!(1);
    let mut unknown = task(2, "succeeded", json!({"upgradeDatabase": {"from": [1, 12, 0]}}));
    unknown["indexUid"] = Value::Null;
    let waiting = task(
        3,
        "enqueued",
        json!({"documentImport": {"primary_key": null, "method": "UpdateDocuments",
               "documents_count": 1, "allow_index_creation": true}}),
    );
    let mut own = task(4, "succeeded", json!({"dumpCreation": {"keys": [], "instance_uid": null}}));
    (own["indexUid"], own["details"]) =
        (Value::Null, json!({"Dump": {"dump_uid": "20240506-070809123"}}));
    Dump::new()
        .lines("indexes/movies/documents.jsonl", &[
            json!({"id": 10, "title": "The Heat", "genre": "crime", "_vectors": vectors(1.5, true)}),
            json!({"id": "b", "title": "Alien", "genre": "horror", "_vectors": vectors(2.5, false)}),
        ])
        .file("indexes/movies/settings.json", settings())
        .lines("tasks/queue.jsonl", &[done, failed, unknown, waiting, own])
        .lines("tasks/update_files/3.jsonl", &[json!({"id": "b", "year": 1979})])
        .file("indexes/movies/metadata.json", index_metadata("movies", Some("id")))
        .file("indexes/bare/metadata.json", index_metadata("bare", None))
        .file("indexes/bare/settings.json", json!({}))
        .lines("indexes/bare/documents.jsonl", &[])
        .lines("batches/queue.jsonl", &[json!({
            "uid": 0, "progress": null, "details": {"receivedDocuments": 2, "indexedDocuments": 2},
            "stats": {"totalNbTasks": 1, "status": {"succeeded": 1},
                      "types": {"documentAdditionOrUpdate": 1}, "indexUids": {"movies": 1}},
            "startedAt": DATE, "finishedAt": "2024-05-06T07:08:10Z", "stopReason": "batched all enqueued tasks",
        })])
        .file("experimental-features.json", json!({"metrics": true, "vectorStore": true}))
        .file("network.json", json!({"self": "a", "remotes": {
            "b": {"url": "http://b.example", "searchApiKey": "kb"}}}))
        .file("webhooks.json", json!({"webhooks": {"a1b2c3d4-0000-4000-8000-000000000001":
            {"url": "http://hook.example", "headers": {"authorization": "Bearer x"}}}}))
        .file("chat-completions-settings/desk.json", json!({"source": "mistral", "apiKey": "mk"}))
        .lines("keys.jsonl", &[json!({
            "description": "d", "name": "n", "uid": "9f8a34da-b6b2-42f0-939b-dbd4c3448655",
            "actions": ["search"], "indexes": ["mov*"], "expires_at": null,
            "created_at": "2022-11-15T00:00:00Z", "updated_at": "2022-11-16T00:00:00Z"})])
        .metadata()
}

#[test]
fn an_instance_moves_over() {
    let mut dump = furnished();
    dump.entries.push(("instance_uid.uuid", "9e15e977-f2ae-4761-943f-1eaf75fd736d".to_owned()));
    let moved = imported(&dump.path());
    let engine = moved.engine();

    let features = engine.shown_features();
    assert_eq!((&features["metrics"], &features["legacySearch"]), (&json!(true), &Value::Null));
    let movies = engine.index("movies").unwrap();
    assert_eq!(movies.primary_key.as_deref(), Some("id"));
    assert_eq!(movies.created_at, datetime!(2024-01-01 00:00 UTC));
    assert_eq!(engine.index("bare").unwrap().updated_at, datetime!(2024-02-02 00:00:00.5 UTC));
    let settings = engine.settings("movies").unwrap();
    assert_eq!(settings["stopWords"], json!(["the"]));
    assert_eq!(settings["filterableAttributes"], json!(["genre"]));
    assert_eq!(settings["embedders"]["theirs"]["source"], "openAi");

    moved.wait(&engine.task(&Access::full(), 3).unwrap());
    let mut documents = moved.documents_with_vectors("movies").unwrap();
    let theirs = documents[1]["_vectors"]["theirs"].take();
    assert_eq!(theirs["regenerate"], false);
    assert_eq!(theirs["embeddings"][0].as_array().unwrap().len(), 1536);
    assert_eq!(documents[0]["_vectors"]["theirs"]["regenerate"], true);
    assert_eq!(
        documents[1],
        json!({"id": "b", "title": "Alien", "genre": "horror", "_vectors": {
            "nobodys": [0.5, 1.5],
            "mine": {"embeddings": [[2.5, 1.0]], "regenerate": false},
            "theirs": null,
        }, "year": 1979})
    );

    let key = &stored_keys(engine)[0];
    assert_eq!(stored_keys(engine).len(), 1);
    assert_eq!(key.uid.to_string(), "9f8a34da-b6b2-42f0-939b-dbd4c3448655");
    assert!(engine.features().metrics);
    assert_eq!(engine.network().remotes["b"].url, "http://b.example");
    assert_eq!(engine.webhooks().list()[0].1.url, "http://hook.example");
    assert_eq!(engine.chats().settings("desk").unwrap().api_key.as_ref().unwrap().expose(), "mk");
    let uid = std::fs::read_to_string(moved.path().join("instance-uid")).unwrap();
    assert_eq!(uid, "9e15e977-f2ae-4761-943f-1eaf75fd736d");
}

#[test]
fn finished_tasks_are_history_and_waiting_ones_run() {
    let moved = imported(&furnished().path());
    let engine = moved.engine();
    let task = |uid| engine.task(&Access::full(), uid).unwrap();
    let done = task(0);
    assert_eq!((done.status, done.batch_uid), (Status::Succeeded, Some(0)));
    let counted =
        Details::DocumentAdditionOrUpdate { received_documents: 2, indexed_documents: Some(2) };
    assert_eq!(done.details, counted);
    assert_eq!(done.enqueued_at, datetime!(2024-05-06 07:08:09.123456 UTC));
    assert_eq!(task(1).error.unwrap().code, Code::IndexAlreadyExists);
    assert!(engine.task(&Access::full(), 2).is_err());
    assert_eq!(
        task(4).details,
        Details::DumpCreation { dump_uid: Some("20240506-070809123".into()) }
    );

    // It was waiting. The vectors of the document that it changes are not to be made again.
    let ran = moved.wait(&task(3));
    assert!(matches!(
        ran.content,
        Content::DocumentAdditionOrUpdate { method: Method::Update, .. }
    ));
    assert_eq!(ran.status, Status::Succeeded, "{:?}", ran.error);
    assert_eq!(moved.documents("movies").unwrap()[1]["year"], 1979);
    assert!(ran.batch_uid.unwrap() > 0);
    let batch = engine.batch(&Access::full(), 0).unwrap();
    assert_eq!(batch.strategy, "batched all enqueued tasks");
    let of_batch = Query { batch_uids: Some(vec![0]), ..Query::default() };
    assert_eq!(engine.tasks(&Access::full(), &of_batch).unwrap().results.len(), 1);

    // From here on it is like any other.
    let again = imported(&dump(&moved));
    assert_eq!(again.documents_with_vectors("movies"), moved.documents_with_vectors("movies"));
    assert_eq!(stored_keys(again.engine()), stored_keys(engine));
}

#[test]
fn batches_keep_their_numbers() {
    let task = |uid: u32, batch: u32, kind: Value| {
        json!({"uid": uid, "batchUid": batch, "indexUid": null, "status": "succeeded", "type": kind,
               "enqueuedAt": DATE, "startedAt": DATE, "finishedAt": "2024-05-06T07:08:10Z"})
    };
    let batch = |uid: u32, types: Value| {
        json!({"uid": uid, "details": {"dumpUid": null},
               "stats": {"totalNbTasks": 1, "status": {"succeeded": 1}, "types": types,
                         "indexUids": {}, "writeChannelCongestion": null},
               "startedAt": DATE, "finishedAt": "2024-05-06T07:08:10Z"})
    };
    let swap = json!({"indexSwap": {"swaps": []}});
    let mut own = task(12, 9, json!({"dumpCreation": {"keys": [], "instance_uid": null}}));
    own["details"] = json!({"Dump": {"dump_uid": "20240506-070809123"}});
    let moved = imported(
        &Dump::new()
            .lines(
                "tasks/queue.jsonl",
                &[
                    task(4, 3, swap.clone()),
                    task(5, 5, swap),
                    task(6, 7, json!({"upgradeDatabase": {"from": [1, 12, 0]}})),
                    own,
                ],
            )
            .lines(
                "batches/queue.jsonl",
                &[
                    batch(3, json!({"indexSwap": 1})),
                    batch(5, json!({"typeOfTomorrow": 1})),
                    batch(7, json!({"upgradeDatabase": 1})),
                ],
            )
            .metadata()
            .path(),
    );
    let engine = moved.engine();
    let page = engine.batches(&Access::full(), &Query { reverse: true, ..Query::default() });
    let batches = page.unwrap().results;
    let uids: Vec<u32> = batches.iter().map(|batch| batch.uid).collect();
    // The last is that of the dump itself, of which only its task tells.
    assert_eq!(uids, [3, 5, 7, 9]);
    assert_eq!(json!(batches[1].stats.types), json!({"indexSwap": 1}), "counted from its tasks");
    assert_eq!(json!(batches[2].stats.types), json!({"upgradeDatabase": 1}));
    assert_eq!(json!(batches[3].stats.types), json!({"dumpCreation": 1}));
    assert_eq!(json!(batches[3].details), json!({"dumpUid": "20240506-070809123"}));
    assert_eq!(batches[3].started_at, datetime!(2024-05-06 07:08:09.123456 UTC));
    assert!(batches.iter().all(|batch| batch.strategy == "unspecified"));

    // And the next one is numbered behind them.
    let content = Content::IndexCreation { index_uid: "new".to_owned(), primary_key: None };
    let created = engine.enqueue(content, None::<String>).unwrap();
    assert_eq!(moved.wait(&created).batch_uid, Some(10));
}

#[test]
fn a_dump_with_nothing_in_it_makes_an_instance() {
    let moved = imported(&Dump::new().metadata().path());
    assert_eq!(stored_keys(moved.engine()).len(), 4);
    assert_eq!(moved.engine().indexes(&Access::full(), 0, 9).unwrap().total, 0);
}

#[test]
fn imports_that_would_lose_something_are_refused() {
    let movies = || {
        Dump::new()
            .metadata()
            .file("indexes/movies/metadata.json", index_metadata("movies", Some("id")))
            .file("indexes/movies/settings.json", json!({}))
    };
    let waiting = |kind: Value| json!({"uid": 0, "status": "enqueued", "type": kind, "enqueuedAt": DATE, "indexUid": "movies"});
    let import_kind = json!({"documentImport": {"primary_key": null, "method": "ReplaceDocuments",
        "documents_count": 2, "allow_index_creation": true}});
    for (dump, expected) in [
        (
            movies().lines("indexes/movies/documents.jsonl", &[json!({"title": "x"})]),
            "index `movies`: document 1: Document doesn't have a `id` attribute",
        ),
        (
            movies().lines("indexes/movies/documents.jsonl", &[json!([1])]),
            "index `movies`: document 1",
        ),
        (
            Dump::new().metadata().file("indexes/movies/settings.json", json!({})),
            "`indexes/movies` has no metadata.json",
        ),
        (
            Dump::new()
                .metadata()
                .file("indexes/movies/metadata.json", index_metadata("movies", None))
                .file("indexes/movies/settings.json", json!({"stopWords": 3})),
            "index `movies`: ",
        ),
        (
            movies().lines("tasks/queue.jsonl", &[waiting(json!({"dance": {}}))]),
            "the task 0 of type `dance` waits and cannot be run here",
        ),
        (
            movies().lines("tasks/queue.jsonl", &[waiting(import_kind)]),
            "the documents of task 0 are missing",
        ),
        (Dump::new().metadata().lines("keys.jsonl", &[json!({"uid": "x"})]), "the API key `x`"),
    ] {
        let refusal = dump.refusal();
        assert!(refusal.contains(expected), "{expected}: {refusal}");
    }
}
