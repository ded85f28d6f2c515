//! Vectors that documents bring along, over HTTP: what building takes, how many of the nearest
//! searches find and what they take, with and without a filter, and what all of it takes on disk.
//! Beside it hnswlib, in memory, and hannoy, on disk.

mod quantised;
mod store;

use std::fs;
use std::path::PathBuf;

use anyhow::Result;
use serde_json::{Value, json};

use self::store::{Built, Embedder, Found};
use super::{Bench, Outcome};
use crate::data::python::{self, Python};
use crate::data::vectors::{self as sets, Vectors};
use crate::measure::median;
use crate::peers::{self, PeerVectors};
use crate::report::Row;
use crate::targets;
use crate::vectors::{Filter, exact, recall};

/// Reads so many vectors of a set out of the data folder.
type Load = fn(&std::path::Path, usize) -> Result<Vectors>;

/// Asked of the server this often, after a round that does not count.
const ROUNDS: usize = 5;
/// From so many vectors on, once is enough, and without hannoy, which would take half an hour.
const LARGE: usize = 200_000;

struct Case {
    name: &'static str,
    vectors: Vectors,
    /// The nearest of each query, for each filter.
    exact: Vec<(Filter, Vec<Vec<u32>>)>,
}

impl Case {
    fn new(name: &'static str, vectors: Vectors) -> Self {
        let exact = Filter::ALL.map(|filter| (filter, exact(&vectors, filter))).into();
        Case { name, vectors, exact }
    }

    fn exact(&self, filter: Filter) -> &[Vec<u32>] {
        self.exact.iter().find(|(known, _)| *known == filter).map_or(&[], |(_, exact)| exact)
    }
}

/// One server: what building took and what it answered.
struct Side {
    built: Built,
    found: Vec<Found>,
}

pub fn run(bench: &mut Bench) -> Result<Outcome> {
    let data = bench.folders.data.clone();
    let most = bench.options.scaled(usize::MAX, 20_000);
    let mut rows = Vec::new();
    let mut raw = serde_json::Map::new();
    let cases: [(&str, Load, usize); 3] = [
        ("fashion-mnist", sets::fashion, 30_000),
        ("glove 100k", sets::glove, 100_000),
        ("glove 400k", sets::glove, 400_000),
    ];
    for (name, load, count) in cases {
        let vectors = load(&data, count.min(most))?;
        println!("{name}: {} vectors, {} queries", vectors.stored.len(), vectors.queries.len());
        let (case_rows, case_raw) = measure_case(bench, &Case::new(name, vectors))?;
        rows.extend(case_rows);
        raw.insert(name.to_owned(), case_raw);
    }
    let quantised = quantised::run(bench)?;
    rows.extend(quantised.rows);
    raw.insert("quantised".to_owned(), quantised.raw);
    Ok(Outcome { rows, raw: raw.into() })
}

fn measure_case(bench: &Bench, case: &Case) -> Result<(Vec<Row>, Value)> {
    let is_large = case.vectors.stored.len() > LARGE;
    let repetitions = if is_large { 1 } else { bench.options.repetitions() };
    let files = PeerFiles::write(bench, case)?;
    let python = Python::prepare(&bench.folders.data, &python::VECTORS)?;
    let (mut hnswlib, mut sonde) = (Vec::new(), Vec::new());
    for _ in 0..repetitions {
        let peer = peers::vectors_with_hnswlib(&python, &files.stored, &files.queries)?;
        print_peer("hnswlib", &peer, case);
        hnswlib.push(peer);
        sonde.push(measure_server(bench, case)?);
    }
    let mut hannoy = None;
    if !is_large {
        let folder = bench.empty_folder("hannoy")?;
        let peer = peers::vectors_with_hannoy(&files.stored, &files.queries, &folder)?;
        print_peer("hannoy", &peer, case);
        fs::remove_dir_all(folder)?;
        hannoy = Some(peer);
    }
    fs::remove_dir_all(files.folder)?;
    let rows = case_rows(case, &hnswlib, hannoy.as_ref(), &sonde);
    let raw = json!({
        "vectors": case.vectors.stored.len(),
        "dimensions": case.vectors.stored.dimensions,
        "queries": case.vectors.queries.len(),
        "hnswlib": hnswlib.iter().map(|peer| peer_raw(peer, case)).collect::<Vec<_>>(),
        "hannoy": hannoy.iter().map(|peer| peer_raw(peer, case)).collect::<Vec<_>>(),
        "sonde": sonde.iter().map(|side| side_raw(side, case)).collect::<Vec<_>>(),
    });
    Ok((rows, raw))
}

/// The vectors as peers read them.
struct PeerFiles {
    folder: PathBuf,
    stored: PathBuf,
    queries: PathBuf,
}

impl PeerFiles {
    fn write(bench: &Bench, case: &Case) -> Result<Self> {
        let folder = bench.empty_folder("vectors-of-peers")?;
        let (stored, queries) = (folder.join("stored"), folder.join("queries"));
        case.vectors.stored.write(&stored)?;
        case.vectors.queries.write(&queries)?;
        Ok(PeerFiles { folder, stored, queries })
    }
}

