//! A document with all that its index stores of it: number, text, and vectors, so that nothing has
//! to be embedded again. A line of JSON in dumps, and between members of a network when documents
//! move.

use std::collections::BTreeMap;

use document::{Document, PrimaryKey};
use index::{DocId, Snapshot, VectorOrigin, Writer};
use model::ServiceError;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::failure::index_failure;
use crate::put_document::put_document;

#[derive(Debug, Serialize, Deserialize)]
pub struct WholeDocument<'a> {
    /// Number in lists, the same on every member of a network.
    pub number: DocId,
    #[serde(borrow)]
    json: &'a RawValue,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub vectors: BTreeMap<String, WholeVectors>,
}

/// The vectors of a document for one embedder.
#[derive(Debug, Serialize, Deserialize)]
pub struct WholeVectors {
    vectors: Vec<Vec<f32>>,
    given: bool,
    regenerate: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    fragments: Vec<String>,
}

impl<'a> WholeDocument<'a> {
    pub fn of(snapshot: &Snapshot, number: DocId, json: &'a str) -> Result<Self, ServiceError> {
        let mut all = BTreeMap::new();
        for (name, embedder) in snapshot.embedders() {
            let vectors = embedder.store().vectors_of(number);
            let vectors = vectors.map_err(index_failure)?;
            let VectorOrigin { given, regenerate } = embedder.origin_of(number);
            let fragments = embedder.fragments().filter(|(_, of)| of.contains(number));
            let fragments = fragments.map(|(name, _)| name.to_owned()).collect();
            all.insert(name.to_owned(), WholeVectors { vectors, given, regenerate, fragments });
        }
        let json = serde_json::from_str(json).map_err(ServiceError::internal)?;
        Ok(Self { number, json, vectors: all })
    }

    /// Parses the document and returns it with its id.
    pub fn read(&self, key: &PrimaryKey) -> Result<(Document<'a>, String), ServiceError> {
        let document = Document::parse(self.json.get())?;
        let id = key.id_of(&document)?;
        Ok((document, id))
    }

    /// Writes the document under its number, with its vectors.
    pub fn put(
        &self,
        writer: &mut Writer<'_>,
        id: &str,
        document: &Document<'_>,
    ) -> Result<(), ServiceError> {
        writer.reserve_number(id, self.number);
        let (doc_id, _) = put_document(writer, id, document)?;
        for (name, of_embedder) in &self.vectors {
            let WholeVectors { vectors, given, regenerate, fragments } = of_embedder;
            let origin = VectorOrigin { given: *given, regenerate: *regenerate };
            let fragments: Vec<&str> = fragments.iter().map(String::as_str).collect();
            writer.set_vectors(doc_id, name, vectors, origin).map_err(index_failure)?;
            writer.set_fragments(doc_id, name, &fragments).map_err(index_failure)?;
        }
        Ok(())
    }
}
