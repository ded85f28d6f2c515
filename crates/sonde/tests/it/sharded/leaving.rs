//! Members that leave and join again, and changes that are canceled, while processes are killed:
//! what is found is always what was written.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use testkit::Random;

use crate::sharded::cluster::Cluster;
use crate::sharded::moving::{Shards, check_owners, documents_of, number_from, write};

const ROUNDS: u64 = 5;
const SEED: u64 = 9;

fn shards_of_three() -> Shards {
    (0..3).map(|n| (format!("s{n}"), BTreeSet::from([format!("m{n}")]))).collect()
}

/// Changes the network, kills a member meanwhile, and waits until all tasks are done.
fn change_under_fire(cluster: &mut Cluster, change: &Value, victim: usize) {
    let answer = cluster.leader().send("PATCH", "/network", change);
    assert_eq!(answer.status, 202, "{}", answer.json());
    cluster.members[victim].kill();
    cluster.members[victim].restart();
    cluster.wait_until_even();
}

fn check(cluster: &Cluster, model: &BTreeMap<u64, Value>) {
    for member in &cluster.members {
        let found = documents_of(member, &json!({"limit": 100_000}));
        assert_eq!(found, *model, "{}", member.name);
    }
}

#[test]
fn a_removed_member_rejoins_without_lost_or_revived_documents() {
    let mut random = Random(number_from("SHARDED_SEED", SEED));
    let mut cluster = Cluster::start(3);
    cluster.share_out();
    let mut model = BTreeMap::new();
    for _ in 0..number_from("SHARDED_ROUNDS", ROUNDS) {
        for _ in 0..8 {
            write(cluster.leader(), &mut model, &mut random);
        }
        let gone = json!({"remotes": {"m2": null}, "shards": {"s2": {"remotes": ["m1"]}}});
        change_under_fire(&mut cluster, &gone, random.below(3) as usize);
        for _ in 0..8 {
            write(cluster.leader(), &mut model, &mut random);
        }
        let url = format!("http://{}", cluster.members[2].address);
        let back = json!({"remotes": {"m2": {"url": url}}, "shards": {"s2": {"remotes": ["m2"]}}});
        change_under_fire(&mut cluster, &back, random.below(3) as usize);
        check(&cluster, &model);
        check_owners(&cluster, &shards_of_three(), &model);
    }
}

#[test]
fn a_canceled_change_leaves_no_trace() {
    let mut random = Random(number_from("SHARDED_SEED", SEED));
    let mut cluster = Cluster::start(3);
    cluster.share_out();
    let mut model = BTreeMap::new();
    for _ in 0..number_from("SHARDED_ROUNDS", ROUNDS) {
        for _ in 0..5 {
            write(cluster.leader(), &mut model, &mut random);
        }
        // Nobody listens there, so that the change cannot end.
        let change = json!({
            "remotes": {"dead": {"url": "http://127.0.0.1:9"}},
            "shards": {"s3": {"remotes": ["dead"]}, "s0": {"remotes": ["m1"]}},
        });
        let answer = cluster.leader().send("PATCH", "/network", &change);
        assert_eq!(answer.status, 202, "{}", answer.json());
        let uid = answer.json()["taskUid"].clone();
        write(cluster.leader(), &mut model, &mut random);
        let victim = random.below(3) as usize;
        cluster.members[victim].kill();
        cluster.members[victim].restart();
        let path = format!("/tasks/cancel?uids={uid}");
        let answer = cluster.leader().send("POST", &path, &Value::Null);
        assert_eq!(answer.status, 200, "{}", answer.json());
        let victim = random.below(3) as usize;
        cluster.members[victim].kill();
        cluster.members[victim].restart();
        cluster.wait_until_even();
        let task = cluster.leader().get(&format!("/tasks/{uid}"));
        assert_eq!(task["status"], "canceled", "{task}");
        for member in &cluster.members {
            let network = member.get("/network");
            assert_eq!(network["remotes"].as_object().map(serde_json::Map::len), Some(3));
            assert_eq!(network["shards"]["s0"], json!({"remotes": ["m0"]}), "{}", member.name);
        }
        check(&cluster, &model);
        check_owners(&cluster, &shards_of_three(), &model);
    }
}
