//! Tests of the documents component, by theme, and their model.

mod basics;
mod damage;
mod faults;
mod ids;
mod merging;
mod model;

use std::collections::BTreeMap;

use roaring::RoaringBitmap;

use super::*;
use crate::directory::{Directory, MemoryDirectory};
use crate::{DocId, SegmentError};

/// Expected contents of a documents file.
#[derive(Debug, Clone, Default, PartialEq)]
struct Model {
    documents: BTreeMap<DocId, Expected>,
}

#[derive(Debug, Clone, PartialEq)]
struct Expected {
    external_id: String,
    json: String,
    fields: Vec<String>,
}

impl Model {
    /// Returns `count` documents from a DocId on, like those of a real index.
    fn sample(first: DocId, count: u32) -> Self {
        let documents = (first..first + count).map(|doc_id| (doc_id, Expected::sample(doc_id, "")));
        Self { documents: documents.collect() }
    }

    fn writer(&self) -> DocumentsWriter {
        let mut writer = DocumentsWriter::new();
        for (&doc_id, document) in &self.documents {
            document.add_to(&mut writer, doc_id);
        }
        writer
    }

    fn write(&self, directory: &dyn Directory, name: &str) -> DocumentsReader {
        self.writer().finish(directory, name).unwrap();
        DocumentsReader::open(directory, name).unwrap()
    }

    fn doc_ids(&self) -> RoaringBitmap {
        self.documents.keys().copied().collect()
    }

    /// Compares everything that a reader can return.
    fn check(&self, reader: &DocumentsReader) {
        assert_eq!(reader.verify(), []);
        assert_eq!(reader.len(), self.documents.len() as u64);
        assert_eq!(*reader.doc_ids(), self.doc_ids());
        let mut fields: BTreeMap<&str, RoaringBitmap> = BTreeMap::new();
        for (&doc_id, document) in &self.documents {
            let json = reader.get(doc_id).unwrap();
            assert_eq!(json.as_deref(), Some(document.json.as_str()));
            assert_eq!(reader.find(&document.external_id).unwrap(), Some(doc_id));
            for field in &document.fields {
                fields.entry(field).or_default().insert(doc_id);
            }
        }
        let read_fields: BTreeMap<&str, RoaringBitmap> =
            reader.fields().map(|(name, set)| (name, set.clone())).collect();
        assert_eq!(read_fields, fields);
        assert_eq!(scan(reader), self.texts());
    }

    fn texts(&self) -> Vec<(DocId, String)> {
        self.documents.iter().map(|(&doc_id, document)| (doc_id, document.json.clone())).collect()
    }
}

impl Expected {
    fn sample(doc_id: DocId, version: &str) -> Self {
        let mut fields = vec!["id".to_owned(), "title".to_owned()];
        let mut json = format!(r#"{{"id":"item-{doc_id}","title":"Title {version}{doc_id} été""#);
        if doc_id.is_multiple_of(3) {
            fields.push("price".to_owned());
            json += &format!(r#","price":{}.50"#, doc_id.wrapping_mul(7919) % 1000);
        }
        let noise = u64::from(doc_id).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        json += &format!(r#","note":"made in {} by {:x}"}}"#, noise % 97, noise >> 24);
        fields.push("note".to_owned());
        Self { external_id: format!("item-{doc_id}"), json, fields }
    }

    fn add_to(&self, writer: &mut DocumentsWriter, doc_id: DocId) {
        let fields = self.fields.iter().map(String::as_str);
        writer.add(doc_id, &self.external_id, &self.json, fields).unwrap();
    }
}

fn scan(reader: &DocumentsReader) -> Vec<(DocId, String)> {
    let mut texts = Vec::new();
    let scanned = reader.for_each(.., |doc_id, json| {
        texts.push((doc_id, json.to_owned()));
        Ok::<(), SegmentError>(())
    });
    scanned.unwrap();
    texts
}

fn memory() -> MemoryDirectory {
    MemoryDirectory::new()
}
