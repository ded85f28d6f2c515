//! Documents of an index. Their vectors and whether an embedder made them stand in `_vectors`: they
//! are imported, and nothing is embedded again.

use std::collections::BTreeMap;

use document::{Document, DocumentVectors, GivenVectors, PrimaryKey, VECTORS_FIELD};
use dump::Archive;
use dump::v6::IndexMetadata;
use index::{DocId, VectorOrigin, Writer};
use model::ServiceError;
use serde_json::Value;
use settings::{Embedder, Settings, Source};
use time::OffsetDateTime;
use vectors::{Metric, StoreOptions};

use crate::backup::dumps::error::ImportError;
use crate::backup::dumps::new_index::{NewIndex, commit};
use crate::backup::dumps::options::ImportOptions;
use crate::common::failure::index_failure;
use crate::indexes::put_document;
use crate::models::embedding::EmbedderPool;

pub(super) struct NewDocuments<'i> {
    uid: String,
    writer: Writer<'i>,
    key: Option<PrimaryKey>,
    updated_at: OffsetDateTime,
    embedders: BTreeMap<String, NewVectors>,
}

/// State of the vectors of one embedder.
struct NewVectors {
    settings: Embedder,
    /// Documents without vectors read before the number of dimensions was known.
    early: Vec<(DocId, VectorOrigin)>,
    /// Number of documents without an entry for the embedder.
    unsaid: u64,
}

impl<'i> NewDocuments<'i> {
    pub fn new(
        index: &'i NewIndex,
        metadata: &IndexMetadata,
        settings: Value,
    ) -> Result<Self, ImportError> {
        let mut writer = index.writer()?;
        let embedders = Settings::from_stored(&settings).embedders;
        writer.set_settings(settings);
        if let Some(key) = &metadata.primary_key {
            writer.set_named_primary_key(key);
        }
        for (name, embedder) in &embedders {
            if let Some(dimensions) = dimensions(&embedder.source) {
                writer.reset_embedder(name, options(embedder, dimensions));
            }
        }
        let new = |settings: Embedder| NewVectors { settings, early: Vec::new(), unsaid: 0 };
        Ok(Self {
            uid: metadata.uid.clone(),
            writer,
            key: metadata.primary_key.as_deref().map(PrimaryKey::new),
            updated_at: metadata.updated_at,
            embedders: embedders.into_iter().map(|(name, of)| (name, new(of))).collect(),
        })
    }

    /// Imports the documents and commits the index.
    pub fn take(
        mut self,
        archive: Option<&mut Archive>,
        options: &ImportOptions,
    ) -> Result<(), ImportError> {
        let mut documents = 0_u64;
        if let Some(archive) = archive {
            archive.for_each_line(|line| {
                documents += 1;
                let placed = |why: String| ImportError(format!("document {documents}: {why}"));
                let text = str::from_utf8(line).map_err(|error| placed(error.to_string()))?;
                self.put(text).map_err(|error| placed(error.message))
            })?;
        }
        self.finish_vectors(options)?;
        commit(self.writer, self.updated_at)?;
        tracing::info!(documents, "the index `{}` is imported", self.uid);
        Ok(())
    }

    fn put(&mut self, text: &str) -> Result<(), ServiceError> {
        let document = Document::parse(text)?;
        let key = self.key.as_ref();
        let key = key.ok_or_else(|| ServiceError::internal("the index has no primary key"))?;
        let id = key.id_of(&document)?;
        let said = document.get(VECTORS_FIELD).filter(|_| !self.embedders.is_empty());
        let Some(said) = said else {
            put_document(&mut self.writer, &id, &document)?;
            self.embedders.values_mut().for_each(|new| new.unsaid += 1);
            return Ok(());
        };
        let mut said = DocumentVectors::parse(said, &id)?;
        let given: Vec<(String, Option<GivenVectors>)> =
            self.embedders.keys().map(|name| (name.clone(), said.take(name))).collect();
        // The rest are names that are no embedder.
        let data = (!said.is_empty()).then(|| said.to_json());
        let stored = document.with_field(VECTORS_FIELD, data.as_deref());
        let (doc_id, _) = put_document(&mut self.writer, &id, &stored)?;
        for (name, given) in given {
            self.set_vectors(doc_id, &name, given)?;
        }
        Ok(())
    }

    fn set_vectors(
        &mut self,
        doc_id: DocId,
        name: &str,
        given: Option<GivenVectors>,
    ) -> Result<(), ServiceError> {
        let Some(new) = self.embedders.get_mut(name) else { return Ok(()) };
        let Some(GivenVectors { regenerate, embeddings }) = given else {
            new.unsaid += 1;
            return Ok(());
        };
        let vectors = embeddings.unwrap_or_default();
        // Vectors that are regenerated with their document were made by the embedder.
        let origin = VectorOrigin { given: !regenerate, regenerate };
        if !self.writer.has_embedder(name) {
            let Some(first) = vectors.first() else {
                new.early.push((doc_id, origin));
                return Ok(());
            };
            self.writer.reset_embedder(name, options(&new.settings, first.len()));
        }
        let set = self.writer.set_vectors(doc_id, name, &vectors, origin);
        set.map_err(index_failure)
    }

    /// Finishes the vectors. An embedder without any vector is asked for its dimensions if its
    /// settings do not say.
    fn finish_vectors(&mut self, engine: &ImportOptions) -> Result<(), ImportError> {
        for (name, new) in &mut self.embedders {
            if !self.writer.has_embedder(name) {
                let dimensions = asked_dimensions(name, &new.settings, engine)?;
                self.writer.reset_embedder(name, options(&new.settings, dimensions));
            }
            for (doc_id, origin) in new.early.drain(..) {
                let none: [Vec<f32>; 0] = [];
                let set = self.writer.set_vectors(doc_id, name, &none, origin);
                set.map_err(|error| ImportError(index_failure(error).message))?;
            }
            if new.unsaid > 0 {
                tracing::warn!(
                    "the dump has no vectors of embedder `{name}` for {} documents of index `{}`; \
                     they get some when they are next written",
                    new.unsaid,
                    self.uid
                );
            }
        }
        Ok(())
    }
}

fn options(embedder: &Embedder, dimensions: usize) -> StoreOptions {
    let metric = if embedder.binary_quantized { Metric::Hamming } else { Metric::Cosine };
    StoreOptions { dimensions, metric }
}

fn dimensions(source: &Source) -> Option<usize> {
    match source {
        Source::OpenAi(settings) => settings.dimensions,
        Source::Ollama(settings) => settings.dimensions,
        Source::Rest(settings) => settings.dimensions,
        Source::UserProvided { dimensions } => Some(*dimensions),
        Source::HuggingFace(_) => None,
        Source::Composite { search, indexing } => dimensions(search).or(dimensions(indexing)),
    }
}

fn asked_dimensions(
    name: &str,
    settings: &Embedder,
    engine: &ImportOptions,
) -> Result<usize, ImportError> {
    let unknown = |why: String| {
        ImportError(format!(
            "the dump has no vector of embedder `{name}`, and it does not say how long its vectors \
             are: {why}"
        ))
    };
    let client = outbound::Client::new(engine.address_policy.clone());
    let client = client.map_err(|error| unknown(error.to_string()))?;
    let pool = EmbedderPool::new(client, engine.embedders.clone());
    let embedder = pool.get(name, settings, None).map_err(|error| unknown(error.to_string()))?;
    Ok(embedder.dimensions())
}
