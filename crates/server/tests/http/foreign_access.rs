//! Foreign keys and the rights of callers: who may make a key lead to another index, and who sees
//! what is there.

use serde_json::{Value, json};

use super::harness::{Answer, TestServer, change_settings};
use super::keys::{guarded, made, value_of};
use super::tenant_tokens::signed;

/// `mine_a` refers to `vault`, which displays ids and owners and hides pins.
fn scene() -> TestServer {
    let server = guarded();
    server.call_json("PATCH /experimental-features", json!({"foreignKeys": true}));
    server.with_documents(
        "vault",
        json!([
            {"id": "k1", "owner": "root", "pin": 1234},
            {"id": "k2", "owner": "guest", "pin": 5678},
        ]),
    );
    let displayed = json!({"displayedAttributes": ["id", "owner"],
        "filterableAttributes": ["owner", "pin"]});
    change_settings(&server, "vault", displayed);
    server.with_documents("mine_a", json!([{"id": 1, "ref": ["k1", "k2"]}]));
    let keys = json!([{"foreignIndexUid": "vault", "fieldName": "ref"}]);
    change_settings(
        &server,
        "mine_a",
        json!({"foreignKeys": keys, "filterableAttributes": ["ref"]}),
    );
    server
}

fn search(server: &TestServer, key: &str, body: Value) -> Answer {
    server.request("POST /indexes/mine_a/search").with_key(key).json(&body).send()
}

fn seen(server: &TestServer, key: &str) -> Value {
    let answer = search(server, key, json!({}));
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()["hits"][0]["ref"].clone()
}

#[test]
fn a_key_cannot_make_foreign_keys_lead_out_of_its_indexes() {
    let server = guarded();
    server.call_json("PATCH /experimental-features", json!({"foreignKeys": true}));
    let key = value_of(&server, &["settings.update", "indexes.create"], &["mine_*"]);
    let to = |uid: &str| json!([{"foreignIndexUid": uid, "fieldName": "ref"}]);
    let message = "The API key cannot access the index `vault`, so it cannot make `foreignKeys` \
                   lead there.";
    let patch = |keys: Value| {
        let request = server.request("PATCH /indexes/mine_a/settings").with_key(&key);
        request.json(&json!({"foreignKeys": keys})).send()
    };
    let put = |keys: Value| {
        let request = server.request("PUT /indexes/mine_a/settings/foreign-keys").with_key(&key);
        request.json(&keys).send()
    };
    patch(to("vault")).is_error(403, "invalid_api_key", message);
    put(to("vault")).is_error(403, "invalid_api_key", message);
    assert_eq!(patch(to("mine_b")).status, 202);
    assert_eq!(put(json!([])).status, 202);
}

#[test]
fn hits_show_documents_of_indexes_that_the_caller_may_search() {
    let server = scene();
    let joined = json!([{"id": "k1", "owner": "root"}, {"id": "k2", "owner": "guest"}]);
    let both = value_of(&server, &["search"], &["mine_a", "vault"]);
    assert_eq!(seen(&server, &both), joined);
    let one = value_of(&server, &["search"], &["mine_*"]);
    assert_eq!(seen(&server, &one), json!(["k1", "k2"]));
    for federation in [json!(null), json!({})] {
        let body = json!({"federation": federation, "queries": [{"indexUid": "mine_a"}]});
        let answer = server.request("POST /multi-search").with_key(&one).json(&body).send().json();
        let hits = answer.get("hits").unwrap_or(&answer["results"][0]["hits"]);
        assert_eq!(hits[0]["ref"], json!(["k1", "k2"]), "{answer}");
    }
}

