//! `/network` and `/network/control`. Searches on remotes have a file of their own.

use serde_json::{Value, json};

use crate::harness::{Setup, TestServer, members, without};

fn server() -> TestServer {
    let server = TestServer::start(Setup::default());
    server.call_json("PATCH /experimental-features", json!({"network": true}));
    server
}

fn patch(server: &TestServer, body: Value) -> Value {
    let answer = server.call_json("PATCH /network", body);
    assert_eq!(answer.status, 200, "{}", answer.text());
    without(answer.json(), &["version"])
}

#[test]
fn without_the_feature_only_the_body_is_looked_at() {
    let server = TestServer::start(Setup::default());
    let off = |what: &str| {
        format!(
            "Using the {what} route requires enabling the `network` experimental feature. See https://github.com/orgs/meilisearch/discussions/805"
        )
    };
    let notice = notice(json!({"type": "exportNoIndexForRemote", "remote": "a"}));
    server.call("GET /network").is_error(400, "feature_not_enabled", &off("/network"));
    for body in [json!({"self": "a"}), json!({"previousRemotes": {}})] {
        let answer = server.call_json("PATCH /network", body);
        answer.is_error(400, "feature_not_enabled", &off("/network"));
    }
    server.call_json("POST /network/control", notice).is_error(
        400,
        "feature_not_enabled",
        &off("/network/control"),
    );
    server.call_json("PATCH /network", json!({"self": 1})).is_error_like(
        400,
        "invalid_network_self",
        "expected a string",
    );
    server.call_json("POST /network/control", json!({})).is_error(
        400,
        "bad_request",
        "Json deserialize error: missing field `origin` at line 1 column 2",
    );
}

#[test]
fn a_network_is_built_up_and_taken_down_piece_by_piece() {
    let server = server();
    let first = server.call("GET /network").json();
    assert_eq!(members(&first), ["self", "remotes", "shards", "leader", "version"]);
    let nil = "00000000-0000-0000-0000-000000000000";
    let empty = json!({"self": null, "remotes": {}, "shards": {}, "leader": null});
    assert_eq!(without(first.clone(), &["version"]), empty);
    assert_eq!(first["version"], nil);

    let remote = |url: &str, search: Value, write: Value| json!({"url": url, "searchApiKey": search, "writeApiKey": write, "status": "available"});
    let pier = remote("http://pier.example:7700", json!(null), json!(null));
    let network = patch(
        &server,
        json!({"self": "harbour", "remotes": {"pier": {"url": "http://pier.example:7700"}}}),
    );
    assert_eq!(
        network,
        json!({"self": "harbour", "remotes": {"pier": pier}, "shards": {}, "leader": null})
    );
    let network = patch(
        &server,
        json!({"remotes": {"dock": {"url": "https://dock.example/a?b", "searchApiKey": "s", "writeApiKey": "w"}}}),
    );
    let dock = remote("https://dock.example/a?b", json!("s"), json!("w"));
    assert_eq!(network["remotes"], json!({"dock": dock, "pier": pier}));
    assert_eq!(members(&network["remotes"]), ["dock", "pier"]);
    let network =
        patch(&server, json!({"remotes": {"dock": {"searchApiKey": null}, "pier": null}}));
    let dock = remote("https://dock.example/a?b", json!(null), json!("w"));
    assert_eq!(network["remotes"], json!({"dock": dock}));
    let network =
        patch(&server, json!({"remotes": {"dock": {"url": "http://d.example"}, "x": null}}));
    assert_eq!(network["remotes"]["dock"]["url"], "http://d.example");
    assert_eq!(patch(&server, json!({}))["self"], "harbour");
    let shown = patch(&server, json!({"self": null, "remotes": null, "previousShards": {"s": {}}}));
    assert_eq!(shown, empty);
    assert_eq!(without(server.call("GET /network").json(), &["version"]), empty);
}

#[test]
fn every_change_has_a_new_version() {
    let server = server();
    let version = |answer: Value| answer["version"].as_str().unwrap().to_owned();
    let first = version(server.call_json("PATCH /network", json!({})).json());
    let second = version(server.call_json("PATCH /network", json!({})).json());
    assert!(first < second, "{first} {second}");
    assert_eq!(first.as_bytes()[14], b'7');
    assert_eq!(version(server.call("GET /network").json()), second);
    // What is refused changes nothing.
    let refused = json!({"self": "x", "remotes": {"a": {"url": "nope"}}});
    assert_eq!(server.call_json("PATCH /network", refused).status, 400);
    let now = server.call("GET /network").json();
    assert_eq!((version(now.clone()), &now["self"]), (second, &json!(null)));
}

