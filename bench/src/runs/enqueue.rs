//! Thousands of single-document POSTs from eight keep-alive connections: until all are
//! acknowledged, and until all are applied.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::{Bench, CONNECTIONS, Outcome, from_many_connections};
use crate::http::JSON;
use crate::measure::{self, Latencies};
use crate::report::{self, Row};
use crate::targets;

const INDEX: &str = "enqueue";

pub fn run(bench: &mut Bench) -> Result<Outcome> {
    let writes = bench.options.scaled(10_000, 1_000);
    let folder = bench.empty_folder("enqueue")?;
    let server = bench.launch.start(&folder)?;
    let cpu_before = measure::cpu_s(server.pid())?;
    let begin = Instant::now();
    let path = format!("/indexes/{INDEX}/documents?primaryKey=id");
    let sent = from_many_connections(
        || server.client(),
        writes,
        |client, number| {
            let document = json!({ "id": number, "title": format!("written alone, {number}") });
            client.post_task(&path, JSON, document.to_string().as_bytes())
        },
    )?;
    let acknowledged_s = begin.elapsed().as_secs_f64();
    // Tasks of one index finish in order: the last one finished means all have.
    let last = sent.iter().map(|(task, _)| *task).max().context("nothing sent")?;
    let mut client = server.client();
    client.wait_for_task(last, Duration::from_millis(5))?;
    let applied_s = begin.elapsed().as_secs_f64();
    let cpu_s = measure::cpu_s(server.pid())? - cpu_before;
    client.no_task_failed()?;
    let found = client.number_of_documents(INDEX)?;
    ensure!(found == writes as u64, "{found} of {writes} documents found");
    server.stop()?;
    std::fs::remove_dir_all(folder)?;

    let times: Vec<_> = sent.iter().map(|(_, time)| *time).collect();
    let each = Latencies::of(&times).context("nothing sent")?;
    let name = |what: &str| format!("enqueue {} POSTs: {what}", report::count(writes));
    let applied = Row::new(name("all applied"), applied_s, "s");
    let rows = vec![
        Row::new(name("all acknowledged"), acknowledged_s, "s"),
        // The target speaks of the full number of writes.
        if bench.options.quick { applied } else { applied.target(targets::ENQUEUE_S) },
        Row::new(name("acknowledged p99"), each.p99_ms, "ms"),
        Row::new(name("CPU"), cpu_s, "s"),
    ];
    let raw = json!({
        "writes": writes,
        "connections": CONNECTIONS,
        "acknowledged_s": acknowledged_s,
        "applied_s": applied_s,
        "acknowledged_each": each,
        "cpu_s": cpu_s,
    });
    Ok(Outcome { rows, raw })
}
