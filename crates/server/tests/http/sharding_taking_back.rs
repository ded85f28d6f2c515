//! Canceling a change of the network: it is taken back on every member as long as it can be.

use serde_json::{Value, json};

use crate::harness::{Answer, TestServer, ids, search};
use crate::remotes::{Manner, Pretender, nobody, remote};
use crate::sharding::{Sharded, books, member};

const CHANGES: &str = "GET /tasks?types=networkTopologyChange";

#[track_caller]
fn wait_for(what: impl Fn() -> bool, shown: impl Fn() -> Value) {
    testkit::wait_for(|| if what() { Ok(()) } else { Err(format!("{:#}", shown())) });
}

fn changed(server: &TestServer, change: Value) -> Answer {
    let answer = server.call_json("PATCH /network", change);
    assert_eq!(answer.status, 202, "{}", answer.text());
    answer
}

/// The cancelation of the change, as it ended.
fn cancel(server: &TestServer, change: &Answer) -> Value {
    server.call(&format!("POST /tasks/cancel?uids={}", change.task_uid())).task(server)
}

/// The network without what is new with every change.
fn shown(server: &TestServer) -> Value {
    let mut network = server.call("GET /network").json();
    network.as_object_mut().unwrap().shift_remove("version");
    network
}

fn found(server: &TestServer) -> Vec<u64> {
    ids(&search(server, "books", json!({"limit": 1000})))
}

/// Two servers with sixty books, and a third one that is no member.
fn library() -> (Sharded, TestServer) {
    let sharded = Sharded::start(2);
    sharded.share_out();
    sharded.leader().call_json("POST /indexes/books/documents", books(0..60));
    sharded.wait_until_even();
    (sharded, member())
}

/// A change that brings in a member, and cannot end because another one does not answer.
fn stuck(third: &TestServer) -> Value {
    json!({
        "remotes": {"c": remote(third.address), "d": remote(nobody())},
        "shards": {"of-c": {"remotes": ["c"]}, "of-d": {"remotes": ["d"]}},
    })
}

fn rules(server: &TestServer) -> Vec<Value> {
    let rules = server.call_json("POST /dynamic-search-rules", json!({})).json();
    rules["results"].as_array().unwrap().iter().map(|rule| rule["uid"].clone()).collect()
}

#[test]
fn a_canceled_change_is_taken_back_on_every_member() {
    let (sharded, third) = library();
    let leader = sharded.leader();
    third.call_json("PATCH /experimental-features", json!({"dynamicSearchRules": true}));
    let rule = json!({"actions": [
        {"selector": {"id": "3"}, "action": {"type": "pin", "position": 0}}
    ]});
    third.call_json("PATCH /dynamic-search-rules/own", rule).task(&third);
    let before: Vec<Value> = sharded.servers.iter().map(shown).collect();
    let counts = sharded.counts("books");
    let change = changed(leader, stuck(&third));
    // The newcomer has got its documents, and the members wait.
    wait_for(
        || third.call("GET /indexes/books/stats").json()["numberOfDocuments"].as_u64() > Some(0),
        || third.call("GET /batches").json(),
    );
    assert!(rules(&third).is_empty(), "the leader has none");
    // Writes behind the change wait with it.
    leader.call_json("POST /indexes/books/documents", books(60..70));

    let canceled = cancel(leader, &change);
    let details = &canceled["details"];
    assert_eq!(json!([details["matchedTasks"], details["canceledTasks"]]), json!([1, 1]));
    sharded.wait_until_even();
    let task = leader.call(&format!("GET /tasks/{}", change.task_uid())).json();
    assert_eq!(json!([task["status"], task["canceledBy"]]), json!(["canceled", canceled["uid"]]));
    for (server, before) in sharded.servers.iter().zip(before) {
        let mut after = shown(server);
        // Availability is no part of the network.
        for remote in after["remotes"].as_object_mut().unwrap().values_mut() {
            remote["status"] = json!("available");
        }
        assert_eq!(after, before);
        assert_eq!(found(server), (0..70).collect::<Vec<_>>());
        let changes = server.call(CHANGES).json();
        let statuses: Vec<&Value> =
            changes["results"].as_array().unwrap().iter().map(|task| &task["status"]).collect();
        assert_eq!(statuses, ["succeeded", "canceled", "succeeded"]);
        let message = &changes["results"][0]["details"]["message"];
        assert_eq!(message, "The change before this one was taken back.");
    }
    let after = sharded.counts("books");
    assert_eq!(after.iter().sum::<u64>(), 70);
    assert!(counts.iter().zip(&after).all(|(before, after)| before <= after), "{after:?}");

    // The newcomer is as it was: alone, without an index, and free to join.
    wait_for(
        || third.call("GET /indexes").json()["total"] == 0,
        || third.call("GET /tasks").json(),
    );
    assert_eq!(third.call("GET /network").json()["leader"], Value::Null);
    assert_eq!(rules(&third), ["own"]);
    assert_eq!(third.call(&format!("{CHANGES}&statuses=canceled")).json()["total"], 1);
    third.with_documents("mine", json!([{"id": 1}]));
    third.call("DELETE /indexes/mine").task(&third);
    let join =
        json!({"remotes": {"c": remote(third.address)}, "shards": {"of-c": {"remotes": ["c"]}}});
    sharded.change(join);
    assert_eq!(found(&third), (0..70).collect::<Vec<_>>());
    assert!(rules(&third).is_empty());
}

