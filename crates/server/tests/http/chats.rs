//! Workspaces and their settings.

use serde_json::{Value, json};

use crate::harness::{INVALID_UID, Setup, TestServer, members};

fn server() -> TestServer {
    let server = TestServer::start(Setup::default());
    server.call_json("PATCH /experimental-features", json!({"chatCompletions": true}));
    server
}

fn feature_needed(what: &str) -> String {
    format!(
        "{what} requires enabling the `chat completions` experimental feature. \
         See https://github.com/orgs/meilisearch/discussions/835"
    )
}

#[test]
fn without_the_feature_nothing_is_told_but_mistakes() {
    let server = TestServer::start(Setup::default());
    let settings = "using the /chats/settings route";
    let completion = json!({"model": "m", "messages": []});
    for (line, body, what) in [
        ("GET /chats", None, "listing the chats"),
        ("GET /chats/desk", None, "displaying a chat"),
        ("DELETE /chats/desk", None, "deleting a chat"),
        ("GET /chats/desk/settings", None, settings),
        ("PATCH /chats/desk/settings", Some(json!({})), settings),
        ("DELETE /chats/desk/settings", None, settings),
        (
            "POST /chats/desk/chat/completions",
            Some(completion),
            "using the /chats chat completions route",
        ),
    ] {
        let request = server.request(line);
        let request = match &body {
            Some(body) => request.json(body),
            None => request,
        };
        request.send().is_error(400, "feature_not_enabled", &feature_needed(what));
    }
    server.call("GET /chats?limit=x").is_error(
        400,
        "invalid_index_limit",
        "Invalid value in parameter `limit`: could not parse `x` as a positive integer",
    );
    server.call_json("PATCH /chats/desk/settings", json!({"apiKey": 1})).is_error_like(
        400,
        "invalid_chat_completion_api_key",
        "at `.apiKey`",
    );
    server.call_json("POST /chats/desk/chat/completions", json!({})).is_error_like(
        400,
        "bad_request",
        "missing field `messages`",
    );
}

#[test]
fn a_workspace_comes_with_its_settings_and_goes_with_them() {
    let server = server();
    let empty = json!({"results": [], "offset": 0, "limit": 20, "total": 0});
    server.call("GET /chats").is(200, empty.clone());
    for (line, message) in [
        ("GET /chats/desk", "chat desk not found"),
        ("DELETE /chats/desk", "chat desk not found"),
        ("GET /chats/desk/settings", "Chat `desk` not found"),
        ("DELETE /chats/desk/settings", "Chat `desk` not found"),
    ] {
        server.call(line).is_error(404, "chat_not_found", message);
    }
    assert_eq!(server.call_json("PATCH /chats/desk/settings", json!({})).status, 200);
    server.call("GET /chats/desk").is(200, json!({"uid": "desk"}));
    // Any name will do, and only one route minds.
    assert_eq!(server.call_json("PATCH /chats/bad!/settings", json!({})).status, 200);
    server.call("GET /chats/bad!").is_error(
        400,
        "invalid_index_uid",
        &format!("`bad!` {INVALID_UID}"),
    );
    assert_eq!(server.call("GET /chats/bad!/settings").status, 200);
    server
        .call("GET /chats?offset=1&limit=1")
        .is(200, json!({"results": [{"uid": "desk"}], "offset": 1, "limit": 1, "total": 2}));
    for line in ["DELETE /chats/bad!", "DELETE /chats/desk"] {
        server.call(line).is_empty(204);
    }
    server.call("GET /chats").is(200, empty);
}

#[test]
fn settings_are_changed_in_part_and_reset() {
    let server = server();
    let first = json!({"source": "azureOpenAi", "baseUrl": "https://a.example", "apiVersion": "1",
        "deploymentId": "d", "orgId": "o", "projectId": "p", "prompts": {"system": "Be brief."}});
    let answer = server.call_json("PATCH /chats/desk/settings", first).json();
    assert_eq!(
        members(&answer),
        [
            "source",
            "orgId",
            "projectId",
            "apiVersion",
            "deploymentId",
            "baseUrl",
            "apiKey",
            "prompts"
        ]
    );
    let names =
        ["system", "searchDescription", "searchQParam", "searchFilterParam", "searchIndexUidParam"];
    assert_eq!(members(&answer["prompts"]), names);
    for name in names {
        assert!(answer["prompts"][name].as_str().is_some_and(|text| !text.is_empty()), "{name}");
    }
    let change = json!({"orgId": null, "apiVersion": "2", "prompts": {"searchQParam": "Words."}});
    let mut expected = answer.clone();
    expected["orgId"] = json!(null);
    expected["apiVersion"] = json!("2");
    expected["prompts"]["searchQParam"] = json!("Words.");
    server.call_json("PATCH /chats/desk/settings", change).is(200, expected.clone());
    // What would not be complete is refused as a whole.
    server
        .call_json("PATCH /chats/desk/settings", json!({"projectId": "q", "baseUrl": null}))
        .is_error(
            400,
            "bad_request",
            "azureOpenAi requires setting a valid `baseUrl`, `deploymentId`, and `apiVersion`",
        );
    server.call("GET /chats/desk/settings").is(200, expected);
    let reset = server.call("DELETE /chats/desk/settings");
    assert_eq!(reset.status, 200);
    let defaults = server.call_json("PATCH /chats/other/settings", json!({})).json();
    assert_eq!(reset.json(), defaults);
    assert_eq!(server.call("GET /chats/desk/settings").json(), defaults);
}

#[test]
fn a_key_is_never_shown() {
    let server = server();
    let key = "sk-this-is-a-very-secret-key";
    let answers = [
        server.call_json("PATCH /chats/desk/settings", json!({"apiKey": key})),
        server.call("GET /chats/desk/settings"),
        server.call_json("PATCH /chats/desk/settings", json!({"orgId": "o"})),
    ];
    for answer in answers {
        assert_eq!(answer.json()["apiKey"], "sk-XXXXX...");
        assert!(!answer.text().contains("secret"), "{}", answer.text());
    }
    server.call("DELETE /chats/desk/settings");
    assert_eq!(server.call("GET /chats/desk/settings").json()["apiKey"], Value::Null);
}
