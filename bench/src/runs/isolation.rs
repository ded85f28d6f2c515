//! Small writes to one index while an import runs in another: the import must not hold them up.

use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::json;

use super::{Bench, Outcome, beside, timed_write};
use crate::data::Set;
use crate::http::Client;
use crate::measure::{self, Latencies};
use crate::report::{self, Row};
use crate::server;

const SMALL: &str = "small";

pub fn run(bench: &mut Bench) -> Result<Outcome> {
    let documents = bench.documents(Set::Npm)?;
    let folder = bench.empty_folder("isolation")?;
    let server = bench.launch.start(&folder)?;
    let mut client = server.client();
    let idle_writes = bench.options.scaled(300, 100);
    let mut next = 0;
    let idle = write_until(&mut client, &mut next, |written| written == idle_writes)?;

    let ((), import, busy) = beside(
        || server::import(&mut server.client(), "big", &documents),
        |finished| write_until(&mut client, &mut next, |_| finished()),
    )?;
    let import_s = import.as_secs_f64();
    measure::settle(server.pid(), &server.data())?;
    server.stop()?;
    std::fs::remove_dir_all(folder)?;

    let idle = Latencies::of(&idle).context("no write while idle")?;
    let busy = Latencies::of(&busy).context("no write while importing")?;
    let docs = documents.docs;
    let name = |what: &str| format!("small write during import of {}: {what}", report::count(docs));
    let rows = vec![
        Row::new(name("p50"), busy.p50_ms, "ms").against("idle", idle.p50_ms),
        Row::new(name("p99"), busy.p99_ms, "ms").against("idle", idle.p99_ms),
        Row::new(name("slowest"), busy.max_ms, "ms"),
        Row::new("small writes: the import beside them", import_s, "s"),
    ];
    let raw = json!({ "docs": docs, "idle": idle, "busy": busy, "import_s": import_s });
    Ok(Outcome { rows, raw })
}

/// Writes one document after the other until `enough` says so of the number written; the time
/// of each, from its POST until its task has finished.
fn write_until(
    client: &mut Client,
    next: &mut usize,
    enough: impl Fn(usize) -> bool,
) -> Result<Vec<Duration>> {
    let mut times = Vec::new();
    while !enough(times.len()) {
        let document = json!({ "id": *next, "title": format!("a small write, number {next}") });
        times.push(timed_write(client, SMALL, &document.to_string())?.0);
        *next += 1;
    }
    Ok(times)
}
