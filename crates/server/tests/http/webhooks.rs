//! Webhooks: what they may be, and that they are called, whatever the receivers do.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use engine::webhooks::{LaunchWebhook, WebhookOptions};
use model::Secret;
use serde_json::{Value, json};

use crate::harness::{Setup, TestServer, members, without};
use crate::receiver::{Receiver, Reply};

const NOBODY: &str = "a1b2c3d4-0000-4000-8000-000000000001";

fn setup() -> Setup {
    Setup { allowed_networks: "127.0.0.1/32", ..Setup::default() }
}

#[track_caller]
fn hook(server: &TestServer, body: Value) -> String {
    let answer = server.call_json("POST /webhooks", body);
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.json()["uuid"].as_str().expect("a uuid").to_owned()
}

fn add(server: &TestServer, id: u64) -> Value {
    server.call_json("POST /indexes/books/documents", json!([{ "id": id }])).task(server)
}

#[test]
fn a_webhook_is_made_read_changed_and_deleted() {
    let server = TestServer::start(setup());
    let made = server.call_json(
        "POST /webhooks",
        json!({"url": "https://hooks.example/a", "headers": {"X-B": "1", "A": null}}),
    );
    assert_eq!(made.status, 201);
    let made = made.json();
    assert_eq!(members(&made), ["uuid", "isEditable", "url", "headers"]);
    assert_eq!(made["headers"], json!({"A": "", "X-B": "1"}));
    let uuid = made["uuid"].as_str().unwrap();
    server.call("GET /webhooks").is(200, json!({"results": [made]}));
    server.call(&format!("GET /webhooks/{uuid}")).is(200, made.clone());
    let patch = |body| server.call_json(&format!("PATCH /webhooks/{uuid}"), body);
    let changed = patch(json!({"headers": {"A": null, "Authorization": "Bearer abcdefghijkl"}}));
    assert_eq!(
        without(changed.json(), &["uuid"]),
        json!({"isEditable": true, "url": "https://hooks.example/a",
               "headers": {"Authorization": "Bearer abXXXX...", "X-B": "1"}})
    );
    patch(json!({"headers": null, "url": "https://hooks.example/b"}));
    assert_eq!(server.call(&format!("GET /webhooks/{uuid}")).json()["headers"], json!({}));
    server.call(&format!("DELETE /webhooks/{uuid}")).is_empty(204);
    server.call(&format!("DELETE /webhooks/{uuid}")).is_error(
        404,
        "webhook_not_found",
        &format!("Webhook `{uuid}` not found."),
    );
}

#[test]
fn rejects_invalid_webhooks() {
    let server = TestServer::shared();
    let refused = |body, code, message: &str| {
        server.call_json("POST /webhooks", body).is_error_like(400, code, message);
    };
    refused(json!({"url": "nope"}), "invalid_webhook_url", "Invalid URL `nope`: relative URL");
    refused(json!({"url": 1}), "invalid_webhook_url", "expected a string");
    // Without a url the headers do not matter.
    refused(json!({"headers": {"a b": ""}}), "invalid_webhook_url", "is missing.");
    let with_header = |name: &str, value: &str| json!({"url": "x:y", "headers": {name: value}});
    refused(with_header("a b", ""), "invalid_webhook_headers", "Invalid header name `a b`: ");
    // The value may be a secret.
    refused(with_header("A", "x\ny"), "invalid_webhook_headers", "Invalid header value `A`: ");
    refused(json!({"uuid": NOBODY}), "immutable_webhook_uuid", "Immutable field `uuid`");
    refused(json!({"isEditable": true}), "immutable_webhook_is_editable", "Immutable field");
    for line in ["GET /webhooks/x", "DELETE /webhooks/x"] {
        server.call(line).is_error_like(400, "invalid_webhook_uuid", "Invalid UUID: ");
    }
    // The body first, then the path, then whether there is such a webhook, then what it may be.
    let patch = |uuid: &str, body| server.call_json(&format!("PATCH /webhooks/{uuid}"), body);
    patch("x", json!({"bogus": 1})).is_error_like(400, "bad_request", "Unknown field `bogus`");
    patch("x", json!({"url": "nope"})).is_error_like(400, "invalid_webhook_uuid", "Invalid UUID");
    patch(NOBODY, json!({"url": "nope"})).is_error_like(404, "webhook_not_found", NOBODY);
}

