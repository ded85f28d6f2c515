//! Nearest-neighbour search: through the graph where that pays off; by an exact scan where few
//! vectors can be results or where they are not in the graph yet.

mod exact;
mod nearest;
mod plan;
#[cfg(test)]
mod plan_tests;
mod result_filter;
mod through_graph;

use model::Cancel;
use roaring::RoaringBitmap;
use segment::DocId;

use nearest::Nearest;
use plan::Plan;
use result_filter::ResultFilter;

use crate::error::Result;
use crate::store::{State, Store};

#[derive(Debug, Clone, Copy)]
pub struct Request<'r> {
    /// Most documents to return.
    pub limit: usize,
    /// Restricts the results to these documents.
    pub filter: Option<&'r RoaringBitmap>,
    /// Restricts the results to the n-th vectors of documents, from 0.
    pub nth: Option<usize>,
    /// Checked regularly; the search then returns what it has found so far.
    pub cancel: &'r Cancel,
    /// Number of candidates to keep in view (`ef` in HNSW): forces a search through the graph, if
    /// there is one; more is slower and finds more. By default enough to find 99 of 100, and only
    /// if that is quicker than an exact scan.
    pub ef: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    pub doc_id: DocId,
    /// From 1, the nearest possible, to 0, the farthest.
    pub similarity: f32,
}

impl Request<'_> {
    fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }
}

impl Store {
    /// Returns the nearest documents in order, each by its nearest vector. Ties are in DocId order.
    pub fn search(&self, query: &[f32], request: &Request<'_>) -> Result<Vec<Neighbour>> {
        self.check_dimensions(query)?;
        let state = self.state();
        let mut row = Vec::with_capacity(state.space.stride());
        state.space.encode(query, &mut row);
        let search =
            Search { state, query: &row, request, accepted: ResultFilter::new(state, request) };
        let nearest = search.run()?;
        let neighbour =
            |(distance, doc_id)| Neighbour { doc_id, similarity: state.space.similarity(distance) };
        Ok(nearest.into_sorted().map(neighbour).collect())
    }
}

/// State of one search.
struct Search<'s> {
    state: &'s State,
    query: &'s [u8],
    request: &'s Request<'s>,
    accepted: ResultFilter<'s>,
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
        let Plan::Walk { width, seeds } = self.plan()? else {
            self.scan(self.state.files.iter(), &mut nearest)?;
            return Ok(nearest);
        };
        self.take_zeros(&mut nearest)?;
        self.walk(width, seeds, &mut nearest)?;
        self.scan(self.state.not_inserted(), &mut nearest)?;
        let all_found = nearest.len() as u64 >= self.accepted.documents().min(limit as u64);
        if !all_found && !self.request.is_cancelled() {
            // The results lie where the graph does not lead.
            self.scan(self.state.files.iter(), &mut nearest)?;
        }
        Ok(nearest)
    }
}
