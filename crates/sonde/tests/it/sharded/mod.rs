//! Documents shared out over real processes on this machine: they answer as one process with all
//! of them does, whoever is asked; documents move when a member joins; what is missing when one is
//! killed is told; and no write that the leader acknowledged is lost by a member's death.
//!
//! `SHARDED_DOCUMENTS=200000 cargo test --release -p sonde --test it sharded:: -- --nocapture` makes
//! the large run and shows what it took.

// The measurements show with --nocapture.
#![allow(clippy::print_stderr)]

mod cluster;
mod documents;
mod leaving;
mod moving;
mod queries;

use std::time::{Duration, Instant};

use cluster::{Cluster, Member};
use serde_json::{Value, json};

use crate::support::heavy_turn;

const DOCUMENTS: u64 = 3000;
/// Documents of one request.
const BATCH: u64 = 1000;
/// With more documents, near vectors are found approximately.
const EXACT_VECTORS: u64 = 20_000;

fn documents() -> u64 {
    let given = std::env::var("SHARDED_DOCUMENTS").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(DOCUMENTS)
}

#[test]
fn members_answer_as_one_process_does() {
    let _turn = heavy_turn();
    let count = documents();
    let alone = Member::start("alone");
    let begun = Instant::now();
    fill(&alone, count);
    alone.wait_until_idle();
    eprintln!("{count} documents in one process: {:?}", begun.elapsed());

    let mut cluster = Cluster::start(3);
    cluster.share_out();
    let begun = Instant::now();
    fill(cluster.leader(), count);
    cluster.wait_until_even();
    eprintln!("{count} documents over three processes: {:?}", begun.elapsed());
    check_parts(&cluster, count);
    check_answers(&alone, &cluster);

    change_some(&alone);
    alone.wait_until_idle();
    change_some(cluster.leader());
    cluster.wait_until_even();
    check_answers(&alone, &cluster);

    let before = cluster.document_counts();
    let begun = Instant::now();
    cluster.join();
    eprintln!("a fourth process joined: {:?}", begun.elapsed());
    let after = cluster.document_counts();
    let total: u64 = before.iter().sum();
    assert_eq!(after.iter().sum::<u64>(), total, "{before:?} {after:?}");
    let moved = after[3];
    assert!(moved > total / 4 - total / 16 && moved < total / 4 + total / 16, "{after:?}");
    assert!(before.iter().zip(&after).all(|(before, after)| after < before), "{after:?}");
    eprintln!("documents of each before: {before:?}, after: {after:?}");
    check_answers(&alone, &cluster);

    check_writes_of_others_are_refused(&cluster);
    check_partial_answer(&mut cluster, total);
}

/// Sends the same writes to any server.
fn fill(member: &Member, count: u64) {
    member.change_settings(documents::INDEX, &documents::settings_with_vectors());
    for first in (0..count).step_by(BATCH as usize) {
        let last = count.min(first + BATCH);
        let batch: Vec<Value> = (first..last).map(documents::with_vectors).collect();
        member.add(documents::INDEX, &json!(batch));
    }
}

/// Updates, replacements and deletions of documents, wherever they are.
fn change_some(member: &Member) {
    let updates: Vec<Value> =
        (0..300).step_by(7).map(|id| json!({"id": id, "price": id % 5, "note": "seen"})).collect();
    member.update(documents::INDEX, &json!(updates));
    let replaced: Vec<Value> =
        (0..300).step_by(11).map(|id| documents::with_vectors(id * 3)).collect();
    member.add(documents::INDEX, &json!(replaced));
    let more: Vec<Value> = (1_000_000..1_000_150).map(documents::with_vectors).collect();
    member.add(documents::INDEX, &json!(more));
    // Last, because one process would give the numbers of deleted documents to new ones.
    let ids: Vec<u64> = (0..300).step_by(13).collect();
    let path = format!("/indexes/{}/documents/delete-batch", documents::INDEX);
    member.accepted("POST", &path, &json!(ids));
    let path = format!("/indexes/{}/documents/delete", documents::INDEX);
    member.accepted("POST", &path, &json!({"filter": "price = 17 AND genre = poetry"}));
}

