//! Vector searches: the embedder, and the query vector. The embedder is only looked up if there is
//! something to embed: a given vector needs none.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use embed::{EmbedError, QueryInput};
use index::{EmbedderVectors, Snapshot};
use model::{Code, ServiceError};
use settings::Source;

use super::SearchQueue;
use super::query_vectors::QueryVectors;
use super::request::{SearchRequest, SemanticRequest};
use crate::models::embedding::{EmbedderPool, embedding_failure};

/// Time for loading a local model and embedding a query. `searchCutoffMs` does not bound it: the
/// first search after a start would have no vector. A provider has to answer before the deadline of
/// the search.
const LOCAL_TIMEOUT: Duration = Duration::from_secs(10);

const CUT_OFF_HINT: &str = "\n  - Hint: the embedding of a query is bounded by `searchCutoffMs`, \
     which the settings of the index can raise";

/// Semantic part of a request, resolved against the settings of the index.
pub(super) struct Semantic<'r> {
    request: &'r SemanticRequest,
    text: Option<&'r str>,
    pub vectors: EmbedderVectors,
    pub settings: settings::Embedder,
    pool: Arc<EmbedderPool>,
    queue: SearchQueue,
    /// Vectors shared with the other searches of the request.
    shared: Option<Arc<QueryVectors>>,
}

impl<'r> Semantic<'r> {
    pub fn new(
        request: &'r SearchRequest,
        snapshot: &Snapshot,
        pool: &Arc<EmbedderPool>,
        queue: &SearchQueue,
        shared: Option<&Arc<QueryVectors>>,
    ) -> Result<Option<Self>, ServiceError> {
        let Some(semantic) = &request.semantic else {
            return Ok(None);
        };
        let code = Code::InvalidSearchEmbedder;
        let (vectors, settings) = find(&semantic.embedder, snapshot, code)?;
        if let Some(vector) = &semantic.vector {
            check_dimensions(vector, vectors)?;
            check_numbers(vector)?;
        }
        let text = request.text.as_deref().filter(|text| !text.trim().is_empty());
        Ok(Some(Self {
            request: semantic,
            text,
            vectors: vectors.clone(),
            settings: settings.clone(),
            pool: Arc::clone(pool),
            queue: queue.clone(),
            shared: shared.cloned(),
        }))
    }

    /// Returns whether keywords count as well.
    pub fn is_hybrid(&self) -> bool {
        self.text.is_some() && self.request.ratio < 1.0
    }

    pub fn ratio(&self) -> f32 {
        self.request.ratio
    }

    pub fn fusion(&self) -> search::Fusion {
        self.request.fusion
    }

    /// Returns the given vector, or embeds the query. `deadline` is that of the search.
    pub fn vector(&self, deadline: Instant) -> Result<Cow<'r, [f32]>, EmbedError> {
        if let Some(vector) = &self.request.vector {
            return Ok(Cow::Borrowed(vector));
        }
        let deadline = if self.is_local() { Instant::now() + LOCAL_TIMEOUT } else { deadline };
        let query = QueryInput { q: self.text, media: self.request.media.as_ref() };
        let embed = || self.embedded(query, deadline);
        let vector = match &self.shared {
            Some(shared) => {
                shared.get(&self.request.embedder, &self.settings, query, deadline, embed)
            }
            None => embed(),
        };
        vector.map(Cow::Owned)
    }

    /// Returns whether a local model embeds queries.
    fn is_local(&self) -> bool {
        self.settings.source.search_side().has_local_model()
    }

    /// Returns whether a provider embeds queries.
    fn is_remote(&self) -> bool {
        let is_given = matches!(self.settings.source.search_side(), Source::UserProvided { .. });
        !is_given && !self.is_local()
    }

    fn embedded(&self, query: QueryInput<'_>, deadline: Instant) -> Result<Vec<f32>, EmbedError> {
        let (name, dimensions) = (&self.request.embedder, self.dimensions());
        let make = || self.pool.get_before(name, &self.settings, dimensions, deadline);
        let embedder = match self.pool.find(name, &self.settings) {
            Some(embedder) => embedder,
            None => self.queue.while_blocked(make)?,
        };
        let embed = || embedder.embed_query(query, deadline);
        if embedder.asks_a_provider() { self.queue.while_blocked(embed) } else { embed() }
    }

    fn dimensions(&self) -> usize {
        self.vectors.store().options().dimensions
    }

    /// Like `vector`, where nothing else could answer.
    pub fn needed_vector(&self, deadline: Instant) -> Result<Cow<'r, [f32]>, ServiceError> {
        self.vector(deadline).map_err(|error| {
            let mut failure = embedding_failure(&error);
            if self.is_remote() && Instant::now() >= deadline {
                failure.message.push_str(CUT_OFF_HINT);
            }
            failure
        })
    }
}

/// Returns the vectors of an embedder of the index, and its settings.
pub(super) fn find<'s>(
    name: &str,
    snapshot: &'s Snapshot,
    code: Code,
) -> Result<(&'s EmbedderVectors, &'s settings::Embedder), ServiceError> {
    let settings = snapshot.typed_settings().embedders.get(name);
    match (settings, snapshot.embedder(name)) {
        (Some(settings), Some(vectors)) => Ok((vectors, settings)),
        _ => Err(ServiceError::new(code, format!("Cannot find embedder with name `{name}`."))),
    }
}

fn check_dimensions(vector: &[f32], vectors: &EmbedderVectors) -> Result<(), ServiceError> {
    let (expected, found) = (vectors.store().options().dimensions, vector.len());
    if expected == found {
        return Ok(());
    }
    let message = format!("Invalid vector dimensions: expected: `{expected}`, found: `{found}`.");
    Err(ServiceError::new(Code::InvalidVectorDimensions, message))
}

/// Refuses infinite numbers and NaN, which have no neighbours.
fn check_numbers(vector: &[f32]) -> Result<(), ServiceError> {
    match vector.iter().position(|number| !number.is_finite()) {
        Some(place) => Err(ServiceError::new(
            Code::InvalidSearchVector,
            format!("Invalid vector: number #{place} is out of the range of 32-bit floats."),
        )),
        None => Ok(()),
    }
}
