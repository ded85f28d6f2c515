//! A document as a line of a dump: its number, its text as it is stored, and its vectors with all
//! that is known of them, so that nothing has to be embedded again.

use std::collections::BTreeMap;

use document::{Document, PrimaryKey};
use index::{DocId, Snapshot, VectorOrigin, Writer};
use model::ServiceError;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::failure::index_failure;
use crate::runner::put_document;

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct DocumentLine<'a> {
    /// Its place in lists.
    number: DocId,
    #[serde(borrow)]
    json: &'a RawValue,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    vectors: BTreeMap<String, VectorsOfLine>,
}

/// The vectors of one embedder.
#[derive(Debug, Serialize, Deserialize)]
struct VectorsOfLine {
    vectors: Vec<Vec<f32>>,
    given: bool,
    regenerate: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    fragments: Vec<String>,
}

impl<'a> DocumentLine<'a> {
    pub fn of(snapshot: &Snapshot, number: DocId, json: &'a str) -> Result<Self, ServiceError> {
        let mut vectors = BTreeMap::new();
        for (name, embedder) in snapshot.embedders() {
            let found = embedder.store().vectors_of(number);
            let found = found.map_err(|error| index_failure(&error.into()))?;
            let origin = embedder.origin_of(number);
            let fragments = embedder.fragments().filter(|(_, of)| of.contains(number));
            let line = VectorsOfLine {
                vectors: found,
                given: origin.given,
                regenerate: origin.regenerate,
                fragments: fragments.map(|(name, _)| name.to_owned()).collect(),
            };
            vectors.insert(name.to_owned(), line);
        }
        let json = serde_json::from_str(json).map_err(ServiceError::internal)?;
        Ok(Self { number, json, vectors })
    }

    /// Puts the document where it was.
    pub fn put(&self, writer: &mut Writer<'_>, key: &PrimaryKey) -> Result<(), ServiceError> {
        let failed = |error| index_failure(&error);
        let document = Document::parse(self.json.get())?;
        let id = key.id_of(&document)?;
        if writer.contains(&id).map_err(failed)? {
            return Err(ServiceError::internal(format!("the document `{id}` is there twice")));
        }
        writer.reserve_number(&id, self.number);
        let doc_id = put_document(writer, &id, &document)?;
        for (name, line) in &self.vectors {
            let origin = VectorOrigin { given: line.given, regenerate: line.regenerate };
            let fragments: Vec<&str> = line.fragments.iter().map(String::as_str).collect();
            writer.set_vectors(doc_id, name, &line.vectors, origin).map_err(failed)?;
            writer.set_fragments(doc_id, name, &fragments).map_err(failed)?;
        }
        Ok(())
    }
}
