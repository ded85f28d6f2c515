//! Searches by vector: which embedder, and what the query is compared with. The embedder itself is
//! only looked for when there is something to embed: a vector that was given needs none.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use embed::{EmbedError, QueryInput};
use index::{EmbedderVectors, Snapshot};
use model::{Code, ServiceError};

use super::SearchQueue;
use super::query_vectors::QueryVectors;
use super::request::{SearchRequest, SemanticRequest};
use crate::embedding::{EmbedderPool, embedding_failure};

/// How long a provider may take for the vector of a query. Ranking has its own time after that.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a request has to be compared by, found in the settings of the index.
pub(super) struct Semantic<'r> {
    request: &'r SemanticRequest,
    text: Option<&'r str>,
    pub vectors: EmbedderVectors,
    pub settings: settings::Embedder,
    pool: Arc<EmbedderPool>,
    queue: SearchQueue,
    /// Where it is one of several searches: what they have in common.
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

    /// Whether words count as well.
    pub fn is_hybrid(&self) -> bool {
        self.text.is_some() && self.request.ratio < 1.0
    }

    pub fn ratio(&self) -> f32 {
        self.request.ratio
    }

    /// The vector of the query: the one that was given, or what the embedder makes of the rest.
    pub fn vector(&self) -> Result<Cow<'r, [f32]>, EmbedError> {
        if let Some(vector) = &self.request.vector {
            return Ok(Cow::Borrowed(vector));
        }
        let query = QueryInput { q: self.text, media: self.request.media.as_ref() };
        let embed = || self.embedded(query);
        let vector = match &self.shared {
            Some(shared) => shared.get(&self.request.embedder, &self.settings, query, embed),
            None => embed(),
        };
        vector.map(Cow::Owned)
    }

    fn embedded(&self, query: QueryInput<'_>) -> Result<Vec<f32>, EmbedError> {
        let deadline = Instant::now() + PATIENCE;
        let (name, dimensions) = (&self.request.embedder, self.dimensions());
        let make = || self.pool.get_before(name, &self.settings, dimensions, deadline);
        let embedder = match self.pool.find(name, &self.settings) {
            Some(embedder) => embedder,
            None => self.queue.elsewhere(make)?,
        };
        let embed = || embedder.embed_query(query, deadline);
        match embedder.asks_a_provider() {
            true => self.queue.elsewhere(embed),
            false => embed(),
        }
    }

    fn dimensions(&self) -> usize {
        self.vectors.store().options().dimensions
    }

    /// The same where nothing else could answer.
    pub fn needed_vector(&self) -> Result<Cow<'r, [f32]>, ServiceError> {
        self.vector().map_err(|error| embedding_failure(&error))
    }
}

/// The vectors of an embedder of the index, and its settings.
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

/// Nothing is near to a number that is infinite or none.
fn check_numbers(vector: &[f32]) -> Result<(), ServiceError> {
    match vector.iter().position(|number| !number.is_finite()) {
        Some(place) => Err(ServiceError::new(
            Code::InvalidSearchVector,
            format!("Invalid vector: number #{place} is out of the range of 32-bit floats."),
        )),
        None => Ok(()),
    }
}
