//! Documents shared out over several servers: writes through the leader, documents where they
//! belong, and changes of who owns what.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::wait_for;

use crate::harness::{Setup, TestServer, ids, search};
use crate::remotes::{Manner, Pretender, nobody, remote, switch};

/// Servers `a`, `b`, … of which the first leads.
pub struct Sharded {
    pub servers: Vec<TestServer>,
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

pub fn member() -> TestServer {
    member_with_patience(Duration::from_secs(600))
}

pub fn member_with_patience(topology_timeout: Duration) -> TestServer {
    let allowed_networks = "127.0.0.0/8,::1/128";
    let server =
        TestServer::start(Setup { allowed_networks, topology_timeout, ..Setup::default() });
    switch(&server, true);
    server
}

impl Sharded {
    pub fn start(count: usize) -> Self {
        Self { servers: (0..count).map(|_| member()).collect() }
    }

    pub fn leader(&self) -> &TestServer {
        &self.servers[0]
    }

    /// Each owns a shard.
    pub fn share_out(&self) {
        let mut network = json!({"self": "a", "leader": "a", "remotes": {}, "shards": {}});
        for (server, name) in self.servers.iter().zip(NAMES) {
            network["remotes"][name] = remote(server.address);
            network["shards"][format!("of-{name}")] = json!({"remotes": [name]});
        }
        self.change(network);
    }

    #[track_caller]
    pub fn change(&self, change: Value) {
        // Without a leader nothing is left to wait for.
        let status = if change.get("leader") == Some(&Value::Null) { 200 } else { 202 };
        let answer = self.leader().call_json("PATCH /network", change);
        assert_eq!(answer.status, status, "{}", answer.text());
        self.wait_until_even();
        for (server, name) in self.servers.iter().zip(NAMES) {
            let tasks = server.call("GET /tasks?types=networkTopologyChange&limit=1").json();
            assert_eq!(tasks["results"][0]["status"], "succeeded", "{name}: {tasks}");
        }
    }

    /// Waits until all have taken and done what the leader has.
    #[track_caller]
    pub fn wait_until_even(&self) {
        wait_until_idle(self.leader());
        let is_taken = |tasks: &Value| {
            tasks["results"].as_array().unwrap().iter().all(|task| {
                let others = task["network"]["remote_tasks"].as_object();
                others.is_none_or(|others| others.values().all(is_over))
            })
        };
        wait_for(|| {
            let tasks = self.leader().call("GET /tasks?limit=100").json();
            if is_taken(&tasks) { Ok(()) } else { Err(format!("{tasks:#}")) }
        });
        self.servers.iter().for_each(wait_until_idle);
    }

    pub fn counts(&self, index: &str) -> Vec<u64> {
        self.servers.iter().map(|server| count(server, index)).collect()
    }
}

/// Whether a member has a task, or is none any more.
fn is_over(remote_task: &Value) -> bool {
    let error = remote_task["error"]["message"].as_str().unwrap_or_default();
    remote_task["taskUid"].is_u64() || error.contains("left the network")
}

#[track_caller]
pub fn wait_until_idle(server: &TestServer) {
    wait_for(|| {
        let tasks = server.call("GET /tasks?statuses=enqueued,processing&limit=1").json();
        if tasks["total"] == 0 {
            return Ok(());
        }
        let batches = server.call("GET /batches?limit=1").json();
        Err(format!("{tasks:#} {batches:#}"))
    });
}

pub fn count(server: &TestServer, index: &str) -> u64 {
    let stats = server.call(&format!("GET /indexes/{index}/stats")).json();
    stats["numberOfDocuments"].as_u64().unwrap_or_else(|| panic!("{stats}"))
}

pub fn books(numbers: std::ops::Range<u64>) -> Value {
    numbers.map(|id| json!({"id": id, "title": format!("book {}", id % 7)})).collect()
}

/// Clients that wait for a task find it, and those that want the network too.
#[test]
fn a_change_answers_with_the_network_and_its_task() {
    let leader = member();
    let network = json!({
        "self": "a",
        "leader": "a",
        "remotes": {"a": remote(leader.address)},
        "shards": {"s": {"remotes": ["a"]}},
    });
    let answer = leader.call_json("PATCH /network", network);
    assert_eq!(answer.status, 202, "{}", answer.text());
    let body = answer.json();
    let names: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        [
            "self",
            "remotes",
            "shards",
            "leader",
            "version",
            "taskUid",
            "indexUid",
            "status",
            "type",
            "enqueuedAt"
        ]
    );
    assert_eq!(
        json!([body["leader"], body["taskUid"], body["indexUid"], body["status"], body["type"]]),
        json!(["a", 0, null, "enqueued", "networkTopologyChange"])
    );
    assert_eq!(answer.task(&leader)["status"], "succeeded");
    let shown = leader.call("GET /network").json();
    assert_eq!(shown["version"], body["version"]);
    assert_eq!(shown["taskUid"], Value::Null);

