//! Filters, facets and sorting, each set that has attributes for it: the peer first, then Sonde
//! over one keep-alive connection with HTTP and JSON included. Processor time a question.
//!
//! Unlike in the run `search` both sides find the same documents, but for values that differ
//! only in case, which are one to Sonde. How many they found is printed and kept for each side.

mod added_attribute;

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value, json};

use super::indexing::{ServerIndexing, index_measured};
use super::{Bench, Outcome};
use crate::data::{Documents, Set};
use crate::filtering::{Attributes, Drawn, FacetQuery, Kind, Question, Workload};
use crate::http::Client;
use crate::measure::median;
use crate::peers::{self, PeerIndexing};
use crate::report::{self, Row};
use crate::searching::{self, Asked, Searching};
use crate::server::Server;
use crate::targets;

/// How often a question of a facet search is asked, after a round that does not count.
const FACET_SEARCH_ROUNDS: usize = 10;
/// How often a change of settings is asked for.
const PAUSE: Duration = Duration::from_millis(20);

/// What the repetitions found, and what it took to get there.
struct Sides {
    peers: Vec<Vec<(Kind, Searching)>>,
    servers: Vec<Vec<(Kind, Searching)>>,
    /// Sonde only; empty where the set has no attribute with many values.
    facet_searches: Vec<Searching>,
    peer_indexing: PeerIndexing,
    indexing: ServerIndexing,
}

pub fn run(bench: &mut Bench) -> Result<Outcome> {
    let mut rows = Vec::new();
    let mut raw = Map::new();
    for set in bench.options.sets.clone() {
        let Some(attributes) = Attributes::of(set) else { continue };
        let documents = bench.documents(set)?;
        let drawn = Drawn::from(set, attributes, &documents)?;
        println!("{}: {} documents", set.name(), documents.docs);
        let sides = both_sides(bench, set, attributes, &documents, &drawn)?;
        rows.extend(set_rows(set, &drawn, &sides));
        raw.insert(set.name().to_owned(), set_raw(&documents, &drawn, &sides));
        if set == Set::Npm {
            let added = added_attribute::run(bench, &documents, &sides.indexing)?;
            rows.extend(added.rows);
            raw.insert("added_attribute".to_owned(), added.raw);
        }
    }
    ensure!(!rows.is_empty(), "none of the sets has attributes to filter by");
    Ok(Outcome { rows, raw: raw.into() })
}

/// Both indexes are made once; then peer and server take turns.
fn both_sides(
    bench: &Bench,
    set: Set,
    attributes: &Attributes,
    documents: &Documents,
    drawn: &Drawn,
) -> Result<Sides> {
    let peer_folder = bench.empty_folder("tantivy")?;
    let memory_bytes = bench.options.indexing_memory_bytes();
    let peer_indexing =
        peers::index_columns_with_tantivy(set, documents, &peer_folder, memory_bytes)?;
    let folder = bench.empty_folder("filters")?;
    let workloads_file = folder.join("workloads.json");
    fs::write(&workloads_file, serde_json::to_vec(&drawn.workloads)?)?;
    let server = bench.launch.start(&folder)?;
    let settings = json!({
        "filterableAttributes": attributes.filterable(),
        "sortableAttributes": attributes.sortable,
    });
    change_settings(&mut server.client(), set, &settings)?;
    let indexing = index_measured(&server, set, documents)?;

    let (mut peers, mut servers, mut facet_searches) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..bench.options.repetitions() {
        peers.push(ask_peer(&peer_folder, &workloads_file)?);
        servers.push(ask_server(&server, set, &drawn.workloads)?);
        if !drawn.facet_queries.is_empty() {
            facet_searches.push(search_facet(&server, set, &drawn.facet_queries)?);
        }
    }
    server.stop()?;
    fs::remove_dir_all(folder)?;
    fs::remove_dir_all(peer_folder)?;
    Ok(Sides { peers, servers, facet_searches, peer_indexing, indexing })
}

fn change_settings(client: &mut Client, set: Set, settings: &Value) -> Result<()> {
    let task = client.patch_settings(set.name(), settings)?;
    client.wait_for_task(task, PAUSE)
}

fn ask_peer(folder: &Path, workloads: &Path) -> Result<Vec<(Kind, Searching)>> {
    let answered = peers::filter_with_tantivy(folder, workloads)?;
    for (kind, searching) in &answered {
        print("tantivy:", kind.name(), searching);
    }
    Ok(answered)
}

fn ask_server(server: &Server, set: Set, workloads: &[Workload]) -> Result<Vec<(Kind, Searching)>> {
    let mut client = server.client();
    let mut answered = Vec::new();
    for Workload { kind, questions } in workloads {
        if kind.by_count() {
            order_facet_values(&mut client, set, "count")?;
        }
        let (_, rounds) = kind.questions_and_rounds();
        let searching = searching::ask_all(server.pid(), questions, rounds, |question| {
            ask(&mut client, set, question)
        })?;
        if kind.by_count() {
            order_facet_values(&mut client, set, "alpha")?;
        }
        print("sonde:  ", kind.name(), &searching);
        answered.push((*kind, searching));
    }
    Ok(answered)
}

