//! Filter of the vectors that may be results of a search: those of live documents that pass the
//! request's filter and, if only n-th vectors count, just those.

use std::borrow::Cow;

use roaring::RoaringBitmap;

use super::Request;
use crate::error::Result;
use crate::graph::Accept;
use crate::node_set::NodeSet;
use crate::numbered_files::{NumberedFile, NumberedFiles};
use crate::store::State;

#[derive(Debug)]
pub struct ResultFilter<'s> {
    /// Documents of the store that pass the filter.
    passing: Option<Cow<'s, RoaringBitmap>>,
    nth: Option<u32>,
    documents: u64,
    /// True if every vector of the store is accepted.
    pub everything: bool,
}

impl<'s> ResultFilter<'s> {
    pub fn new(state: &'s State, request: &Request<'s>) -> Self {
        let documents = state.documents();
        // A filter that all documents pass is no filter.
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

    /// Returns the nodes that may be results, if there is a filter: quicker to query than that.
    pub fn nodes(&self, state: &State) -> Result<Option<NodeSet>> {
        let Some(passing) = &self.passing else {
            return Ok(None);
        };
        let mut nodes = NodeSet::with_room(state.files.end());
        for numbered in state.files.iter().filter(|numbered| numbered.is_inserted()) {
            let documents = numbered.living_of(state.documents(), passing);
            match numbered.node_of_document_zero() {
                Some(shift) if self.nth.is_none_or(|nth| nth == 0) => {
                    nodes.insert_all(&documents, shift);
                }
                _ => self.add_nodes(numbered, &documents, &mut nodes)?,
            }
        }
        Ok(Some(nodes))
    }

    fn add_nodes(
        &self,
        numbered: &NumberedFile,
        documents: &RoaringBitmap,
        nodes: &mut NodeSet,
    ) -> Result<()> {
        for doc_id in documents {
            for row in numbered.file.rows_of(doc_id)?.into_iter().flatten() {
                if self.is_nth(numbered, row)? {
                    numbered.node_of(row).into_iter().for_each(|node| nodes.insert(node));
                }
            }
        }
        Ok(())
    }

    /// Returns the number of documents that pass the filter; some may have no n-th vector.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// Returns the documents that pass the filter, if there is one.
    pub fn passing(&self) -> Option<&RoaringBitmap> {
        self.passing.as_deref()
    }

    /// Returns whether only the n-th vectors of documents count.
    pub fn has_nth(&self) -> bool {
        self.nth.is_some()
    }

    /// Returns whether a row of a file may be a result.
    pub fn accepts_row(&self, numbered: &NumberedFile, row: u32) -> Result<bool> {
        if numbered.is_dead(row) {
            return Ok(false);
        }
        if let Some(passing) = &self.passing {
            let owner = numbered.file.owner(row)?;
            if !owner.is_some_and(|owner| passing.contains(owner)) {
                return Ok(false);
            }
        }
        self.is_nth(numbered, row)
    }

    /// Returns whether a row is the n-th vector of its document, or any row if all count.
    #[inline]
    fn is_nth(&self, numbered: &NumberedFile, row: u32) -> Result<bool> {
        match self.nth {
            Some(nth) => Ok(numbered.file.position(row)? == nth),
            None => Ok(true),
        }
    }
}

impl Accept for ResultFilter<'_> {
    fn accepts(&self, files: &NumberedFiles, node: u32) -> Result<bool> {
        match files.locate(node) {
            Some((numbered, row)) => self.accepts_row(numbered, row),
            None => Ok(false),
        }
    }
}