    let off = leader.call_json("PATCH /network", json!({"leader": null}));
    assert_eq!(off.status, 200);
    assert_eq!(off.json().as_object().unwrap().len(), 5, "{}", off.text());
}

#[test]
fn writes_go_through_the_leader_and_each_keeps_its_part() {
    let sharded = Sharded::start(3);
    sharded.share_out();
    let answer = sharded.leader().call_json("POST /indexes/books/documents", books(0..90));
    assert_eq!(answer.status, 202);
    // Both others can be reached, so their tasks are known when the write is answered.
    let task = sharded.leader().call(&format!("GET /tasks/{}", answer.task_uid())).json();
    for name in ["b", "c"] {
        assert!(task["network"]["remote_tasks"][name]["taskUid"].is_u64(), "{task}");
    }
    sharded.wait_until_even();

    let task = answer.task(sharded.leader());
    let stored = |server: &TestServer| json!({"receivedDocuments": 90, "indexedDocuments": count(server, "books")});
    assert_eq!(task["details"], stored(sharded.leader()));
    let version = sharded.leader().call("GET /network").json()["version"].clone();
    assert_eq!(task["network"]["network_version"], version);
    let others = &task["network"]["remote_tasks"];
    for (server, name) in sharded.servers.iter().zip(NAMES).skip(1) {
        assert_eq!(others[name]["error"], Value::Null);
        let uid = others[name]["taskUid"].as_u64().unwrap();
        let copy = server.call(&format!("GET /tasks/{uid}")).json();
        let origin = json!({"remoteName": "a", "taskUid": task["uid"], "networkVersion": version});
        assert_eq!(copy["network"], json!({"origin": origin}));
        assert_eq!(copy["details"], stored(server));
        assert_eq!(copy["status"], "succeeded");
        let refused = server.call_json("POST /indexes/books/documents", books(0..1));
        refused.is_error(
            400,
            "not_leader",
            "This instance does not take writes: they go to the leader of the network, `a`.",
        );
        assert_eq!(server.call("DELETE /indexes/books").json()["code"], "not_leader");
        assert_eq!(server.call("DELETE /indexes/books/settings").json()["code"], "not_leader");
        // Looking after one instance is no write.
        assert_eq!(server.call("POST /indexes/books/compact").status, 202);
        assert_eq!(server.call("POST /tasks/cancel?uids=0").status, 200);
    }
    let counts = sharded.counts("books");
    assert_eq!(counts.iter().sum::<u64>(), 90);
    assert!(counts.iter().all(|count| *count > 15), "{counts:?}");
    for server in &sharded.servers {
        let found = search(server, "books", json!({"limit": 100}));
        assert_eq!(ids(&found), (0..90).collect::<Vec<_>>());
        let own = search(server, "books", json!({"useNetwork": false, "limit": 100}));
        assert_eq!(own["estimatedTotalHits"], count(server, "books"));
    }

    // Updates and deletions reach documents wherever they are.
    let leader = sharded.leader();
    let updates: Value = (0..90).map(|id| json!({"id": id, "seen": true})).collect();
    leader.call_json("PUT /indexes/books/documents", updates);
    leader.call_json("POST /indexes/books/documents/delete-batch", json!([1, 2, 3]));
    leader.call("DELETE /indexes/books/documents/4");
    sharded.wait_until_even();
    let found = search(leader, "books", json!({"limit": 1, "hitsPerPage": 1}));
    assert_eq!(found["totalHits"], 86);
    let first = &found["hits"][0];
    assert_eq!(json!([first["id"], first["title"], first["seen"]]), json!([0, "book 0", true]));
    leader.call("DELETE /indexes/books/documents");
    sharded.wait_until_even();
    assert_eq!(sharded.counts("books"), [0, 0, 0]);
}