#[test]
fn a_batch_is_told_with_its_tasks() {
    let server = TestServer::start(setup());
    let receiver = Receiver::start();
    let headers = json!({"Authorization": "Bearer the-whole-secret", "X-Shop": "north"});
    hook(&server, json!({"url": receiver.url(), "headers": headers}));
    let task = server
        .call_json("POST /indexes/books/documents?customMetadata=mine", json!([{"id": 1}]))
        .task(&server);
    let failed = server.call("DELETE /indexes/none").task(&server);
    let received = receiver.received(2);
    assert_eq!(received[0].header(":request"), Some("POST /hook?token=unseen HTTP/1.1"));
    for (name, value) in [
        ("content-type", "application/x-ndjson"),
        ("content-encoding", "gzip"),
        ("authorization", "Bearer the-whole-secret"),
        ("x-shop", "north"),
        ("accept", "*/*"),
        ("accept-encoding", "gzip"),
    ] {
        assert_eq!(received[0].header(name), Some(value), "{name}");
    }
    assert!(received[0].header("user-agent").is_some_and(|agent| agent.starts_with("sonde/")));
    let told = received[0].tasks();
    assert_eq!(told, [task]);
    assert_eq!((&told[0]["error"], &told[0]["customMetadata"]), (&Value::Null, &json!("mine")));
    // Nobody asked for this one, so its link has no host.
    let mut told = received[1].tasks();
    assert_eq!(told[0]["error"]["link"], "/docs/errors#index_not_found");
    told[0]["error"]["link"] = failed["error"]["link"].clone();
    assert_eq!(told, [failed]);
}

#[test]
fn every_task_is_told_once_and_with_its_batch() {
    let server = TestServer::start(setup());
    let receiver = Receiver::start();
    hook(&server, json!({"url": receiver.url()}));
    for id in 0..40 {
        server.call_json("POST /indexes/books/documents", json!([{ "id": id }]));
    }
    let told = |received: &[crate::receiver::Delivery]| -> usize {
        received.iter().map(|delivery| delivery.tasks().len()).sum()
    };
    let received = receiver.received_when(|received| told(received) >= 40);
    let mut uids = BTreeSet::new();
    for delivery in &received {
        let tasks = delivery.tasks();
        assert!(tasks.iter().all(|task| task["batchUid"] == tasks[0]["batchUid"]));
        let own: Vec<u64> = tasks.iter().map(|task| task["uid"].as_u64().unwrap()).collect();
        assert!(own.is_sorted(), "{own:?}");
        assert!(own.into_iter().all(|uid| uids.insert(uid)));
    }
    assert_eq!(uids, (0..40).collect());
}

#[test]
fn a_call_that_fails_is_made_again_unless_that_is_pointless() {
    let server = TestServer::start(setup());
    let receiver = Receiver::start();
    hook(&server, json!({"url": receiver.url()}));
    receiver.reply(&[Reply::Status(500), Reply::Status(429), Reply::Status(200)]);
    add(&server, 1);
    let received = receiver.received(3);
    assert_eq!(received[0].body, received[2].body);
    // A refusal is final: the next call is about the next batch.
    receiver.reply(&[Reply::Status(400)]);
    add(&server, 2);
    add(&server, 3);
    let received = receiver.received(5);
    assert_eq!(
        (&received[3].tasks()[0]["uid"], &received[4].tasks()[0]["uid"]),
        (&json!(1), &json!(2))
    );
    // So is the last attempt.
    receiver.reply(&[const { Reply::Status(503) }; 4]);
    add(&server, 4);
    add(&server, 5);
    let received = receiver.received(10);
    let uids: Vec<Value> =
        received[5..].iter().map(|call| call.tasks()[0]["uid"].clone()).collect();
    assert_eq!(uids, [3, 3, 3, 3, 4]);
}