#[test]
fn shards_are_changed_by_replacing_adding_and_removing() {
    let server = server();
    let shards = |body: Value| patch(&server, json!({"shards": body}))["shards"].clone();
    let owners = |names: &[&str]| json!({"s": {"remotes": names}});
    assert_eq!(shards(json!({"s": {"remotes": ["b", "a", "b"]}})), owners(&["a", "b"]));
    assert_eq!(shards(json!({"s": {"addRemotes": ["c"]}})), owners(&["a", "b", "c"]));
    assert_eq!(shards(json!({"s": {"removeRemotes": ["a", "z"]}})), owners(&["b", "c"]));
    let all = json!({"remotes": ["a"], "addRemotes": ["b", "c"], "removeRemotes": ["b"]});
    assert_eq!(shards(json!({"s": all})), owners(&["a", "c"]));
    assert_eq!(shards(json!({"s": {"remotes": null, "addRemotes": null}})), owners(&["a", "c"]));
    assert_eq!(shards(json!({"t": {}, "u": {"remotes": []}})), owners(&["a", "c"]));
    assert_eq!(shards(json!({"s": {"removeRemotes": ["a", "c"]}})), json!({}));
    assert_eq!(shards(json!({"s": {"remotes": ["a"]}})), owners(&["a"]));
    assert_eq!(shards(json!({"s": null})), json!({}));
    assert_eq!(shards(json!({"s": {"remotes": ["a"]}})), owners(&["a"]));
    assert_eq!(shards(json!(null)), json!({}));

    patch(&server, json!({"remotes": {"a": {"url": "http://a.example"}}}));
    shards(json!({"s": {"remotes": ["a", "b"]}, "t": {"remotes": ["a"]}}));
    let network = patch(&server, json!({"remotes": {"a": null}}));
    assert_eq!(network["shards"], owners(&["b"]));
}

#[test]
fn rejects_invalid_networks() {
    let server = server();
    patch(&server, json!({"remotes": {"old": {"url": "http://old.example"}}}));
    let wrong = |place: &str, expected: &str, found: &str| {
        format!("Invalid value type at `{place}`: expected {expected}, but found {found}")
    };
    let root = "`remotes`, `shards`, `previousShards`, `self`, `leader`, `previousRemotes`";
    let (integer, text) = ("a positive integer: `1`", "a string: `\"x\"`");
    for (body, code, message) in [
        (json!({"self": 1}), "invalid_network_self", wrong(".self", "a string", integer)),
        (json!({"leader": 1}), "invalid_network_leader", wrong(".leader", "a string", integer)),
        (json!({"remotes": "x"}), "invalid_network_remotes", wrong(".remotes", "an object", text)),
        (
            json!({"remotes": {"a": 1}}),
            "invalid_network_remotes",
            wrong(".remotes.a", "an object", integer),
        ),
        (
            json!({"remotes": {"a": {"url": 1}}}),
            "invalid_network_url",
            wrong(".remotes.a.url", "a string", integer),
        ),
        (
            json!({"remotes": {"a": {"searchApiKey": 1}}}),
            "invalid_network_search_api_key",
            wrong(".remotes.a.searchApiKey", "a string", integer),
        ),
        (
            json!({"remotes": {"a": {"writeApiKey": 1}}}),
            "invalid_network_write_api_key",
            wrong(".remotes.a.writeApiKey", "a string", integer),
        ),
        (
            json!({"remotes": {"a": {"status": "available"}}}),
            "invalid_network_remotes",
            "Unknown field `status` inside `.remotes.a`: expected one of `url`, `searchApiKey`, `writeApiKey`".to_owned(),
        ),
        (json!({"shards": 1}), "invalid_network_shards", wrong(".shards", "an object", integer)),
        (
            json!({"shards": {"s": 1}}),
            "invalid_network_shards",
            wrong(".shards.s", "an object", integer),
        ),
        (
            json!({"shards": {"s": {"remote": []}}}),
            "invalid_network_shards",
            "Unknown field `remote` inside `.shards.s`: did you mean `remotes`? expected one of `remotes`, `addRemotes`, `removeRemotes`".to_owned(),
        ),
        (
            json!({"shards": {"s": {"remotes": "x"}}}),
            "invalid_network_remotes",
            wrong(".shards.s.remotes", "an array", text),
        ),
        (
            json!({"shards": {"s": {"addRemotes": [1]}}}),
            "invalid_network_remotes",
            wrong(".shards.s.addRemotes[0]", "a string", integer),
        ),
        (
            json!({"shards": {"s": {"removeRemotes": 1}}}),
            "invalid_network_remotes",
            wrong(".shards.s.removeRemotes", "an array", integer),
        ),
        (
            json!({"previousShards": 1}),
            "invalid_network_shards",
            wrong(".previousShards", "an object", integer),
        ),
        (
            json!({"version": "x"}),
            "bad_request",
            format!("Unknown field `version`: expected one of {root}"),
        ),
        (
            json!({"remotes": {"a": {"url": null}}}),
            "missing_network_url",
            "Missing field `.remotes.a.url`".to_owned(),
        ),
        (
            json!({"remotes": {"a": {"searchApiKey": "x"}}}),
            "missing_network_url",
            "Missing field `.remotes.a.url`".to_owned(),
        ),
        (
            json!({"remotes": {"old": {"url": null}}}),
            "invalid_network_url",
            "Field `.remotes.old.url` cannot be set to `null`".to_owned(),
        ),
        (
            json!({"remotes": {"old": {"url": ""}}}),
            "invalid_network_url",
            "Invalid `.remotes.old.url` (``): relative URL without a base".to_owned(),
        ),
        (
            json!({"previousRemotes": null}),
            "unexpected_network_previous_remotes",
            "Unexpected `previousRemotes` in network call.\n  - Note: `previousRemote` is reserved for internal use.".to_owned(),
        ),
    ] {
        server.call_json("PATCH /network", body).is_error(400, code, &message);
    }
    let remotes = &server.call("GET /network").json()["remotes"];
    assert_eq!(members(remotes), ["old"]);
}