#[test]
fn every_kind_of_write_arrives() {
    let sharded = Sharded::start(2);
    sharded.share_out();
    let leader = sharded.leader();
    for server in &sharded.servers {
        let on = json!({"editDocumentsByFunction": true, "dynamicSearchRules": true});
        server.call_json("PATCH /experimental-features", on);
    }
    let accepted = |answer: crate::harness::Answer| assert_eq!(answer.status, 202);
    accepted(leader.call_json("POST /indexes", json!({"uid": "teas", "primaryKey": "code"})));
    let csv = "code;n:number\nx;1\ny;2\nz;3\nw;4\nv;5\n";
    let line = "POST /indexes/teas/documents?csvDelimiter=%3B&customMetadata=a%20b";
    accepted(leader.request(line).body("text/csv", csv).send());
    accepted(
        leader.call_json("PATCH /indexes/teas/settings", json!({"filterableAttributes": ["n"]})),
    );
    accepted(leader.call_json("PUT /indexes/teas/settings/stop-words", json!(["of"])));
    accepted(leader.call("DELETE /indexes/teas/settings/stop-words"));
    accepted(leader.call("DELETE /indexes/none/settings/stop-words"));
    accepted(leader.call_json("POST /indexes/teas/documents/delete", json!({"filter": "n = 5"})));
    let edit = json!({"function": "doc.n = doc.n * 10", "filter": "n > 2"});
    accepted(leader.call_json("POST /indexes/teas/documents/edit", edit));
    let line = "PUT /indexes/teas/documents?skipCreation=true";
    let ndjson = "{\"code\":\"x\",\"m\":1}\n{\"code\":\"new\",\"m\":1}";
    accepted(leader.request(line).body("application/x-ndjson", ndjson).send());
    accepted(leader.call_json("POST /indexes", json!({"uid": "coffees"})));
    accepted(leader.call_json("POST /swap-indexes", json!([{"indexes": ["teas", "coffees"]}])));
    accepted(leader.call_json("PATCH /indexes/coffees", json!({"uid": "drinks"})));
    accepted(leader.call("DELETE /indexes/teas"));
    let rule = json!({"actions": [
        {"selector": {"id": "z"}, "action": {"type": "pin", "position": 0}}
    ]});
    accepted(leader.call_json("PATCH /dynamic-search-rules/first", rule.clone()));
    accepted(leader.call_json("PATCH /dynamic-search-rules/second", rule));
    accepted(leader.call("DELETE /dynamic-search-rules/second"));
    sharded.wait_until_even();

    let statuses = |server: &TestServer| -> Vec<Value> {
        let tasks = server.call("GET /tasks?limit=100&reverse=true").json();
        let tasks = tasks["results"].as_array().unwrap().iter();
        tasks.map(|task| json!([task["type"], task["status"], task["error"]["code"]])).collect()
    };
    assert_eq!(statuses(&sharded.servers[1]), statuses(leader));
    for server in &sharded.servers {
        let indexes = server.call("GET /indexes").json();
        assert_eq!(indexes["total"], 1, "{indexes}");
        let settings = server.call("GET /indexes/drinks/settings").json();
        assert_eq!(settings["filterableAttributes"], json!(["n"]));
        let found = search(server, "drinks", json!({"sort": [], "facets": ["n"]}));
        let hits: BTreeMap<String, Value> = found["hits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| (hit["code"].as_str().unwrap().to_owned(), hit["n"].clone()))
            .collect();
        let expected = [("x", 1), ("y", 2), ("z", 30), ("w", 40)];
        let expected = expected.map(|(code, n)| (code.to_owned(), json!(n)));
        assert_eq!(hits, BTreeMap::from(expected));
        let rules = server.call_json("POST /dynamic-search-rules", json!({})).json();
        assert_eq!(rules["results"][0]["uid"], "first", "{rules}");
        let metadata = server.call("GET /tasks?types=documentAdditionOrUpdate&reverse=true").json();
        assert_eq!(metadata["results"][0]["customMetadata"], "a b");
    }
}

#[test]
fn existing_documents_move_at_each_change() {
    let sharded = Sharded::start(3);
    let leader = sharded.leader();
    for server in &sharded.servers {
        server.call_json("PATCH /experimental-features", json!({"dynamicSearchRules": true}));
    }
    let embedders = json!({"hand": {"source": "userProvided", "dimensions": 2}});
    let settings = json!({"embedders": embedders, "filterableAttributes": ["even"]});
    leader.call_json("PATCH /indexes/colours/settings", settings);
    let colours: Value = (0..60)
        .map(|id| {
            let vectors = json!({"hand": [f64::from(id), 1.0], "other": [3]});
            json!({"id": id, "even": id % 2 == 0, "_vectors": vectors})
        })
        .collect();
    leader.with_documents("colours", colours);
    leader.call_json("POST /indexes", json!({"uid": "empty"}));
    let rule = json!({"conditions": {"query": {"words": "first"}}, "actions": [
        {"selector": {"id": "41"}, "action": {"type": "pin", "position": 0}}
    ]});
    leader.call_json("PATCH /dynamic-search-rules/pins", rule.clone()).task(leader);
    // The rules of a member are replaced when it joins.
    let joining = &sharded.servers[1];
    joining.call_json("PATCH /dynamic-search-rules/own", rule).task(joining);
    let before =
        leader.call("GET /indexes/colours/documents?limit=100&retrieveVectors=true").json();
    sharded.share_out();

    let counts = sharded.counts("colours");
    assert_eq!(counts.iter().sum::<u64>(), 60);
    assert!(counts.iter().all(|count| *count > 8), "{counts:?}");
    let task = leader.call("GET /tasks?types=networkTopologyChange").json()["results"][0].clone();
    assert_eq!(task["details"]["movedDocuments"], 60 - counts[0], "{task}");
    assert_eq!(task["details"]["message"], "");
    let shards = |server: &TestServer, filter: &str| {
        let found = search(server, "colours", json!({"filter": filter, "limit": 0}));
        found["estimatedTotalHits"].as_u64().unwrap()
    };
    for server in &sharded.servers {
        assert_eq!(server.call("GET /indexes").json()["total"], 2);
        let settings = server.call("GET /indexes/colours/settings").json();
        assert_eq!(settings["embedders"], embedders);
        let body = json!({"limit": 100, "retrieveVectors": true});
        let all = server.call_json("POST /indexes/colours/documents/fetch", body).json();
        assert_eq!(all["results"], before["results"]);
        assert_eq!(shards(server, "_shard = of-b"), counts[1]);
        assert_eq!(shards(server, "_shard != of-b AND even = true OR even = false"), {
            let even_elsewhere =
                shards(server, "even = true") - shards(server, "_shard IN [of-b] AND even = true");
            30 + even_elsewhere
        });
        assert_eq!(shards(server, "_shard IN [of-a, of-c, none]"), counts[0] + counts[2]);
        let near = json!({"vector": [7.0, 1.0], "hybrid": {"embedder": "hand", "semanticRatio": 1.0}, "limit": 1});
        assert_eq!(ids(&search(server, "colours", near)), [7]);
        let pinned = search(server, "colours", json!({"q": "first"}));
        assert_eq!(ids(&pinned), [41]);
        let rules = server.call_json("POST /dynamic-search-rules", json!({})).json();
        assert_eq!((&rules["total"], &rules["results"][0]["uid"]), (&json!(1), &json!("pins")));
    }

    // One leaves: its part goes to those who get it, and it goes on alone with what it had.
    let change = json!({"remotes": {"c": null}, "shards": {"of-c": {"remotes": ["b"]}}});
    sharded.change(change);
    assert_eq!(sharded.counts("colours"), [counts[0], counts[1] + counts[2], counts[2]]);
    let alone = &sharded.servers[2];
    assert_eq!(alone.call("GET /network").json()["leader"], Value::Null);
    alone.with_documents("colours", json!([{"id": 1000, "_vectors": {"hand": null}}]));
    alone.call("DELETE /indexes/colours/documents/1000").task(alone);
    assert_eq!(search(leader, "colours", json!({"limit": 0}))["estimatedTotalHits"], 60);

    // An instance with indexes of its own cannot join; what it had of the network is no such index.
    alone.with_documents("mine", json!([{"id": 1}]));
    let back =
        json!({"remotes": {"c": remote(alone.address)}, "shards": {"of-c": {"remotes": ["c"]}}});
    assert_eq!(leader.call_json("PATCH /network", back).status, 202);
    let refused = json!({"shards": {"of-z": {"remotes": ["a"]}}});
    leader.call_json("PATCH /network", refused).is_error_like(
        400,
        "unprocessed_network_task",
        "The network is still changing",
    );
    let message = wait_for(|| {
        let task = leader.call("GET /tasks?types=networkTopologyChange&limit=1").json();
        let error = &task["results"][0]["network"]["remote_tasks"]["c"]["error"];
        error["message"].as_str().map(str::to_owned).ok_or(task)
    });
    assert!(message.contains("it has indexes of its own, such as `mine`"), "{message}");
    alone.call("DELETE /indexes/mine");
    sharded.wait_until_even();
    assert_eq!(sharded.counts("colours"), counts);

    // Off again: everybody keeps what it has.
    sharded.change(json!({"leader": null}));
    assert_eq!(sharded.counts("colours"), counts);
    for server in &sharded.servers {
        server.with_documents("colours", json!([{"id": 2000, "_vectors": {"hand": null}}]));
    }
}

#[test]
fn slow_or_missing_members_do_not_block_others() {
    let sharded =
        Sharded { servers: (0..2).map(|_| member_with_patience(Duration::from_secs(3))).collect() };
    sharded.share_out();
    let leader = sharded.leader();
    let silent = Pretender::start(Manner::IsSilent);
    let change = json!({"remotes": {"c": remote(silent.address), "d": remote(nobody())}});
    assert_eq!(leader.call_json("PATCH /network", change).status, 202);
    wait_until_idle(leader);
    let task =
        leader.call("GET /tasks?types=networkTopologyChange&limit=1").json()["results"][0].clone();
    assert_eq!(task["status"], "succeeded", "{task}");
    let message = task["details"]["message"].as_str().unwrap();
    assert!(message.contains("not waited for: `c`, `d`."), "{message}");

    let answer = leader.call_json("POST /indexes/books/documents", books(0..40));
    assert_eq!(answer.task(leader)["status"], "succeeded");
    let taken = wait_for(|| {
        let task = leader.call(&format!("GET /tasks/{}", answer.task_uid())).json();
        if task["network"]["remote_tasks"]["b"]["taskUid"].is_u64() { Ok(task) } else { Err(task) }
    });
    for gone in ["c", "d"] {
        assert_eq!(
            taken["network"]["remote_tasks"][gone],
            json!({"error": null}),
            "its turn has not come"
        );
    }
    wait_until_idle(&sharded.servers[1]);
    assert_eq!(sharded.counts("books").iter().sum::<u64>(), 40);

    // Both leave again; they do not answer, so the change does not wait for them.
    sharded.change(json!({"remotes": {"c": null, "d": null}}));
    assert!(leader.engine.network().remotes.len() == 2);
}

#[test]
fn writes_are_tried_again_in_order_until_they_are_taken() {
    let leader = member();
    let busy = json!({"message": "later", "code": "internal"});
    let manner = Manner::AnswersAfter {
        times: 3,
        before: Box::new(Manner::json(500, &busy)),
        then: Box::new(Manner::json(202, &json!({"taskUid": 9}))),
    };
    let other = Pretender::start(manner);
    let network = json!({
        "self": "a",
        "leader": "a",
        "remotes": {"a": remote(leader.address), "b": {"url": format!("http://{}", other.address), "writeApiKey": "quill"}},
        "shards": {"s": {"remotes": ["a"]}},
    });
    assert_eq!(leader.call_json("PATCH /network", network).status, 202);
    for n in 0..3 {
        leader.call_json("POST /indexes/books/documents", books(n..n + 1));
    }
    let is_taken = |task: &Value| task["network"]["remote_tasks"]["b"]["taskUid"] == 9;
    wait_for(|| {
        let is_there = is_taken(&leader.call("GET /tasks/3").json());
        if is_there { Ok(()) } else { Err(leader.call("GET /tasks").json()) }
    });
    let heard: Vec<_> = other
        .heard()
        .into_iter()
        .filter(|heard| !heard.line.contains("/health") && !heard.line.contains("/control"))
        .collect();
    let uids: Vec<&str> =
        heard.iter().filter_map(|heard| heard.header("x-meili-proxy-origin-taskuid")).collect();
    let in_order = uids.is_sorted();
    assert!(in_order && uids.iter().filter(|uid| **uid == "0").count() >= 2, "{uids:?}");
    assert_eq!(uids[uids.len() - 3..], ["1", "2", "3"]);
    let last = heard.last().unwrap();
    assert_eq!(last.header("authorization"), Some("Bearer quill"));
    assert_eq!(last.header("meili-proxy-origin-remote"), Some("a"));
    assert!(last.line.starts_with("POST /indexes/books/documents"), "{}", last.line);
    assert_eq!(last.body, books(2..3));
    let first = &heard[0];
    assert!(first.line.starts_with("PATCH /network"), "{}", first.line);
    assert_eq!(first.body["self"], "b");
    assert_eq!(first.body["previousShards"], json!({"": {"remotes": ["a"]}}));
}
