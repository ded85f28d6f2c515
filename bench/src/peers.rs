//! The peers: what Sonde is measured against, each run as a child process of this program.
//!
//! A child, so that its processor time and memory are its own and nothing is warm from the run
//! before. It writes its figures to its standard output as one JSON object.

pub mod tantivy;
pub mod tantivy_columns;
pub mod tantivy_filters;
pub mod tantivy_search;

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::data::{Documents, Set};
use crate::filtering::Kind;
use crate::measure::AnonymousPeak;
use crate::searching::Searching;

/// The hidden first argument that turns this program into a peer.
pub const PEER: &str = "run-peer";

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct PeerIndexing {
    /// Until every document is committed.
    pub cpu_s: f64,
    /// Until background merging has ended as well.
    pub cpu_settled_s: f64,
    pub wall_s: f64,
    pub disk_bytes: u64,
    /// Seen from outside.
    #[serde(default)]
    pub anonymous_peak_bytes: u64,
}

/// Indexes `documents` with tantivy into `folder`, as text.
pub fn index_with_tantivy(
    documents: &Documents,
    folder: &Path,
    memory_bytes: u64,
) -> Result<PeerIndexing> {
    let mut command = Command::new(std::env::current_exe()?);
    index(command.args([PEER, "tantivy"]), documents, folder, memory_bytes)
}

/// Indexes `documents` with tantivy into `folder`, the attributes that a set is filtered by
/// instead of the text.
pub fn index_columns_with_tantivy(
    set: Set,
    documents: &Documents,
    folder: &Path,
    memory_bytes: u64,
) -> Result<PeerIndexing> {
    let mut command = Command::new(std::env::current_exe()?);
    index(command.args([PEER, "tantivy-columns", set.name()]), documents, folder, memory_bytes)
}

fn index(
    command: &mut Command,
    documents: &Documents,
    folder: &Path,
    memory_bytes: u64,
) -> Result<PeerIndexing> {
    let child = command
        .args([&documents.path, folder])
        .args([documents.docs.to_string(), memory_bytes.to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .context("starting the peer")?;
    let peak = AnonymousPeak::follow(child.id());
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "the peer has failed: {}", output.status);
    let mut indexing: PeerIndexing = serde_json::from_slice(&output.stdout)?;
    indexing.anonymous_peak_bytes = peak.bytes();
    Ok(indexing)
}

/// Asks the queries in the file `queries` of the index that [`index_with_tantivy`] has left in
/// `folder`.
pub fn search_with_tantivy(folder: &Path, queries: &Path, rounds: usize) -> Result<Searching> {
    let mut command = Command::new(std::env::current_exe()?);
    ask(command.args([PEER, "tantivy-search"]).args([folder, queries]).arg(rounds.to_string()))
}

/// Asks the workloads in the file `workloads` of the index that [`index_columns_with_tantivy`]
/// has left in `folder`; those that the peer can answer.
pub fn filter_with_tantivy(folder: &Path, workloads: &Path) -> Result<Vec<(Kind, Searching)>> {
    let mut command = Command::new(std::env::current_exe()?);
    ask(command.args([PEER, "tantivy-filters"]).args([folder, workloads]))
}

fn ask<T: DeserializeOwned>(command: &mut Command) -> Result<T> {
    let output = command.stderr(Stdio::inherit()).output().context("starting the peer")?;
    ensure!(output.status.success(), "the peer has failed: {}", output.status);
    Ok(serde_json::from_slice(&output.stdout)?)
}