#[test]
fn a_receiver_that_is_away_or_silent_holds_nobody_up() {
    let webhooks = WebhookOptions { timeout: Duration::from_secs(3), ..Setup::default().webhooks };
    let server = TestServer::start(Setup { webhooks, ..setup() });
    let (silent, willing) = (Receiver::start(), Receiver::start());
    silent.reply(&[const { Reply::Silence }; 1000]);
    hook(&server, json!({"url": silent.url()}));
    // Bound and dropped, so nothing listens there.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    hook(&server, json!({"url": format!("http://127.0.0.1:{port}/")}));
    hook(&server, json!({"url": "ftp://127.0.0.1/no-such-way"}));
    hook(&server, json!({"url": willing.url()}));
    for id in 0..5 {
        let begun = Instant::now();
        assert_eq!(add(&server, id)["status"], "succeeded");
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
    assert_eq!(willing.received(5).len(), 5);
    // Each attempt ends in time: those after it are made.
    assert!(silent.received(2).len() >= 2);
}

#[test]
fn private_networks_are_called_only_where_they_are_allowed() {
    let mut server = TestServer::start(setup());
    let (allowed, forbidden) = (Receiver::start(), Receiver::start_at("127.0.0.2:0"));
    hook(&server, json!({"url": forbidden.url()}));
    hook(&server, json!({"url": forbidden.url().replace("127.0.0.2", "[::ffff:127.0.0.2]")}));
    hook(&server, json!({"url": allowed.url()}));
    // Neither directly nor by a detour.
    allowed.reply(&[Reply::RedirectTo(forbidden.url())]);
    add(&server, 1);
    add(&server, 2);
    allowed.received(2);
    server.stop();
    server.engine.shutdown();
    assert_eq!((allowed.received_so_far(), forbidden.received_so_far()), (2, 0));
}

#[test]
fn a_redirect_that_is_allowed_takes_neither_tasks_nor_keys_along() {
    let server = TestServer::start(Setup { allowed_networks: "127.0.0.0/8", ..Setup::default() });
    let (first, other) = (Receiver::start(), Receiver::start_at("127.0.0.2:0"));
    hook(&server, json!({"url": first.url(), "headers": {"Authorization": "secret"}}));
    first.reply(&[Reply::RedirectTo(other.url())]);
    add(&server, 1);
    let received = other.received(1);
    assert_eq!((received[0].header("authorization"), received[0].body.len()), (None, 0));
}

#[test]
fn finished_tasks_are_delivered_before_shutdown() {
    let receiver = Receiver::start();
    let mut server = TestServer::start(setup());
    hook(&server, json!({"url": receiver.url()}));
    add(&server, 1);
    server.stop();
    server.engine.shutdown();
    assert_eq!(receiver.received_so_far(), 1);
}

#[test]
fn a_deleted_webhook_is_called_no_more_and_a_changed_one_elsewhere() {
    let mut server = TestServer::start(setup());
    let (before, after) = (Receiver::start(), Receiver::start());
    let changed = hook(&server, json!({"url": before.url()}));
    let deleted = hook(&server, json!({"url": before.url()}));
    add(&server, 1);
    before.received(2);
    server.call(&format!("DELETE /webhooks/{deleted}")).is_empty(204);
    server.call_json(&format!("PATCH /webhooks/{changed}"), json!({"url": after.url()}));
    add(&server, 2);
    after.received(1);
    server.stop();
    server.engine.shutdown();
    assert_eq!((before.received_so_far(), after.received_so_far()), (2, 1));
}

#[test]
fn the_webhook_of_the_launch_options_is_called_and_stays_as_it_is() {
    let receiver = Receiver::start();
    let authorization = Some(Secret::new("Bearer a-secret-token"));
    let launch = Some(LaunchWebhook { url: receiver.url(), authorization });
    let webhooks = WebhookOptions { launch, ..Setup::default().webhooks };
    let server = TestServer::start(Setup { webhooks, ..setup() });
    let nil = "00000000-0000-0000-0000-000000000000";
    let shown = json!({
        "uuid": nil,
        "isEditable": false,
        "url": receiver.url().replace("unseen", "XXX..."),
        "headers": {"Authorization": "Bearer a-XXXX..."},
    });
    server.call(&format!("GET /webhooks/{nil}")).is(200, shown);
    server.call(&format!("DELETE /webhooks/{nil}")).is_error(
        400,
        "immutable_webhook",
        &format!(
            "Webhook `{nil}` is immutable. The webhook defined from the command line cannot be \
             modified using the API."
        ),
    );
    add(&server, 1);
    let received = receiver.received(1);
    assert_eq!(received[0].header("authorization"), Some("Bearer a-secret-token"));
}
