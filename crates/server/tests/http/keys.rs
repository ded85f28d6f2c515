//! `/keys`: what is shown, how keys are found, made, changed and deleted.

use serde_json::{Value, json};

use super::harness::{Setup, TestServer, members};

pub const MASTER_KEY: &str = "the master key of the tests";

/// A server with a master key.
pub fn guarded() -> TestServer {
    TestServer::start(Setup { master_key: Some(MASTER_KEY), ..Setup::default() })
}

/// Makes a key that never ends.
#[track_caller]
pub fn made(server: &TestServer, actions: &[&str], indexes: &[&str]) -> Value {
    let body = json!({"actions": actions, "indexes": indexes, "expiresAt": null});
    let answer = server.call_json("POST /keys", body);
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.json()
}

/// The value of such a key.
#[track_caller]
pub fn value_of(server: &TestServer, actions: &[&str], indexes: &[&str]) -> String {
    made(server, actions, indexes)["key"].as_str().expect("a value").to_owned()
}

pub const INVALID: &str = "The provided API key is invalid.";

#[test]
fn a_new_instance_has_four_keys() {
    let server = guarded();
    let listed = server.call("GET /keys").json();
    let names: Vec<_> = listed["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|key| (key["name"].as_str().unwrap().to_owned(), key["actions"].clone()))
        .collect();
    assert_eq!(
        names,
        [
            ("Default Search API Key".to_owned(), json!(["search"])),
            ("Default Admin API Key".to_owned(), json!(["*"])),
            ("Default Read-Only Admin API Key".to_owned(), json!(["*.get", "keys.get"])),
            ("Default Chat API Key".to_owned(), json!(["chatCompletions", "search"])),
        ]
    );
    assert_eq!(
        (&listed["offset"], &listed["limit"], &listed["total"]),
        (&json!(0), &json!(20), &json!(4))
    );
    assert_eq!(
        members(&listed["results"][0]),
        [
            "name",
            "description",
            "key",
            "uid",
            "actions",
            "indexes",
            "expiresAt",
            "createdAt",
            "updatedAt"
        ]
    );
}

#[test]
fn a_key_lives_from_its_creation_to_its_deletion() {
    let server = guarded();
    let uid = "a1b2c3d4-0000-4000-8000-00000000000A";
    let body = json!({
        "uid": uid, "name": "Île", "actions": ["search", "search", "documents.*"],
        "indexes": ["a", "b*"], "expiresAt": "2099-12-31 10:00:00",
    });
    let made = server.call_json("POST /keys", body.clone());
    assert_eq!(made.status, 201);
    let made = made.json();
    assert_eq!(made["uid"], uid.to_lowercase());
    assert_eq!(made["actions"], body["actions"]);
    assert_eq!(made["indexes"], body["indexes"]);
    assert_eq!(made["expiresAt"], "2099-12-31T10:00:00Z");
    assert_eq!(made["description"], Value::Null);
    server.call_json("POST /keys", body).is_error(
        409,
        "api_key_already_exists",
        &format!("`uid` field value `{}` is already an existing API key.", uid.to_lowercase()),
    );

    let value = made["key"].as_str().unwrap();
    for name in [
        uid.to_owned(),
        uid.replace('-', ""),
        format!("%7B{uid}%7D"),
        format!("urn:uuid:{uid}"),
        value.to_owned(),
        value.to_uppercase(),
    ] {
        server.call(&format!("GET /keys/{name}")).is(200, made.clone());
    }

    let changed = server.call_json(&format!("PATCH /keys/{value}"), json!({"description": "d"}));
    let changed = changed.json();
    assert_eq!((&changed["name"], &changed["description"]), (&json!("Île"), &json!("d")));
    assert_eq!(changed["createdAt"], made["createdAt"]);
    assert_ne!(changed["updatedAt"], made["updatedAt"]);
    let cleared = server.call_json(&format!("PATCH /keys/{uid}"), json!({"name": null})).json();
    assert_eq!((&cleared["name"], &cleared["description"]), (&Value::Null, &json!("d")));
    let touched = server.call_json(&format!("PATCH /keys/{uid}"), json!({})).json();
    assert_ne!(touched["updatedAt"], cleared["updatedAt"]);

    let searches = || server.request("GET /indexes/a/search").with_key(value).send();
    searches().is_error(404, "index_not_found", "Index `a` not found.");
    server.call(&format!("DELETE /keys/{value}")).is_empty(204);
    searches().is_error(403, "invalid_api_key", INVALID);
    let gone = format!("API key `{}` not found.", uid.to_lowercase());
    server.call(&format!("DELETE /keys/{uid}")).is_error(404, "api_key_not_found", &gone);
    server.call(&format!("GET /keys/{uid}")).is_error(404, "api_key_not_found", &gone);
    server.call("GET /keys/nobody").is_error(
        404,
        "api_key_not_found",
        "API key `nobody` not found.",
    );
}

#[test]
fn lists_are_cut_into_pages_newest_first() {
    let server = guarded();
    let uids: Vec<Value> =
        (0..3).map(|_| made(&server, &["search"], &["*"])["uid"].clone()).collect();
    let page = |query: &str| {
        let page = server.call(&format!("GET /keys{query}")).json();
        let found = page["results"].as_array().unwrap().iter().map(|key| key["uid"].clone());
        assert_eq!(page["total"], 7);
        found.collect::<Vec<_>>()
    };
    assert_eq!(page("?limit=2"), [uids[2].clone(), uids[1].clone()]);
    assert_eq!(page("?limit=1&offset=2"), [uids[0].clone()]);
    assert_eq!(page("?offset=3").len(), 4);
    assert_eq!(page("?limit=0&offset=9"), [] as [Value; 0]);
}

#[test]
fn an_expired_key_is_listed_and_opens_nothing() {
    let server = guarded();
    let key_until = |soon| {
        let body = json!({
            "actions": ["*"], "indexes": ["*"], "expiresAt": model::timestamp::rfc3339(soon),
        });
        server.call_json("POST /keys", body)
    };
    // A moment that is over before it is asked about is refused.
    let (soon, key) = [60, 1_000, 20_000]
        .into_iter()
        .find_map(|wait_ms| {
            let soon = model::timestamp::now() + std::time::Duration::from_millis(wait_ms);
            let answer = key_until(soon);
            (answer.status == 201).then(|| (soon, answer.json()))
        })
        .expect("a key that lasts for a moment");
    let value = key["key"].as_str().unwrap();
    while model::timestamp::now() <= soon {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    server.request("GET /version").with_key(value).send().is_error(403, "invalid_api_key", INVALID);
    server.call(&format!("GET /keys/{value}")).is(200, key);
}

#[test]
fn keys_need_a_master_key_and_nothing_else_does() {
    let server = TestServer::shared();
    let told = "Sonde is running without a master key. To access this API endpoint, you must have \
                set a master key at launch.";
    for line in
        ["GET /keys?limit=x", "POST /keys", "GET /keys/x", "PATCH /keys/x", "DELETE /keys/x"]
    {
        server.call(line).is_error(401, "missing_master_key", told);
        server.request(line).with_key("any").send().is_error(401, "missing_master_key", told);
    }
    assert_eq!(server.request("GET /version").with_key("not.a.token").send().status, 200);
    assert_eq!(server.call("GET /version").status, 200);
    for (value, status, code) in [
        ("Basic x", 401, "missing_authorization_header"),
        ("bearer x", 401, "missing_authorization_header"),
        ("Bearer", 403, "invalid_api_key"),
    ] {
        for line in ["GET /version", "GET /keys"] {
            let refused = server.request(line).header("Authorization", value).send();
            refused.is_error_like(status, code, "");
        }
    }
}

#[test]
fn keys_survive_a_restart_under_another_master_key_with_other_values() {
    let folder = tempfile::tempdir().unwrap();
    let open = |master: &str| {
        let mut options = engine::EngineOptions::new(folder.path().join("data"));
        options.master_key = Some(engine::keys::MasterKey::new(master));
        engine::Engine::open(options).unwrap()
    };
    let listed = |engine: &engine::Engine| {
        let keys = engine.keys().list(0, 20).results;
        let both =
            |shown: &engine::keys::ShownKey| (shown.key.uid, shown.value.expose().to_owned());
        keys.iter().map(both).unzip::<_, _, Vec<_>, Vec<_>>()
    };
    let (uids, values) = listed(&open("one"));
    let (same, others) = listed(&open("other"));
    assert_eq!(uids, same);
    assert!(values.iter().zip(&others).all(|(one, other)| one != other));
    assert_eq!(listed(&open("one")).1, values);
}
