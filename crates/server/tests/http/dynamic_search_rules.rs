use serde_json::{Value, json};

use crate::harness::{Answer, Setup, TestServer, members, without};

pub fn server_with_rules() -> TestServer {
    let server = TestServer::start(Setup::default());
    switch(&server, true);
    server
}

fn switch(server: &TestServer, on: bool) {
    let answer =
        server.call_json("PATCH /experimental-features", json!({ "dynamicSearchRules": on }));
    assert_eq!(answer.status, 200);
}

pub fn patch(server: &TestServer, uid: &str, body: Value) -> Answer {
    server.call_json(&format!("PATCH /dynamic-search-rules/{uid}"), body)
}

/// Changes a rule and waits; gives the task.
#[track_caller]
fn change(server: &TestServer, uid: &str, body: Value) -> Value {
    let task = patch(server, uid, body).task(server);
    assert_eq!(task["status"], "succeeded", "{task}");
    task
}

pub fn list(server: &TestServer, body: Value) -> Answer {
    server.call_json("POST /dynamic-search-rules", body)
}

/// The rule without the time of its last change.
#[track_caller]
fn rule(server: &TestServer, uid: &str) -> Value {
    let answer = server.call(&format!("GET /dynamic-search-rules/{uid}"));
    assert_eq!(answer.status, 200, "{}", answer.text());
    without(answer.json(), &["lastUpdatedAt"])
}

