//! Measures the documents component: CPU to build, size against the raw JSON, time to open, to
//! read one document, to look up an id, to scan, to merge.
//!
//! `cargo run --release -p segment --example documents_bench -- packages 1000000`
//! Sets: `packages`, `cities` (both made up, the same on every machine), or the path of an ndjson
//! file whose documents have an `id`.

#![allow(clippy::print_stdout)]

mod cpu;
mod generator;

use model::Cancel;
use roaring::RoaringBitmap;
use segment::documents::{DocumentsReader, DocumentsWriter, MergeInput, merge};
use segment::{Directory, DiskDirectory, Result, SegmentError};

use cpu::measure;
use generator::{Document, Random};

const READS: u64 = 100_000;
const OPENINGS: u32 = 50;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let set = arguments.next().unwrap_or_else(|| "packages".to_owned());
    let count: usize = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(1_000_000);

    let documents = generator::documents(&set, count);
    let raw: usize = documents.iter().map(|document| document.json.len()).sum();
    println!(
        "{set}: {} documents, {:.1} MB, {:.0} bytes each",
        documents.len(),
        raw as f64 / 1e6,
        raw as f64 / documents.len() as f64
    );

    let folder = tempfile::tempdir().map_err(|source| SegmentError::io("bench", source))?;
    let directory = DiskDirectory::new(folder.path())?;
    build(&directory, &documents)?;
    let reader = open(&directory, raw)?;
    read(&reader, &documents, raw)?;
    look_up(&reader, &documents)?;
    merge_both_ways(&directory, &documents)?;
    Ok(())
}

fn write(
    directory: &dyn Directory,
    name: &str,
    documents: &[Document],
    first: usize,
    like: Option<&DocumentsReader>,
) -> Result<()> {
    let mut writer = DocumentsWriter::new();
    writer.set_dictionary(like.and_then(DocumentsReader::dictionary));
    for (number, document) in documents.iter().enumerate() {
        let fields = document.fields.iter().map(String::as_str);
        let doc_id = (first + number) as u32;
        writer.add(doc_id, &document.id, &document.json, fields)?;
    }
    writer.finish(directory, name)?;
    Ok(())
}

fn build(directory: &dyn Directory, documents: &[Document]) -> Result<()> {
    let mut writer = DocumentsWriter::new();
    let (added, add_seconds) = measure(|| {
        for (doc_id, document) in documents.iter().enumerate() {
            let fields = document.fields.iter().map(String::as_str);
            writer.add(doc_id as u32, &document.id, &document.json, fields)?;
        }
        Ok::<_, SegmentError>(())
    });
    added?;
    let memory = writer.memory_used();
    let (finished, finish_seconds) = measure(|| writer.finish(directory, "1.documents.1"));
    finished?;
    println!(
        "build: add {add_seconds:.3} + finish {finish_seconds:.3} = {:.3} CPU s, {:.0} MB held",
        add_seconds + finish_seconds,
        memory as f64 / 1e6
    );
    Ok(())
}

fn open(directory: &dyn Directory, raw: usize) -> Result<DocumentsReader> {
    let (outcome, seconds) = measure(|| {
        for _ in 0..OPENINGS {
            DocumentsReader::open(directory, "1.documents.1")?;
        }
        Ok::<_, SegmentError>(())
    });
    outcome?;
    let reader = DocumentsReader::open(directory, "1.documents.1")?;
    let sizes = reader.sizes();
    let ratio = |bytes: u64| bytes as f64 / raw as f64;
    println!(
        "size: file {:.4} of raw (json {:.4}, ids {:.4}, fields {:.4}); open {:.2} ms",
        ratio(sizes.file),
        ratio(sizes.stored_json),
        ratio(sizes.ids),
        ratio(sizes.fields),
        seconds * 1e3 / f64::from(OPENINGS)
    );
    Ok(reader)
}

fn read(reader: &DocumentsReader, documents: &[Document], raw: usize) -> Result<()> {
    let mut random = Random::new(1);
    let (outcome, seconds) = measure(|| {
        let mut length = 0;
        for _ in 0..READS {
            let doc_id = random.below(documents.len());
            length += reader.get(doc_id as u32)?.map_or(0, |json| json.len());
        }
        Ok::<usize, SegmentError>(length)
    });
    outcome?;
    let one = seconds * 1e6 / READS as f64;

    let (outcome, seconds) = measure(|| {
        let mut length = 0;
        reader.for_each(.., |_, json| {
            length += json.len();
            Ok::<(), SegmentError>(())
        })?;
        Ok::<usize, SegmentError>(length)
    });
    assert_eq!(outcome?, raw, "the scan gives everything back");
    println!("read: one document {one:.2} µs, scan {:.0} MB/s", raw as f64 / 1e6 / seconds);

    let (problems, seconds) = measure(|| reader.verify());
    assert!(problems.is_empty(), "{problems:?}");
    println!("verify: {seconds:.3} CPU s");
    Ok(())
}

fn look_up(reader: &DocumentsReader, documents: &[Document]) -> Result<()> {
    let mut random = Random::new(2);
    let (outcome, seconds) = measure(|| {
        for _ in 0..READS {
            let document = &documents[random.below(documents.len())];
            assert!(reader.find(&document.id)?.is_some());
        }
        Ok::<(), SegmentError>(())
    });
    outcome?;
    let hit = seconds * 1e9 / READS as f64;
    let others: Vec<String> = (0..READS).map(|number| format!("{number}-no")).collect();
    let (outcome, seconds) = measure(|| {
        for other in &others {
            assert!(reader.find(other)?.is_none());
        }
        Ok::<(), SegmentError>(())
    });
    outcome?;
    let miss = seconds * 1e9 / READS as f64;
    println!("find: there {hit:.0} ns, not there {miss:.0} ns");
    Ok(())
}

/// Four parts with dictionaries of their own, and four that share one; a tenth of the documents
/// of the first part is gone, as after updates.
fn merge_both_ways(directory: &dyn Directory, documents: &[Document]) -> Result<()> {
    for shared in [false, true] {
        let length = documents.len().div_ceil(4);
        let mut parts: Vec<DocumentsReader> = Vec::new();
        for (number, part) in documents.chunks(length).enumerate() {
            let name = format!("part-{number}-{shared}");
            let like = if shared { parts.first() } else { None };
            write(directory, &name, part, number * length, like)?;
            parts.push(DocumentsReader::open(directory, &name)?);
        }
        let live: RoaringBitmap = (0..documents.len() as u32)
            .filter(|&doc_id| doc_id as usize >= length || doc_id % 10 != 0)
            .collect();
        let inputs: Vec<MergeInput<'_>> =
            parts.iter().map(|reader| MergeInput { reader, live: &live }).collect();
        let name = format!("merged-{shared}");
        let (outcome, seconds) = measure(|| merge(&inputs, directory, &name, &Cancel::default()));
        let length = outcome?;
        let kind = if shared { "a shared dictionary" } else { "own dictionaries" };
        println!("merge: four parts with {kind} {seconds:.3} CPU s, {:.1} MB", length as f64 / 1e6);
        assert!(DocumentsReader::open(directory, &name)?.verify().is_empty());
    }
    Ok(())
}
