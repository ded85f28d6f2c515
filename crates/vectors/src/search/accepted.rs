//! Which vectors may be results of a search: those of living documents, of those that pass the
//! filter, and, where only the n-th vectors count, those.

use std::borrow::Cow;

use roaring::RoaringBitmap;

use super::Request;
use crate::bits::Bits;
use crate::error::Result;
use crate::graph::Accept;
use crate::placed::Placed;
use crate::store::State;

/// A filter that fewer documents pass is turned into bits, which are quicker to ask.
const BITS_UP_TO: u64 = 1 << 17;

#[derive(Debug)]
pub struct Accepted<'s> {
    /// The documents of the store that pass the filter.
    passing: Option<Cow<'s, RoaringBitmap>>,
    bits: Option<Bits>,
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
            bits: None,
            passing,
            nth,
        }
    }

    /// For many questions about single documents.
    pub fn with_bits(mut self) -> Self {
        if let Some(passing) = self.passing.as_ref().filter(|passing| passing.len() <= BITS_UP_TO) {
            self.bits = Some(passing.iter().collect());
        }
        self
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
}

impl Accept for Accepted<'_> {
    #[inline]
    fn accepts(&self, placed: &Placed, row: u32) -> Result<bool> {
        if placed.is_dead(row) {
            return Ok(false);
        }
        if let Some(passing) = &self.passing {
            let Some(owner) = placed.file.owner(row)? else {
                return Ok(false);
            };
            let passes = match &self.bits {
                Some(bits) => bits.contains(owner),
                None => passing.contains(owner),
            };
            if !passes {
                return Ok(false);
            }
        }
        match self.nth {
            Some(nth) => Ok(placed.file.position(row)? == nth),
            None => Ok(true),
        }
    }
}
