//! Start with many documents on disk: from the start of the process until the first search is
//! answered, after an orderly stop and after a kill. The page cache is warm.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{Bench, Outcome, Stored};
use crate::measure::median;
use crate::report::{self, Row};
use crate::targets;

pub fn run(bench: &mut Bench) -> Result<Outcome> {
    let stored = bench.stored()?;
    let docs = stored.documents.docs;
    let line = stored.documents.sample(2)?.pop().context("no document")?;
    let document: Value = serde_json::from_str(&line)?;
    let word = document["words"].as_str().and_then(|words| words.split(' ').next());
    let word = word.filter(|word| word.is_ascii()).context("no word to search for")?;
    let path = format!("/indexes/{}/search?q={word}", Stored::INDEX);

    let (mut after_stop, mut after_kill) = (Vec::new(), Vec::new());
    for _ in 0..bench.options.scaled(5, 2) {
        let (server, time) = bench.launch.start_until(&stored.folder, &path)?;
        after_stop.push(ms(time));
        ensure!(server.client().finds(Stored::INDEX, word)?, "{word} is not found");
        server.kill();
        let (server, time) = bench.launch.start_until(&stored.folder, &path)?;
        after_kill.push(ms(time));
        server.stop()?;
    }
    let name = |what: &str| format!("start-up, {} stored: {what}", report::count(docs));
    let rows = vec![
        Row::new(name("first search after a stop"), median(after_stop.iter().copied()), "ms")
            .target(targets::STARTUP_MS),
        Row::new(name("first search after a kill"), median(after_kill.iter().copied()), "ms"),
    ];
    let raw = json!({ "docs": docs, "after_stop_ms": after_stop, "after_kill_ms": after_kill });
    Ok(Outcome { rows, raw })
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
