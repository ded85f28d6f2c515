//! Searches while typing that were asked before, each set: the peer first, then Sonde over one keep-alive connection with
//! HTTP and JSON included. Processor time for each query, latencies, the slowest queries.
//!
//! Both sides answer the same queries, but not with the same documents: the peer requires every
//! word, Sonde may leave words out. How many queries found anything is kept for each side.

use std::fs;
use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};

use super::{Bench, Outcome};
use crate::data::{Documents, Set};
use crate::measure::{self, median};
use crate::peers;
use crate::queries::{self, TypedQuery};
use crate::report::Row;
use crate::searching::{self, Searching};
use crate::server::{self, Server};
use crate::targets;

/// Asked of each side this often, after a round that does not count.
const ROUNDS: usize = 5;

pub fn run(bench: &mut Bench) -> Result<Outcome> {
    let mut rows = Vec::new();
    let mut raw = serde_json::Map::new();
    for set in bench.options.sets.clone() {
        let documents = bench.documents(set)?;
        let queries = queries::typed(set, &documents)?;
        println!("{}: {} documents, {} queries", set.name(), documents.docs, queries.len());
        let (peers, servers) = both_sides(bench, set, &documents, &queries)?;
        rows.extend(set_rows(set, &peers, &servers));
        raw.insert(set.name().to_owned(), set_raw(&documents, &queries, &peers, &servers));
    }
    Ok(Outcome { rows, raw: raw.into() })
}

/// Both indexes are made once; then peer and server take turns.
fn both_sides(
    bench: &Bench,
    set: Set,
    documents: &Documents,
    queries: &[TypedQuery],
) -> Result<(Vec<Searching>, Vec<Searching>)> {
    let peer_folder = bench.empty_folder("tantivy")?;
    peers::index_with_tantivy(documents, &peer_folder, bench.options.indexing_memory_bytes())?;
    let folder = bench.empty_folder("search")?;
    let queries_file = folder.join("queries.json");
    fs::write(&queries_file, serde_json::to_vec(queries)?)?;
    let server = bench.launch.start(&folder)?;
    server::import(&mut server.client(), set.name(), documents)?;
    measure::settle(server.pid(), &server.data())?;

    let (mut peers, mut servers) = (Vec::new(), Vec::new());
    for _ in 0..bench.options.repetitions() {
        peers.push(search_with_peer(&peer_folder, &queries_file)?);
        servers.push(search_with_server(&server, set, queries)?);
    }
    server.stop()?;
    fs::remove_dir_all(folder)?;
    fs::remove_dir_all(peer_folder)?;
    Ok((peers, servers))
}

fn search_with_peer(folder: &Path, queries: &Path) -> Result<Searching> {
    let searching = peers::search_with_tantivy(folder, queries, ROUNDS)?;
    print("tantivy:", &searching);
    Ok(searching)
}

/// The queries, asked of the index that is named after the set.
pub(super) fn search_with_server(
    server: &Server,
    set: Set,
    queries: &[TypedQuery],
) -> Result<Searching> {
    let mut client = server.client();
    let searching = searching::ask_all(server.pid(), queries, ROUNDS, |query| {
        searching::ask_server(&mut client, set.name(), query)
    })?;
    print("sonde:  ", &searching);
    Ok(searching)
}

fn print(who: &str, searching: &Searching) {
    println!(
        "  {who} {:.3} ms of CPU a query, p50 {:.2} ms, p99 {:.2} ms, slowest query {:.2} ms",
        searching.cpu_ms_each,
        searching.latencies.p50_ms,
        searching.latencies.p99_ms,
        searching.slowest_query_ms
    );
}

fn set_rows(set: Set, peers: &[Searching], servers: &[Searching]) -> Vec<Row> {
    let peer = |figure: fn(&Searching) -> f64| median(peers.iter().map(figure));
    let server = |figure: fn(&Searching) -> f64| median(servers.iter().map(figure));
    let name = |what: &str| format!("{}: search again, {what}", set.name());
    let both = |what: &str, unit: &str, figure: fn(&Searching) -> f64| {
        Row::new(name(what), server(figure), unit).against("tantivy", peer(figure))
    };
    let mut cpu = both("CPU a query", "ms", |side| side.cpu_ms_each);
    cpu.target = targets::search_cpu(set);
    let slowest = server(|side| side.slowest_query_ms);
    vec![
        cpu,
        both("p50", "ms", |side| side.latencies.p50_ms),
        both("p99", "ms", |side| side.latencies.p99_ms),
        Row::new(name("slowest query"), slowest, "ms").target(targets::SLOWEST_SEARCH_MS),
        both("queries with hits", "", |side| side.with_matches as f64),
    ]
}

fn set_raw(
    documents: &Documents,
    queries: &[TypedQuery],
    peers: &[Searching],
    servers: &[Searching],
) -> Value {
    let count = |wanted: fn(&TypedQuery) -> bool| queries.iter().filter(|q| wanted(q)).count();
    json!({
        "docs": documents.docs,
        "queries": queries.len(),
        "unfinished": count(|query| query.unfinished),
        "with_typo": count(|query| query.typo),
        "tantivy": peers,
        "sonde": servers,
    })
}
