//! Indexing whole sets: processor time, disk and memory, the peer first, then Sonde.

use std::time::Instant;

use anyhow::Result;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Bench, Outcome};
use crate::data::{Documents, Set};
use crate::measure::{self, AnonymousPeak, median};
use crate::peers::{self, PeerIndexing};
use crate::report::Row;
use crate::server::{self, Server};
use crate::targets::{self, Target};

#[derive(Clone, Copy, Serialize)]
pub(super) struct ServerIndexing {
    /// Until the last task has finished.
    cpu_s: f64,
    /// Until background merging has ended as well.
    pub cpu_settled_s: f64,
    pub wall_s: f64,
    disk_bytes: u64,
    anonymous_peak_bytes: u64,
    settled: bool,
}

struct Pair {
    peer: PeerIndexing,
    server: ServerIndexing,
}

pub fn run(bench: &mut Bench) -> Result<Outcome> {
    let mut rows = Vec::new();
    let mut raw = serde_json::Map::new();
    for set in bench.options.sets.clone() {
        let documents = bench.documents(set)?;
        println!("{}: {} documents, {:.0} MB", set.name(), documents.docs, documents.megabytes());
        let mut pairs = Vec::new();
        for _ in 0..bench.options.repetitions() {
            pairs.push(pair(bench, set, &documents)?);
        }
        rows.extend(set_rows(bench, set, &documents, &pairs));
        raw.insert(set.name().to_owned(), set_raw(&documents, &pairs));
    }
    Ok(Outcome { rows, raw: raw.into() })
}

fn pair(bench: &Bench, set: Set, documents: &Documents) -> Result<Pair> {
    let folder = bench.empty_folder("tantivy")?;
    let memory_bytes = bench.options.indexing_memory_bytes();
    let peer = peers::index_with_tantivy(documents, &folder, memory_bytes)?;
    println!("  tantivy: {:.2} s of CPU, {:.2} s", peer.cpu_settled_s, peer.wall_s);
    std::fs::remove_dir_all(folder)?;
    let server = index_with_server(bench, set, documents)?;
    println!(
        "  sonde:   {:.2} s of CPU ({:.2} s with merging), {:.2} s",
        server.cpu_s, server.cpu_settled_s, server.wall_s
    );
    Ok(Pair { peer, server })
}

fn index_with_server(bench: &Bench, set: Set, documents: &Documents) -> Result<ServerIndexing> {
    let folder = bench.empty_folder("indexing")?;
    let server = bench.launch.start(&folder)?;
    let indexing = index_measured(&server, set, documents)?;
    server.stop()?;
    std::fs::remove_dir_all(folder)?;
    Ok(indexing)
}

/// Imports `documents` into a server that has none yet, into the index named after the set.
pub(super) fn index_measured(
    server: &Server,
    set: Set,
    documents: &Documents,
) -> Result<ServerIndexing> {
    let pid = server.pid();
    let peak = AnonymousPeak::follow(pid);
    let cpu_before = measure::cpu_s(pid)?;
    let begin = Instant::now();
    server::import(&mut server.client(), set.name(), documents)?;
    let wall_s = begin.elapsed().as_secs_f64();
    let cpu_s = measure::cpu_s(pid)? - cpu_before;
    let settled = measure::settle(pid, &server.data())?;
    let cpu_settled_s = measure::cpu_s(pid)? - cpu_before;
    let disk_bytes = measure::disk_bytes(&server.data())?;
    let anonymous_peak_bytes = peak.bytes();
    Ok(ServerIndexing { cpu_s, cpu_settled_s, wall_s, disk_bytes, anonymous_peak_bytes, settled })
}

fn set_rows(bench: &Bench, set: Set, documents: &Documents, pairs: &[Pair]) -> Vec<Row> {
    let server =
        |figure: fn(&ServerIndexing) -> f64| median(pairs.iter().map(|p| figure(&p.server)));
    let peer = |figure: fn(&PeerIndexing) -> f64| median(pairs.iter().map(|p| figure(&p.peer)));
    let name = set.name();
    let limit_mb = bench.options.indexing_memory_bytes() as f64 / 1e6;
    let above = targets::MEMORY_ABOVE_LIMIT_MB;
    let then = above.then.map(|then| limit_mb + then);
    let memory = Target { first: limit_mb + above.first, then, ..above };
    vec![
        Row::new(format!("{name}: indexing CPU until the last task"), server(|s| s.cpu_s), "s")
            .against("tantivy", peer(|p| p.cpu_s))
            .target(targets::INDEXING_CPU),
        Row::new(format!("{name}: indexing CPU with merging"), server(|s| s.cpu_settled_s), "s")
            .against("tantivy", peer(|p| p.cpu_settled_s))
            .target(targets::INDEXING_CPU),
        Row::new(format!("{name}: time until the last task"), server(|s| s.wall_s), "s")
            .against("tantivy", peer(|p| p.wall_s)),
        Row::new(format!("{name}: disk"), server(|s| s.disk_bytes as f64 / 1e6), "MB")
            .against("raw", documents.megabytes())
            .target(targets::DISK),
        Row::new(format!("{name}: disk, tantivy"), peer(|p| p.disk_bytes as f64 / 1e6), "MB")
            .against("raw", documents.megabytes()),
        Row::new(
            format!("{name}: anonymous memory peak"),
            server(|s| s.anonymous_peak_bytes as f64 / 1e6),
            "MB",
        )
        .target(memory),
    ]
}

fn set_raw(documents: &Documents, pairs: &[Pair]) -> Value {
    let peers: Vec<_> = pairs.iter().map(|pair| pair.peer).collect();
    let servers: Vec<_> = pairs.iter().map(|pair| pair.server).collect();
    json!({
        "docs": documents.docs,
        "raw_bytes": documents.bytes,
        "tantivy": peers,
        "sonde": servers,
    })
}
