//! Documents that wait to be embedded. They are embedded together, in numbers that make good
//! requests; a large batch does so several times.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use embed::{EmbedCallbacks, EmbedError, Embedder, Input, Inputs, Requests};
use index::{DocId, Writer};
use model::{Cancel, ServiceError};
use roaring::RoaringBitmap;
use serde_json::json;
use tasks::{Progress, RunError, RunStats};

use super::EmbedderPool;
use super::decision::GENERATED;
use super::distinct::DistinctInputs;
use super::failure::{documents_failure, embedding_failure};
use super::known::KnownVectors;
use crate::common::failure::index_failure;

/// Number of inputs embedded at once, which bounds the memory they take.
const INPUTS_AT_ONCE: usize = 4096;
const BYTES_AT_ONCE: usize = 16 << 20;

#[derive(Debug)]
pub(crate) struct Generation<'b> {
    progress: &'b Progress,
    cancel: &'b Cancel,
    requests: Arc<Requests>,
    ignore_failures: bool,
    /// Pending inputs by embedder.
    waiting: HashMap<String, PendingInputs>,
    inputs: usize,
    bytes: usize,
    /// Documents whose vectors the batch has changed.
    changed: HashMap<String, RoaringBitmap>,
}

#[derive(Debug)]
struct PendingInputs {
    embedder: Arc<Embedder>,
    documents: HashMap<DocId, PendingDocument>,
}

#[derive(Debug)]
struct PendingDocument {
    /// Document id for messages.
    id: String,
    inputs: Inputs,
    /// For each input, the vector that the document already has.
    kept: Vec<Option<Vec<f32>>>,
}

impl PendingDocument {
    fn missing(&self) -> impl Iterator<Item = &Input> {
        self.inputs
            .iter()
            .zip(&self.kept)
            .filter(|(_, kept)| kept.is_none())
            .map(|(input, _)| input)
    }

    fn known(self) -> KnownVectors {
        let known = self.inputs.into_iter().zip(self.kept);
        known.filter_map(|(input, kept)| Some((input, kept?))).collect()
    }
}

impl<'b> Generation<'b> {
    /// Starts without pending documents. Requests to providers appear in the progress of the batch.
    pub fn new(progress: &'b Progress, cancel: &'b Cancel, options: &embed::Options) -> Self {
        let requests = Arc::new(Requests::default());
        let seen = Arc::clone(&requests);
        progress.measure(move || stats_of(&seen));
        Self {
            progress,
            cancel,
            requests,
            ignore_failures: options.failure_modes.ignore_embedder_failures,
            waiting: HashMap::new(),
            inputs: 0,
            bytes: 0,
            changed: HashMap::new(),
        }
    }

    /// Returns a ready embedder. Asking a provider for its model, comparing the two of a composite
    /// one or loading a model may take long, so the progress of the batch shows it.
    pub fn embedder(
        &self,
        pool: &EmbedderPool,
        name: &str,
        settings: &settings::Embedder,
        known_dimensions: Option<usize>,
    ) -> Result<Arc<Embedder>, RunError> {
        if let Some(embedder) = pool.find(name, settings) {
            return Ok(embedder);
        }
        let _step = self.progress.enter(format!("preparing embedder `{name}`"), 1);
        let watch =
            EmbedCallbacks { on_progress: &|_| {}, cancel: self.cancel, requests: &self.requests };
        let made = pool.get_watched(name, settings, known_dimensions, &watch);
        made.map_err(|error| match error.is_stopped() {
            true => RunError::Stopped,
            false => RunError::Failed(embedding_failure(&error)),
        })
    }

    /// Adds a document. `known` are its vectors from before the batch, which are not generated
    /// again.
    pub fn add(
        &mut self,
        embedder: &Arc<Embedder>,
        doc_id: DocId,
        id: &str,
        inputs: Inputs,
        known: KnownVectors,
    ) {
        self.inputs += inputs.len();
        self.bytes += inputs.iter().map(Input::bytes).sum::<usize>();
        let waiting = self.waiting.entry(embedder.name().to_owned()).or_insert_with(|| {
            PendingInputs { embedder: Arc::clone(embedder), documents: HashMap::new() }
        });
        // An earlier version of the document in the batch knows which vectors are still valid.
        let known = match waiting.documents.remove(&doc_id) {
            Some(earlier) => earlier.known(),
            None => known,
        };
        let kept = inputs.iter().map(|input| known.get(input).map(<[f32]>::to_vec)).collect();
        let document = PendingDocument { id: id.to_owned(), inputs, kept };
        waiting.documents.insert(doc_id, document);
    }

    /// Removes a document that got vectors in another way.
    pub fn withdraw(&mut self, embedder: &str, doc_id: DocId) {
        if let Some(waiting) = self.waiting.get_mut(embedder) {
            waiting.documents.remove(&doc_id);
        }
        self.changed.entry(embedder.to_owned()).or_default().insert(doc_id);
    }

    /// Returns whether the batch has changed the vectors of a document.
    pub fn has_changed(&self, embedder: &str, doc_id: DocId) -> bool {
        self.changed.get(embedder).is_some_and(|documents| documents.contains(doc_id))
    }

    pub fn is_full(&self) -> bool {
        self.inputs >= INPUTS_AT_ONCE || self.bytes >= BYTES_AT_ONCE
    }