/// Each member has its part, and none has more.
fn check_parts(cluster: &Cluster, count: u64) {
    let counts = cluster.document_counts();
    assert_eq!(counts.iter().sum::<u64>(), count, "{counts:?}");
    let part = count / counts.len() as u64;
    for count in &counts {
        assert!(*count > part - part / 4 && *count < part + part / 4, "{counts:?}");
    }
}

fn check_answers(alone: &Member, cluster: &Cluster) {
    let begun = Instant::now();
    let queries = queries::all();
    for query in &queries {
        let expected = queries::answer(alone, query);
        assert!(expected["remoteErrors"].is_null());
        for member in &cluster.members {
            let answer = queries::answer(member, query);
            assert_eq!(answer, expected, "{} was asked {query}", member.name);
        }
    }
    if documents() <= EXACT_VECTORS {
        for (route, queries) in [("search", queries::by_vector()), ("similar", queries::similar())]
        {
            for query in &queries {
                let expected = queries::answer_of(route, alone, query);
                for member in &cluster.members {
                    let answer = queries::answer_of(route, member, query);
                    assert_eq!(answer, expected, "{} was asked {route} {query}", member.name);
                }
            }
        }
    }
    let asked = queries.len() * (1 + cluster.members.len());
    eprintln!("{asked} searches: {:?}", begun.elapsed());
}

fn check_writes_of_others_are_refused(cluster: &Cluster) {
    let member = &cluster.members[1];
    let answer = member.send("POST", "/indexes/any/documents", &json!([{"id": 1}]));
    assert_eq!(answer.status, 400);
    assert_eq!(answer.json()["code"], "not_leader");
}

/// The remaining members answer soon, with the documents they have, and name the missing one.
fn check_partial_answer(cluster: &mut Cluster, total: u64) {
    let gone = cluster.members[2].document_count();
    cluster.members[2].kill();
    for member in [0, 1, 3] {
        let member = &cluster.members[member];
        let begun = Instant::now();
        let body = json!({"limit": 5, "hitsPerPage": 5});
        let path = format!("/indexes/{}/search", documents::INDEX);
        let answer = member.send("POST", &path, &body).json();
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
        eprintln!("a partial answer of {}: {:?}", member.name, begun.elapsed());
        assert_eq!(answer["totalHits"], total - gone, "{answer}");
        assert_eq!(answer["hits"].as_array().map(Vec::len), Some(5));
        let error = &answer["remoteErrors"]["m2"];
        assert_eq!(error["code"], "remote_could_not_send_request", "{answer}");
    }
}

#[test]
fn no_acknowledged_write_is_lost_when_members_are_killed() {
    let _turn = heavy_turn();
    let mut cluster = Cluster::start(3);
    cluster.share_out();
    let mut acknowledged = 0;
    let write = |cluster: &Cluster, acknowledged: &mut u64, requests: u64| {
        for _ in 0..requests {
            let first = *acknowledged * 10;
            let batch: Vec<Value> = (first..first + 10).map(documents::document).collect();
            cluster.leader().add(documents::INDEX, &json!(batch));
            *acknowledged += 1;
        }
    };
    for round in 0..6 {
        write(&cluster, &mut acknowledged, 5);
        let victim = [1, 2, 0][round % 3];
        if round == 5 {
            // A leader that starts with an empty outbox must forward the writes that follow.
            cluster.wait_until_even();
        }
        cluster.members[victim].kill();
        if victim != 0 {
            // The others do not wait for who is gone.
            write(&cluster, &mut acknowledged, 10);
        }
        cluster.members[victim].restart();
        write(&cluster, &mut acknowledged, 5);
    }
    cluster.wait_until_even();
    let counts = cluster.document_counts();
    assert_eq!(counts.iter().sum::<u64>(), acknowledged * 10, "{counts:?}");
    // Each was taken once, by each.
    let tasks = cluster.leader().total_of("/tasks?types=documentAdditionOrUpdate&limit=1");
    for member in &cluster.members {
        let taken = member.total_of("/tasks?types=documentAdditionOrUpdate&limit=1");
        assert_eq!(taken, tasks, "{}", member.name);
        let failed = member.total_of("/tasks?statuses=failed,canceled&limit=1");
        assert_eq!(failed, 0, "{}", member.name);
    }
    assert!(tasks >= acknowledged);
    eprintln!("{acknowledged} writes acknowledged around six kills, all found");
}
