//! Searches that were never asked before, each set: a process that has just started over files in
//! the page cache answers a thousand different queries, each once and in random order. The peer
//! answers those of them that it can. Then the same queries again, for comparison; and, by another
//! new process, while documents are updated.
//!
//! A cache that makes a query quick the second time does nothing for these figures.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::{Value, json};

use super::{Bench, Outcome, beside};
use crate::data::{Documents, Set};
use crate::http::JSON;
use crate::measure::{self, median};
use crate::mix::{self, Attributes, KINDS, Kind, MixedQuery};
use crate::once::{self, Once};
use crate::peers;
use crate::report::Row;
use crate::searching;
use crate::server::{self, Server};
use crate::targets;

const QUERIES: usize = 1_000;
/// Queries of each kind, where kinds are compared.
const OF_KIND: usize = 40;
const UPDATES_A_SECOND: u32 = 20;

/// Words that most reviews have, as people begin to type them.
const FREQUENT: [&str; 7] =
    ["a", "th", "the", "of the m", "it was a", "the acting was not", "great movie with"];

/// What the server did, in one repetition.
#[derive(Serialize)]
struct Served {
    first: Once,
    again: Once,
    during_updates: Once,
    updates: usize,
}

pub fn run(bench: &mut Bench) -> Result<Outcome> {
    let mut rows = Vec::new();
    let mut raw = serde_json::Map::new();
    for set in bench.options.sets.clone() {
        let documents = bench.documents(set)?;
        let queries = mix::of_service(set, &documents, bench.options.scaled(QUERIES, 200))?;
        println!("{}: {} documents, {} queries", set.name(), documents.docs, queries.len());
        let (of_set, raw_of_set) = measure_set(bench, set, &documents, &queries)?;
        rows.extend(of_set);
        raw.insert(set.name().to_owned(), raw_of_set);
    }
    Ok(Outcome { rows, raw: raw.into() })
}

/// The kinds of queries beside each other, on documents with a title, a text, facets and a number.
pub fn run_kinds(bench: &mut Bench) -> Result<Outcome> {
    let set = Set::Debian;
    let documents = bench.documents(set)?;
    let queries = mix::of_each_kind(set, &documents, bench.options.scaled(OF_KIND, 20))?;
    let folder = stored(bench, set, &documents)?;
    let mut runs = Vec::new();
    for _ in 0..bench.options.repetitions() {
        let server = fresh(bench, &folder)?;
        runs.push(ask_server(&server, set, &queries)?);
        server.stop()?;
    }
    fs::remove_dir_all(folder)?;
    let cpu = |kind: Kind| median(runs.iter().map(|run| run.by_kind[&kind].cpu_ms_each));
    let p99 = |kind: Kind| median(runs.iter().map(|run| run.by_kind[&kind].latencies.p99_ms));
    let mut rows = Vec::new();
    for kind in KINDS {
        let name = |what: &str| format!("{}: {}, {what}", set.name(), kind.name());
        let mut row = Row::new(name("CPU a query"), cpu(kind), "ms");
        if kind != Kind::Words {
            row = row.against("plain words", cpu(Kind::Words)).target(targets::of_kind(kind));
        }
        rows.push(row);
        rows.push(Row::new(name("p99"), p99(kind), "ms").target(targets::KIND_P99_MS));
    }
    Ok(Outcome { rows, raw: json!({ "docs": documents.docs, "sonde": runs }) })
}

