//! Changes of settings on an index that is there already: how soon those show that rebuild
//! nothing, what the others cost against indexing the documents, and what is told meanwhile.

mod prompt;
mod rebuilding;

use anyhow::Result;
use serde_json::json;

use super::indexing::index_measured;
use super::{Bench, Outcome, POLL};
use crate::data::Set;
use crate::report;

pub fn run(bench: &mut Bench) -> Result<Outcome> {
    let documents = bench.documents(Set::Npm)?;
    println!("npm: {} documents", documents.docs);
    let folder = bench.empty_folder("settings")?;
    let server = bench.launch.start(&folder)?;
    let mut client = server.client();
    let task = client.patch_settings(Set::Npm.name(), &rebuilding::begin())?;
    client.wait_for_task(task, POLL)?;
    let indexing = index_measured(&server, Set::Npm, &documents)?;

    let stored = report::count(documents.docs);
    let rounds = bench.options.scaled(11, 3);
    let prompt = prompt::run(&mut client, rounds, &stored)?;
    let rebuilt = rebuilding::run(&server, &indexing, &stored)?;
    server.stop()?;
    std::fs::remove_dir_all(folder)?;

    let rows = prompt.rows.into_iter().chain(rebuilt.rows).collect();
    let raw = json!({
        "docs": documents.docs,
        "indexing": indexing,
        "prompt": prompt.raw,
        "rebuilding": rebuilt.raw,
    });
    Ok(Outcome { rows, raw })
}