#[track_caller]
fn listed(server: &TestServer, body: Value) -> (String, u64) {
    let answer = list(server, body);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let answer = answer.json();
    assert_eq!(members(&answer), ["results", "offset", "limit", "total"]);
    let uids: Vec<&str> = answer["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| rule["uid"].as_str().unwrap())
        .collect();
    (uids.join(" "), answer["total"].as_u64().unwrap())
}

pub fn pin(id: &str, position: u64) -> Value {
    json!({ "selector": { "id": id }, "action": { "type": "pin", "position": position } })
}

#[test]
fn rules_are_made_changed_and_deleted() {
    let server = server_with_rules();
    server.call("GET /dynamic-search-rules/spring").is_error(
        404,
        "dynamic_search_rule_not_found",
        "Dynamic search rule `spring` not found.",
    );
    let body = json!({
        "actions": [pin("7", 0)], "conditions": { "query": { "words": "sandal" } },
        "description": "Spring sale", "precedence": 5, "active": false,
    });
    let answer = patch(&server, "spring", body.clone());
    let enqueued = without(answer.json(), &["enqueuedAt", "taskUid"]);
    let expected = json!({ "indexUid": ".meili_dsr", "status": "enqueued", "type": "dsrUpdate" });
    assert_eq!((answer.status, enqueued), (202, expected));
    let task = answer.task(&server);
    assert_eq!((&task["status"], &task["indexUid"]), (&json!("succeeded"), &json!(".meili_dsr")));
    assert_eq!(task["details"], json!({ "rule": body, "updatedRules": 1 }));
    // In the order of the members of a rule, not of the body.
    assert_eq!(
        members(&task["details"]["rule"]),
        ["description", "precedence", "active", "conditions", "actions"]
    );

    let whole = json!({
        "uid": "spring", "description": "Spring sale", "precedence": 5, "active": false,
        "conditions": { "query": { "words": "sandal" } }, "actions": [pin("7", 0)],
    });
    assert_eq!(rule(&server, "spring"), whole);
    let read = server.call("GET /dynamic-search-rules/spring").json();
    assert_eq!(
        members(&read),
        ["uid", "description", "lastUpdatedAt", "precedence", "active", "conditions", "actions"]
    );

    change(&server, "spring", json!({ "conditions": { "query": { "isEmpty": true } } }));
    let changed = rule(&server, "spring");
    assert_eq!(changed["conditions"], json!({ "query": { "isEmpty": true } }));
    assert_eq!(changed["actions"], whole["actions"]);

    let nulls = json!({
        "description": null, "precedence": null, "active": null, "conditions": null,
        "actions": null,
    });
    assert_eq!(change(&server, "spring", nulls.clone())["details"]["rule"], nulls);
    let empty = json!({ "uid": "spring", "active": true, "conditions": {}, "actions": [] });
    assert_eq!(rule(&server, "spring"), empty);

    for uid in ["spring", "never"] {
        let task = server.call(&format!("DELETE /dynamic-search-rules/{uid}")).task(&server);
        assert_eq!((&task["status"], &task["type"]), (&json!("succeeded"), &json!("dsrUpdate")));
        assert_eq!(task["details"], json!({ "updatedRules": 1 }));
    }
    assert_eq!(server.call("GET /dynamic-search-rules/spring").status, 404);

    change(&server, "a", json!({}));
    change(&server, "b", json!({}));
    let task = server.call("DELETE /dynamic-search-rules").task(&server);
    assert_eq!((&task["type"], &task["indexUid"]), (&json!("dsrClear"), &json!(".meili_dsr")));
    assert_eq!(task["details"], json!({ "deletedDocuments": 2 }));
    assert_eq!(listed(&server, json!({})), (String::new(), 0));

    // They are no index of the user.
    assert_eq!(server.call("GET /indexes").json()["total"], 0);
}

#[test]
fn every_member_is_kept_as_it_was_sent() {
    let server = server_with_rules();
    let conditions = json!({
        "time": { "start": "2020-01-01T00:00:00Z", "end": "2030-01-01T02:00:00.5+02:00" },
        "query": { "isEmpty": false, "words": "Rain  BOOT" },
        "filter": { "values": { "kind": "Care", "price": 7.5, "sold": true, "rank": -1 } },
    });
    let actions = json!([
        { "selector": { "indexUid": "shoes", "id": "a b" },
          "action": { "type": "pin", "position": 18446744073709551615_u64 } },
        pin("1", 0),
        pin("1", 0),
    ]);
    let precedence = u64::MAX;
    change(
        &server,
        "Rule_1-x",
        json!({ "conditions": conditions, "actions": actions, "precedence": precedence }),
    );
    assert_eq!(
        rule(&server, "Rule_1-x"),
        json!({
            "uid": "Rule_1-x", "precedence": precedence, "active": true,
            "conditions": conditions, "actions": actions,
        })
    );
    // What is null inside a condition is not there.
    let body =
        json!({ "conditions": { "time": null, "query": { "isEmpty": true, "words": null } } });
    change(&server, "nulls", body);
    let expected = json!({ "query": { "isEmpty": true } });
    assert_eq!(rule(&server, "nulls")["conditions"], expected);
}

#[test]
fn rules_are_listed_by_their_last_change() {
    let server = server_with_rules();
    change(
        &server,
        "r1",
        json!({ "description": "Blue boots for rain", "actions": [pin("1", 0)] }),
    );
    let words = json!({ "query": { "words": "straw boots" } });
    change(&server, "r2", json!({ "description": "Hats", "active": false, "conditions": words }));
    change(&server, "r3", json!({}));
    for (body, uids, total) in [
        (json!({}), "r3 r2 r1", 3),
        (json!({ "limit": 2, "offset": 1 }), "r2 r1", 3),
        (json!({ "limit": 0 }), "", 3),
        (json!({ "offset": 9 }), "", 3),
        (json!({ "filter": null }), "r3 r2 r1", 3),
        (json!({ "filter": {} }), "r3 r2 r1", 3),
        (json!({ "filter": { "query": null, "active": null } }), "r3 r2 r1", 3),
        (json!({ "filter": { "active": true } }), "r3 r1", 2),
        (json!({ "filter": { "active": false } }), "r2", 1),
        (json!({ "filter": { "query": "BOOTS" } }), "r2 r1", 2),
        (json!({ "filter": { "query": "hat" } }), "", 0),
        (json!({ "filter": { "query": "" } }), "r3 r2 r1", 3),
        (json!({ "filter": { "query": "boots", "active": true } }), "r1", 1),
    ] {
        assert_eq!(listed(&server, body.clone()), (uids.to_owned(), total), "{body}");
    }
    list(&server, json!({ "limit": 0, "offset": 2 }))
        .is(200, json!({ "results": [], "offset": 2, "limit": 0, "total": 3 }));
    change(&server, "r1", json!({ "precedence": 1 }));
    assert_eq!(listed(&server, json!({ "limit": 1 })), ("r1".to_owned(), 3));
}

#[test]
fn changes_are_tasks_like_others() {
    let server = server_with_rules();
    change(&server, "a", json!({ "precedence": 1 }));
    server.call("DELETE /dynamic-search-rules").task(&server);
    for (types, uids) in
        [("dsrUpdate", vec![0]), ("DSRCLEAR", vec![1]), ("dsrUpdate,dsrClear", vec![1, 0])]
    {
        let tasks = server.call(&format!("GET /tasks?types={types}")).json();
        let found: Vec<u64> = tasks["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|task| task["uid"].as_u64().unwrap())
            .collect();
        assert_eq!(found, uids, "{types}");
    }
    let batch = server.call("GET /batches/0").json();
    assert_eq!(batch["details"], json!({ "rule": { "precedence": 1 }, "updatedRules": 1 }));
    assert_eq!(batch["stats"]["types"], json!({ "dsrUpdate": 1 }));
    assert_eq!(batch["stats"]["indexUids"], json!({ ".meili_dsr": 1 }));
    let batches = server.call("GET /batches?types=dsrClear").json();
    assert_eq!(batches["results"][0]["details"], json!({ "deletedDocuments": 1 }));
    assert_eq!(batches["total"], 1);
}

#[test]
fn a_task_that_waits_shows_what_it_will_do() {
    let server = TestServer::idle();
    switch(&server, true);
    patch(&server, "a", json!({ "active": false }));
    server.call("DELETE /dynamic-search-rules/a");
    server.call("DELETE /dynamic-search-rules");
    let details = |uid: u64| server.call(&format!("GET /tasks/{uid}")).json()["details"].clone();
    assert_eq!(details(0), json!({ "rule": { "active": false }, "updatedRules": 1 }));
    assert_eq!(details(1), json!({ "updatedRules": 1 }));
    assert_eq!(details(2), json!({ "deletedDocuments": null }));
}

#[test]
fn tasks_of_rules_repeat_the_metadata_of_their_requests() {
    let server = TestServer::idle();
    switch(&server, true);
    server.call_json("PATCH /dynamic-search-rules/a?customMetadata=made", json!({}));
    server.call("DELETE /dynamic-search-rules/a?customMetadata=gone");
    let answer = server.call("DELETE /dynamic-search-rules?customMetadata=all%20gone");
    assert_eq!(answer.json()["customMetadata"], "all gone");
    for (uid, metadata) in ["made", "gone", "all gone"].into_iter().enumerate() {
        let task = server.call(&format!("GET /tasks/{uid}")).json();
        assert_eq!(task["customMetadata"], metadata, "{task}");
    }
    let task = server.call("DELETE /dynamic-search-rules").json();
    assert!(task.get("customMetadata").is_none(), "{task}");
    server.call("DELETE /dynamic-search-rules?unknown=1").is_error_like(
        400,
        "bad_request",
        "Unknown parameter `unknown`",
    );
}

#[test]
fn routes_are_refused_while_the_feature_is_off() {
    let server = TestServer::start(Setup::default());
    let refused = |answer: Answer, tried: &str| {
        answer.is_error(
            400,
            "feature_not_enabled",
            &format!(
                "{tried} requires enabling the `dynamic search rules` experimental feature. See \
                 https://github.com/orgs/meilisearch/discussions/884"
            ),
        );
    };
    let routes = "Using the `/dynamic-search-rules` routes";
    refused(list(&server, json!({})), "Calling the `POST /dynamic-search-rules` route");
    refused(
        server.call("GET /dynamic-search-rules/a"),
        "Calling the `GET /dynamic-search-rules/{:ruleUid}` route",
    );
    refused(patch(&server, "a", json!({})), routes);
    refused(server.call("DELETE /dynamic-search-rules/a"), routes);
    refused(server.call("DELETE /dynamic-search-rules"), routes);
    // A body that cannot be read is told first.
    list(&server, json!([])).is_error_like(400, "bad_request", "expected an object");
    assert_eq!(server.call("GET /tasks").json()["total"], 0);
}
