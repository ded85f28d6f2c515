//! The peers: what Sonde is measured against, each run as a child process of this program.
//!
//! A child, so that its processor time and memory are its own and nothing is warm from the run
//! before. It writes its figures to its standard output as one JSON object.

pub mod hannoy;
pub mod tantivy;
pub mod tantivy_columns;
pub mod tantivy_filters;
pub mod tantivy_once;
pub mod tantivy_search;

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::data::python::Python;
use crate::data::{Documents, Set};
use crate::filtering::Kind;
use crate::measure::AnonymousPeak;
use crate::once::Once;
use crate::searching::Searching;
use crate::vectors::{Filter, recall};

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

/// Asks those queries in the file `queries` that the peer can answer, each once.
pub fn search_once_with_tantivy(folder: &Path, queries: &Path) -> Result<Once> {
    let mut command = Command::new(std::env::current_exe()?);
    ask(command.args([PEER, "tantivy-once"]).args([folder, queries]))
}

/// Asks the workloads in the file `workloads` of the index that [`index_columns_with_tantivy`]
/// has left in `folder`; those that the peer can answer.
pub fn filter_with_tantivy(folder: &Path, workloads: &Path) -> Result<Vec<(Kind, Searching)>> {
    let mut command = Command::new(std::env::current_exe()?);
    ask(command.args([PEER, "tantivy-filters"]).args([folder, workloads]))
}

/// Candidates that peers keep in view, one attempt after the other.
pub const VECTOR_WIDTHS: [usize; 6] = [50, 100, 200, 300, 400, 600];

/// What a peer that knows vectors took, and what it answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PeerVectors {
    pub build_cpu_s: f64,
    /// 0 where nothing is written.
    pub disk_bytes: u64,
    pub searches: Vec<PeerSearch>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PeerSearch {
    pub filter: Filter,
    pub width: usize,
    pub cpu_ms_each: f64,
    pub hits: Vec<Vec<u32>>,
}

impl PeerVectors {
    /// The first attempt that finds as much as is wanted, or else the last one, and its recall;
    /// nothing where the peer was not asked.
    pub fn reaching(
        &self,
        wanted: f64,
        filter: Filter,
        exact: &[Vec<u32>],
    ) -> Option<(&PeerSearch, f64)> {
        let asked = self.searches.iter().filter(|search| search.filter == filter);
        let mut last = None;
        for search in asked {
            let found = recall(exact, &search.hits);
            last = Some((search, found));
            if found >= wanted {
                break;
            }
        }
        last
    }
}

/// Builds and asks hannoy, in files in `folder`.
pub fn vectors_with_hannoy(stored: &Path, queries: &Path, folder: &Path) -> Result<PeerVectors> {
    let mut command = Command::new(std::env::current_exe()?);
    ask(command.args([PEER, "hannoy"]).args([stored, queries, folder]))
}

/// Builds and asks hnswlib, in memory.
pub fn vectors_with_hnswlib(python: &Python, stored: &Path, queries: &Path) -> Result<PeerVectors> {
    let widths = VECTOR_WIDTHS.map(|width| width.to_string());
    ask(python.script("hnswlib_peer.py").args([stored, queries]).args(widths))
}

fn ask<T: DeserializeOwned>(command: &mut Command) -> Result<T> {
    let output = command.stderr(Stdio::inherit()).output().context("starting the peer")?;
    ensure!(output.status.success(), "the peer has failed: {}", output.status);
    Ok(serde_json::from_slice(&output.stdout)?)
}
