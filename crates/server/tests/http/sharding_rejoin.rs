//! Instances that leave a network and join it again, with what they still have of it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::{TestServer, ids, search};
use crate::remotes::{nobody, remote};
use crate::sharding::{Sharded, books, count};

/// Three servers with ninety books.
fn library() -> Sharded {
    let sharded = Sharded::start(3);
    sharded.share_out();
    sharded.leader().call_json("POST /indexes/books/documents", books(0..90));
    sharded.wait_until_even();
    sharded
}

fn with_c(sharded: &Sharded) -> Value {
    let address = sharded.servers[2].address;
    json!({"remotes": {"c": remote(address)}, "shards": {"of-c": {"remotes": ["c"]}}})
}

fn found(server: &TestServer) -> Vec<u64> {
    ids(&search(server, "books", json!({"limit": 1000})))
}

/// The documents of this instance alone.
fn own(server: &TestServer) -> BTreeSet<u64> {
    let body = json!({"limit": 1000, "useNetwork": false});
    ids(&search(server, "books", body)).into_iter().collect()
}

#[track_caller]
fn check(sharded: &Sharded, expected: &[u64]) {
    for server in &sharded.servers {
        assert_eq!(found(server), expected);
    }
    let counts = sharded.counts("books");
    assert_eq!(counts.iter().sum::<u64>(), expected.len() as u64, "{counts:?}");
}

#[test]
fn removed_members_rejoin_with_the_current_documents() {
    let sharded = library();
    let leader = sharded.leader();
    let before = own(&sharded.servers[2]);
    sharded.change(json!({"remotes": {"c": null}, "shards": {"of-c": {"remotes": ["b"]}}}));
    let (deleted, changed) = (before.first().unwrap(), before.last().unwrap());
    leader.call(&format!("DELETE /indexes/books/documents/{deleted}"));
    leader.call_json("PUT /indexes/books/documents", json!([{"id": changed, "title": "anew"}]));
    leader.call_json("POST /indexes/books/documents", books(90..120));
    leader.call_json("PATCH /indexes/books/settings", json!({"filterableAttributes": ["title"]}));
    leader.call_json("POST /indexes", json!({"uid": "later"}));
    sharded.wait_until_even();
    assert_eq!(own(&sharded.servers[2]), before, "it goes on alone with what it had");

    sharded.change(with_c(&sharded));
    let expected: Vec<u64> = (0..120).filter(|id| id != deleted).collect();
    check(&sharded, &expected);
    let c = &sharded.servers[2];
    assert!(!own(c).contains(deleted) && own(c).contains(changed));
    let anew = search(c, "books", json!({"filter": "title = anew", "useNetwork": false}));
    assert_eq!(ids(&anew), [*changed], "with the settings of now");
    assert_eq!(c.call("GET /indexes").json()["total"], 2);

    // And it takes part as before: numbers, and so the order, are those of the others.
    leader.call_json("POST /indexes/books/documents", books(120..150));
    sharded.wait_until_even();
    let expected: Vec<u64> = expected.into_iter().chain(120..150).collect();
    check(&sharded, &expected);
}

#[test]
fn documents_that_were_written_alone_are_kept_where_they_belong() {
    let sharded = library();
    sharded.change(json!({"remotes": {"c": null}, "shards": {"of-c": {"remotes": ["b"]}}}));
    let alone = &sharded.servers[2];
    alone.with_documents("books", books(500..530));
    sharded.leader().call_json("POST /indexes/books/documents", books(90..100));
    sharded.change(with_c(&sharded));
    let kept: BTreeSet<u64> = own(alone).into_iter().filter(|id| *id >= 500).collect();
    assert!((1..30).contains(&kept.len()), "those of its shard: {kept:?}");
    for server in &sharded.servers {
        let all: BTreeSet<u64> = found(server).into_iter().collect();
        assert!(all.is_superset(&kept) && (0..100).all(|id| all.contains(&id)));
        assert_eq!(all.len(), 100 + kept.len());
    }
    // Writes after that get the same numbers everywhere.
    sharded.leader().call_json("POST /indexes/books/documents", books(600..660));
    sharded.wait_until_even();
    let last: Vec<u64> = found(alone).into_iter().filter(|id| *id >= 600).collect();
    assert_eq!(last, (600..660).collect::<Vec<_>>());
    let all = |server| found(server).into_iter().collect::<BTreeSet<u64>>();
    assert_eq!(all(alone), all(sharded.leader()));
}

#[test]
fn members_that_left_bring_back_their_own_documents() {
    let sharded = library();
    let (leader, alone) = (sharded.leader(), &sharded.servers[2]);
    let before = own(alone);
    assert_eq!(alone.call_json("PATCH /network", json!({"leader": null})).status, 200);
    // What it is sent it refuses, and the leader learns by that.
    leader.call_json("POST /indexes/books/documents", books(90..91));
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    loop {
        let tasks = leader.call("GET /tasks?types=documentAdditionOrUpdate&limit=1").json();
        let error = &tasks["results"][0]["network"]["remote_tasks"]["c"]["error"]["message"];
        if error.as_str().is_some_and(|message| message.contains("version")) {
            break;
        }
        assert!(std::time::Instant::now() < until, "{tasks:#}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let removed = leader.call_json("PATCH /network", json!({"remotes": {"c": null}}));
    assert_eq!(removed.task(leader)["status"], "succeeded");

    // It may have the only copy, so it must get the shards it had.
    let address = alone.address;
    let elsewhere =
        json!({"remotes": {"c": remote(address)}, "shards": {"new": {"remotes": ["c"]}}});
    let refused = leader.call_json("PATCH /network", elsewhere);
    loop {
        let task = leader.call(&format!("GET /tasks/{}", refused.task_uid())).json();
        let error = &task["network"]["remote_tasks"]["c"]["error"]["message"];
        if error.as_str().is_some_and(|message| message.contains("the only copy")) {
            break;
        }
        assert!(std::time::Instant::now() < until, "{task:#}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let canceled = leader.call(&format!("POST /tasks/cancel?uids={}", refused.task_uid()));
    assert_eq!(canceled.task(leader)["details"]["canceledTasks"], 1);
    sharded.wait_until_even();

    sharded.change(with_c(&sharded));
    assert!(own(alone).is_superset(&before));
    for server in &sharded.servers {
        assert!((0..90).all(|id| found(server).contains(&id)));
    }
}

#[test]
fn members_removed_while_offline_can_rejoin() {
    let sharded = library();
    let leader = sharded.leader();
    let away = leader.call_json("PATCH /network", json!({"remotes": {"c": remote(nobody())}}));
    assert_eq!(away.task(leader)["status"], "succeeded");
    let removed = leader.call_json("PATCH /network", json!({"remotes": {"c": null}}));
    assert_eq!(removed.task(leader)["status"], "succeeded");
    let rest = found(leader).len() as u64;
    assert_eq!(rest, 90 - count(&sharded.servers[2], "books"), "what only it had is missing");
    sharded.change(with_c(&sharded));
    check(&sharded, &(0..90).collect::<Vec<_>>());
}

#[test]
fn sharding_is_turned_off_and_on_again() {
    let sharded = library();
    let counts = sharded.counts("books");
    sharded.change(json!({"leader": null}));
    assert_eq!(sharded.counts("books"), counts);
    sharded.change(json!({"leader": "a"}));
    assert_eq!(sharded.counts("books"), counts);
    check(&sharded, &(0..90).collect::<Vec<_>>());
}
