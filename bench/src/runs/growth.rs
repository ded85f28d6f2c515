//! Growth: the npm set at its usual size and whole, about four times as many documents. Indexing
//! a document and answering a query must cost nearly the same.

use anyhow::Result;
use serde::Serialize;
use serde_json::json;

use super::indexing::{ServerIndexing, index_measured};
use super::search::search_with_server;
use super::{Bench, Outcome};
use crate::data::{Documents, Set};
use crate::queries::{self, TypedQuery};
use crate::report::{self, Row};
use crate::searching::Searching;
use crate::targets;

#[derive(Serialize)]
struct Size {
    docs: usize,
    indexing: ServerIndexing,
    searching: Searching,
}

impl Size {
    fn indexing_us_each(&self) -> f64 {
        self.indexing.cpu_settled_s * 1e6 / self.docs as f64
    }
}

pub fn run(bench: &mut Bench) -> Result<Outcome> {
    let usual = bench.documents(Set::Npm)?;
    let large_docs = if bench.options.quick { usual.docs * 4 } else { Set::Npm.all_docs() };
    let all = Set::Npm.documents(&bench.folders.data, Some(large_docs))?;
    // The same questions to both, about documents that both have.
    let queries = queries::typed(Set::Npm, &usual)?;
    let small = measure_size(bench, &usual, &queries)?;
    let large = measure_size(bench, &all, &queries)?;

    let against = format!("{} stored", report::count(small.docs));
    let name = |what: &str| format!("growth to {}: {what}", report::count(large.docs));
    let rows = vec![
        Row::new(name("indexing CPU a document"), large.indexing_us_each(), "µs")
            .against(&against, small.indexing_us_each())
            .target(targets::GROWTH),
        Row::new(name("search CPU a query"), large.searching.cpu_ms_each, "ms")
            .against(&against, small.searching.cpu_ms_each)
            .target(targets::GROWTH),
        Row::new(name("search p99"), large.searching.latencies.p99_ms, "ms")
            .against(&against, small.searching.latencies.p99_ms),
    ];
    Ok(Outcome { rows, raw: json!({ "small": small, "large": large }) })
}

fn measure_size(bench: &Bench, documents: &Documents, queries: &[TypedQuery]) -> Result<Size> {
    println!("{} documents", documents.docs);
    let folder = bench.empty_folder("growth")?;
    let server = bench.launch.start(&folder)?;
    let indexing = index_measured(&server, Set::Npm, documents)?;
    println!("  {:.2} s of CPU with merging", indexing.cpu_settled_s);
    let searching = search_with_server(&server, Set::Npm, queries)?;
    server.stop()?;
    std::fs::remove_dir_all(folder)?;
    Ok(Size { docs: documents.docs, indexing, searching })
}
