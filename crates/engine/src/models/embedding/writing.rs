//! Vectors of the documents of a batch: given ones are checked before anything is written, then
//! moved from the text to the stores, and missing ones are generated.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use document::{Document, DocumentVectors, VECTORS_FIELD};
use embed::Embedder;
use index::{DocId, EmbedderVectors, Writer};
use model::{Cancel, Code, ServiceError};
use settings::Settings;
use tasks::{Progress, RunError, RunStats};

use super::EmbedderPool;
use super::decision::{Decision, decide};
use super::generation::{Generation, check_given};
use super::inputs::InputRenderer;
use super::known::KnownVectors;
use super::missing::MissingVectors;
use crate::common::failure::index_failure;
use crate::indexes::put_document;

/// Checks the vectors that the documents of one payload bring.
pub(crate) struct DocumentCheck<'w> {
    embedders: &'w BTreeMap<String, Arc<Embedder>>,
    /// Missing vectors, per embedder that needs them from the user.
    missing: BTreeMap<&'w str, MissingVectors>,
    /// Ids of earlier documents of the payload.
    seen: HashSet<Box<str>>,
}

impl<'w> DocumentCheck<'w> {
    /// Checks a document. `is_known` tells whether the index already has it.
    pub fn document(
        &mut self,
        id: &str,
        document: &Document<'_>,
        is_known: impl FnOnce() -> Result<bool, ServiceError>,
    ) -> Result<(), ServiceError> {
        let mut vectors = given_in(document, id)?.unwrap_or_default();
        let mut lacking = Vec::new();
        for (name, embedder) in self.embedders {
            let given = vectors.take(name);
            if let Some(embeddings) = given.as_ref().and_then(|given| given.embeddings.as_ref()) {
                check_given(id, name, embeddings, embedder.dimensions())?;
            }
            let generates = matches!(decide(given, None), Decision::Generate);
            if generates && embedder.is_user_provided() {
                lacking.push(name.as_str());
            }
        }
        if !self.missing.is_empty() {
            let is_first = self.seen.insert(id.into());
            if !lacking.is_empty() && is_first && !is_known()? {
                for name in lacking {
                    let missing = self.missing.entry(name).or_default();
                    missing.add(id, name, vectors.names(), document);
                }
            }
        }
        Ok(())
    }

    pub fn finish(self) -> Result<(), ServiceError> {
        self.missing.iter().try_for_each(|(embedder, missing)| missing.check(embedder))
    }
}

/// Writes documents with their vectors.
#[derive(Debug)]
pub(crate) struct VectorWriter<'b> {
    rendering: InputRenderer<'b>,
    embedders: BTreeMap<String, Arc<Embedder>>,
    /// Vectors from before the batch.
    before: BTreeMap<String, EmbedderVectors>,
    generation: Generation<'b>,
}

/// A document being written.
struct IncomingDocument<'d> {
    id: &'d str,
    doc_id: DocId,
    document: &'d Document<'d>,
    json: &'d str,
    /// Previous version; none if it is new.
    older: Option<&'d str>,
}

impl<'b> VectorWriter<'b> {
    /// Creates the state for an index with these settings and existing vectors.
    pub fn new(
        settings: &'b Settings,
        snapshot: &index::Snapshot,
        pool: &EmbedderPool,
        progress: &'b Progress,
        cancel: &'b Cancel,
    ) -> Result<Self, RunError> {
        let mut writing = Self::idle(settings, pool, progress, cancel);
        for (name, of_settings) in &settings.embedders {
            let vectors = snapshot.embedder(name);
            let known = vectors.map(|vectors| vectors.store().options().dimensions);
            let embedder = writing.generation.embedder(pool, name, of_settings, known)?;
            writing.embedders.insert(name.clone(), embedder);
            writing.before.extend(vectors.map(|vectors| (name.clone(), vectors.clone())));
        }
        Ok(writing)
    }

    /// Creates the state for batches that write no document: they need no embedder, and do not fail
    /// for one that cannot be created.
    pub fn idle(
        settings: &'b Settings,
        pool: &EmbedderPool,
        progress: &'b Progress,
        cancel: &'b Cancel,
    ) -> Self {
        let ignore_failures = pool.options().failure_modes.ignore_document_template_failures;
        Self {
            rendering: InputRenderer { settings, ignore_failures },
            embedders: BTreeMap::new(),
            before: BTreeMap::new(),
            generation: Generation::new(progress, cancel, pool.options()),
        }
    }

