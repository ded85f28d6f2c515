//! Thousands of indexes: created, each written once, listed; then a restart: time until
//! `/health` answers, resident memory, open descriptors.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::{Bench, CONNECTIONS, Outcome, from_many_connections};
use crate::http::{Client, JSON};
use crate::measure;
use crate::report::{self, Row};
use crate::server::Server;

pub fn run(bench: &mut Bench) -> Result<Outcome> {
    let count = bench.options.scaled(5_000, 200);
    let folder = bench.empty_folder("indexes")?;
    let server = bench.launch.start(&folder)?;
    let create_s = on_every_index(&server, count, |client, number| {
        let body = json!({ "uid": uid(number), "primaryKey": "id" });
        client.post_task("/indexes", JSON, body.to_string().as_bytes())
    })?;
    let write_s = on_every_index(&server, count, |client, number| {
        let document = json!({ "id": number, "title": format!("alone in index {number}") });
        let path = format!("/indexes/{}/documents", uid(number));
        client.post_task(&path, JSON, document.to_string().as_bytes())
    })?;
    let mut client = server.client();
    client.no_task_failed()?;
    let begin = Instant::now();
    let listed = client.get(&format!("/indexes?limit={count}"))?;
    let list_ms = begin.elapsed().as_secs_f64() * 1e3;
    let listed = listed["results"].as_array().context("no results")?.len();
    ensure!(listed == count, "{listed} of {count} indexes are listed");
    measure::settle(server.pid(), &server.data())?;
    let disk_bytes = measure::disk_bytes(&server.data())?;
    let memory_before = measure::memory(server.pid())?;
    let (descriptors_before, _) = measure::descriptors(server.pid())?;
    server.stop()?;

    let (server, health) = bench.launch.start_until(&folder, "/health")?;
    let health_ms = health.as_secs_f64() * 1e3;
    let memory = measure::memory(server.pid())?;
    let (descriptors, descriptor_limit) = measure::descriptors(server.pid())?;
    let memory_maps = measure::memory_maps(server.pid())?;
    let begin = Instant::now();
    server.client().get(&format!("/indexes/{}/documents/{}", uid(count / 2), count / 2))?;
    let first_read_ms = begin.elapsed().as_secs_f64() * 1e3;
    server.stop()?;
    std::fs::remove_dir_all(folder)?;

    let name = |what: &str| format!("{} indexes: {what}", report::count(count));
    let rows = vec![
        Row::new(name("created"), create_s, "s"),
        Row::new(name("each written once"), write_s, "s"),
        Row::new(name("listed"), list_ms, "ms"),
        Row::new(name("disk each"), disk_bytes as f64 / 1e3 / count as f64, "kB"),
        Row::new(name("restart until /health"), health_ms, "ms"),
        Row::new(name("first document read after it"), first_read_ms, "ms"),
        Row::new(name("resident memory after it"), memory.resident as f64 / 1e6, "MB"),
        Row::new(name("open descriptors after it"), descriptors as f64, ""),
    ];
    let raw = json!({
        "indexes": count,
        "connections": CONNECTIONS,
        "create_s": create_s,
        "write_s": write_s,
        "list_ms": list_ms,
        "disk_bytes": disk_bytes,
        "before_restart": { "memory": memory_before, "descriptors": descriptors_before },
        "after_restart": {
            "health_ms": health_ms,
            "first_read_ms": first_read_ms,
            "memory": memory,
            "descriptors": descriptors,
            "descriptor_limit": descriptor_limit,
            "memory_maps": memory_maps,
        },
    });
    Ok(Outcome { rows, raw })
}

fn uid(number: usize) -> String {
    format!("index-{number:05}")
}

/// Sends one write to every index and waits for all; how long that took, in seconds.
fn on_every_index(
    server: &Server,
    count: usize,
    write: impl Fn(&mut Client, usize) -> Result<u64> + Sync,
) -> Result<f64> {
    let begin = Instant::now();
    let sent = from_many_connections(|| server.client(), count, write)?;
    // Indexes do not wait for each other: every task has to be asked for.
    let mut client = server.client();
    for (task, _) in sent {
        client.wait_for_task(task, Duration::from_millis(2))?;
    }
    Ok(begin.elapsed().as_secs_f64())
}
