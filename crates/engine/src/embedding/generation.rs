//! Documents that wait for a provider to make their vectors. They are embedded together, as many
//! as make good requests; a batch that meets many of them does so several times.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use embed::{Embedder, Input, Inputs, Requests, Watch};
use index::{DocId, Writer};
use model::ServiceError;
use serde_json::{Map, Value, json};
use tasks::{Progress, RunError, StopFlag};

use super::decision::GENERATED;
use super::failure::documents_failure;
use crate::failure::index_failure;

/// Inputs that are embedded at once; the texts of so many are held in memory.
const INPUTS_AT_ONCE: usize = 4096;

#[derive(Debug)]
pub(crate) struct Generation<'b> {
    progress: &'b Progress,
    stop: &'b StopFlag,
    requests: Requests,
    ignore_failures: bool,
    /// By the names of embedders.
    waiting: HashMap<String, Waiting>,
    count: usize,
}

#[derive(Debug)]
struct Waiting {
    embedder: Arc<Embedder>,
    /// What is embedded of each document, and its id for messages.
    documents: HashMap<DocId, (Inputs, String)>,
}

impl<'b> Generation<'b> {
    pub fn new(progress: &'b Progress, stop: &'b StopFlag, options: &embed::Options) -> Self {
        Self {
            progress,
            stop,
            requests: Requests::default(),
            ignore_failures: options.failure_modes.ignore_embedder_failures,
            waiting: HashMap::new(),
            count: 0,
        }
    }

    pub fn add(&mut self, embedder: &Arc<Embedder>, doc_id: DocId, id: &str, inputs: Inputs) {
        self.count += inputs.len();
        let waiting = self.waiting.entry(embedder.name().to_owned()).or_insert_with(|| Waiting {
            embedder: Arc::clone(embedder),
            documents: HashMap::new(),
        });
        waiting.documents.insert(doc_id, (inputs, id.to_owned()));
    }

    /// A document got vectors in another way.
    pub fn withdraw(&mut self, embedder: &str, doc_id: DocId) {
        if let Some(waiting) = self.waiting.get_mut(embedder) {
            waiting.documents.remove(&doc_id);
        }
    }

    pub fn is_full(&self) -> bool {
        self.count >= INPUTS_AT_ONCE
    }

    /// Embeds what waits and gives it to the documents.
    pub fn flush(&mut self, writer: &mut Writer<'_>) -> Result<(), RunError> {
        self.count = 0;
        for (name, waiting) in std::mem::take(&mut self.waiting) {
            self.stop.check()?;
            self.embed(&name, waiting, writer)?;
        }
        Ok(())
    }

    fn embed(&self, name: &str, waiting: Waiting, writer: &mut Writer<'_>) -> Result<(), RunError> {
        let mut documents: Vec<(DocId, (Inputs, String))> = waiting.documents.into_iter().collect();
        documents.sort_unstable_by_key(|(doc_id, _)| *doc_id);
        let inputs: Vec<Input> =
            documents.iter().flat_map(|(_, (inputs, _))| inputs.iter().cloned()).collect();
        let total = u32::try_from(inputs.len()).unwrap_or(u32::MAX);
        let step = self.progress.enter(format!("embedding documents with `{name}`"), total);
        let watch = Watch {
            on_progress: &|count| step.add(u32::try_from(count).unwrap_or(u32::MAX)),
            should_stop: &|| self.stop.is_raised(),
            requests: &self.requests,
        };
        let mut vectors = match waiting.embedder.embed_documents(&inputs, &watch) {
            Ok(vectors) => vectors.into_iter().map(Some).collect(),
            Err(error) if error.is_stopped() => return Err(RunError::Stopped),
            Err(error) if self.ignore_failures => {
                tracing::warn!(embedder = name, %error, "documents were left without vectors");
                vec![None; inputs.len()]
            }
            Err(error) => {
                let about = named(&documents, error.inputs());
                let message = format!("{error}{about}");
                return Err(RunError::Failed(documents_failure(name, message)));
            }
        }
        .into_iter();
        let failed = |error| RunError::Failed(index_failure(&error));
        for (doc_id, (inputs, _)) in &documents {
            let of_document: Vec<Vec<f32>> =
                vectors.by_ref().take(inputs.len()).flatten().collect();
            writer.set_vectors(*doc_id, name, &of_document, GENERATED).map_err(failed)?;
            let fragments: Vec<&str> = inputs.iter().filter_map(fragment_name).collect();
            writer.set_fragments(*doc_id, name, &fragments).map_err(failed)?;
        }
        Ok(())
    }

    /// What the statistics of the batch say; nothing where nobody was asked.
    pub fn requests(&self) -> Map<String, Value> {
        if self.requests.total() == 0 {
            return Map::new();
        }
        let mut requests = Map::new();
        requests.insert("total".to_owned(), json!(self.requests.total()));
        requests.insert("failed".to_owned(), json!(self.requests.failed()));
        if let Some(error) = self.requests.last_error() {
            requests.insert("lastError".to_owned(), json!(error));
        }
        requests
    }
}

/// Which documents a failure is about.
fn named(documents: &[(DocId, (Inputs, String))], failed: Option<Range<usize>>) -> String {
    let Some(failed) = failed else {
        return String::new();
    };
    let mut next = 0;
    let mut ids = documents.iter().filter_map(|(_, (inputs, id))| {
        let of_document = next..next + inputs.len();
        next = of_document.end;
        (of_document.start < failed.end && failed.start < of_document.end).then_some(id)
    });
    match (ids.next(), ids.count()) {
        (None, _) => String::new(),
        (Some(id), 0) => format!("\n- Note: this was for document `{id}`."),
        (Some(id), others) => {
            format!("\n- Note: this was for document `{id}` and {others} other document(s).")
        }
    }
}

fn fragment_name(input: &Input) -> Option<&str> {
    match input {
        Input::Fragment { name, .. } => Some(name),
        Input::Text(_) => None,
    }
}

/// For documents that brought what they are to have.
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
