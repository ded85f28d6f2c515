//! tantivy as a library: two writer threads, one text field with positions over every string
//! and number of the document, the JSON stored, one string id.

use std::fs;
use std::path::Path;
use std::time::Instant;

use ::tantivy::schema::{STORED, STRING, Schema, TEXT};
use ::tantivy::{Index, IndexWriter, TantivyDocument};
use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::PeerIndexing;
use crate::data::Documents;
use crate::measure;

const WRITER_THREADS: usize = 2;

/// The child's side of [`super::index_with_tantivy`].
pub fn run(arguments: &[String]) -> Result<()> {
    let [documents, folder, docs, memory_bytes] = arguments else {
        anyhow::bail!("the peer takes four arguments")
    };
    let documents = Documents { path: documents.into(), docs: docs.parse()?, bytes: 0 };
    let indexing = index(&documents, Path::new(folder), memory_bytes.parse()?)?;
    println!("{}", serde_json::to_string(&indexing)?);
    Ok(())
}

fn index(documents: &Documents, folder: &Path, memory_bytes: usize) -> Result<PeerIndexing> {
    let mut schema = Schema::builder();
    let id_field = schema.add_text_field("id", STRING);
    let text_field = schema.add_text_field("text", TEXT);
    let json_field = schema.add_text_field("json", STORED);
    write(documents, folder, memory_bytes, schema.build(), |line, value| {
        let id = value.get("id").context("a document without an id")?;
        let mut document = TantivyDocument::default();
        document.add_text(id_field, id.as_str().map_or_else(|| id.to_string(), str::to_owned));
        let mut text = String::with_capacity(line.len());
        push_text(value, &mut text);
        document.add_text(text_field, text);
        document.add_text(json_field, line);
        Ok(document)
    })
}

/// Indexes what `convert` makes of each line and its value; the time is that of this process,
/// which does nothing else.
pub(super) fn write(
    documents: &Documents,
    folder: &Path,
    memory_bytes: usize,
    schema: Schema,
    convert: impl Fn(&str, &Value) -> Result<TantivyDocument>,
) -> Result<PeerIndexing> {
    let begin = Instant::now();
    fs::create_dir_all(folder)?;
    let index = Index::create_in_dir(folder, schema)?;
    let mut writer: IndexWriter = index.writer_with_num_threads(WRITER_THREADS, memory_bytes)?;
    for batch in documents.batches()? {
        for line in std::str::from_utf8(&batch?.body)?.lines() {
            writer.add_document(convert(line, &serde_json::from_str(line)?)?)?;
        }
    }
    writer.commit()?;
    let pid = std::process::id();
    let cpu_s = measure::cpu_s(pid)?;
    writer.wait_merging_threads()?;
    let cpu_settled_s = measure::cpu_s(pid)?;
    let wall_s = begin.elapsed().as_secs_f64();
    ensure!(
        index.reader()?.searcher().num_docs() == documents.docs as u64,
        "documents are missing from the peer's index"
    );
    let disk_bytes = measure::disk_bytes(folder)?;
    Ok(PeerIndexing { cpu_s, cpu_settled_s, wall_s, disk_bytes, anonymous_peak_bytes: 0 })
}

/// Every string and number below `value`, one a line.
fn push_text(value: &Value, text: &mut String) {
    match value {
        Value::Null | Value::Bool(_) => {}
        Value::Number(number) => {
            text.push_str(&number.to_string());
            text.push('\n');
        }
        Value::String(string) => {
            text.push_str(string);
            text.push('\n');
        }
        Value::Array(values) => values.iter().for_each(|value| push_text(value, text)),
        Value::Object(members) => members.values().for_each(|value| push_text(value, text)),
    }
}