/// Questions ranked by BM25, beside the peer's BM25 of the same words.
pub fn run_questions(bench: &mut Bench) -> Result<Outcome> {
    let mut rows = Vec::new();
    let mut raw = serde_json::Map::new();
    for (set, docs) in [(Set::Imdb, 50_000), (Set::Npm, 500_000)] {
        let docs = bench.options.docs().unwrap_or(docs);
        let documents = set.documents(&bench.folders.data, Some(docs))?;
        let queries = mix::questions(set, &documents, bench.options.scaled(QUERIES, 200))?;
        println!("{}: {} documents, {} questions", set.name(), documents.docs, queries.len());
        let peer_folder = bench.empty_folder("tantivy")?;
        peers::index_with_tantivy(&documents, &peer_folder, bench.options.indexing_memory_bytes())?;
        let folder = stored_with(bench, set, &documents, &json!({ "rankingRules": ["bm25"] }))?;
        let queries_file = folder.join("queries.json");
        fs::write(&queries_file, serde_json::to_vec(&queries)?)?;
        let (mut peer_runs, mut runs) = (Vec::new(), Vec::new());
        for _ in 0..bench.options.repetitions() {
            let peer = peers::search_once_with_tantivy(&peer_folder, &queries_file)?;
            print("tantivy", &peer);
            peer_runs.push(peer);
            let server = fresh(bench, &folder)?;
            let first = ask_server(&server, set, &queries)?;
            print("sonde, first", &first);
            runs.push(first);
            server.stop()?;
        }
        fs::remove_dir_all(folder)?;
        fs::remove_dir_all(peer_folder)?;
        let name = |what: &str| format!("{}, {} documents: {what}", set.name(), documents.docs);
        let of = |runs: &[Once], figure: fn(&Once) -> f64| median(runs.iter().map(figure));
        let cpu = |once: &Once| once.cpu_ms_each;
        let mut row = Row::new(name("first question by `bm25`, CPU a query"), of(&runs, cpu), "ms")
            .against("tantivy", of(&peer_runs, cpu));
        row.target = targets::question_cpu(set);
        rows.push(row);
        let p99 = |once: &Once| once.latencies.p99_ms;
        rows.push(
            Row::new(name("first question by `bm25`, p99"), of(&runs, p99), "ms")
                .against("tantivy", of(&peer_runs, p99)),
        );
        raw.insert(set.name().to_owned(), json!({ "tantivy": peer_runs, "sonde": runs }));
    }
    Ok(Outcome { rows, raw: raw.into() })
}

/// The same on many documents, long and short, without a peer.
pub fn run_large(bench: &mut Bench) -> Result<Outcome> {
    let mut rows = Vec::new();
    let mut raw = serde_json::Map::new();
    for set in [Set::Imdb8, Set::Npm] {
        let all = bench.options.docs().unwrap_or(set.all_docs());
        let documents = set.documents(&bench.folders.data, Some(all))?;
        let queries = mix::of_service(set, &documents, bench.options.scaled(QUERIES, 200))?;
        println!("{}: {} documents, {} queries", set.name(), documents.docs, queries.len());
        let folder = stored(bench, set, &documents)?;
        let frequent = frequent_words(bench, &folder, set)?;
        let server = fresh(bench, &folder)?;
        let first = ask_server(&server, set, &queries)?;
        server.stop()?;
        fs::remove_dir_all(folder)?;
        let name = |what: &str| format!("{}, {} documents: {what}", set.name(), documents.docs);
        rows.push(Row::new(name("first search, CPU a query"), first.cpu_ms_each, "ms"));
        rows.push(Row::new(name("first search, p99"), first.latencies.p99_ms, "ms"));
        rows.push(Row::new(name("first search, slowest"), first.latencies.max_ms, "ms"));
        rows.extend(frequent_rows(&frequent, documents.docs, |query| name(query)));
        raw.insert(set.name().to_owned(), json!({ "first": first, "frequent": frequent }));
    }
    Ok(Outcome { rows, raw: raw.into() })
}

