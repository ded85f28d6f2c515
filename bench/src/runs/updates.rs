//! One-document updates, from the POST until the task has finished and a search finds the change,
//! one after the other: with a few documents stored, then with many. It must not grow with the
//! index.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{Bench, Outcome, POLL, Stored, timed_write};
use crate::data::Documents;
use crate::http::Client;
use crate::measure::{self, Latencies};
use crate::report::{self, Row};
use crate::server;
use crate::targets::{self, Target};

const FEW: usize = 10_000;
/// A change that is not found within this time after its task has finished is a failure.
const SEARCHABLE_TIMEOUT: Duration = Duration::from_secs(10);

pub fn run(bench: &mut Bench) -> Result<Outcome> {
    let stored = bench.stored()?;
    let synced = measure::synced_write(&bench.folders.work)?;
    let server = bench.launch.start(&stored.folder)?;
    let mut client = server.client();
    let updates = bench.options.scaled(500, 100);
    let few = Documents { docs: stored.documents.docs.min(FEW), ..stored.documents.clone() };
    server::import(&mut client, "few", &few)?;
    let with_few = update_all(&mut client, "few", &few, updates)?;
    let cpu_before = measure::cpu_s(server.pid())?;
    let with_many = update_all(&mut client, Stored::INDEX, &stored.documents, updates)?;
    let cpu_s = measure::cpu_s(server.pid())? - cpu_before;
    server.stop()?;

    let docs = stored.documents.docs;
    let name = |what: &str| format!("update, {} stored: {what}", report::count(docs));
    // The target is set for disks that sync fast enough: on a slower one it can be met, but
    // missing it says nothing.
    let judge = |row: Row, target: Target| {
        if synced.p50_ms <= targets::SYNCED_WRITE_MS || row.value <= target.first {
            row.target(target)
        } else {
            row
        }
    };
    let rows = vec![
        Row::new("synced 4 KiB write on this disk: p50", synced.p50_ms, "ms"),
        judge(Row::new(name("p50"), with_many.searchable.p50_ms, "ms"), targets::UPDATE_P50_MS),
        judge(Row::new(name("p99"), with_many.searchable.p99_ms, "ms"), targets::UPDATE_P99_MS),
        Row::new(name("task finished p50"), with_many.finished.p50_ms, "ms"),
        Row::new(name("acknowledged p50"), with_many.acknowledged.p50_ms, "ms"),
        Row::new(name("p50, does it grow"), with_many.searchable.p50_ms, "ms")
            .against(&format!("{} stored", report::count(few.docs)), with_few.searchable.p50_ms),
        Row::new(name("CPU each"), cpu_s * 1e3 / updates as f64, "ms"),
    ];
    let raw = json!({
        "synced_write": synced,
        "few": { "docs": few.docs, "updates": with_few.raw() },
        "many": { "docs": docs, "updates": with_many.raw(), "cpu_s": cpu_s },
    });
    Ok(Outcome { rows, raw })
}

struct Updates {
    searchable: Latencies,
    finished: Latencies,
    acknowledged: Latencies,
}

impl Updates {
    fn raw(&self) -> Value {
        json!({
            "searchable": self.searchable,
            "finished": self.finished,
            "acknowledged": self.acknowledged,
        })
    }
}

/// Replaces `count` documents spread over the index by themselves with a word that no other
/// document has.
fn update_all(
    client: &mut Client,
    index: &str,
    documents: &Documents,
    count: usize,
) -> Result<Updates> {
    let (mut searchable, mut finished, mut acknowledged) = (Vec::new(), Vec::new(), Vec::new());
    for (number, line) in documents.sample(count)?.iter().enumerate() {
        let mut document: Value = serde_json::from_str(line)?;
        let words = document["words"].as_str().context("no words")?;
        let word = format!("changed{number}of{count}");
        document["words"] = format!("{words} {word}").into();
        let begin = Instant::now();
        let (until_finished, until_acknowledged) =
            timed_write(client, index, &document.to_string())?;
        wait_until_found(client, index, &word, &document["id"])?;
        searchable.push(begin.elapsed());
        finished.push(until_finished);
        acknowledged.push(until_acknowledged);
    }
    Ok(Updates {
        searchable: Latencies::of(&searchable).context("no update")?,
        finished: Latencies::of(&finished).context("no update")?,
        acknowledged: Latencies::of(&acknowledged).context("no update")?,
    })
}

/// Searches for `word` until the document `id` is the answer.
fn wait_until_found(client: &mut Client, index: &str, word: &str, id: &Value) -> Result<()> {
    // In quotes: exactly this word, none that is like it.
    let query = json!({ "q": format!("\"{word}\""), "limit": 1, "attributesToRetrieve": ["id"] });
    let begin = Instant::now();
    loop {
        let (answer, _) = client.search(index, &query)?;
        if answer["hits"][0]["id"] == *id {
            return Ok(());
        }
        ensure!(begin.elapsed() < SEARCHABLE_TIMEOUT, "a finished update is not found: {answer}");
        thread::sleep(POLL);
    }
}
