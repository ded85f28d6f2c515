//! A member as its leader finds it: what it takes, once each, and what it refuses. The leader is
//! played by the test.

use serde_json::{Value, json};
use testkit::wait_for;
use uuid::Uuid;

use crate::harness::{Answer, Request, TestServer, search};
use crate::remotes::{Manner, Pretender, nobody, remote};
use crate::sharding::member;

const LEADER: &str = "the leader";

struct Played {
    server: TestServer,
    /// Where notices to the leader go.
    leader: Pretender,
    version: Uuid,
}

fn from_leader(request: Request, uid: u32, version: Uuid) -> Request {
    from_leader_named(request, "the%20leader", uid, version)
}

fn from_leader_named(request: Request, name: &str, uid: u32, version: Uuid) -> Request {
    request
        .header("X-Meili-Proxy-Origin-Remote", name)
        .header("X-Meili-Proxy-Origin-TaskUid", &uid.to_string())
        .header("X-Meili-Proxy-Origin-Network-Version", &version.to_string())
}

fn network(server: &TestServer, leader: &Pretender) -> Value {
    let leader = format!("http://{}", leader.address);
    json!({
        "self": "b",
        "leader": LEADER,
        "remotes": {
            LEADER: {"url": leader},
            "b": {"url": format!("http://{}", server.address)},
        },
        "shards": {"s": {"remotes": ["b"]}, "t": {"remotes": [LEADER]}},
        "previousRemotes": {LEADER: {"url": leader}},
        "previousShards": {"": {"remotes": [LEADER]}},
    })
}

impl Played {
    /// A member that was told of the network and waits for the leader's documents.
    fn start() -> Self {
        let (server, version) = (member(), model::time_ordered_uuid());
        let leader = Pretender::start(Manner::json(200, &json!({})));
        let played = Self { server, leader, version };
        assert_eq!(played.tell_network(7).status, 202);
        played
    }

    fn tell_network(&self, uid: u32) -> Answer {
        let network = network(&self.server, &self.leader);
        let request = self.server.request("PATCH /network").json(&network);
        from_leader(request, uid, self.version).send()
    }

    fn notice(&self, message: Value) -> Answer {
        let origin = json!({"remoteName": LEADER, "taskUid": 7, "networkVersion": self.version});
        let body = json!({"origin": origin, "message": message});
        self.server.call_json("POST /network/control", body)
    }

    fn part(&self, key: &str, documents: u32, total: u32, lines: &[Value]) -> Answer {
        let body: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let request = self.server.request("POST /indexes/moved/documents");
        from_leader(request.body("application/x-ndjson", body), 7, self.version)
            .header("X-Meili-Proxy-Import-Remote", "the%20leader")
            .header("X-Meili-Proxy-Import-Index", "books")
            .header("X-Meili-Proxy-Import-Index-Count", "1")
            .header("X-Meili-Proxy-Import-Docs", &documents.to_string())
            .header("X-Meili-Proxy-Import-Total-Index-Docs", &total.to_string())
            .header("X-Meili-Proxy-Import-Task-Key", key)
            .send()
    }

    /// The leader has imported, and has switched.
    fn is_done(&self) {
        for remote in ["b", LEADER] {
            let message =
                json!({"type": "importFinishedForRemote", "remote": remote, "successful": true});
            self.notice(message).is_empty(200);
        }
    }

    fn write(&self, uid: u32) -> Answer {
        let documents: Value = (0..20).map(|id| json!({"id": id})).collect();
        let request = self.server.request("POST /indexes/books/documents").json(&documents);
        from_leader(request, uid, self.version).send()
    }

    #[track_caller]
    fn change_ends(&self) -> Value {
        wait_for(|| {
            let tasks = self.server.call("GET /tasks?types=networkTopologyChange").json();
            let task = tasks["results"][0].clone();
            if task["finishedAt"].is_string() { Ok(task) } else { Err(task) }
        })
    }
}

