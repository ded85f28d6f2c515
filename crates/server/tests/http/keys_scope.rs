//! Keys of some indexes on routes that name none, or name them in the body: what they see, what
//! they may touch, and that nothing tells them of the rest.

use serde_json::{Value, json};

use super::harness::{Answer, TestServer};
use super::keys::{INVALID, guarded, value_of};

/// Books and teas, a task each, and a key for books alone.
fn scene() -> (TestServer, String) {
    let server = guarded();
    for index in ["books", "teas", "books_old"] {
        server.with_documents(index, json!([{"id": 1, "title": "salt"}]));
    }
    let key = value_of(&server, &["*"], &["books", "books_*"]);
    (server, key)
}

fn uids(page: &Value) -> Vec<u64> {
    page["results"].as_array().unwrap().iter().map(|it| it["uid"].as_u64().unwrap()).collect()
}

#[test]
fn lists_hide_other_indexes_and_do_not_count_them() {
    let (server, key) = scene();
    let get = |target: &str| {
        let answer = server.request(&format!("GET {target}")).with_key(&key).send();
        assert_eq!(answer.status, 200, "{target}: {}", answer.text());
        answer.json()
    };
    let indexes = get("/indexes");
    let names: Vec<&str> =
        indexes["results"].as_array().unwrap().iter().map(|i| i["uid"].as_str().unwrap()).collect();
    assert_eq!((names, &indexes["total"]), (vec!["books", "books_old"], &json!(2)));
    let second = get("/indexes?offset=1&limit=1");
    assert_eq!((&second["results"][0]["uid"], &second["total"]), (&json!("books_old"), &json!(2)));

    let stats = get("/stats");
    let names: Vec<&String> = stats["indexes"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["books", "books_old"]);
    // The last change of what may be seen, not of what may not.
    server.with_documents("teas", json!([{"id": 2}]));
    assert_eq!(get("/stats")["lastUpdate"], stats["lastUpdate"]);

    for target in ["/tasks", "/batches"] {
        let page = get(target);
        assert_eq!((uids(&page), &page["total"]), (vec![2, 0], &json!(2)), "{target}");
        let first = get(&format!("{target}?limit=1"));
        assert_eq!((uids(&first), &first["next"]), (vec![2], &json!(0)), "{target}");
        let none = get(&format!("{target}?indexUids=teas"));
        assert_eq!((uids(&none), &none["total"]), (vec![], &json!(0)), "{target}");
    }
    assert_eq!(get("/tasks/0")["indexUid"], "books");
    let hidden = |line: &str| server.request(line).with_key(&key).send();
    hidden("GET /tasks/1").is_error(404, "task_not_found", "Task `1` not found.");
    hidden("GET /batches/1").is_error(404, "batch_not_found", "Batch `1` not found.");
    let all = value_of(&server, &["tasks.get"], &["*", "books"]);
    let page = server.request("GET /tasks").with_key(&all).send().json();
    assert_eq!(page["total"], 4);
}

#[test]
fn cancelations_and_deletions_reach_their_own_tasks_only() {
    let (server, key) = scene();
    let deletion = server.request("DELETE /tasks?uids=0,1,2").with_key(&key).send();
    let details = deletion.task(&server)["details"].clone();
    assert_eq!(
        details,
        json!({"matchedTasks": 2, "deletedTasks": 2, "originalFilter": "?uids=0,1,2"})
    );
    assert_eq!(uids(&server.call("GET /tasks").json()), [3, 1]);
    // The deletion itself is of no index.
    let own = server.request("GET /tasks/3").with_key(&key).send();
    own.is_error(404, "task_not_found", "Task `3` not found.");
    let cancelation = server.request("POST /tasks/cancel?indexUids=teas").with_key(&key).send();
    assert_eq!(cancelation.task(&server)["details"]["matchedTasks"], 0);
}

