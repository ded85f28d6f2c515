//! Documents of an index as lines in compressed bodies of bounded size, with their vectors, so that
//! nothing has to be embedded again.

use std::io::Write;

use document::FieldSelection;
use flate2::Compression;
use flate2::write::GzEncoder;
use index::{DocId, Snapshot};
use model::ServiceError;
use roaring::RoaringBitmap;
use tasks::{RunError, Step};
use url::form_urlencoded::Serializer;

use super::target::{Request, Target};
use crate::common::batch_error::BatchError;
use crate::models::embedding::{ShownData, add_vectors};

pub(super) struct DocumentUpload<'s> {
    target: &'s Target<'s>,
    path: String,
    snapshot: &'s Snapshot,
    /// Limit of a body before compression, as the receiver counts it.
    most_bytes: u64,
    step: &'s Step,
    body: Vec<u8>,
    documents: u32,
}

impl<'s> DocumentUpload<'s> {
    pub fn new(
        target: &'s Target<'s>,
        uid: &str,
        snapshot: &'s Snapshot,
        most_bytes: u64,
        step: &'s Step,
    ) -> Self {
        let mut path = format!("/indexes/{uid}/documents");
        if let Some(key) = snapshot.primary_key() {
            let mut query = Serializer::new(String::new());
            query.append_pair("primaryKey", key);
            path = format!("{path}?{}", query.finish());
        }
        Self { target, path, snapshot, most_bytes, step, body: Vec::new(), documents: 0 }
    }

    pub fn send(&mut self, documents: &RoaringBitmap) -> Result<(), RunError> {
        let snapshot = self.snapshot;
        let read: Result<(), BatchError> =
            snapshot.for_each_document(documents, |doc_id, json| self.add(doc_id, json));
        read?;
        if self.body.is_empty() { Ok(()) } else { self.send_body() }
    }

    fn add(&mut self, doc_id: DocId, json: &str) -> Result<(), BatchError> {
        let line = self.line(doc_id, json)?;
        let together = self.body.len() as u64 + line.len() as u64 + 1;
        if together > self.most_bytes && !self.body.is_empty() {
            self.send_body()?;
        }
        self.body.extend_from_slice(line.as_bytes());
        self.body.push(b'\n');
        self.documents += 1;
        Ok(())
    }

    fn line(&self, doc_id: DocId, json: &str) -> Result<String, ServiceError> {
        let snapshot = self.snapshot;
        if snapshot.embedders().next().is_none() {
            // Vectors under names that are no embedder are part of the text.
            return Ok(json.to_owned());
        }
        let mut line = FieldSelection::all().project(json, &|name| snapshot.knows_field(name));
        add_vectors(snapshot, doc_id, json, ShownData::Shown, &mut line)?;
        Ok(line)
    }

    fn send_body(&mut self) -> Result<(), RunError> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        let body = gzip.write_all(&self.body).and_then(|()| gzip.finish());
        let body = body.map_err(ServiceError::internal)?;
        let bytes = self.body.len() as u64;
        self.target.send(&Request::lines(&self.path, body, bytes))?;
        self.body.clear();
        self.step.add(self.documents);
        self.documents = 0;
        Ok(())
    }
}