#[test]
fn a_member_takes_what_its_leader_hands_on_once() {
    let played = Played::start();
    assert_eq!(played.server.call("GET /network").json()["leader"], LEADER);
    // However often it comes.
    assert_eq!(played.tell_network(7).task_uid(), 0);
    let first = played.write(8).task_uid();
    assert_eq!(first, 1);
    assert_eq!(played.write(8).task_uid(), first);
    assert_eq!(played.write(12).task_uid(), 2);
    assert_eq!(played.write(8).task_uid(), 2, "an answer, and no task");
    assert_eq!(played.server.call("GET /tasks").json()["total"], 3);
    let task = played.server.call("GET /tasks/1").json();
    let origin = json!({"remoteName": LEADER, "taskUid": 8, "networkVersion": played.version});
    assert_eq!(task["network"], json!({"origin": origin}));
    assert_eq!(task["status"], "enqueued", "the change comes first");

    let nothing = json!({"type": "exportNoIndexForRemote", "remote": "b"});
    played.notice(nothing).is_empty(200);
    played.is_done();
    assert_eq!(played.change_ends()["status"], "succeeded");
    let said: Vec<Value> = played
        .leader
        .heard()
        .into_iter()
        .filter(|heard| heard.line.contains("/network/control"))
        .map(|heard| heard.body["message"]["remote"].clone())
        .collect();
    assert_eq!(said, [json!(LEADER), json!("b")], "it has imported, and it has switched");
    let task = loop {
        let task = played.server.call("GET /tasks/2").json();
        if task["finishedAt"].is_string() {
            break task;
        }
    };
    let stats = played.server.call("GET /indexes/books/stats").json();
    let stored = stats["numberOfDocuments"].as_u64().unwrap();
    assert_eq!(task["details"], json!({"receivedDocuments": 20, "indexedDocuments": stored}));
    assert!((1..20).contains(&stored), "its own shard, and not the other: {stored}");
}

#[test]
fn writes_not_of_the_leader_or_outdated_are_refused() {
    let played = Played::start();
    let server = &played.server;
    let write = || server.request("POST /indexes/books/documents").json(&json!([{"id": 1}]));
    write().send().is_error_like(400, "not_leader", "`the leader`");
    let other = from_leader_named(write(), "somebody", 9, played.version).send();
    other.is_error_like(400, "not_leader", "`somebody` is not the leader");
    let old = from_leader(write(), 9, Uuid::nil()).send();
    old.is_error_like(400, "network_version_too_old", "has version");
    let unknown = from_leader(write(), 9, model::time_ordered_uuid()).send();
    unknown.is_error_like(412, "network_version_mismatch", "is not known here");
    let half = write().header("X-Meili-Proxy-Origin-Remote", "a").send();
    half.is_error_like(400, "inconsistent_document_change_headers", "come together");
    let bad = from_leader_named(write(), "%ff", 9, played.version).send();
    bad.is_error_like(400, "invalid_header_value", "percent-encoded");

    let change = server.request("PATCH /network").json(&network(server, &played.leader));
    let usurper = from_leader_named(change, "somebody", 1, model::time_ordered_uuid()).send();
    usurper.is_error_like(400, "not_leader", "somebody");
    let change = server.request("PATCH /network").json(&network(server, &played.leader));
    from_leader(change, 9, Uuid::nil()).send().is_error_like(400, "network_version_too_old", "");
    server
        .call_json("PATCH /network", json!({"remotes": {"x": {"url": "http://x.example"}}}))
        .is_error_like(400, "not_leader", "");

    let early =
        json!({"remoteName": LEADER, "taskUid": 7, "networkVersion": model::time_ordered_uuid()});
    let message = json!({"type": "exportNoIndexForRemote", "remote": "b"});
    server
        .call_json("POST /network/control", json!({"origin": early, "message": message}))
        .is_error_like(503, "import_task_without_network_task", "not arrived");
    let stranger = json!({"remoteName": "x", "taskUid": 7, "networkVersion": played.version});
    server
        .call_json("POST /network/control", json!({"origin": stranger, "message": message}))
        .is_error_like(412, "receive_import_finished_unknown_remote", "`x`");
    let part = server.request("POST /indexes/moved/documents").body("application/x-ndjson", "{}");
    from_leader_named(part, "x", 7, played.version)
        .header("X-Meili-Proxy-Import-Remote", "x")
        .header("X-Meili-Proxy-Import-Index", "books")
        .header("X-Meili-Proxy-Import-Index-Count", "1")
        .header("X-Meili-Proxy-Import-Docs", "1")
        .header("X-Meili-Proxy-Import-Total-Index-Docs", "1")
        .header("X-Meili-Proxy-Import-Task-Key", "0")
        .send()
        .is_error_like(412, "import_task_unknown_remote", "`x`");
}