#[test]
fn bodies_may_not_name_other_indexes() {
    let (server, key) = scene();
    let send = |line: &str, body: Value| server.request(line).with_key(&key).json(&body).send();
    let is_refused = |answer: Answer| answer.is_error(403, "invalid_api_key", INVALID);
    is_refused(send("POST /indexes", json!({"uid": "films"})));
    send("POST /indexes", json!({"uid": "no pe"})).is_error_like(400, "invalid_index_uid", "");
    assert_eq!(send("POST /indexes", json!({"uid": "books_new"})).status, 202);
    is_refused(send("PATCH /indexes/books", json!({"uid": "films"})));
    assert_eq!(send("PATCH /indexes/books_old", json!({"uid": "books_kept"})).status, 202);
    is_refused(send("POST /swap-indexes", json!([{"indexes": ["books", "teas"]}])));
    is_refused(send(
        "POST /swap-indexes",
        json!([{"indexes": ["books", "books_old"]}, {"indexes": ["films", "teas"]}]),
    ));
    for federation in [json!(null), json!({})] {
        let queries = json!([{"indexUid": "books"}, {"indexUid": "teas"}]);
        let body = json!({"queries": queries, "federation": federation});
        send("POST /multi-search", body).is_error(
            403,
            "invalid_api_key",
            &format!("Inside `.queries[1]`: {INVALID}"),
        );
        let body = json!({"queries": [{"indexUid": "books"}], "federation": federation});
        assert_eq!(send("POST /multi-search", body).status, 200);
    }
    is_refused(send(
        "POST /multi-search",
        json!({"queries": [{"indexUid": "books"}], "federation": {"facetsByIndex": {"teas": ["x"]}}}),
    ));
    server.call_json("PATCH /experimental-features", json!({"renderRoute": true}));
    let template = json!({"kind": "inlineDocumentTemplate", "inline": "{{ doc.title }}"});
    let input = |index: &str| json!({"kind": "indexDocument", "indexUid": index, "id": "1"});
    let render = |body: Value| send("POST /render-template", body);
    assert_eq!(render(json!({"template": template})).status, 200);
    assert_eq!(render(json!({"template": template, "input": input("books")})).status, 200);
    is_refused(render(json!({"template": template, "input": input("teas")})));
    is_refused(render(json!({
        "template": {"kind": "documentTemplate", "indexUid": "teas", "embedder": "e"},
    })));
}

#[test]
fn documents_moved_into_another_index_by_headers_are_refused() {
    let (server, key) = scene();
    server.call_json("PATCH /experimental-features", json!({"network": true}));
    let request = server.request("POST /indexes/books/documents").with_key(&key);
    let request = request
        .header("X-Meili-Proxy-Import-Index", "teas")
        .header("X-Meili-Proxy-Import-Index-Count", "1")
        .header("X-Meili-Proxy-Import-Docs", "1")
        .header("X-Meili-Proxy-Import-Total-Index-Docs", "1")
        .header("X-Meili-Proxy-Import-Task-Key", "k");
    request.body("application/x-ndjson", "{}").send().is_error(403, "invalid_api_key", INVALID);
}

#[test]
fn writing_makes_no_index_without_the_right_to() {
    let server = guarded();
    let actions = ["documents.add", "settings.update"];
    let writer = value_of(&server, &actions, &["*"]);
    let maker = value_of(&server, &["documents.add", "indexes.create"], &["real"]);
    let write = |line: &str, key: &str, body: Value| {
        server.request(line).with_key(key).json(&body).send().task(&server)
    };
    for (line, body) in [
        ("POST /indexes/ghost/documents", json!([{"id": 1}])),
        ("PUT /indexes/ghost/documents", json!([{"id": 1}])),
        ("PATCH /indexes/ghost/settings", json!({"stopWords": ["a"]})),
        ("PUT /indexes/ghost/settings/synonyms", json!({"a": ["b"]})),
    ] {
        let task = write(line, &writer, body);
        assert_eq!(task["error"]["code"], "index_not_found", "{line}: {task}");
    }
    assert_eq!(server.call("GET /indexes").json()["total"], 0);
    let made = write("POST /indexes/real/documents", &maker, json!([{"id": 1}]));
    assert_eq!(made["status"], "succeeded");
    let added = write("POST /indexes/real/documents", &writer, json!([{"id": 2}]));
    assert_eq!(added["status"], "succeeded");
}

#[test]
fn streams_tell_of_own_tasks_and_end_with_the_key() {
    use std::io::BufRead;

    let (server, _) = scene();
    let key = super::keys::made(&server, &["tasks.get"], &["books"]);
    let (uid, value) = (key["uid"].as_str().unwrap(), key["key"].as_str().unwrap());
    for path in ["/tasks/stream", "/batches/stream"] {
        let request = server.request(&format!("GET {path}")).with_key(value);
        let mut stream = request.header("Accept", "text/event-stream").open();
        let (status, _) = Answer::read_head(&mut stream).unwrap();
        assert_eq!(status, 200);
        let mut lines = stream.lines().map_while(Result::ok);
        let greeting = lines.by_ref().find(|line| line.starts_with(':'));
        assert_eq!(greeting.as_deref(), Some(": listening"));
        server.with_documents("teas", json!([{"id": 1}]));
        server.with_documents("books", json!([{"id": 1}]));
        let told = lines.by_ref().find(|line| line.starts_with("data:")).unwrap();
        assert!(told.contains("books") && !told.contains("teas"), "{told}");
        if path == "/batches/stream" {
            server.call(&format!("DELETE /keys/{uid}")).is_empty(204);
            server.with_documents("books", json!([{"id": 2}]));
            let last = lines.filter(|line| line.starts_with("data:")).last();
            assert!(last.is_none_or(|line| !line.contains("teas")));
        }
    }
}
