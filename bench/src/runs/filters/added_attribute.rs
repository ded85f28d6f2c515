//! One more filterable attribute on an index that is there already: what it costs against
//! indexing the documents, and what searches notice of it.
//!
//! The cost is taken while nothing else is asked of the server, the latencies with further
//! attributes: the searches take processor time of their own.

use std::time::Instant;

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::json;

use super::super::indexing::{ServerIndexing, index_measured};
use super::super::search_isolation::{IDLE_ROUNDS, search_until};
use super::super::{Bench, Outcome, beside};
use super::change_settings;
use crate::data::{Documents, Set};
use crate::measure::{self, Latencies};
use crate::queries;
use crate::report::{self, Row};
use crate::server::Server;
use crate::targets;

/// Few strings, many numbers, many strings.
const ALONE: [&str; 3] = ["host", "downloads", "owner"];
/// Nearly as many strings as documents.
const BESIDE_SEARCHES: [&str; 2] = ["repo", "name"];

#[derive(Serialize)]
struct Added {
    attribute: &'static str,
    /// Until the task has finished.
    cpu_s: f64,
    /// Until nothing is left to do in the background either.
    cpu_settled_s: f64,
    wall_s: f64,
}

/// `with_columns` is what indexing took with the attributes filterable from the beginning.
pub(super) fn run(
    bench: &Bench,
    documents: &Documents,
    with_columns: &ServerIndexing,
) -> Result<Outcome> {
    println!("attributes added to {} documents", documents.docs);
    let queries = queries::typed(Set::Npm, documents)?;
    let folder = bench.empty_folder("added-attribute")?;
    let server = bench.launch.start(&folder)?;
    let indexing = index_measured(&server, Set::Npm, documents)?;
    let mut filterable = Vec::new();
    let added: Vec<_> = ALONE
        .iter()
        .map(|attribute| add_alone(&server, &mut filterable, attribute))
        .collect::<Result<_>>()?;

    let mut client = server.client();
    // One round to warm up.
    search_until(&mut client, &queries, |asked| asked == queries.len())?;
    let idle_searches = queries.len() * IDLE_ROUNDS;
    let idle = search_until(&mut client, &queries, |asked| asked == idle_searches)?;
    let ((), adding, busy) = beside(
        || BESIDE_SEARCHES.iter().try_for_each(|name| add(&server, &mut filterable, name)),
        |finished| search_until(&mut client, &queries, |_| finished()),
    )?;
    server.stop()?;
    std::fs::remove_dir_all(folder)?;

    let idle = Latencies::of(&idle).context("no search while idle")?;
    let busy = Latencies::of(&busy).context("no search while attributes were added")?;
    let stored = report::count(documents.docs);
    let indexing_s = indexing.cpu_settled_s;
    let mut rows: Vec<_> = added
        .iter()
        .map(|added| {
            let what = format!("filterable {} on {stored} stored: CPU", added.attribute);
            Row::new(what, added.cpu_settled_s, "s")
                .against("indexing", indexing_s)
                .target(targets::ADDED_ATTRIBUTE_CPU)
        })
        .collect();
    let name = |what: &str| format!("search while attributes are added: {what}");
    rows.extend([
        Row::new(name("p50"), busy.p50_ms, "ms").against("idle", idle.p50_ms),
        Row::new(name("p99"), busy.p99_ms, "ms")
            .against("idle", idle.p99_ms)
            .target(targets::SEARCH_DURING_IMPORT),
        Row::new(name("slowest"), busy.max_ms, "ms").against("idle", idle.max_ms),
        Row::new("npm: indexing CPU, filterable from the start", with_columns.cpu_settled_s, "s")
            .against("without", indexing_s),
    ]);
    let raw = json!({
        "docs": documents.docs,
        "indexing": indexing,
        "alone": added,
        "beside_searches": {
            "attributes": BESIDE_SEARCHES,
            "wall_s": adding.as_secs_f64(),
            "idle": idle,
            "busy": busy,
        },
    });
    Ok(Outcome { rows, raw })
}

/// Adds an attribute to those that are filterable and waits until it is.
fn add(server: &Server, filterable: &mut Vec<&'static str>, attribute: &'static str) -> Result<()> {
    filterable.push(attribute);
    change_settings(&mut server.client(), Set::Npm, &json!({ "filterableAttributes": filterable }))
}

fn add_alone(
    server: &Server,
    filterable: &mut Vec<&'static str>,
    attribute: &'static str,
) -> Result<Added> {
    let pid = server.pid();
    let cpu_before = measure::cpu_s(pid)?;
    let begin = Instant::now();
    add(server, filterable, attribute)?;
    let wall_s = begin.elapsed().as_secs_f64();
    let cpu_s = measure::cpu_s(pid)? - cpu_before;
    measure::settle(pid, &server.data())?;
    let cpu_settled_s = measure::cpu_s(pid)? - cpu_before;
    println!(
        "  {attribute}: {cpu_s:.2} s of CPU ({cpu_settled_s:.2} s with merging), {wall_s:.2} s"
    );
    Ok(Added { attribute, cpu_s, cpu_settled_s, wall_s })
}
