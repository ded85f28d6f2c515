//! `/mcp` under keys: which tools each sees, and that no tool does what its route would not.

use serde_json::{Value, json};

use super::harness::{Setup, TestServer, change_settings, ids};
use super::keys::{INVALID, MASTER_KEY, guarded, made, value_of};
use super::mcp::{call_of, message, outcome, result, to};
use super::tenant_tokens::signed;

/// Books of two houses, and teas.
fn scene() -> TestServer {
    let server = guarded();
    change_settings(&server, "books", json!({"filterableAttributes": ["house", "genre"]}));
    server.with_documents(
        "books",
        json!([
            {"id": 1, "title": "The Salt Road", "genre": "travel", "house": "north"},
            {"id": 2, "title": "Salt and Ash", "genre": "novel", "house": "south"},
        ]),
    );
    server.with_documents("teas", json!([{"id": 1, "title": "salt"}]));
    server
}

fn tools(server: &TestServer, key: &str) -> Vec<String> {
    let answer = to(server).with_key(key).json(&message("tools/list", json!({}))).send();
    let tools = result(&answer)["tools"].as_array().unwrap().clone();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

fn called(server: &TestServer, key: &str, name: &str, arguments: Value) -> (Value, bool) {
    outcome(&to(server).with_key(key).json(&call_of(name, arguments)).send())
}

#[test]
fn keys_see_the_tools_that_their_actions_open() {
    let server = scene();
    let searches = ["search", "multi_search", "facet_search", "similar_documents"];
    for (actions, expected) in [
        (vec!["search"], searches.to_vec()),
        (vec!["documents.get"], vec!["get_document", "list_documents"]),
        (vec!["documents.*"], vec!["get_document", "list_documents"]),
        (vec!["settings.get", "indexes.get"], vec!["list_indexes", "get_settings"]),
        (vec!["stats.get", "tasks.get"], vec!["get_index_stats"]),
    ] {
        assert_eq!(tools(&server, &value_of(&server, &actions, &["*"])), expected, "{actions:?}");
        assert_eq!(tools(&server, &value_of(&server, &actions, &["x"])), expected, "{actions:?}");
    }
    assert_eq!(tools(&server, &value_of(&server, &["*"], &["*"])).len(), 9);
    assert_eq!(tools(&server, MASTER_KEY).len(), 9);

    let key = value_of(&server, &["search"], &["*"]);
    let (error, is_error) = called(&server, &key, "get_settings", json!({"indexUid": "books"}));
    assert!(is_error);
    assert_eq!(error["code"], "invalid_api_key");
    assert_eq!(
        error["message"],
        "The key does not allow the tool `get_settings`, which needs `settings.get`."
    );
}

#[test]
fn keys_without_any_tool_are_refused() {
    let server = scene();
    let ping = message("ping", json!({}));
    let none = value_of(&server, &["tasks.get", "documents.add"], &["*"]);
    to(&server).with_key(&none).json(&ping).send().is_error(403, "invalid_api_key", INVALID);
    to(&server).with_key("wrong").json(&ping).send().is_error(403, "invalid_api_key", INVALID);
    let told = "The Authorization header is missing. It must use the bearer authorization method.";
    let nobody = to(&server).without_key().json(&ping).send();
    nobody.is_error(401, "missing_authorization_header", told);
}

#[test]
fn keys_of_some_indexes_reach_those_alone() {
    let server = scene();
    let key = value_of(&server, &["*"], &["books"]);
    let (found, is_error) =
        called(&server, &key, "search", json!({"indexUid": "books", "q": "salt"}));
    assert!(!is_error);
    assert_eq!(ids(&found).len(), 2);
    let (listed, _) = called(&server, &key, "list_indexes", json!({}));
    assert_eq!((&listed["total"], &listed["results"][0]["uid"]), (&json!(1), &json!("books")));
    let told = r#"The API key cannot acces the index `teas`, authorized indexes are ["books"]."#;
    for (name, arguments) in [
        ("search", json!({"indexUid": "teas"})),
        ("facet_search", json!({"indexUid": "teas", "facetName": "title"})),
        ("similar_documents", json!({"indexUid": "teas", "id": 1, "embedder": "x"})),
        ("get_document", json!({"indexUid": "teas", "id": 1})),
        ("list_documents", json!({"indexUid": "teas"})),
        ("get_settings", json!({"indexUid": "teas"})),
        ("get_index_stats", json!({"indexUid": "teas"})),
    ] {
        let (error, is_error) = called(&server, &key, name, arguments);
        assert_eq!((is_error, &error["message"]), (true, &json!(told)), "{name}");
    }
    let queries = json!({"queries": [{"indexUid": "teas"}]});
    let (error, _) = called(&server, &key, "multi_search", queries);
    assert_eq!(error["code"], "invalid_api_key");
}

#[test]
fn tenant_tokens_search_what_their_rules_leave() {
    let server = scene();
    let parent = made(&server, &["*"], &["books"]);
    let token = |claims: Value| signed(&claims, parent["key"].as_str().unwrap());
    let rules = json!({"books": {"filter": "house = north"}});
    let north = token(json!({"searchRules": rules, "apiKeyUid": parent["uid"]}));
    // The key behind it may do more, the token may not.
    assert_eq!(
        tools(&server, &north),
        ["search", "multi_search", "facet_search", "similar_documents"]
    );
    let (found, _) = called(&server, &north, "search", json!({"indexUid": "books", "q": "salt"}));
    assert_eq!(ids(&found), [1]);
    let trick = json!({"indexUid": "books", "filter": "house = south OR house = north"});
    assert_eq!(ids(&called(&server, &north, "search", trick).0), [1]);
    let facets = json!({"indexUid": "books", "facetName": "genre"});
    let (found, _) = called(&server, &north, "facet_search", facets);
    assert_eq!(found["facetHits"], json!([{"value": "travel", "count": 1}]));
    let queries = json!({"queries": [{"indexUid": "books"}], "federation": {}});
    assert_eq!(ids(&called(&server, &north, "multi_search", queries).0), [1]);
    for (name, arguments) in [
        ("get_document", json!({"indexUid": "books", "id": 2})),
        ("list_documents", json!({"indexUid": "books"})),
        ("list_indexes", json!({})),
    ] {
        let (error, is_error) = called(&server, &north, name, arguments);
        assert_eq!((is_error, &error["code"]), (true, &json!("invalid_api_key")), "{name}");
    }
    let (error, _) = called(&server, &north, "search", json!({"indexUid": "teas"}));
    assert!(
        error["message"].as_str().unwrap().contains("cannot acces the index `teas`"),
        "{error}"
    );
    let expired = token(json!({"searchRules": ["*"], "apiKeyUid": parent["uid"], "exp": 1}));
    let answer = to(&server).with_key(&expired).json(&message("ping", json!({}))).send();
    answer.is_error_like(403, "invalid_api_key", "Tenant token expired.");
}

#[test]
fn pages_of_others_may_not_use_an_open_instance() {
    let open = TestServer::shared();
    let ping = message("ping", json!({}));
    let from = |server: &TestServer, origin: &str| {
        to(server).host("localhost").header("Origin", origin).json(&ping).send()
    };
    for origin in ["http://evil.example:7700", "https://sonde.test", "null", "http://10.0.0.1"] {
        let answer = from(&open, origin);
        assert_eq!(
            (answer.status, &answer.json()["code"]),
            (403, &json!("browser_not_allowed")),
            "{origin}"
        );
    }
    for origin in ["http://localhost:3000", "http://127.0.0.1:7700", "https://[::1]"] {
        assert_eq!(from(&open, origin).status, 200, "{origin}");
    }
    // With a master key, every caller with a valid key is admitted.
    let guarded = TestServer::start(Setup { master_key: Some(MASTER_KEY), ..Setup::default() });
    assert_eq!(from(&guarded, "https://shop.example").status, 200);
}