    /// Embeds the pending inputs and stores the vectors.
    pub fn flush(&mut self, writer: &mut Writer<'_>) -> Result<(), RunError> {
        (self.inputs, self.bytes) = (0, 0);
        for (name, waiting) in std::mem::take(&mut self.waiting) {
            self.cancel.check()?;
            let documents: RoaringBitmap = waiting.documents.keys().copied().collect();
            *self.changed.entry(name.clone()).or_default() |= documents;
            self.embed(&name, waiting, writer)?;
        }
        Ok(())
    }

    fn embed(
        &self,
        name: &str,
        waiting: PendingInputs,
        writer: &mut Writer<'_>,
    ) -> Result<(), RunError> {
        let mut documents: Vec<(DocId, PendingDocument)> = waiting.documents.into_iter().collect();
        documents.sort_unstable_by_key(|(doc_id, _)| *doc_id);
        let missing = documents.iter().flat_map(|(_, document)| document.missing());
        let distinct = DistinctInputs::of(missing);
        let made = self.vectors_of(name, &waiting.embedder, &documents, &distinct)?;
        let mut made = distinct.places.iter().map(|place| made.get(*place).cloned().flatten());
        let failed = |error| RunError::Failed(index_failure(error));
        for (doc_id, PendingDocument { inputs, kept, .. }) in documents {
            let (mut vectors, mut fragments) = (Vec::new(), Vec::new());
            for (input, kept) in inputs.iter().zip(kept) {
                if let Some(vector) = kept.or_else(|| made.next().flatten()) {
                    vectors.push(vector);
                    fragments.extend(input.fragment());
                }
            }
            writer.set_vectors(doc_id, name, &vectors, GENERATED).map_err(failed)?;
            writer.set_fragments(doc_id, name, &fragments).map_err(failed)?;
        }
        Ok(())
    }

    /// Returns a vector for each distinct input, as far as they can be computed.
    fn vectors_of(
        &self,
        name: &str,
        embedder: &Embedder,
        documents: &[(DocId, PendingDocument)],
        distinct: &DistinctInputs,
    ) -> Result<Vec<Option<Vec<f32>>>, RunError> {
        let inputs = &distinct.inputs;
        let total = u32::try_from(inputs.len()).unwrap_or(u32::MAX);
        let step = self.progress.enter(format!("embedding documents with `{name}`"), total);
        let watch = EmbedCallbacks {
            on_progress: &|count| step.add(u32::try_from(count).unwrap_or(u32::MAX)),
            cancel: self.cancel,
            requests: &self.requests,
        };
        let told =
            |error: &EmbedError| format!("{error}{}", named(documents, distinct, error.inputs()));
        let made = match self.ignore_failures {
            true => embedder.embed_documents_lossy(inputs, &watch, &|error| {
                let error = told(error);
                tracing::warn!(embedder = name, error, "documents were left without vectors");
            }),
            false => embedder
                .embed_documents(inputs, &watch)
                .map(|vectors| vectors.into_iter().map(Some).collect()),
        };
        made.map_err(|error| match error.is_stopped() {
            true => RunError::Stopped,
            false => RunError::Failed(documents_failure(name, told(&error))),
        })
    }

    /// Returns the statistics of the batch.
    pub fn stats(&self) -> RunStats {
        stats_of(&self.requests)
    }
}

/// Returns the statistics of provider requests, empty if there were none.
fn stats_of(requests: &Requests) -> RunStats {
    let mut stats = RunStats::default();
    if requests.total() == 0 {
        return stats;
    }
    let shown = &mut stats.embedder_requests;
    shown.insert("total".to_owned(), json!(requests.total()));
    shown.insert("failed".to_owned(), json!(requests.failed()));
    if let Some(error) = requests.last_error() {
        shown.insert("lastError".to_owned(), json!(error));
    }
    stats
}

/// Adds the affected documents to an error.
fn named(
    documents: &[(DocId, PendingDocument)],
    distinct: &DistinctInputs,
    failed: Option<Range<usize>>,
) -> String {
    let Some(failed) = failed else {
        return String::new();
    };
    let mut next = 0;
    let mut ids = documents.iter().filter_map(|(_, document)| {
        let of_document = next..next + document.missing().count();
        next = of_document.end;
        distinct.any_within(of_document, &failed).then_some(&document.id)
    });
    match (ids.next(), ids.count()) {
        (None, _) => String::new(),
        (Some(id), 0) => format!("\n- Note: this was for document `{id}`."),
        (Some(id), others) => {
            format!("\n- Note: this was for document `{id}` and {others} other document(s).")
        }
    }
}

/// Checks the dimensions of given vectors.
pub(crate) fn check_given(
    id: &str,
    embedder: &str,
    vectors: &[Vec<f32>],
    dimensions: usize,
) -> Result<(), ServiceError> {
    if vectors.len() > vectors::MOST_VECTORS {
        return Err(super::failure::too_many(id, vectors.len()));
    }
    match vectors.iter().position(|vector| vector.len() != dimensions) {
        Some(place) => {
            let found = vectors[place].len();
            Err(super::failure::wrong_dimensions(id, embedder, place, found, dimensions))
        }
        None => Ok(()),
    }
}
