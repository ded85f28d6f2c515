//! Settings that change what words or values there are: what they cost against indexing the
//! documents, and which steps the batch tells while it works.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::{Value, json};

use super::super::Outcome;
use super::super::indexing::ServerIndexing;
use crate::data::Set;
use crate::http::Client;
use crate::measure;
use crate::report::Row;
use crate::server::Server;
use crate::targets::{self, Target};

const PAUSE: Duration = Duration::from_millis(5);

/// What is set before the import.
pub(super) fn begin() -> Value {
    json!({
        "searchableAttributes": ["name", "words", "owner"],
        "filterableAttributes": ["host"],
    })
}

/// One after the other on the same documents.
fn changes() -> Vec<(&'static str, Value, Option<Target>)> {
    let added = Some(targets::ADDED_ATTRIBUTE_CPU);
    let english = json!([{ "attributePatterns": ["*"], "locales": ["eng"] }]);
    let searchable = |names: &[&str]| json!({ "searchableAttributes": names });
    vec![
        ("searchable reordered", searchable(&["words", "owner", "name"]), None),
        ("one more searchable", searchable(&["words", "owner", "name", "repo"]), None),
        ("one searchable less", searchable(&["words", "owner", "name"]), None),
        ("stop words", json!({ "stopWords": ["react", "js", "the"] }), None),
        ("localized attributes", json!({ "localizedAttributes": english }), None),
        ("one more filterable", json!({ "filterableAttributes": ["host", "owner"] }), added),
    ]
}

#[derive(Serialize)]
struct Changed {
    what: &'static str,
    change: Value,
    /// Until the task has finished.
    cpu_s: f64,
    /// Until nothing is left to do in the background either.
    cpu_settled_s: f64,
    wall_s: f64,
    /// The steps that its batch told, in the order in which they were first seen.
    steps: Vec<String>,
    /// How long each of them took, by the finished batch.
    trace: Value,
}

pub(super) fn run(server: &Server, indexing: &ServerIndexing, stored: &str) -> Result<Outcome> {
    let mut rows = Vec::new();
    let mut all = Vec::new();
    for (what, change, target) in changes() {
        let changed = measured(server, what, change)?;
        println!(
            "  {what}: {:.2} s of CPU ({:.2} s with merging), {:.2} s; told: {}",
            changed.cpu_s,
            changed.cpu_settled_s,
            changed.wall_s,
            changed.steps.join(", ")
        );
        let name = |figure: &str| format!("{what} on {stored} stored: {figure}");
        let cpu = Row::new(name("CPU"), changed.cpu_settled_s, "s")
            .against("indexing", indexing.cpu_settled_s);
        rows.push(match target {
            Some(target) => cpu.target(target),
            None => cpu,
        });
        let wall = Row::new(name("time"), changed.wall_s, "s");
        rows.push(wall.against("indexing", indexing.wall_s));
        all.push(changed);
    }
    Ok(Outcome { rows, raw: json!(all) })
}

fn measured(server: &Server, what: &'static str, change: Value) -> Result<Changed> {
    let pid = server.pid();
    let mut client = server.client();
    let cpu_before = measure::cpu_s(pid)?;
    let begin = Instant::now();
    let task = client.patch_settings(Set::Npm.name(), &change)?;
    let (steps, batch) = follow(&mut client, task)?;
    let wall_s = begin.elapsed().as_secs_f64();
    let cpu_s = measure::cpu_s(pid)? - cpu_before;
    measure::settle(pid, &server.data())?;
    let cpu_settled_s = measure::cpu_s(pid)? - cpu_before;
    let trace = batch["stats"]["progressTrace"].clone();
    Ok(Changed { what, change, cpu_s, cpu_settled_s, wall_s, steps, trace })
}

/// Asks for the batch of a task until it has finished; gives the steps it told, and the batch.
fn follow(client: &mut Client, task: u64) -> Result<(Vec<String>, Value)> {
    let mut told: Vec<String> = Vec::new();
    loop {
        let task = client.get(&format!("/tasks/{task}"))?;
        let Some(batch) = task["batchUid"].as_u64() else {
            thread::sleep(PAUSE);
            continue;
        };
        let batch = client.get(&format!("/batches/{batch}"))?;
        for step in batch["progress"]["steps"].as_array().into_iter().flatten() {
            let name = step["currentStep"].as_str().context("a step without a name")?;
            if !told.iter().any(|known| known == name) {
                told.push(name.to_owned());
            }
        }
        if !batch["finishedAt"].is_null() {
            client.wait_for_task(task["uid"].as_u64().context("no uid")?, PAUSE)?;
            return Ok((told, batch));
        }
        thread::sleep(PAUSE);
    }
}
