//! Values of keys are for those who could do no more with them than they can do already.

use serde_json::{Value, json};

use super::harness::TestServer;
use super::keys::{INVALID, guarded, made, value_of};

fn named(server: &TestServer, key: &str, name: &str) -> Value {
    let listed = server.request("GET /keys?limit=100").with_key(key).send().json();
    let keys = listed["results"].as_array().unwrap();
    keys.iter().find(|key| key["name"] == name).unwrap().clone()
}

#[test]
fn a_key_that_reads_everything_does_not_read_the_admin_key() {
    let server = guarded();
    let reader = named(&server, super::keys::MASTER_KEY, "Default Read-Only Admin API Key");
    let reader = reader["key"].as_str().unwrap();
    let admin = named(&server, reader, "Default Admin API Key");
    assert_eq!(admin["key"], Value::Null);
    let line = format!("GET /keys/{}", admin["uid"].as_str().unwrap());
    assert_eq!(server.request(&line).with_key(reader).send().json()["key"], Value::Null);
    // It may search, and read its own value.
    assert!(named(&server, reader, "Default Search API Key")["key"].is_string());
    assert_eq!(named(&server, reader, "Default Read-Only Admin API Key")["key"], reader);
    // The admin key and the master key see all of them.
    let admin = named(&server, super::keys::MASTER_KEY, "Default Admin API Key");
    let admin = admin["key"].as_str().unwrap();
    for name in ["Default Admin API Key", "Default Chat API Key", "Default Search API Key"] {
        assert!(named(&server, admin, name)["key"].is_string(), "{name}");
    }
}

#[test]
fn actions_and_indexes_must_both_be_had() {
    let server = guarded();
    let keeper = value_of(&server, &["keys.get", "keys.update", "documents.*", "search"], &["*"]);
    for (actions, indexes, is_shown) in [
        (json!(["search"]), json!(["books"]), true),
        (json!(["documents.add", "documents.get"]), json!(["*"]), true),
        (json!(["documents.*"]), json!(["b*"]), true),
        (json!(["search", "settings.get"]), json!(["books"]), false),
        (json!(["*"]), json!(["books"]), false),
    ] {
        let body = json!({"actions": actions, "indexes": indexes, "expiresAt": null});
        let key = server.call_json("POST /keys", body).json();
        let uid = key["uid"].as_str().unwrap();
        let get = server.request(&format!("GET /keys/{uid}")).with_key(&keeper).send().json();
        assert_eq!(get["key"].is_string(), is_shown, "{key}");
        let patch = server.request(&format!("PATCH /keys/{uid}")).with_key(&keeper);
        let patched = patch.json(&json!({"name": "x"})).send().json();
        assert_eq!(patched["key"].is_string(), is_shown, "{key}");
        // Who names a key by its value has it.
        let value = key["key"].as_str().unwrap();
        let get = server.request(&format!("GET /keys/{value}")).with_key(&keeper).send().json();
        assert_eq!(get["key"], value);
    }
}

#[test]
fn reading_everything_does_not_export() {
    let server = guarded();
    let reader = value_of(&server, &["*.get"], &["*"]);
    let body = json!({"url": "http://nowhere.example"});
    let export = |key: &str| server.request("POST /export").with_key(key).json(&body).send();
    export(&reader).is_error(403, "invalid_api_key", INVALID);
    let exporter = made(&server, &["export"], &["*"]);
    assert_eq!(export(exporter["key"].as_str().unwrap()).status, 200);
}
