//! tantivy over the attributes that a set is filtered, sorted and counted by: strings and numbers
//! both indexed and as fast fields, the JSON stored. No text: the questions have no words.

use std::path::Path;

use ::tantivy::TantivyDocument;
use ::tantivy::schema::{FAST, Field, INDEXED, STORED, STRING, Schema};
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use serde_json::Value;

use super::{PeerIndexing, tantivy};
use crate::data::{Documents, Set};
use crate::filtering::Attributes;

/// The stored document.
pub const JSON: &str = "json";

/// The child's side of [`super::index_columns_with_tantivy`].
pub fn run(arguments: &[String]) -> Result<()> {
    let [set, documents, folder, docs, memory_bytes] = arguments else {
        bail!("the peer takes five arguments")
    };
    let set = Set::from_str(set, false).map_err(anyhow::Error::msg)?;
    let attributes = Attributes::of(set).context("nothing to filter by")?;
    let documents = Documents { path: documents.into(), docs: docs.parse()?, bytes: 0 };
    let indexing = index(attributes, &documents, Path::new(folder), memory_bytes.parse()?)?;
    println!("{}", serde_json::to_string(&indexing)?);
    Ok(())
}

pub(super) fn index(
    attributes: &Attributes,
    documents: &Documents,
    folder: &Path,
    memory_bytes: usize,
) -> Result<PeerIndexing> {
    let mut schema = Schema::builder();
    let strings: Vec<(&str, Field)> = attributes
        .strings
        .iter()
        .map(|name| (*name, schema.add_text_field(name, STRING | FAST)))
        .collect();
    let numbers: Vec<(&str, Field)> = attributes
        .numbers
        .iter()
        .map(|name| (*name, schema.add_i64_field(name, INDEXED | FAST)))
        .collect();
    let json = schema.add_text_field(JSON, STORED);
    tantivy::write(documents, folder, memory_bytes, schema.build(), |line, value| {
        let mut document = TantivyDocument::default();
        for (name, field) in &strings {
            if let Some(string) = value.get(name).and_then(Value::as_str) {
                document.add_text(*field, string);
            }
        }
        for (name, field) in &numbers {
            if let Some(number) = value.get(name).and_then(Value::as_i64) {
                document.add_i64(*field, number);
            }
        }
        document.add_text(json, line);
        Ok(document)
    })
}
