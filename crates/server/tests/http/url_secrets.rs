//! Secrets inside of URLs are shown masked, and a mask that is sent back stands for the secret.

use serde_json::json;

use super::harness::{Setup, TestServer};

#[test]
fn webhooks_hide_the_secrets_of_their_urls() {
    let server = TestServer::start(Setup { processes_tasks: false, ..Setup::default() });
    let url = "https://me:a-long-password@hooks.example/x?token=twenty-five-characters-xx&n=1";
    let shown = "https://me:a-XXXX...@hooks.example/x?token=tweXXXXX...&n=1";
    let hook = server.call_json("POST /webhooks", json!({"url": url})).json();
    assert_eq!(hook["url"], shown);
    let line = format!("PATCH /webhooks/{}", hook["uuid"].as_str().unwrap());
    let back = server.call_json(&line, json!({"url": shown}));
    assert_eq!((back.status, &back.json()["url"]), (200, &json!(shown)));
    let stored =
        server.engine.webhooks().get(hook["uuid"].as_str().unwrap().parse().unwrap()).unwrap();
    assert_eq!(stored.url, url);
    // To another server no secret goes.
    let other = shown.replace("hooks.example", "evil.example");
    let refused = server.call_json(&line, json!({"url": other}));
    refused.is_error_like(400, "invalid_webhook_url", "no URL is stored that it could stand for");
    let refused = server.call_json("POST /webhooks", json!({"url": shown}));
    refused.is_error_like(400, "invalid_webhook_url", "send the secret itself");
}

#[test]
fn chats_networks_and_exports_hide_them_too() {
    let server = TestServer::start(Setup { processes_tasks: false, ..Setup::default() });
    let features = json!({"chatCompletions": true, "network": true});
    server.call_json("PATCH /experimental-features", features);
    let (url, shown) = ("http://u:pw@a.example/?key=abc", "http://u:XXX...@a.example/?key=XXX...");
    let line = "PATCH /chats/desk/settings";
    let chat = json!({"source": "vLlm", "baseUrl": url});
    assert_eq!(server.call_json(line, chat).json()["baseUrl"], shown);
    assert_eq!(server.call_json(line, json!({"baseUrl": shown})).status, 200);
    assert_eq!(server.engine.chats().settings("desk").unwrap().base_url.as_deref(), Some(url));
    let refused = server.call_json("PATCH /chats/new/settings", json!({"baseUrl": shown}));
    refused.is_error_like(400, "invalid_chat_completion_base_api", "send the secret itself");

    let remote = |url: &str| json!({"self": "me", "remotes": {"ms": {"url": url}, "me": {"url": "http://me.example"}}});
    let network = server.call_json("PATCH /network", remote(url)).json();
    assert_eq!(network["remotes"]["ms"]["url"], shown, "{network}");
    assert_eq!(server.call_json("PATCH /network", remote(shown)).status, 200);
    assert_eq!(server.engine.network().remotes["ms"].url, url);
    let other = remote("http://u:XXX...@evil.example/");
    let refused = server.call_json("PATCH /network", other);
    refused.is_error_like(400, "invalid_network_url", "send the secret itself");

    let task = server.call_json("POST /export", json!({"url": url})).json()["taskUid"].clone();
    let task = server.call(&format!("GET /tasks/{task}")).json();
    assert_eq!(task["details"]["url"], shown);
}

#[test]
fn embedders_hide_them_in_settings_and_tasks() {
    let server = TestServer::shared();
    let (url, shown) =
        ("http://u:pw@a.example/v1?key=abc", "http://u:XXX...@a.example/v1?key=XXX...");
    let embedder = |url: &str| {
        json!({"embedders": {"e": {"source": "rest", "url": url, "dimensions": 2,
            "request": {"input": "{{text}}"}, "response": {"vector": "{{embedding}}"}}}})
    };
    let line = "PATCH /indexes/url_secrets/settings";
    let task = server.call_json(line, embedder(url)).task(&server);
    assert_eq!(task["status"], "succeeded", "{task}");
    assert_eq!(task["details"]["embedders"]["e"]["url"], shown);
    let settings = || server.call("GET /indexes/url_secrets/settings/embedders").json();
    assert_eq!(settings()["e"]["url"], shown);
    let task = server.call_json(line, embedder(shown)).task(&server);
    assert_eq!(task["status"], "succeeded", "{task}");
    assert_eq!(settings()["e"]["url"], shown);
    let other = embedder("http://u:XXX...@evil.example/v1?key=XXX...");
    let task = server.call_json(line, other).task(&server);
    assert_eq!(task["status"], "failed", "{task}");
    let message = task["error"]["message"].as_str().unwrap();
    assert!(message.contains("none is stored that it could stand for"), "{message}");
}