fn measure_set(
    bench: &Bench,
    set: Set,
    documents: &Documents,
    queries: &[MixedQuery],
) -> Result<(Vec<Row>, Value)> {
    let peer_folder = bench.empty_folder("tantivy")?;
    peers::index_with_tantivy(documents, &peer_folder, bench.options.indexing_memory_bytes())?;
    let folder = stored(bench, set, documents)?;
    let queries_file = folder.join("queries.json");
    fs::write(&queries_file, serde_json::to_vec(queries)?)?;
    let touched = touched_by_the_first(bench, &folder, set, queries)?;
    let frequent = frequent_words(bench, &folder, set)?;
    let (mut peer_runs, mut served) = (Vec::new(), Vec::new());
    for _ in 0..bench.options.repetitions() {
        let peer = peers::search_once_with_tantivy(&peer_folder, &queries_file)?;
        print("tantivy", &peer);
        peer_runs.push(peer);
        served.push(serve(bench, &folder, set, documents, queries)?);
    }
    fs::remove_dir_all(folder)?;
    fs::remove_dir_all(peer_folder)?;

    let of = |figure: fn(&Served) -> f64| median(served.iter().map(figure));
    let peer = |figure: fn(&Once) -> f64| median(peer_runs.iter().map(figure));
    let name = |what: &str| format!("{}: {what}", set.name());
    let mut cpu =
        Row::new(name("first search, CPU a query"), of(|run| run.first.cpu_ms_each_of_both), "ms")
            .against("tantivy", peer(|run| run.cpu_ms_each));
    cpu.target = targets::first_search_cpu(set);
    let first_p99 = of(|run| run.first.latencies.p99_ms);
    let mut rows = vec![
        cpu,
        Row::new(name("first search, CPU of all kinds"), of(|run| run.first.cpu_ms_each), "ms")
            .against("again", of(|run| run.again.cpu_ms_each)),
        Row::new(name("first search, p50"), of(|run| run.first.latencies.p50_ms), "ms")
            .against("tantivy", peer(|run| run.latencies.p50_ms)),
        Row::new(name("first search, p99"), first_p99, "ms")
            .against("tantivy", peer(|run| run.latencies.p99_ms))
            .target(targets::FIRST_SEARCH_P99_MS),
        Row::new(name("first search, slowest"), of(|run| run.first.latencies.max_ms), "ms")
            .target(targets::FIRST_SEARCH_SLOWEST_MS),
        Row::new(name("first search during updates, p99"), of(updates_p99), "ms")
            .against("idle", first_p99)
            .target(targets::SEARCH_DURING_UPDATES),
        Row::new(name("files touched by the first search"), touched as f64 / 1e6, "MB")
            .target(targets::TOUCHED_MB),
    ];
    rows.extend(frequent_rows(&frequent, documents.docs, |query| name(query)));
    let raw = json!({
        "docs": documents.docs,
        "queries": queries.len(),
        "touched_bytes": touched,
        "frequent": frequent,
        "tantivy": peer_runs,
        "sonde": served,
    });
    Ok((rows, raw))
}

fn updates_p99(run: &Served) -> f64 {
    run.during_updates.latencies.p99_ms
}

/// A folder with the documents, merged, and no server over it.
fn stored(bench: &Bench, set: Set, documents: &Documents) -> Result<PathBuf> {
    stored_with(bench, set, documents, &Attributes::of(set).settings())
}

fn stored_with(
    bench: &Bench,
    set: Set,
    documents: &Documents,
    settings: &Value,
) -> Result<PathBuf> {
    let folder = bench.empty_folder("search")?;
    let server = bench.launch.start(&folder)?;
    let mut client = server.client();
    let task = client.patch_settings(set.name(), settings)?;
    client.wait_for_task(task, Duration::from_millis(5))?;
    server::import(&mut client, set.name(), documents)?;
    measure::settle(server.pid(), &server.data())?;
    server.stop()?;
    Ok(folder)
}

/// A server that has answered nothing, its files in the page cache.
fn fresh(bench: &Bench, folder: &Path) -> Result<Server> {
    read_all(folder)?;
    bench.launch.start(folder)
}

fn read_all(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            read_all(&path)?;
        } else {
            std::io::copy(&mut fs::File::open(path)?, &mut std::io::sink())?;
        }
    }
    Ok(())
}