fn order_facet_values(client: &mut Client, set: Set, order: &str) -> Result<()> {
    change_settings(client, set, &json!({ "faceting": { "sortFacetValuesBy": { "*": order } } }))
}

/// One question, from the request until the whole answer is there.
fn ask(client: &mut Client, set: Set, question: &Question) -> Result<Asked> {
    let (answer, time) = client.search(set.name(), &question.request())?;
    let matches = answer["estimatedTotalHits"].as_u64().context("no estimatedTotalHits")?;
    let hits = answer["hits"].as_array().context("no hits")?.len() as u64;
    let window = matches.saturating_sub(question.offset as u64).min(question.limit as u64);
    ensure!(hits == window, "{hits} hits of {matches} matches: {}", question.request());
    for facet in &question.facets {
        ensure!(answer["facetDistribution"][facet].is_object(), "no counts for {facet}: {answer}");
    }
    Ok(Asked { time, matches })
}

fn search_facet(server: &Server, set: Set, queries: &[FacetQuery]) -> Result<Searching> {
    let mut client = server.client();
    let searching = searching::ask_all(server.pid(), queries, FACET_SEARCH_ROUNDS, |query| {
        let request = json!({ "facetName": query.facet, "facetQuery": query.text });
        let (answer, time) = client.facet_search(set.name(), &request)?;
        let hits = answer["facetHits"].as_array().context("no facetHits")?;
        Ok(Asked { time, matches: hits.len() as u64 })
    })?;
    print("sonde:  ", "facet search while typing", &searching);
    Ok(searching)
}

fn print(who: &str, what: &str, searching: &Searching) {
    println!(
        "  {who} {what}: {:.3} ms of CPU, p50 {:.2} ms, p99 {:.2} ms, {} matches",
        searching.cpu_ms_each,
        searching.latencies.p50_ms,
        searching.latencies.p99_ms,
        searching.matches
    );
}

/// What the repetitions of a side found for a kind; nothing where the side cannot answer it.
fn of_kind(side: &[Vec<(Kind, Searching)>], kind: Kind) -> Vec<&Searching> {
    let answered = side.iter().flatten().filter(|(other, _)| *other == kind);
    answered.map(|(_, searching)| searching).collect()
}

fn middle(searchings: &[&Searching], figure: fn(&Searching) -> f64) -> f64 {
    median(searchings.iter().map(|searching| figure(searching)))
}

fn set_rows(set: Set, drawn: &Drawn, sides: &Sides) -> Vec<Row> {
    let name = |what: &str, figure: &str| format!("{}: {what}, {figure}", set.name());
    let mut rows = Vec::new();
    for Workload { kind, .. } in &drawn.workloads {
        let server = of_kind(&sides.servers, *kind);
        let peer = of_kind(&sides.peers, *kind);
        let row = |what: &str, figure: fn(&Searching) -> f64| {
            let row = Row::new(name(kind.name(), what), middle(&server, figure), "ms")
                .target(targets::filter_ms(*kind));
            if peer.is_empty() { row } else { row.against("tantivy", middle(&peer, figure)) }
        };
        rows.push(row("CPU", |side| side.cpu_ms_each));
        if kind.has_time_target() {
            rows.push(row("p50", |side| side.latencies.p50_ms));
        }
    }
    let facet_searches: Vec<_> = sides.facet_searches.iter().collect();
    if !facet_searches.is_empty() {
        let values = report::count(drawn.large_values);
        let row = |what: &str, figure: fn(&Searching) -> f64| {
            let name = name(&format!("facet search in {values} values"), what);
            Row::new(name, middle(&facet_searches, figure), "ms")
        };
        rows.push(row("CPU", |side| side.cpu_ms_each));
        rows.push(row("p99", |side| side.latencies.p99_ms));
        rows.push(row("slowest query", |side| side.slowest_query_ms));
    }
    rows
}

fn set_raw(documents: &Documents, drawn: &Drawn, sides: &Sides) -> Value {
    let mut kinds = Map::new();
    for Workload { kind, .. } in &drawn.workloads {
        let both = json!({
            "tantivy": of_kind(&sides.peers, *kind),
            "sonde": of_kind(&sides.servers, *kind),
        });
        kinds.insert(kind.name().to_owned(), both);
    }
    json!({
        "docs": documents.docs,
        "large_facet_values": drawn.large_values,
        "indexing": { "tantivy": sides.peer_indexing, "sonde": sides.indexing },
        "questions": kinds,
        "facet_search": sides.facet_searches,
    })
}