    pub fn check(&self) -> DocumentCheck<'_> {
        let user_provided = self.embedders.iter().filter(|(_, e)| e.is_user_provided());
        DocumentCheck {
            embedders: &self.embedders,
            missing: user_provided
                .map(|(name, _)| (name.as_str(), MissingVectors::default()))
                .collect(),
            seen: HashSet::new(),
        }
    }

    /// Returns whether previous versions of documents are needed.
    pub fn needs_older(&self) -> bool {
        !self.embedders.is_empty()
    }

    /// Writes a document. `said` is the incoming document, which holds the vectors, and of which
    /// `document` may be a part.
    pub fn write(
        &mut self,
        writer: &mut Writer<'_>,
        id: &str,
        document: &Document<'_>,
        said: &Document<'_>,
        older: Option<&str>,
    ) -> Result<(), RunError> {
        let said = given_in(said, id)?;
        let data = said.clone().and_then(|mut data| {
            self.embedders.keys().for_each(|name| drop(data.take(name)));
            (!data.is_empty()).then(|| data.to_json())
        });
        let stored = said.as_ref().map(|_| document.with_field(VECTORS_FIELD, data.as_deref()));
        let document = stored.as_ref().unwrap_or(document);
        let (doc_id, json) = put_document(writer, id, document)?;
        if self.embedders.is_empty() {
            return Ok(());
        }
        let incoming = IncomingDocument { id, doc_id, document, json: &json, older };
        self.apply(writer, &incoming, said.unwrap_or_default())?;
        if self.generation.is_full() {
            self.flush(writer)?;
        }
        Ok(())
    }

    fn apply(
        &mut self,
        writer: &mut Writer<'_>,
        incoming: &IncomingDocument<'_>,
        mut said: DocumentVectors,
    ) -> Result<(), RunError> {
        let doc_id = incoming.doc_id;
        let Self { rendering, embedders, before, generation } = self;
        for (name, embedder) in &*embedders {
            let known = incoming.older.and_then(|_| writer.vector_origin(doc_id, name));
            let only_if_changed = match decide(said.take(name), known) {
                Decision::Set(vectors, origin) => {
                    generation.withdraw(name, doc_id);
                    writer
                        .set_vectors(doc_id, name, &vectors, origin)
                        .and_then(|()| writer.set_fragments(doc_id, name, &[]))
                        .map_err(index_failure)?;
                    continue;
                }
                Decision::Keep => continue,
                Decision::Generate => false,
                Decision::GenerateIfChanged => true,
            };
            if embedder.is_user_provided() {
                if only_if_changed && incoming.older == Some(incoming.json) {
                    continue;
                }
                let mut missing = MissingVectors::default();
                missing.add(incoming.id, name, said.names(), incoming.document);
                missing.check(name)?;
            }
            let inputs = rendering.inputs(embedder, incoming.id, incoming.json)?;
            let mut known = KnownVectors::default();
            if only_if_changed && let Some(older) = incoming.older {
                // A template that did not fit the older version produced no input.
                let inputs_before = rendering.inputs(embedder, incoming.id, older).ok();
                if inputs_before.as_ref() == Some(&inputs) {
                    continue;
                }
                if let Some(vectors) = before.get(name)
                    && !generation.has_changed(name, doc_id)
                {
                    known = KnownVectors::of(vectors, doc_id, inputs_before)?;
                }
            }
            generation.add(embedder, doc_id, incoming.id, inputs, known);
        }
        Ok(())
    }

    /// Generates the pending vectors.
    pub fn flush(&mut self, writer: &mut Writer<'_>) -> Result<(), RunError> {
        self.generation.flush(writer)
    }

    /// Returns statistics of provider requests.
    pub fn stats(&self) -> RunStats {
        self.generation.stats()
    }
}

fn given_in(document: &Document<'_>, id: &str) -> Result<Option<DocumentVectors>, ServiceError> {
    let json = document.get(VECTORS_FIELD);
    Ok(json.map(|json| DocumentVectors::parse(json, id)).transpose()?)
}

/// Returns whether an error of a payload names the index, like errors met while indexing.
pub(crate) fn names_index(error: &ServiceError) -> bool {
    matches!(
        error.code,
        Code::InvalidVectorsType
            | Code::InvalidVectorDimensions
            | Code::TooManyVectors
            | Code::VectorEmbeddingError
            | Code::InvalidDocumentFields
    )
}
