//! Searches in one index while an import runs in another: the import must not hold them up.

use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::json;

use super::{Bench, Outcome, Stored, beside};
use crate::data::Set;
use crate::http::Client;
use crate::measure::Latencies;
use crate::queries::{self, TypedQuery};
use crate::report::{self, Row};
use crate::searching;
use crate::server;
use crate::targets;

/// How often the idle server is asked every query.
pub(super) const IDLE_ROUNDS: usize = 5;

pub fn run(bench: &mut Bench) -> Result<Outcome> {
    let Stored { folder, documents } = bench.stored()?;
    let queries = queries::typed(Set::Npm, &documents)?;
    let server = bench.launch.start(&folder)?;
    let mut client = server.client();
    let idle_searches = queries.len() * IDLE_ROUNDS;
    // One round to warm up.
    search_until(&mut client, &queries, |asked| asked == queries.len())?;
    let idle = search_until(&mut client, &queries, |asked| asked == idle_searches)?;

    let ((), import, busy) = beside(
        || server::import(&mut server.client(), "big", &documents),
        |finished| search_until(&mut client, &queries, |_| finished()),
    )?;
    let import_s = import.as_secs_f64();
    server.stop()?;
    // It holds another index now: no other run may start from it.
    bench.forget_stored()?;

    let idle = Latencies::of(&idle).context("no search while idle")?;
    let busy = Latencies::of(&busy).context("no search while importing")?;
    let docs = documents.docs;
    let name = |what: &str| format!("search during import of {}: {what}", report::count(docs));
    let rows = vec![
        Row::new(name("p50"), busy.p50_ms, "ms").against("idle", idle.p50_ms),
        Row::new(name("p99"), busy.p99_ms, "ms")
            .against("idle", idle.p99_ms)
            .target(targets::SEARCH_DURING_IMPORT),
        Row::new(name("slowest"), busy.max_ms, "ms").against("idle", idle.max_ms),
        Row::new("searches: the import beside them", import_s, "s"),
    ];
    let raw = json!({ "docs": docs, "idle": idle, "busy": busy, "import_s": import_s });
    Ok(Outcome { rows, raw })
}

/// Asks one query after the other until `enough` says so of the number asked; the time of each.
pub(super) fn search_until(
    client: &mut Client,
    queries: &[TypedQuery],
    enough: impl Fn(usize) -> bool,
) -> Result<Vec<Duration>> {
    let mut times = Vec::new();
    for query in queries.iter().cycle() {
        if enough(times.len()) {
            break;
        }
        times.push(searching::ask_server(client, Stored::INDEX, query)?.time);
    }
    Ok(times)
}
