//! A store that is larger than the memory there is for it: built, merged, opened and searched by a
//! process that may have little memory of its own. Files are mapped, and what is mapped of them
//! does not count: the system takes those pages back whenever it needs them.

// The child process answers on its standard output.
#![allow(clippy::print_stdout)]
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use segment::{DiskDirectory, DocId};
use testkit::Random;
use vectors::Metric;

use crate::support::{RandomVectors, Site, options, similarity};

const DIMENSIONS: usize = 384;
const DOCUMENTS: DocId = 16_000;
const DOCUMENTS_A_COMMIT: DocId = 2_000;
const QUERIES: u64 = 30;
/// Memory that the process may use beyond its initial use; half of what the vectors take. Of this a
/// merge uses 4 MiB, the rest is unwritten links.
const MEMORY: u64 = 12 << 20;
/// Says to a process of this test that it is the one with little memory, and what it is to do.
const CHILD: &str = "STORE_IN_LITTLE_MEMORY";

fn vector(doc_id: DocId) -> Vec<f32> {
    Random(1_000 + u64::from(doc_id)).vector(DIMENSIONS)
}

fn query(number: u64) -> Vec<f32> {
    Random(1_000_000 + number).vector(DIMENSIONS)
}

#[test]
fn a_store_larger_than_memory_is_built_and_answers() {
    let folder = tempfile::tempdir().unwrap();
    let output = child(&folder.path().display().to_string());
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    assert!(bytes_in(folder.path()) > 2 * MEMORY);

    let answers: Vec<Vec<DocId>> = printed
        .lines()
        .filter_map(|line| line.strip_prefix("found "))
        .map(|ids| ids.split(' ').map(|id| id.parse().unwrap()).collect())
        .collect();
    assert_eq!(answers.len(), QUERIES as usize);
    let vectors: Vec<Vec<f32>> = (0..DOCUMENTS).map(vector).collect();
    let found: usize = (0..).zip(&answers).map(|(number, ids)| right(&vectors, number, ids)).sum();
    let recall = found as f64 / (10 * QUERIES) as f64;
    assert!(recall >= 0.98, "{recall}");
}

/// Proves that the limit of the other test is effective.
#[test]
fn allocations_beyond_the_limit_fail() {
    assert!(!child("keep everything").status.success());
}

/// How many of the ten nearest are among the ids.
fn right(vectors: &[Vec<f32>], number: u64, ids: &[DocId]) -> usize {
    let options = options(DIMENSIONS, Metric::Cosine);
    let query = query(number);
    let distance = |vector: &Vec<f32>| -similarity(&options, &query, vector);
    let mut near: Vec<(f32, DocId)> = vectors.iter().map(distance).zip(0..).collect();
    near.sort_by(|left, right| left.0.total_cmp(&right.0));
    near[..10].iter().filter(|(_, id)| ids.contains(id)).count()
}

fn bytes_in(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).unwrap();
    files.map(|file| file.unwrap().metadata().unwrap().len()).sum()
}

/// Runs this program again with little memory.
fn child(what: &str) -> Output {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "limited_memory::in_little_memory", "--nocapture", "--test-threads=1"])
        .env(CHILD, what)
        // Telling where a panic came from takes more memory than there is.
        .env("RUST_BACKTRACE", "0")
        .output()
        .unwrap()
}

/// Does nothing but in the process that `child` starts.
#[test]
fn in_little_memory() {
    let Ok(what) = std::env::var(CHILD) else { return };
    limit_memory();
    if what == "keep everything" {
        let kept: Vec<Vec<f32>> = (0..DOCUMENTS).map(vector).collect();
        println!("{}", kept.len());
        return;
    }
    let directory = Arc::new(DiskDirectory::new(Path::new(&what)).unwrap());
    let mut site = Site::on(directory, options(DIMENSIONS, Metric::Cosine));
    for first in (0..DOCUMENTS).step_by(DOCUMENTS_A_COMMIT as usize) {
        site.commit_unmodelled((first..first + DOCUMENTS_A_COMMIT).map(|id| (id, vector(id))));
        site.merge();
    }
    site.reopen();
    for number in 0..QUERIES {
        let found = site.search(&query(number), 10);
        let ids: Vec<String> = found.iter().map(|hit| hit.doc_id.to_string()).collect();
        println!("\nfound {}", ids.join(" "));
    }
}

fn limit_memory() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmData:")).unwrap();
    let taken: u64 = line.split_whitespace().next().unwrap().parse().unwrap();
    let limit = Rlimit { current: Some(1024 * taken + MEMORY), ..getrlimit(Resource::Data) };
    setrlimit(Resource::Data, limit).unwrap();
}