#[test]
fn tokens_see_the_foreign_documents_that_their_rules_show() {
    let server = scene();
    let parent = made(&server, &["search", "documents.get"], &["*"]);
    let token = |rules: Value| {
        let claims = json!({"searchRules": rules, "apiKeyUid": parent["uid"]});
        signed(&claims, parent["key"].as_str().unwrap())
    };
    assert_eq!(seen(&server, &token(json!(["mine_a"]))), json!(["k1", "k2"]));
    let filtered = token(json!({"mine_a": null, "vault": {"filter": "owner = guest"}}));
    assert_eq!(seen(&server, &filtered), json!([{}, {"id": "k2", "owner": "guest"}]));
    let found = |token: &str, filter: &str| {
        search(&server, token, json!({"filter": filter})).json()["hits"].as_array().unwrap().len()
    };
    assert_eq!(found(&filtered, "_foreign(ref, owner = guest)"), 1);
    assert_eq!(found(&filtered, "_foreign(ref, owner = root)"), 0);
    // What is hidden from searches is hidden from tokens, whatever the key that signed them may.
    search(&server, &filtered, json!({"filter": "_foreign(ref, pin = 5678)"})).is_error_like(
        400,
        "invalid_document_filter",
        "Attribute `pin` is not one of the `displayedAttributes`",
    );
    // A rule that leads on to a third index shows nothing.
    let nested = token(json!({"mine_a": null, "vault": {"filter": "_foreign(owner, pin = 1)"}}));
    assert_eq!(seen(&server, &nested), json!([{}, {}]));
}

#[test]
fn foreign_filters_see_what_is_displayed_to_who_may_search_there() {
    let server = scene();
    let both = value_of(&server, &["search"], &["mine_a", "vault"]);
    let filter = |key: &str, filter: &str| search(&server, key, json!({"filter": filter}));
    assert_eq!(filter(&both, "_foreign(ref, owner = root)").json()["hits"][0]["id"], 1);
    filter(&both, "_foreign(ref, pin = 1234)").is_error(
        400,
        "invalid_document_filter",
        "Index `vault`: Attribute `pin` is not one of the `displayedAttributes`, so `_foreign` \
         cannot use it.\n15:18 _foreign(ref, pin = 1234)",
    );
    // Who reads the documents anyway may ask for everything.
    let reader = value_of(&server, &["search", "documents.get"], &["mine_a", "vault"]);
    assert_eq!(filter(&reader, "_foreign(ref, pin = 1234)").json()["hits"][0]["id"], 1);

    let message =
        "The provided API key may not search the index that the foreign key `ref` leads to.";
    let one = value_of(&server, &["*"], &["mine_*"]);
    for text in ["_foreign(ref, owner = root)", "_foreign(ref, nothing = 1)"] {
        filter(&one, text).is_error(403, "invalid_api_key", message);
        let body = json!({"filter": text});
        let fetch = server.request("POST /indexes/mine_a/documents/fetch").with_key(&one);
        fetch.json(&body).send().is_error(403, "invalid_api_key", message);
        let facets = json!({"facetName": "ref", "filter": text});
        let facets =
            server.request("POST /indexes/mine_a/facet-search").with_key(&one).json(&facets);
        facets.send().is_error(403, "invalid_api_key", message);
    }
}

/// Another instance asks with its own key, and says what its client may see.
#[test]
fn rights_that_another_instance_passes_on_count() {
    let server = scene();
    server.call_json("PATCH /experimental-features", json!({"network": true}));
    let ask = |rights: Option<&str>| {
        let body = json!({"federation": {}, "queries": [{"indexUid": "mine_a"}]});
        let request = server.request("POST /multi-search").header("Meili-Proxy-Search", "true");
        let request = match rights {
            Some(rights) => request.header("X-Meili-Proxy-Foreign-Rights", rights),
            None => request,
        };
        request.json(&body).send().json()["hits"][0]["ref"].clone()
    };
    assert_eq!(ask(None)[0]["owner"], "root");
    assert_eq!(ask(Some("{}")), json!(["k1", "k2"]));
    let guests = r#"{"vault":{"displayed":{"filter":"owner = guest"}}}"#;
    assert_eq!(ask(Some(guests)), json!([{}, {"id": "k2", "owner": "guest"}]));
}
