//! Growth: the npm set in several sizes, up to the whole. From its usual size to the whole, about
//! four times as many documents, indexing a document and answering a query must cost nearly the
//! same; the smaller sizes are for the plot.

use anyhow::{Result, bail};
use serde::Serialize;
use serde_json::json;

use super::again::search_with_server;
use super::indexing::{ServerIndexing, index_measured};
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
    let whole = if bench.options.quick { usual.docs * 4 } else { Set::Npm.all_docs() };
    // Decades up to the usual size; then twice that, for a point on the way, and the whole.
    let docs = [usual.docs / 100, usual.docs / 10, usual.docs, usual.docs * 2, whole];
    let mut sizes = Vec::new();
    for docs in docs {
        let documents = Set::Npm.documents(&bench.folders.data, Some(docs))?;
        // The same questions to both that are compared, about documents that both have; fewer
        // documents are asked about themselves, else most questions would find nothing.
        let known = if docs < usual.docs { &documents } else { &usual };
        let queries = queries::typed(Set::Npm, known)?;
        sizes.push(measure_size(bench, &documents, &queries)?);
    }
    let [.., small, _, large] = sizes.as_slice() else { bail!("a size was not measured") };

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
    Ok(Outcome { rows, raw: json!({ "sizes": sizes }) })
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
