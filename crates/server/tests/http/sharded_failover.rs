//! Owners of shards that fail: others are asked in their place within the same request, and who
//! is back is asked again.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::wait_for;

use crate::harness::{Setup, TestServer, search};
use crate::remotes::{Manner, Pretender, nobody, remote, switch};
use crate::sharding::Sharded;

/// `a` owns nothing that is searched; `b` and `c` own the same shards, so many that each is asked
/// for some.
fn doubly_owned(remote_search_timeout: Duration) -> Sharded {
    let start = |_| {
        let allowed_networks = "127.0.0.0/8,::1/128";
        let server = TestServer::start(Setup {
            allowed_networks,
            remote_search_timeout,
            ..Setup::default()
        });
        switch(&server, true);
        server
    };
    let sharded = Sharded { servers: (0..3).map(start).collect() };
    let mut network = json!({"self": "a", "leader": "a", "remotes": {}, "shards": {}});
    for (server, name) in sharded.servers.iter().zip(["a", "b", "c"]) {
        network["remotes"][name] = remote(server.address);
    }
    for shard in 0..16 {
        network["shards"][format!("s{shard}")] = json!({"remotes": ["b", "c"]});
    }
    sharded.change(network);
    let settings = json!({"filterableAttributes": ["kind"],
        "embedders": {"v": {"source": "userProvided", "dimensions": 2}}});
    sharded.leader().call_json("PATCH /indexes/books/settings", settings);
    let book = |id: u64| {
        json!({"id": id, "kind": format!("k{}", id % 3), "title": "salt",
            "_vectors": {"v": [id, 1]}})
    };
    let books: Value = (0..60).map(book).collect();
    sharded.leader().call_json("POST /indexes/books/documents", books);
    sharded.wait_until_even();
    sharded
}

/// Checks that answers of several instances are complete, and that none is missed.
fn check_complete(asked: &TestServer) {
    let found = search(asked, "books", json!({"limit": 100, "facets": ["kind"]}));
    assert_eq!(found["remoteErrors"], json!({}));
    assert_eq!(found["estimatedTotalHits"], 60);
    assert_eq!(found["hits"].as_array().map(Vec::len), Some(60));
    assert_eq!(found["facetDistribution"]["kind"], json!({"k0": 20, "k1": 20, "k2": 20}));
}

fn move_member(sharded: &Sharded, name: &str, address: std::net::SocketAddr) {
    let change = json!({"remotes": {name: remote(address)}});
    assert_eq!(sharded.leader().call_json("PATCH /network", change).status, 202);
}

#[test]
fn another_owner_is_asked_in_the_place_of_one_that_fails() {
    let sharded = doubly_owned(Duration::from_secs(25));
    let leader = sharded.leader();
    check_complete(leader);
    move_member(&sharded, "b", nobody());
    check_complete(leader);
    assert_eq!(leader.call("GET /network").json()["remotes"]["b"]["status"], "unavailable");
    // Nobody is left for some shards.
    move_member(&sharded, "c", nobody());
    let found = search(leader, "books", json!({}));
    assert_eq!(found["hits"], json!([]));
    assert_eq!(found["remoteErrors"]["c"]["code"], "remote_could_not_send_request");
}

#[test]
fn every_route_asks_another_owner() {
    for (line, body, member) in [
        ("POST /indexes/books/facet-search", json!({"facetName": "kind"}), "facetHits"),
        ("POST /indexes/books/documents/fetch", json!({"limit": 100}), "results"),
        ("POST /indexes/books/similar", json!({"id": 7, "embedder": "v", "limit": 100}), "hits"),
        (
            "POST /multi-search",
            json!({"federation": {"limit": 100, "distinct": "kind"}, "queries": [
                {"indexUid": "books", "q": "salt"}, {"indexUid": "books"}]}),
            "hits",
        ),
    ] {
        let sharded = doubly_owned(Duration::from_secs(25));
        let leader = sharded.leader();
        let before = leader.call_json(line, body.clone()).json();
        move_member(&sharded, "b", nobody());
        let after = leader.call_json(line, body.clone()).json();
        // Lists of documents show errors only where there are any.
        let is_list = line.ends_with("/fetch");
        let nothing = json!({});
        let expected = (!is_list).then_some(&nothing);
        assert_eq!(after.get("remoteErrors"), expected, "{line}: {after}");
        let plain = |answer: &Value| {
            let mut items = answer[member].clone();
            for item in items.as_array_mut().unwrap() {
                item.as_object_mut().unwrap().shift_remove("_federation");
            }
            items
        };
        assert_eq!(plain(&after), plain(&before), "{line}");
        assert!(plain(&after).as_array().is_some_and(|items| !items.is_empty()), "{after}");
    }
}

#[test]
fn a_silent_owner_leaves_time_for_another() {
    // Each of the two has half of it.
    let timeout = Duration::from_secs(8);
    let sharded = doubly_owned(timeout);
    let silent = Pretender::start(Manner::IsSilent);
    move_member(&sharded, "b", silent.address);
    let begun = Instant::now();
    check_complete(sharded.leader());
    assert!(begun.elapsed() < timeout + Duration::from_secs(7), "{:?}", begun.elapsed());
    assert!(silent.heard().iter().any(|heard| heard.line.contains("multi-search")));
}

#[test]
fn a_write_makes_a_recovered_owner_available_at_once() {
    let sharded = doubly_owned(Duration::from_secs(25));
    let leader = sharded.leader();
    let status = || leader.call("GET /network").json()["remotes"]["b"]["status"].clone();
    move_member(&sharded, "b", nobody());
    check_complete(leader);
    assert_eq!(status(), "unavailable");
    move_member(&sharded, "b", sharded.servers[1].address);
    leader.call_json("POST /indexes/books/documents", json!([{"id": 1000}]));
    sharded.wait_until_even();
    assert_eq!(status(), "available");
}

#[test]
fn a_change_shows_for_whom_it_waits() {
    let sharded = Sharded::start(1);
    sharded.share_out();
    let leader = sharded.leader();
    let change = json!({
        "remotes": {"b": remote(nobody()), "c": remote(nobody())},
        "shards": {"of-b": {"remotes": ["b"]}, "of-c": {"remotes": ["c"]}},
    });
    assert_eq!(leader.call_json("PATCH /network", change).status, 202);
    wait_for(|| {
        let batches = leader.call("GET /batches?limit=1").json();
        let steps = batches["results"][0]["progress"]["steps"].clone();
        let is_shown = |step: &Value| {
            step["currentStep"]
                .as_str()
                .is_some_and(|name| name.starts_with("waiting for `b`") && name.contains(", `c`"))
        };
        let all_shown = steps.as_array().is_some_and(|steps| steps.iter().any(is_shown));
        if all_shown { Ok(()) } else { Err(format!("{batches:#}")) }
    });
    // The way out of it.
    assert_eq!(leader.call_json("PATCH /network", json!({"leader": null})).status, 200);
}