#[test]
fn the_first_change_is_taken_back_too() {
    let leader = member();
    leader.with_documents("books", books(0..20));
    let change = changed(
        &leader,
        json!({
            "self": "a",
            "leader": "a",
            "remotes": {"a": remote(leader.address), "b": remote(nobody())},
            "shards": {"s": {"remotes": ["a"]}, "t": {"remotes": ["b"]}},
        }),
    );
    assert_eq!(cancel(&leader, &change)["details"]["canceledTasks"], 1);
    let network = shown(&leader);
    let nothing = json!({"self": "a", "remotes": {}, "shards": {}, "leader": null});
    assert_eq!(network, nothing, "but for the name by which others may know it");
    leader.with_documents("books", books(20..30));
    assert_eq!(found(&leader), (0..30).collect::<Vec<_>>());
}

#[test]
fn a_change_that_others_may_have_made_is_not_canceled() {
    let leader = member();
    leader.with_documents("books", books(0..20));
    // Takes everything and says nothing of its own.
    let silent = Pretender::start(Manner::json(200, &json!({"taskUid": 1})));
    let change = changed(
        &leader,
        json!({
            "self": "a",
            "leader": "a",
            "remotes": {"a": remote(leader.address), "b": remote(silent.address)},
            "shards": {"s": {"remotes": ["a"]}, "t": {"remotes": ["b"]}},
        }),
    );
    let has_told = || {
        let heard = silent.heard();
        heard.iter().any(|heard| heard.body["message"]["type"] == "importFinishedForRemote")
    };
    wait_for(has_told, || leader.call("GET /batches?limit=1").json());
    let canceled = cancel(&leader, &change);
    let details = &canceled["details"];
    assert_eq!(json!([details["matchedTasks"], details["canceledTasks"]]), json!([0, 0]));
    assert_eq!(leader.call("GET /tasks/1").json()["status"], "processing");
    assert_eq!(leader.call_json("PATCH /network", json!({"leader": null})).status, 200);
}

#[test]
fn a_removal_is_taken_back_unless_there_are_writes_behind_it() {
    let (sharded, _) = library();
    let leader = sharded.leader();
    // It hangs because of a newcomer that does not answer.
    let removal = json!({
        "remotes": {"b": null, "d": remote(nobody())},
        "shards": {"of-b": {"remotes": ["a"]}, "of-d": {"remotes": ["d"]}},
    });
    let change = changed(leader, removal.clone());
    assert_eq!(cancel(leader, &change)["details"]["canceledTasks"], 1);
    sharded.wait_until_even();
    for server in &sharded.servers {
        assert_eq!(found(server), (0..60).collect::<Vec<_>>());
        assert_eq!(server.call("GET /network").json()["leader"], "a");
    }

    let change = changed(leader, removal);
    leader.call_json("POST /indexes/books/documents", books(60..61));
    assert_eq!(cancel(leader, &change)["details"]["canceledTasks"], 0);
    // Turning sharding off ends it for all, also for who was on its way out.
    assert_eq!(leader.call_json("PATCH /network", json!({"leader": null})).status, 200);
    for server in &sharded.servers {
        let failed = format!("{CHANGES}&statuses=failed");
        wait_for(|| server.call(&failed).json()["total"] == 1, || server.call(CHANGES).json());
        server.with_documents("books", books(70..71));
    }
}

#[test]
fn a_member_waiting_to_leave_can_be_freed() {
    let (sharded, _) = library();
    let other = &sharded.servers[1];
    changed(
        sharded.leader(),
        json!({
            "remotes": {"b": null, "d": remote(nobody())},
            "shards": {"of-b": {"remotes": ["a"]}, "of-d": {"remotes": ["d"]}},
        }),
    );
    let under_way = format!("{CHANGES}&statuses=processing");
    wait_for(|| other.call(&under_way).json()["total"] == 1, || other.call(CHANGES).json());
    assert_eq!(other.call_json("PATCH /network", json!({"leader": null})).status, 200);
    other.with_documents("books", books(70..71));
    let failed = other.call(&format!("{CHANGES}&statuses=failed")).json();
    let message = "Sharding was turned off before this change was made.";
    assert_eq!(failed["results"][0]["error"]["message"], message);
    assert_eq!(sharded.leader().call_json("PATCH /network", json!({"leader": null})).status, 200);
}