#[test]
fn a_leader_needs_a_complete_network() {
    let server = server();
    let remotes = json!({"a": {"url": "http://a.example"}, "b": {"url": "http://b.example"}});
    patch(&server, json!({"self": "a", "remotes": remotes}));
    for (body, code) in [
        (json!({"leader": "b"}), "not_leader"),
        (json!({"self": null, "leader": "a"}), "not_leader"),
        (json!({"leader": "a"}), "invalid_network_shards"),
        (json!({"leader": "a", "shards": {"s": {"remotes": ["z"]}}}), "invalid_network_shards"),
        (
            json!({"leader": "a", "remotes": {"a": null}, "shards": {"s": {"remotes": ["b"]}}}),
            "invalid_network_remotes",
        ),
    ] {
        let answer = server.call_json("PATCH /network", body.clone());
        assert_eq!((answer.status, &answer.json()["code"]), (400, &json!(code)), "{body}");
    }
    assert_eq!(patch(&server, json!({"leader": null}))["leader"], json!(null));
}

fn notice(message: Value) -> Value {
    let version = "a1b2c3d4-0000-4000-8000-000000000001";
    json!({
        "origin": {"remoteName": "a", "taskUid": 0, "networkVersion": version},
        "message": message,
    })
}

#[test]
fn notices_of_other_members() {
    let server = server();
    let send = |body: Value| server.call_json("POST /network/control", body);
    patch(&server, json!({"remotes": {"a": {"url": "http://a.example"}}}));
    let status = || server.call("GET /network").json()["remotes"]["a"]["status"].clone();
    for word in ["unavailable", "available"] {
        let message = json!({"type": "statusChangeForRemote", "remote": "a", "status": word});
        send(notice(message)).is_empty(200);
        assert_eq!(status(), word);
    }
    let refused = |body: Value, why: &str| {
        let message = format!("Json deserialize error: {why}");
        send(body).is_error_like(400, "bad_request", &message);
    };
    refused(json!({"origin": {}}), "missing field `remoteName`");
    refused(
        notice(json!({"type": "nope"})),
        "unknown variant `nope`, expected one of `exportNoIndexForRemote`, `importFinishedForRemote`, `statusChangeForRemote`",
    );
    refused(notice(json!({"type": "exportNoIndexForRemote"})), "missing field `remote`");
    let unsaid = json!({"type": "importFinishedForRemote", "remote": "a"});
    refused(notice(unsaid), "missing field `successful`");
    let unknown = json!({"type": "statusChangeForRemote", "remote": "a", "status": "asleep"});
    refused(notice(unknown), "unknown variant `asleep`");
    let answer = server.request("POST /network/control").body("text/plain", "{}").send();
    answer.is_error_like(415, "invalid_content_type", "text/plain");
    server.call("GET /network/control").is_empty(405);
}
