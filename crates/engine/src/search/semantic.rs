//! Searches by vector: which embedder, and what the query is compared with.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use embed::{EmbedError, Embedder, QueryInput};
use index::{EmbedderVectors, Snapshot};
use model::{Code, ServiceError};

use super::SearchQueue;
use super::request::{SearchRequest, SemanticRequest};
use crate::embedding::{EmbedderPool, embedding_failure};

/// How long a provider may take for the vector of a query. Ranking has its own time after that.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a request has to be compared by, found in the settings of the index.
pub(super) struct Semantic<'r> {
    request: &'r SemanticRequest,
    text: Option<&'r str>,
    pub vectors: EmbedderVectors,
    pub embedder: Arc<Embedder>,
    queue: SearchQueue,
}

impl<'r> Semantic<'r> {
    pub fn new(
        request: &'r SearchRequest,
        snapshot: &Snapshot,
        pool: &EmbedderPool,
        queue: &SearchQueue,
    ) -> Result<Option<Self>, ServiceError> {
        let Some(semantic) = &request.semantic else {
            return Ok(None);
        };
        let code = Code::InvalidSearchEmbedder;
        let (vectors, embedder) = find(&semantic.embedder, snapshot, pool, code)?;
        if let Some(vector) = &semantic.vector {
            check_dimensions(vector, &vectors)?;
            check_numbers(vector)?;
        }
        let text = request.text.as_deref().filter(|text| !text.trim().is_empty());
        let queue = queue.clone();
        Ok(Some(Self { request: semantic, text, vectors, embedder, queue }))
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
        let embed = || self.embedder.embed_query(query, Instant::now() + PATIENCE);
        let vector = match self.embedder.asks_a_provider() {
            true => self.queue.elsewhere(embed),
            false => embed(),
        };
        vector.map(Cow::Owned)
    }

    /// The same where nothing else could answer.
    pub fn needed_vector(&self) -> Result<Cow<'r, [f32]>, ServiceError> {
        self.vector().map_err(|error| embedding_failure(&error))
    }
}

/// An embedder of the index and its vectors.
pub(super) fn find(
    name: &str,
    snapshot: &Snapshot,
    pool: &EmbedderPool,
    code: Code,
) -> Result<(EmbedderVectors, Arc<Embedder>), ServiceError> {
    let settings = snapshot.typed_settings().embedders.get(name);
    let (Some(settings), Some(vectors)) = (settings, snapshot.embedder(name)) else {
        return Err(ServiceError::new(code, format!("Cannot find embedder with name `{name}`.")));
    };
    let dimensions = vectors.store().options().dimensions;
    let embedder =
        pool.get(name, settings, Some(dimensions)).map_err(|error| embedding_failure(&error))?;
    Ok((vectors.clone(), embedder))
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
