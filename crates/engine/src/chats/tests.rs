//! Rights of conversations: those of the caller hold for searches and for descriptions.

use std::io::Write;
use std::sync::{Arc, LazyLock};

use ::settings::Change;
use auth::Access;
use chat::SearchCall;
use document::Format;
use model::{Cancel, Code, IndexUid, ServiceError};
use serde_json::{Value, json};
use tasks::{Method, Status, Task};
use testkit::wait_until;

use super::describing::describe_indexes;
use super::{FullAccess, IndexAccess, SearchAccess, searching};
use crate::{Addition, Engine, EngineOptions};

static WANTED: LazyLock<Cancel> = LazyLock::new(Cancel::default);

/// A caller who may see only documents of the first shop.
#[derive(Debug)]
struct FirstShop;

impl SearchAccess for FirstShop {
    fn to_index(&self, uid: &str) -> IndexAccess {
        match uid {
            "teas" => IndexAccess::Filtered(json!(["shop = 1"])),
            // Nothing in this index can be filtered by a shop.
            "cups" => IndexAccess::Filtered(json!("shop = 1")),
            _ => IndexAccess::Denied,
        }
    }
}

fn callers() -> (Arc<dyn SearchAccess>, Arc<dyn SearchAccess>) {
    (Arc::new(FullAccess), Arc::new(FirstShop))
}

fn wait(engine: &Engine, task: &Task) {
    let status = || engine.task(&Access::full(), task.uid).unwrap().status;
    wait_until("a task ends", || status().is_finished());
    assert_eq!(status(), Status::Succeeded, "task {}", task.uid);
}

fn fill(engine: &Engine, uid: &str, settings: Value, documents: &Value) {
    let uid = || IndexUid::new(uid).unwrap();
    let change = Change::of_many(settings).unwrap();
    engine.change_settings(uid(), change, true, None).unwrap();
    let mut payload = engine.payload_writer();
    payload.write_all(documents.to_string().as_bytes()).unwrap();
    let addition = Addition {
        method: Method::Replace,
        format: Format::Json,
        payload: payload.finish().unwrap(),
        primary_key: None,
        skip_creation: false,
    };
    wait(engine, &engine.add_documents(uid(), addition, None).unwrap());
}

fn shops() -> (tempfile::TempDir, Arc<Engine>) {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(EngineOptions::new(folder.path().join("data"))).unwrap();
    let teas = json!([
        {"id": 1, "name": "Sencha", "kind": "green", "shop": 1},
        {"id": 2, "name": "Gyokuro", "kind": "green", "shop": 2},
        {"id": 3, "name": "Assam", "kind": "black", "shop": 2},
    ]);
    fill(&engine, "teas", json!({"filterableAttributes": ["kind", "shop"]}), &teas);
    let cups = json!([{"id": 1, "colour": "blue"}]);
    fill(&engine, "cups", json!({"filterableAttributes": ["colour"]}), &cups);
    fill(&engine, "wages", json!({}), &json!([{"id": 1}]));
    (folder, engine)
}

fn search(
    engine: &Engine,
    access: &Arc<dyn SearchAccess>,
    uid: &str,
    filter: Option<&str>,
) -> Result<Vec<u64>, ServiceError> {
    let call = SearchCall { index_uid: uid.to_owned(), q: None, filter: filter.map(str::to_owned) };
    let found = searching::run(engine.searcher(), call, access, &WANTED)?;
    let hits: Vec<Value> = serde_json::from_str(found.sources.get()).unwrap();
    Ok(hits.iter().map(|hit| hit["id"].as_u64().unwrap()).collect())
}

#[test]
fn searches_find_what_the_caller_may_see() {
    let (_folder, engine) = shops();
    let (full, first_shop) = callers();
    let all = |filter| search(&engine, &full, "teas", filter);
    assert_eq!(all(None).unwrap(), [1, 2, 3]);
    assert_eq!(all(Some("kind = green")).unwrap(), [1, 2]);
    let first = |filter| search(&engine, &first_shop, "teas", filter);
    assert_eq!(first(None).unwrap(), [1]);
    assert_eq!(first(Some("  ")).unwrap(), [1]);
    assert_eq!(first(Some("kind = green OR kind = black")).unwrap(), [1]);
    assert!(first(Some("kind = black")).unwrap().is_empty());
    // There is no way out of what may be seen.
    let escape = first(Some("kind = green) OR (shop = 2")).unwrap_err();
    assert_eq!(escape.code, Code::InvalidSearchFilter);
    let code = |uid| search(&engine, &first_shop, uid, None).unwrap_err().code;
    assert_eq!(code("cups"), Code::InvalidSearchFilter);
    assert_eq!(code("wages"), Code::IndexNotFound);
    assert_eq!(code("nothing"), Code::IndexNotFound);
    engine.shutdown();
}

#[test]
fn descriptions_show_what_the_caller_may_see() {
    let (_folder, engine) = shops();
    let (full, first_shop) = callers();
    let described = |access: &Arc<dyn SearchAccess>| {
        let indexes = describe_indexes(engine.searcher(), access, &WANTED).unwrap();
        indexes.into_iter().map(|index| (index.uid, index.filters)).collect::<Vec<_>>()
    };
    let filters = |filters: &[(&str, &[&str])]| -> Vec<(String, Vec<String>)> {
        let owned = |values: &[&str]| values.iter().map(ToString::to_string).collect();
        filters.iter().map(|(name, values)| ((*name).to_owned(), owned(values))).collect()
    };
    assert_eq!(
        described(&full),
        [
            ("cups".to_owned(), filters(&[("colour", &["blue"])])),
            ("teas".to_owned(), filters(&[("kind", &["green", "black"]), ("shop", &["2", "1"])])),
            ("wages".to_owned(), Vec::new()),
        ]
    );
    assert_eq!(
        described(&first_shop),
        [
            ("cups".to_owned(), filters(&[("colour", &[])])),
            ("teas".to_owned(), filters(&[("kind", &["green"]), ("shop", &["1"])])),
        ]
    );
    engine.shutdown();
}
