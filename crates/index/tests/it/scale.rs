//! Costs at the size of real installations. The memory that open indexes take is that of the process,
//! so `.ci/run` calls that test alone. The figures of a million documents are printed and not judged:
//! `cargo test --release -p index --test it a_million_documents -- --ignored --nocapture`

#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout)]

use std::sync::Arc;
use std::time::Instant;

use index::Index;
use model::Cancel;
use segment::documents::DocumentsWriter;
use segment::{Directory, DiskDirectory};

use crate::support::{add_ids, at, merge_all};

const FIELDS: [&str; 7] = ["id", "name", "words", "downloads", "scope", "repo", "owner"];

fn document(number: u64) -> (String, String) {
    let id = format!("package-{}", number.wrapping_mul(0x9e37_79b9) % 100_000_007);
    let json = format!(
        "{{\"id\":\"{id}\",\"name\":\"name-{number}\",\"words\":\"some words {}\",\
         \"downloads\":{},\"scope\":null,\"repo\":\"https://example.org/{id}\",\"owner\":\"o{}\"}}",
        number % 977,
        number * 31 % 10_007,
        number % 499
    );
    (id, json)
}

fn resident_bytes() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

#[test]
#[ignore = "measures the memory of its process"]
fn a_thousand_indexes_open_at_once() {
    const INDEXES: usize = 1_000;
    let folder = tempfile::tempdir().unwrap();
    let directories: Vec<Arc<dyn Directory>> = (0..INDEXES)
        .map(|number| {
            let path = folder.path().join(number.to_string());
            Arc::new(DiskDirectory::new(path).unwrap()) as Arc<dyn Directory>
        })
        .collect();
    for (number, directory) in directories.iter().enumerate() {
        let index = Index::create(directory.clone(), at(0)).unwrap();
        if number % 2 == 0 {
            add_ids(&index, &["one", "two"]);
        }
    }
    let before = resident_bytes();
    let indexes: Vec<Index> =
        directories.iter().map(|directory| Index::open(directory.clone()).unwrap()).collect();
    let each = (resident_bytes() - before) / INDEXES as u64;
    println!("{INDEXES} indexes opened, {each} bytes each");
    assert_eq!(indexes[0].snapshot().number_of_documents(), 2);
    assert!(each < 40_000, "{each} bytes each");
}

#[test]
#[ignore = "takes long"]
fn a_million_documents() {
    const DOCUMENTS: u64 = 1_000_000;
    let folder = tempfile::tempdir().unwrap();
    let directory: Arc<dyn Directory> = Arc::new(DiskDirectory::new(folder.path()).unwrap());
    let documents: Vec<(String, String)> = (0..DOCUMENTS).map(document).collect();

    // What the segments alone cost, with buffers of the same size.
    let start = Instant::now();
    let mut buffer = DocumentsWriter::new();
    for (number, (id, json)) in documents.iter().enumerate() {
        buffer.add(number as u32, id, json, FIELDS).unwrap();
        if buffer.memory_used() >= index::Options::default().buffer_bytes {
            let name = format!("{number}.alone.1");
            std::mem::take(&mut buffer).finish(&*directory, &name).unwrap();
            directory.delete(&name).unwrap();
        }
    }
    buffer.finish(&*directory, "last.alone").unwrap();
    directory.delete("last.alone").unwrap();
    let alone = start.elapsed();

    let index = Index::create(directory.clone(), at(0)).unwrap();
    let start = Instant::now();
    let mut writer = index.writer().unwrap();
    for (id, json) in &documents {
        writer.upsert(id, json, FIELDS).unwrap();
    }
    writer.commit(b"", at(1)).unwrap();
    let elapsed = start.elapsed();
    let own = elapsed.saturating_sub(alone) / DOCUMENTS as u32;
    println!("{DOCUMENTS} fresh documents in {elapsed:?}, segments alone {alone:?}: {own:?} each");

    let start = Instant::now();
    let reports = merge_all(&index).unwrap();
    println!("{} merges in {:?}, {:?}", reports.len(), start.elapsed(), index.snapshot().sizes());

    let start = Instant::now();
    let mut writer = index.writer().unwrap();
    for (id, json) in documents.iter().step_by(10) {
        writer.upsert(id, json, FIELDS).unwrap();
    }
    writer.commit(b"", at(2)).unwrap();
    println!("{} documents replaced in {:?}", DOCUMENTS / 10, start.elapsed());

    let mut times = Vec::new();
    for (id, json) in documents.iter().step_by(5_000) {
        let start = Instant::now();
        let mut writer = index.writer().unwrap();
        writer.upsert(id, json, FIELDS).unwrap();
        writer.commit(b"", at(3)).unwrap();
        times.push(start.elapsed());
        merge_all(&index).unwrap();
    }
    times.sort();
    println!("commit of one document: p50 {:?}, p99 {:?}", times[100], times[197]);

    let start = Instant::now();
    let compaction = index.compact(&Cancel::default()).unwrap();
    println!("compaction in {:?}: {compaction:?}", start.elapsed());
    drop(index);
    let start = Instant::now();
    let index = Index::open(directory).unwrap();
    println!("opened in {:?}", start.elapsed());
    assert_eq!(index.snapshot().number_of_documents(), DOCUMENTS);
}
