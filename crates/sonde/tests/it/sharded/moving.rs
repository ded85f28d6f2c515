//! Changes of the topology while members are killed and searches run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use serde_json::{Map, Value, json};
use testkit::Random;

use crate::sharded::cluster::{Cluster, Member};
use crate::sharded::documents::{self, INDEX};

/// `SHARDED_ROUNDS` and `SHARDED_SEED` make longer runs and other ones.
const ROUNDS: u64 = 15;
const SEED: u64 = 4;

pub type Shards = BTreeMap<String, BTreeSet<String>>;

pub fn number_from(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn documents_survive_changes_of_the_topology_and_kills() {
    let mut random = Random(number_from("SHARDED_SEED", SEED));
    let mut cluster = Cluster::start(3);
    cluster.share_out();
    let mut shards: Shards =
        (0..3).map(|n| (format!("s{n}"), BTreeSet::from([format!("m{n}")]))).collect();
    let mut model = BTreeMap::new();
    for _ in 0..number_from("SHARDED_ROUNDS", ROUNDS) {
        for _ in 0..1 + random.below(6) {
            write(cluster.leader(), &mut model, &mut random);
        }
        if random.below(3) == 0 {
            let wanted = any_shards(&mut random);
            if change_shards(&cluster, &shards, &wanted) {
                shards = wanted;
            }
        }
        write(cluster.leader(), &mut model, &mut random);
        if random.below(2) == 0 {
            let victim = random.below(3) as usize;
            cluster.members[victim].kill();
            cluster.members[victim].restart();
        }
    }
    cluster.wait_until_even();
    for member in &cluster.members {
        let found = documents_of(member, &json!({"limit": 100_000}));
        assert_eq!(found, model, "{}", member.name);
        let failed = member.total_of("/tasks?statuses=failed,canceled&limit=1");
        assert_eq!(failed, 0, "{}", member.name);
    }
    check_owners(&cluster, &shards, &model);
}

/// One request of a client. What is acknowledged goes into the model.
pub fn write(leader: &Member, model: &mut BTreeMap<u64, Value>, random: &mut Random) {
    let known: Vec<u64> = model.keys().copied().collect();
    let some_known = |random: &mut Random, count: u64| -> Vec<u64> {
        let any = |_| known[random.below(known.len() as u64) as usize];
        (0..count).map(any).collect()
    };
    match random.below(4) {
        0 if !known.is_empty() => {
            let (ids, note) = (some_known(random, 15), random.below(1000));
            let updates: Vec<Value> =
                ids.iter().map(|id| json!({"id": id, "note": note})).collect();
            leader.update(INDEX, &json!(updates));
            for id in ids {
                model.get_mut(&id).unwrap()["note"] = json!(note);
            }
        }
        1 if !known.is_empty() => {
            let ids = some_known(random, 4);
            leader.accepted(
                "POST",
                &format!("/indexes/{INDEX}/documents/delete-batch"),
                &json!(ids),
            );
            ids.iter().for_each(|id| drop(model.remove(id)));
        }
        _ => {
            let first = random.below(2000);
            let batch: Vec<Value> =
                (first..first + 1 + random.below(30)).map(documents::document).collect();
            leader.add(INDEX, &json!(batch));
            model.extend(batch.into_iter().map(|document| (id_of(&document), document)));
        }
    }
}

fn id_of(document: &Value) -> u64 {
    document["id"].as_u64().unwrap()
}

fn any_shards(random: &mut Random) -> Shards {
    let mut shards = Shards::new();
    while shards.is_empty() {
        for shard in ["s0", "s1", "s2", "s3"] {
            if random.below(2) == 0 {
                let owners = (0..1 + random.below(2)).map(|_| format!("m{}", random.below(3)));
                shards.insert(shard.to_owned(), owners.collect());
            }
        }
    }
    shards
}

/// Whether the leader took the change; it does not while another is under way.
fn change_shards(cluster: &Cluster, before: &Shards, wanted: &Shards) -> bool {
    let all: BTreeSet<&String> = before.keys().chain(wanted.keys()).collect();
    let change: Map<String, Value> = all
        .into_iter()
        .map(|shard| {
            let owners = wanted.get(shard);
            (shard.clone(), owners.map_or(Value::Null, |owners| json!({"remotes": owners})))
        })
        .collect();
    let answer = cluster.leader().send("PATCH", "/network", &json!({"shards": change}));
    match answer.status {
        202 => true,
        _ => {
            assert_eq!(answer.json()["code"], "unprocessed_network_task", "{}", answer.json());
            false
        }
    }
}

pub fn documents_of(member: &Member, query: &Value) -> BTreeMap<u64, Value> {
    let answer = member.send("POST", &format!("/indexes/{INDEX}/documents/fetch"), query);
    let body = answer.json();
    let documents = body["results"].as_array().unwrap_or_else(|| panic!("{body}"));
    documents.iter().map(|document| (id_of(document), document.clone())).collect()
}

/// Checks that each document is on all owners of one shard, and on no other member.
pub fn check_owners(cluster: &Cluster, shards: &Shards, model: &BTreeMap<u64, Value>) {
    let mut owners: BTreeMap<u64, BTreeSet<String>> = BTreeMap::new();
    for member in &cluster.members {
        let own = documents_of(member, &json!({"limit": 100_000, "useNetwork": false}));
        for id in own.keys() {
            owners.entry(*id).or_default().insert(member.name.clone());
        }
    }
    assert!(owners.keys().eq(model.keys()));
    for (id, owners) in owners {
        assert!(
            shards.values().any(|shard| *shard == owners),
            "{id} is with {owners:?}: {shards:?}"
        );
    }
}

#[test]
fn searches_are_complete_while_documents_move() {
    const COUNT: u64 = 2000;
    let mut cluster = Cluster::start(3);
    let all: Vec<Value> = (0..COUNT).map(documents::document).collect();
    cluster.leader().change_settings(INDEX, &documents::settings());
    cluster.leader().add(INDEX, &json!(all));
    cluster.leader().wait_until_idle();
    cluster.share_out();
    cluster.add_idle_member();

    let (over, searches) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        for member in &cluster.members[..3] {
            let (over, searches) = (&over, &searches);
            scope.spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    check_complete(member, COUNT);
                    searches.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let change = |network: Value| cluster.change_network(&network);
        change(json!({"shards": {"s0": {"remotes": ["m1", "m2"]}, "s1": {"remotes": ["m0"]}}}));
        let url = format!("http://{}", cluster.members[3].address);
        change(json!({"remotes": {"m3": {"url": url}}, "shards": {"s3": {"remotes": ["m3"]}}}));
        change(json!({"shards": {"s2": null, "s1": {"remotes": ["m3", "m2"]}}}));
        change(json!({"remotes": {"m3": null}}));
        over.store(true, Ordering::Relaxed);
    });
    assert!(searches.load(Ordering::Relaxed) > 10);
}

fn check_complete(member: &Member, count: u64) {
    let query = json!({"hitsPerPage": 500, "attributesToRetrieve": ["id"], "facets": ["genre"]});
    let answer = member.send("POST", &format!("/indexes/{INDEX}/search"), &query).json();
    let counted = answer["facetDistribution"]["genre"].as_object();
    let counted: u64 = counted.into_iter().flatten().filter_map(|(_, n)| n.as_u64()).sum();
    let ids: Vec<u64> = answer["hits"].as_array().into_iter().flatten().map(id_of).collect();
    assert_eq!(ids, (0..500).collect::<Vec<_>>(), "{} {}", member.name, answer["remoteErrors"]);
    assert_eq!((&answer["totalHits"], counted), (&json!(count), count), "{}", member.name);
}
