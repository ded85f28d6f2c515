//! Sorts documents by similarity to the vector of the query, nearest first; documents without
//! vectors come last. The store returns as many as the window needs, and more if later rules or
//! duplicates use them up.

use std::collections::VecDeque;
use std::rc::Rc;

use roaring::RoaringBitmap;
use segment::DocId;
use vectors::Request;

use super::{Bucket, Rule, remove_bucket};
use crate::context::Context;
use crate::error::SearchError;
use crate::graph::Path;
use crate::score::Score;
use crate::vector_query::{VectorQuery, shifted};

/// Minimum number of documents requested from the store.
const FEWEST: usize = 16;

pub(crate) struct VectorRule<'q> {
    query: VectorQuery<'q>,
    paths: Rc<Vec<Path>>,
    /// Remaining documents with vectors.
    with_vectors: RoaringBitmap,
    without_vectors: RoaringBitmap,
    /// The nearest remaining documents, in order.
    nearest: VecDeque<(DocId, f32)>,
    /// Number of documents to request next.
    ask: usize,
}

impl<'q> VectorRule<'q> {
    /// Creates the rule; `window` is the number of documents that are likely needed.
    pub fn new(
        query: VectorQuery<'q>,
        paths: Rc<Vec<Path>>,
        universe: RoaringBitmap,
        window: usize,
    ) -> Self {
        let with_vectors = &universe & query.store.documents();
        let without_vectors = universe - &with_vectors;
        // One more shows where the last tie ends.
        let ask = window.saturating_add(1).max(FEWEST);
        let nearest = VecDeque::new();
        Self { query, paths, with_vectors, without_vectors, nearest, ask }
    }

    /// Returns the documents that tie for the next place; `None` if no vectors remain.
    fn next_tie(
        &mut self,
        context: &Context<'_>,
    ) -> Result<Option<(RoaringBitmap, f32)>, SearchError> {
        loop {
            if let Some(&(_, similarity)) = self.nearest.front() {
                let is_same = |(_, other): &&(DocId, f32)| *other == similarity;
                let count = self.nearest.iter().take_while(is_same).count();
                let is_whole = count < self.nearest.len();
                if is_whole || self.nearest.len() as u64 == self.with_vectors.len() {
                    let tie: RoaringBitmap =
                        self.nearest.drain(..count).map(|(id, _)| id).collect();
                    remove_bucket(&mut self.with_vectors, &tie);
                    return Ok(Some((tie, similarity)));
                }
            }
            if self.with_vectors.is_empty() {
                return Ok(None);
            }
            self.ask_store(context)?;
        }
    }

    fn ask_store(&mut self, context: &Context<'_>) -> Result<(), SearchError> {
        // A set of all documents is no filter.
        let all = self.with_vectors.len() == self.query.store.documents().len();
        let request = Request {
            limit: self.ask,
            filter: (!all).then_some(&self.with_vectors),
            nth: None,
            cancel: context.cancel,
            ef: None,
        };
        let found = self.query.store.search(self.query.vector, &request)?;
        self.nearest = found.into_iter().map(|one| (one.doc_id, one.similarity)).collect();
        if self.nearest.len() < self.ask {
            // The store returned all of them. If one is missing, it must not get lost.
            let found: RoaringBitmap = self.nearest.iter().map(|(id, _)| *id).collect();
            self.without_vectors |= &self.with_vectors - &found;
            self.with_vectors &= found;
        }
        self.ask = self.ask.saturating_mul(4);
        Ok(())
    }
}

impl Rule for VectorRule<'_> {
    fn next_bucket(&mut self, context: &Context<'_>) -> Result<Option<Bucket>, SearchError> {
        let paths = Rc::clone(&self.paths);
        if let Some((documents, similarity)) = self.next_tie(context)? {
            let similarity = shifted(similarity, self.query.distribution);
            return Ok(Some(Bucket { documents, paths, score: Score::Vector(Some(similarity)) }));
        }
        let documents = std::mem::take(&mut self.without_vectors);
        if documents.is_empty() {
            return Ok(None);
        }
        Ok(Some(Bucket { documents, paths, score: Score::Vector(None) }))
    }

    fn forget(&mut self, documents: &RoaringBitmap) {
        self.with_vectors -= documents;
        self.without_vectors -= documents;
        self.nearest.retain(|(id, _)| !documents.contains(*id));
    }
}

#[cfg(test)]
mod tests;
