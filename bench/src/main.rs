//! The benchmark of Sonde: real data, the peers on the same machine in the same run, ratios.
//! How to use it: README.md.

mod data;
mod filtering;
mod guard;
mod http;
mod machine;
mod markdown;
mod measure;
mod mix;
mod once;
mod options;
mod peers;
mod plots;
mod queries;
mod random;
mod report;
mod runs;
mod searching;
mod server;
mod targets;
mod vectors;

use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Parser;

use crate::machine::Machine;
use crate::options::{Choice, Folders, Options};
use crate::report::{Report, Section};
use crate::runs::{Bench, Outcome};
use crate::server::Launch;

type Run = fn(&mut Bench) -> Result<Outcome>;

const RUNS: [(Choice, &str, Run); 19] = [
    (Choice::Indexing, "indexing", runs::indexing::run),
    (Choice::Updates, "updates", runs::updates::run),
    (Choice::Enqueue, "enqueue", runs::enqueue::run),
    (Choice::Startup, "startup", runs::startup::run),
    (Choice::Indexes, "indexes", runs::indexes::run),
    (Choice::Isolation, "isolation", runs::isolation::run),
    (Choice::Search, "search", runs::search::run),
    (Choice::SearchKinds, "search-kinds", runs::search::run_kinds),
    (Choice::SearchLarge, "search-large", runs::search::run_large),
    (Choice::Questions, "questions", runs::search::run_questions),
    (Choice::Again, "again", runs::again::run),
    (Choice::SearchIsolation, "search-isolation", runs::search_isolation::run),
    (Choice::Filters, "filters", runs::filters::run),
    (Choice::Settings, "settings", runs::settings::run),
    (Choice::Growth, "growth", runs::growth::run),
    (Choice::Typos, "typos", runs::typos::run),
    (Choice::Bm25, "bm25", runs::bm25::run),
    (Choice::Vectors, "vectors", runs::vectors::run),
    (Choice::Embed, "embed", runs::embed::run),
];

fn main() -> Result<()> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    if let [first, peer, rest @ ..] = arguments.as_slice()
        && first == peers::PEER
    {
        return match peer.as_str() {
            "tantivy" => peers::tantivy::run(rest),
            "tantivy-search" => peers::tantivy_search::run(rest),
            "tantivy-once" => peers::tantivy_once::run(rest),
            "tantivy-columns" => peers::tantivy_columns::run(rest),
            "tantivy-filters" => peers::tantivy_filters::run(rest),
            "hannoy" => peers::hannoy::run(rest),
            _ => bail!("unknown peer {peer}"),
        };
    }
    let options = Options::parse();
    let folders = Folders::of(Path::new(env!("CARGO_MANIFEST_DIR")));
    if options.wants(Choice::Report) {
        let report = Report::load(&folders.results.join("latest.json"))?;
        markdown::write(&report, &folders.results, "latest")?;
    }
    if options.wants(Choice::Guard) {
        return guard::run(options, folders);
    }
    if options.wants(Choice::Data) {
        for set in &options.sets {
            let documents = set.documents(&folders.data, options.docs())?;
            println!("{}: {} documents, {} bytes", set.name(), documents.docs, documents.bytes);
        }
    }
    if RUNS.iter().any(|(choice, ..)| options.wants(*choice)) {
        measure_all(options, folders)?;
    }
    Ok(())
}

fn measure_all(options: Options, folders: Folders) -> Result<()> {
    fs::create_dir_all(&folders.work)?;
    fs::create_dir_all(&folders.results)?;
    let how_built = if options.server.is_some() { "given" } else { "dist build" };
    let launch = Launch::of(&options, &folders)?;
    let busy_before = machine::busy_share()?;
    if busy_before > 0.05 {
        println!("this machine is {:.0} % busy: do not trust the times", busy_before * 1e2);
    }
    let machine = Machine::describe(&folders.work)?;
    let commit = machine::commit(&folders.workspace);
    // A quick run is for looking; it never replaces what is committed.
    let file_stem = if options.quick { "quick" } else { "latest" };
    let json = folders.results.join(file_stem).with_extension("json");
    let mut report = Report::load(&json)?;

    let mut bench = Bench::new(options, folders, launch);
    let searchable = bench.server_can_search()?;
    if !searchable {
        println!("this server cannot search: it does less than the peer, so no verdict is given");
    }
    let begin = Instant::now();
    let wanted: Vec<_> =
        RUNS.into_iter().filter(|(choice, ..)| bench.options.wants(*choice)).collect();
    for (number, (_, name, run)) in wanted.iter().enumerate() {
        let minutes = begin.elapsed().as_secs() / 60;
        println!("\n== {name} ({} of {}, {minutes} min so far)", number + 1, wanted.len());
        let Outcome { mut rows, raw } =
            run(&mut bench).with_context(|| format!("the run {name}"))?;
        for row in &mut rows {
            row.premature = row.target.is_some() && !searchable;
        }
        println!("\n{}", report::table(&rows));
        let section = Section {
            date: machine::date()?,
            commit: commit.clone(),
            server: how_built.to_owned(),
            quick: bench.options.quick,
            searchable,
            busy_before,
            machine: machine.clone(),
            rows,
            raw,
        };
        // Kept after every run: a later one that fails loses nothing.
        report.sections.insert((*name).to_owned(), section);
        report.save(&json)?;
        markdown::write(&report, &bench.folders.results, file_stem)?;
    }
    fs::remove_dir_all(&bench.folders.work)?;
    println!("kept as bench/results/{file_stem}.json, to be read as bench/results/{file_stem}.md");
    Ok(())
}