fn serve(
    bench: &Bench,
    folder: &Path,
    set: Set,
    documents: &Documents,
    queries: &[MixedQuery],
) -> Result<Served> {
    let server = fresh(bench, folder)?;
    let first = ask_server(&server, set, queries)?;
    print("sonde, first", &first);
    let again = ask_server(&server, set, queries)?;
    print("sonde, again", &again);
    server.stop()?;

    let server = fresh(bench, folder)?;
    let lines = documents.sample(queries.len())?;
    let (during_updates, _, updates) = beside(
        || ask_server(&server, set, queries),
        |finished| update_until(&server, set, &lines, finished),
    )?;
    print("sonde, during updates", &during_updates);
    server.stop()?;
    Ok(Served { first, again, during_updates, updates })
}

/// Sends documents that are stored already, at a steady rate; how many.
fn update_until(
    server: &Server,
    set: Set,
    lines: &[String],
    finished: &dyn Fn() -> bool,
) -> Result<usize> {
    let mut client = server.client();
    let path = format!("/indexes/{}/documents", set.name());
    let begin = Instant::now();
    let mut sent = 0;
    while !finished() {
        let line = &lines[sent as usize % lines.len()];
        client.post_task(&path, JSON, line.as_bytes())?;
        sent += 1;
        let next = begin + Duration::from_secs(1) / UPDATES_A_SECOND * sent;
        thread::sleep(next.saturating_duration_since(Instant::now()));
    }
    Ok(sent as usize)
}

fn ask_server(server: &Server, set: Set, queries: &[MixedQuery]) -> Result<Once> {
    let mut client = server.client();
    // The connection is made before anything is measured.
    client.get("/health")?;
    once::ask_once(server.pid(), queries, |query| {
        let (answer, time) = client.search(set.name(), &query.body)?;
        let total = answer.get("estimatedTotalHits").or_else(|| answer.get("totalHits"));
        let matches = total.and_then(Value::as_u64).context("no total")?;
        Ok(searching::Asked { time, matches })
    })
}

/// Bytes of files that opening the index and one search touch.
fn touched_by_the_first(
    bench: &Bench,
    folder: &Path,
    set: Set,
    queries: &[MixedQuery],
) -> Result<u64> {
    let plain = queries.iter().find(|query| query.kind == Kind::Words).context("no query")?;
    let server = fresh(bench, folder)?;
    server.client().search(set.name(), &plain.body)?;
    let touched = measure::touched_bytes(server.pid(), folder)?;
    server.stop()?;
    Ok(touched)
}

/// The time of each of [`FREQUENT`], by a new process; nothing for sets of other texts.
fn frequent_words(bench: &Bench, folder: &Path, set: Set) -> Result<Vec<(String, f64)>> {
    if !matches!(set, Set::Imdb | Set::Imdb8) {
        return Ok(Vec::new());
    }
    let server = fresh(bench, folder)?;
    let mut client = server.client();
    client.get("/health")?;
    let mut times = Vec::new();
    for query in FREQUENT {
        let body = json!({ "q": query, "limit": searching::LIMIT });
        let (_, time) = client.search(set.name(), &body)?;
        times.push((query.to_owned(), time.as_secs_f64() * 1e3));
    }
    server.stop()?;
    Ok(times)
}

fn frequent_rows(times: &[(String, f64)], docs: usize, name: impl Fn(&str) -> String) -> Vec<Row> {
    let row = |(query, ms): &(String, f64)| {
        Row::new(name(&format!("first search for `{query}`")), *ms, "ms")
            .target(targets::frequent_words_ms(docs))
    };
    times.iter().map(row).collect()
}

fn print(who: &str, once: &Once) {
    println!(
        "  {who}: {:.3} ms of CPU a query, p50 {:.2} ms, p99 {:.2} ms, slowest {:.2} ms: {}",
        once.cpu_ms_each,
        once.latencies.p50_ms,
        once.latencies.p99_ms,
        once.latencies.max_ms,
        once.slowest.first().map_or("", |slow| &slow.query),
    );
}