/// Without its leader a member waits, says for whom, and goes on alone when it is told to.
#[test]
fn a_member_whose_leader_is_lost_can_be_freed() {
    let (server, version) = (member(), model::time_ordered_uuid());
    let mut network = network(&server, &Pretender::start(Manner::HangsUp));
    network["remotes"][LEADER] = remote(nobody());
    network["previousRemotes"][LEADER] = remote(nobody());
    let request = server.request("PATCH /network").json(&network);
    assert_eq!(from_leader(request, 7, version).send().status, 202);
    let expected = format!("waiting for `{LEADER}` (does not answer)");
    wait_for(|| {
        let batches = server.call("GET /batches?limit=1").json();
        let steps = batches["results"][0]["progress"]["steps"].as_array().cloned();
        let is_shown = |step: Value| step["currentStep"] == expected.as_str();
        if steps.into_iter().flatten().any(is_shown) { Ok(()) } else { Err(batches) }
    });
    // A cancelation is the leader's to make.
    let canceled = server.call("POST /tasks/cancel?uids=0").task(&server);
    assert_eq!(canceled["details"]["matchedTasks"], 0, "{canceled}");
    let alone = server.call_json("PATCH /network", json!({"leader": null}));
    assert_eq!(alone.status, 200, "{}", alone.text());
    server.with_documents("books", json!([{"id": 9}]));
    let ended = server.call("GET /tasks/0").json();
    assert_eq!(ended["status"], "failed", "{ended}");
    assert_eq!(ended["error"]["message"], "Sharding was turned off before this change was made.");
}

#[test]
fn documents_that_are_moved_here_are_taken_in_together() {
    let played = Played::start();
    let definition = json!({"definition": {
        "primaryKey": "id",
        "settings": {"filterableAttributes": ["n"]},
        "fields": ["id", "n", "elsewhere"],
        "nextDocId": 500,
        "embedders": {},
    }});
    let document =
        |number: u32, id: u32| json!({"document": {"number": number, "json": {"id": id, "n": 1}}});
    let first = [definition, document(40, 1), document(30, 2)];
    assert_eq!(played.part("0", 2, 3, &first).status, 200);
    assert_eq!(played.part("0", 2, 3, &first).status, 200, "it may come again");
    assert_eq!(played.part("1", 1, 3, &[document(35, 3)]).status, 200);
    // Leaving the network ends the change; what was taken in before stays.
    wait_for(|| {
        let stats = played.server.call("GET /indexes/books/stats").json();
        let is_there = stats["numberOfDocuments"] == 3;
        if is_there { Ok(()) } else { Err(played.server.call("GET /batches").json()) }
    });
    let alone = played.server.call_json("PATCH /network", json!({"leader": null}));
    assert_eq!(alone.status, 200, "{}", alone.text());
    let ended = played.change_ends();
    assert_eq!(ended["status"], "succeeded", "{ended}");
    let tasks = played.server.call("GET /tasks?types=networkTopologyChange&reverse=true").json();
    assert_eq!(tasks["results"][0]["status"], "failed");
    assert_eq!(tasks["results"][0]["error"]["code"], "network_version_mismatch");
    // In the order of their numbers, with the settings that came along.
    let found = search(&played.server, "books", json!({"filter": "n = 1", "facets": ["n"]}));
    assert_eq!(crate::harness::ids(&found), [2, 3, 1]);
    played.server.with_documents("books", json!([{"id": 9}]));
}
