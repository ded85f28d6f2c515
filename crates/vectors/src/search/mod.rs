//! Finds the documents nearest to a vector: through the graph where that pays, by comparing with
//! each vector where few can be results or where they are not in the graph yet.

mod accepted;
mod exact;
mod nearest;
mod plan;
#[cfg(test)]
mod plan_tests;
mod through_graph;

use std::sync::atomic::{AtomicBool, Ordering};

use roaring::RoaringBitmap;
use segment::DocId;

use accepted::Accepted;
use nearest::Nearest;
use plan::Plan;

use crate::error::Result;
use crate::store::{State, Store};

#[derive(Debug, Clone, Copy)]
pub struct Request<'r> {
    /// How many documents are wanted.
    pub limit: usize,
    /// Only these documents.
    pub filter: Option<&'r RoaringBitmap>,
    /// Only the n-th vectors of documents, from 0.
    pub nth: Option<usize>,
    /// Looked at now and then; what has been found by then is the answer.
    pub cancelled: &'r AtomicBool,
    /// Goes through the graph, if there is one, with so many candidates in view; more is slower and
    /// finds more. By default as many as it takes to find 99 of 100, and only if that is quicker
    /// than comparing with everything.
    pub effort: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    pub doc_id: DocId,
    /// 1 is the nearest there can be, 0 the farthest.
    pub similarity: f32,
}

impl Request<'_> {
    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

impl Store {
    /// The nearest documents, nearest first; each once, by the nearest of its vectors. Documents
    /// that are equally near come in the order of their ids.
    pub fn search(&self, query: &[f32], request: &Request<'_>) -> Result<Vec<Neighbour>> {
        self.check_dimensions(query)?;
        let state = self.state();
        let mut row = Vec::with_capacity(state.space.stride());
        state.space.encode(query, &mut row);
        let search =
            Search { state, query: &row, request, accepted: Accepted::new(state, request) };
        let nearest = search.run()?;
        let neighbour =
            |(distance, doc_id)| Neighbour { doc_id, similarity: state.space.similarity(distance) };
        Ok(nearest.into_sorted().map(neighbour).collect())
    }
}

/// One search under way.
struct Search<'s> {
    state: &'s State,
    query: &'s [u8],
    request: &'s Request<'s>,
    accepted: Accepted<'s>,
}

impl Search<'_> {
    fn run(self) -> Result<Nearest> {
        let limit = self.request.limit;
        let mut nearest = Nearest::new(limit);
        if limit == 0 {
            return Ok(nearest);
        }
        if self.state.space.is_zero(self.query) {
            self.take_any(&mut nearest)?;
            return Ok(nearest);
        }
        let Plan::Walk { effort, seeds } = self.plan()? else {
            self.scan(self.state.files.iter(), &mut nearest)?;
            return Ok(nearest);
        };
        self.take_zeros(&mut nearest)?;
        self.walk(effort, seeds, &mut nearest)?;
        self.scan(self.state.not_entered(), &mut nearest)?;
        let all_found = nearest.len() as u64 >= self.accepted.documents().min(limit as u64);
        if !all_found && !self.request.is_cancelled() {
            // What is wanted lies where the graph does not lead.
            self.scan(self.state.files.iter(), &mut nearest)?;
        }
        Ok(nearest)
    }
}
