//! Conversations and keys: a model searches what its client may search, and nothing else.

use serde_json::{Value, json};

use super::keys::{INVALID, MASTER_KEY, made};
use super::tenant_tokens::signed;
use crate::chat_provider::{ChatProvider, Told, calls, question, says};
use crate::harness::{Setup, TestServer, change_settings};

const SEARCH: &str = "_meiliSearchInIndex";
const LINE: &str = "POST /chats/desk/chat/completions";

fn shop(provider: &ChatProvider) -> TestServer {
    let server = TestServer::start(Setup {
        master_key: Some(MASTER_KEY),
        allowed_networks: "127.0.0.0/8",
        ..Setup::default()
    });
    server.call_json("PATCH /experimental-features", json!({"chatCompletions": true}));
    for index in ["teas", "cellar"] {
        let chat = json!({"description": index, "documentTemplate": "{{doc.name}}"});
        change_settings(&server, index, json!({"filterableAttributes": ["kind"], "chat": chat}));
        server.with_documents(
            index,
            json!([
                {"id": 1, "name": format!("Sencha of {index}"), "kind": "green"},
                {"id": 2, "name": format!("Assam of {index}"), "kind": "black"},
            ]),
        );
    }
    let settings = json!({"baseUrl": provider.url(), "apiKey": "sk"});
    assert_eq!(server.call_json("PATCH /chats/desk/settings", settings).status, 200);
    server
}

#[track_caller]
fn ask(server: &TestServer, key: &str) -> Told {
    let answer = server.request(LINE).with_key(key).json(&question(json!({}))).send();
    assert_eq!(answer.status, 200, "{}", answer.text());
    Told::read(&answer.text())
}

fn search(index: &str) -> String {
    json!({"index_uid": index, "q": "", "filter": null}).to_string()
}

/// The indexes described to the provider, and the search results it received.
fn told(provider: &ChatProvider) -> (Value, Vec<String>) {
    let asked = provider.asked();
    let indexes =
        asked[0].body["tools"][0]["function"]["parameters"]["properties"]["index_uid"]["enum"]
            .clone();
    let messages = asked[1].body["messages"].as_array().unwrap().clone();
    let results = messages.iter().filter(|message| message["role"] == "tool");
    (indexes, results.map(|message| message["content"].as_str().unwrap().to_owned()).collect())
}

#[test]
fn a_model_sees_the_indexes_of_the_key() {
    let (teas, cellar) = (search("teas"), search("cellar"));
    let both = [("c1", SEARCH, teas.as_str()), ("c2", SEARCH, cellar.as_str())];
    let provider = ChatProvider::start([calls(&both), says("Done.")]);
    let server = shop(&provider);
    let key = made(&server, &["chatCompletions", "search"], &["teas"]);
    ask(&server, key["key"].as_str().unwrap());
    let (indexes, found) = told(&provider);
    assert_eq!(indexes, json!(["teas"]));
    assert!(found[0].contains("Sencha of teas") && found[0].contains("Assam of teas"), "{found:?}");
    assert!(!found[1].contains("of cellar") && found[1].contains("not found"), "{found:?}");
}

#[test]
fn a_model_finds_what_the_token_leaves_to_be_found() {
    let teas = search("teas");
    let provider = ChatProvider::start([calls(&[("c1", SEARCH, &teas)]), says("Done.")]);
    let server = shop(&provider);
    let key = made(&server, &["chatCompletions", "search"], &["*"]);
    let rules = json!({"teas": {"filter": "kind = green"}});
    let claims = json!({"searchRules": rules, "apiKeyUid": key["uid"]});
    ask(&server, &signed(&claims, key["key"].as_str().unwrap()));
    let (indexes, found) = told(&provider);
    assert_eq!(indexes, json!(["teas"]));
    assert_eq!(found, ["Sencha of teas"]);
    let described = provider.asked()[0].body["tools"].to_string();
    assert!(described.contains("green") && !described.contains("black"), "{described}");
}

#[test]
fn talking_is_not_searching() {
    let teas = search("teas");
    let provider = ChatProvider::start([calls(&[("c1", SEARCH, &teas)]), says("Done.")]);
    let server = shop(&provider);
    let searcher = made(&server, &["search"], &["*"]);
    let request = server.request(LINE).with_key(searcher["key"].as_str().unwrap());
    request.json(&question(json!({}))).send().is_error(403, "invalid_api_key", INVALID);
    let talker = made(&server, &["chatCompletions"], &["*"]);
    ask(&server, talker["key"].as_str().unwrap());
    let (indexes, found) = told(&provider);
    assert_eq!(indexes, Value::Null, "there is nothing to search");
    assert!(!found[0].contains("of teas"), "{found:?}");
}