fn measure_server(bench: &Bench, case: &Case) -> Result<Side> {
    let folder = bench.empty_folder("vectors")?;
    let server = bench.launch.start(&folder)?;
    let embedder = Embedder { dimensions: case.vectors.stored.dimensions, quantised: false };
    let built = store::build(&server, &folder, &case.vectors.stored, embedder)?;
    println!("  sonde: built in {:.1} s of CPU", built.cpu_s);
    let mut found = Vec::new();
    for filter in Filter::ALL {
        let answers = store::ask(&server, &case.vectors.queries, filter, ROUNDS)?;
        let recall = recall(case.exact(filter), &answers.hits);
        let (suffix, cpu) = (filter.suffix(), answers.searching.cpu_ms_each);
        println!("  sonde: recall{suffix} {recall:.4}, {cpu:.3} ms of CPU a query");
        found.push(answers);
    }
    server.stop()?;
    fs::remove_dir_all(folder)?;
    Ok(Side { built, found })
}

fn print_peer(name: &str, peer: &PeerVectors, case: &Case) {
    println!("  {name}: built in {:.1} s of CPU", peer.build_cpu_s);
    for filter in Filter::ALL {
        if let Some((search, recall)) = reaching(peer, case, filter) {
            println!(
                "  {name}: recall{} {recall:.4}, {:.3} ms of CPU a query, {} in view",
                filter.suffix(),
                search.cpu_ms_each,
                search.width
            );
        }
    }
}

fn reaching<'p>(
    peer: &'p PeerVectors,
    case: &Case,
    filter: Filter,
) -> Option<(&'p peers::PeerSearch, f64)> {
    peer.reaching(targets::VECTOR_RECALL.first, filter, case.exact(filter))
}

fn case_rows(
    case: &Case,
    hnswlib: &[PeerVectors],
    hannoy: Option<&PeerVectors>,
    sonde: &[Side],
) -> Vec<Row> {
    let name = |what: &str| format!("{}: {what}", case.name);
    let of_sonde = |figure: &dyn Fn(&Side) -> f64| median(sonde.iter().map(figure));
    let build = of_sonde(&|side| side.built.cpu_s);
    let hnswlib_build = median(hnswlib.iter().map(|peer| peer.build_cpu_s));
    let mut rows = vec![
        Row::new(name("building, CPU"), build, "s")
            .against("hnswlib", hnswlib_build)
            .target(targets::VECTOR_BUILD_CPU),
    ];
    if let Some(hannoy) = hannoy {
        let row = Row::new(name("building, CPU"), build, "s");
        rows.push(row.against("hannoy", hannoy.build_cpu_s));
    }
    let cpu = |filter: Filter| of_sonde(&|side| side.found(filter).searching.cpu_ms_each);
    for filter in Filter::ALL {
        let suffix = filter.suffix();
        let found = of_sonde(&|side| recall(case.exact(filter), &side.found(filter).hits));
        let what = name(&format!("recall@10{suffix}"));
        rows.push(Row::new(what, found, "").target(targets::VECTOR_RECALL));
        let row = Row::new(name(&format!("search{suffix}, CPU")), cpu(filter), "ms");
        if filter == Filter::None {
            let peers: Vec<f64> = hnswlib
                .iter()
                .filter_map(|peer| Some(reaching(peer, case, filter)?.0.cpu_ms_each))
                .collect();
            let target = targets::vector_search_ms(case.vectors.stored.dimensions);
            rows.push(row.clone().against("hnswlib", median(peers)).target(target));
        } else {
            let unfiltered = cpu(Filter::None);
            let target = targets::FILTERED_VECTORS_CPU;
            rows.push(row.clone().against("unfiltered", unfiltered).target(target));
        }
        if let Some((search, _)) = hannoy.and_then(|peer| reaching(peer, case, filter)) {
            rows.push(row.against("hannoy", search.cpu_ms_each));
        }
    }
    let vectors = case.vectors.stored.len() as f64;
    let each = |bytes: u64| bytes as f64 / vectors;
    let raw_megabytes = case.vectors.stored.bytes() as f64 / 1e6;
    let disk = |bytes: u64| bytes as f64 / 1e6;
    rows.extend([
        Row::new(name("edges a vector"), of_sonde(&|side| each(side.built.graph_bytes)), "bytes")
            .target(targets::VECTOR_EDGES_BYTES),
        Row::new(name("disk"), of_sonde(&|side| disk(side.built.disk_bytes)), "MB")
            .against("floats alone", raw_megabytes),
    ]);
    if let Some(hannoy) = hannoy {
        let row = Row::new(name("disk"), of_sonde(&|side| disk(side.built.disk_bytes)), "MB");
        rows.push(row.against("hannoy", disk(hannoy.disk_bytes)));
    }
    rows
}

impl Side {
    fn found(&self, filter: Filter) -> &Found {
        let known = self.found.iter().find(|found| found.filter == filter);
        known.expect("every filter is asked for")
    }
}

fn peer_raw(peer: &PeerVectors, case: &Case) -> Value {
    let searches = peer.searches.iter().map(|search| {
        json!({
            "filter": search.filter,
            "in_view": search.width,
            "recall": recall(case.exact(search.filter), &search.hits),
            "cpu_ms_each": search.cpu_ms_each,
        })
    });
    json!({
        "build_cpu_s": peer.build_cpu_s,
        "disk_bytes": peer.disk_bytes,
        "searches": searches.collect::<Vec<_>>(),
    })
}

fn side_raw(side: &Side, case: &Case) -> Value {
    let searches = side.found.iter().map(|found| {
        json!({
            "filter": found.filter,
            "recall": recall(case.exact(found.filter), &found.hits),
            "cpu_ms_each": found.searching.cpu_ms_each,
            "latencies": found.searching.latencies,
        })
    });
    json!({ "built": side.built, "searches": searches.collect::<Vec<_>>() })
}
