//! Which vectors may be results of a search: those of living documents, of those that pass the
//! filter, and, where only the n-th vectors count, those.

use std::borrow::Cow;

use roaring::RoaringBitmap;

use super::Request;
use crate::error::Result;
use crate::graph::Accept;
use crate::node_set::NodeSet;
use crate::placed::{Placed, PlacedFiles};
use crate::store::State;

#[derive(Debug)]
pub struct Accepted<'s> {
    /// The documents of the store that pass the filter.
    passing: Option<Cow<'s, RoaringBitmap>>,
    nth: Option<u32>,
    documents: u64,
    /// Whether every vector of the store is.
    pub everything: bool,
}

impl<'s> Accepted<'s> {
    pub fn new(state: &'s State, request: &Request<'s>) -> Self {
        let documents = state.documents();
        // A filter that all pass is none.
        let filter = request.filter.filter(|filter| !filter.is_superset(documents));
        let passing = filter.map(|filter| match filter.is_subset(documents) {
            true => Cow::Borrowed(filter),
            false => Cow::Owned(filter & documents),
        });
        let nth = request.nth.map(|nth| u32::try_from(nth).unwrap_or(u32::MAX));
        let nth = nth.filter(|&nth| nth > 0 || state.files.has_several());
        Self {
            documents: passing.as_ref().map_or_else(|| documents.len(), |passing| passing.len()),
            everything: passing.is_none() && nth.is_none() && state.files.dead_rows() == 0,
            passing,
            nth,
        }
    }

    /// The nodes that may be results, if there is a filter; quicker to ask than the filter is.
    pub fn nodes(&self, state: &State) -> Result<Option<NodeSet>> {
        let Some(passing) = &self.passing else {
            return Ok(None);
        };
        let mut nodes = NodeSet::with_room(state.files.end());
        for placed in state.files.iter().filter(|placed| placed.is_entered()) {
            let documents = placed.living_of(state.documents(), passing);
            match placed.node_of_document_zero() {
                Some(shift) if self.nth.is_none_or(|nth| nth == 0) => {
                    nodes.insert_all(&documents, shift);
                }
                _ => self.add_nodes(placed, &documents, &mut nodes)?,
            }
        }
        Ok(Some(nodes))
    }

    fn add_nodes(
        &self,
        placed: &Placed,
        documents: &RoaringBitmap,
        nodes: &mut NodeSet,
    ) -> Result<()> {
        for doc_id in documents {
            for row in placed.file.rows_of(doc_id)?.into_iter().flatten() {
                if self.is_nth(placed, row)? {
                    placed.node_of(row).into_iter().for_each(|node| nodes.insert(node));
                }
            }
        }
        Ok(())
    }

    /// The number of documents that pass the filter; some of these may have no n-th vector.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// The documents that pass the filter, if there is one.
    pub fn passing(&self) -> Option<&RoaringBitmap> {
        self.passing.as_deref()
    }

    /// Whether only some vectors of documents count.
    pub fn has_nth(&self) -> bool {
        self.nth.is_some()
    }

    /// Whether a row of a file may be a result.
    pub fn accepts_row(&self, placed: &Placed, row: u32) -> Result<bool> {
        if placed.is_dead(row) {
            return Ok(false);
        }
        if let Some(passing) = &self.passing {
            let owner = placed.file.owner(row)?;
            if !owner.is_some_and(|owner| passing.contains(owner)) {
                return Ok(false);
            }
        }
        self.is_nth(placed, row)
    }

    /// Whether a row is one of those that count of its document.
    #[inline]
    fn is_nth(&self, placed: &Placed, row: u32) -> Result<bool> {
        match self.nth {
            Some(nth) => Ok(placed.file.position(row)? == nth),
            None => Ok(true),
        }
    }
}

impl Accept for Accepted<'_> {
    fn accepts(&self, files: &PlacedFiles, node: u32) -> Result<bool> {
        match files.locate(node) {
            Some((placed, row)) => self.accepts_row(placed, row),
            None => Ok(false),
        }
    }
}
