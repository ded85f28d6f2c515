//! Measures the cost of indexing, on the documents of a file with one JSON object a line:
//! `cargo run --release -p index --example indexing_bench -- <ndjson> [documents [only]]`
//! With `only` nothing follows the indexing, for a profiler.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::sync::Arc;
use std::time::Instant;

use index::{Index, Options, Snapshot};
use model::Cancel;
use segment::{Directory, DiskDirectory};
use serde_json::{Value, json};
use time::OffsetDateTime;

struct Document {
    id: String,
    json: String,
    fields: Vec<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("which file?")?;
    let count = arguments.next().map_or(Ok(usize::MAX), |count| count.parse())?;
    let is_all = arguments.next().is_none();
    let documents = read(&path, count)?;
    let raw: usize = documents.iter().map(|document| document.json.len()).sum();
    println!("{} documents, {:.1} MB", documents.len(), raw as f64 / 1e6);

    let folder = tempfile::tempdir()?;
    let directory: Arc<dyn Directory> = Arc::new(DiskDirectory::new(folder.path())?);
    let index =
        Index::create_with(directory.clone(), OffsetDateTime::UNIX_EPOCH, Options::default())?;
    let before = memory_mb("VmRSS").unwrap_or_default();
    measure("index", || {
        let mut writer = index.writer()?;
        for Document { id, json, fields } in &documents {
            writer.upsert(id, json, fields.iter().map(String::as_str))?;
        }
        writer.commit(b"", OffsetDateTime::UNIX_EPOCH)
    })?;
    report(&index.snapshot(), raw);
    let peak = memory_mb("VmHWM").unwrap_or_default();
    println!("  memory: {:.0} MB more than before at most", peak - before);

    if !is_all {
        return Ok(());
    }
    measure("update one document, 100 times", || {
        for Document { id, json, fields } in documents.iter().take(100) {
            let mut writer = index.writer()?;
            writer.upsert(id, json, fields.iter().map(String::as_str))?;
            writer.commit(b"", OffsetDateTime::UNIX_EPOCH)?;
        }
        Ok::<_, index::IndexError>(())
    })?;
    measure("compact", || index.compact(&Cancel::default()))?;
    report(&index.snapshot(), raw);
    let set = |settings: Value| {
        let mut writer = index.writer()?;
        writer.set_settings(settings);
        writer.commit(b"", OffsetDateTime::UNIX_EPOCH)
    };
    measure("new stop words", || set(json!({ "stopWords": ["the"] })))?;
    let fields: Vec<&String> = documents.iter().take(1).flat_map(|one| &one.fields).collect();
    for end in 1..=fields.len() {
        let settings = json!({ "stopWords": ["the"], "filterableAttributes": fields[..end] });
        measure(&format!("filterable {}", fields[end - 1]), || set(settings))?;
    }
    measure("update one document with columns, 100 times", || {
        for Document { id, json, fields } in documents.iter().take(100) {
            let mut writer = index.writer()?;
            writer.upsert(id, json, fields.iter().map(String::as_str))?;
            writer.commit(b"", OffsetDateTime::UNIX_EPOCH)?;
        }
        Ok::<_, index::IndexError>(())
    })?;
    measure("compact with columns", || index.compact(&Cancel::default()))?;
    report(&index.snapshot(), raw);
    drop(index);
    let index = measure("open", || Index::open(directory.clone()))?;
    let problems = measure("verify", || Ok::<_, index::IndexError>(index::verify(&*directory)))?;
    assert!(problems.is_empty(), "{problems:?}");
    drop(index);
    Ok(())
}

fn read(path: &str, count: usize) -> Result<Vec<Document>, Box<dyn Error>> {
    let mut documents = Vec::new();
    for line in BufReader::new(std::fs::File::open(path)?).lines().take(count) {
        let json = line?;
        let value: Value = serde_json::from_str(&json)?;
        let members = value.as_object().ok_or("not an object")?;
        let id = members.get("id").map(Value::to_string).ok_or("no id")?;
        documents.push(Document { id, fields: members.keys().cloned().collect(), json });
    }
    Ok(documents)
}

fn report(snapshot: &Snapshot, raw: usize) {
    let share = |bytes: u64| bytes as f64 / raw as f64;
    for segment in snapshot.segments() {
        let (documents, text) = (segment.documents().sizes(), segment.text().sizes());
        println!(
            "  segment of {}: documents {:.3}, text {:.3} of all raw: dictionary {:.3} ({} words), \
             postings {:.3}, prefixes {:.3} ({}), tokens {:.3} ({})",
            segment.documents().len(),
            share(documents.file),
            share(text.file),
            share(text.dictionary),
            segment.text().word_count(),
            share(text.postings),
            share(text.prefixes),
            segment.text().union_count(),
            share(text.tokens),
            segment.text().token_count(),
        );
    }
    println!("  total {:.3} of raw", share(snapshot.sizes().total));
}

fn measure<T, E>(what: &str, run: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let (wall, cpu) = (Instant::now(), cpu_seconds());
    let outcome = run();
    let cpu = cpu_seconds().zip(cpu).map_or(f64::NAN, |(after, before)| after - before);
    println!("{what}: {cpu:.3} CPU s, {:.4} s", wall.elapsed().as_secs_f64());
    outcome
}

/// Returns the CPU time of all threads of this process, in user mode and in the system.
fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(ticks as f64 / 100.0)
}

fn memory_mb(what: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(what))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1000.0)
}
