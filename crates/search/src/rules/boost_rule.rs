//! The ranking rule `boost`, an extension: sorts documents by the sum of their boosts. Each
//! document is read once; only the requested ones are sorted.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use roaring::RoaringBitmap;
use segment::DocId;

use super::{Bucket, Rule};
use crate::boosts::{BoostReader, Boosts};
use crate::context::Context;
use crate::error::SearchError;
use crate::graph::Path;
use crate::scan::DOCUMENTS_BETWEEN_CHECKS;
use crate::score::Score;

/// Documents with the bits of their sums, the greatest first. Sums are not negative, so that their
/// bits have the same order.
type Sums = BinaryHeap<(u64, Reverse<DocId>)>;

pub(crate) struct BoostRule<'s> {
    boosts: Option<Rc<Boosts<'s>>>,
    paths: Rc<Vec<Path>>,
    /// Remaining documents.
    remaining: RoaringBitmap,
    /// The documents with a boost, computed on first use.
    boosted: Option<Sums>,
}

impl<'s> BoostRule<'s> {
    pub fn new(
        boosts: Option<Rc<Boosts<'s>>>,
        paths: Rc<Vec<Path>>,
        universe: RoaringBitmap,
    ) -> Self {
        Self { boosts, paths, remaining: universe, boosted: None }
    }

    /// Returns the sums of all documents with a boost; `None` if the time for ranking is over.
    fn sums(&self, context: &Context<'_>) -> Result<Option<Sums>, SearchError> {
        let mut sums = Vec::new();
        let Some(boosts) = &self.boosts else { return Ok(Some(BinaryHeap::new())) };
        for (segment, view) in context.segments.iter().enumerate() {
            let mut reader = BoostReader::new(boosts, segment);
            let mut here = reader.documents() & &self.remaining;
            here &= view.segment.live();
            for (count, doc_id) in here.iter().enumerate() {
                if count % DOCUMENTS_BETWEEN_CHECKS == DOCUMENTS_BETWEEN_CHECKS - 1 {
                    context.check_cancelled()?;
                    if context.is_late() {
                        return Ok(None);
                    }
                }
                let sum = reader.sum(doc_id)?;
                if sum > 0.0 {
                    sums.push((sum.to_bits(), Reverse(doc_id)));
                }
            }
        }
        Ok(Some(sums.into()))
    }
}

impl Rule for BoostRule<'_> {
    fn next_bucket(&mut self, context: &Context<'_>) -> Result<Option<Bucket>, SearchError> {
        if self.boosted.is_none() {
            let Some(sums) = self.sums(context)? else { return Ok(None) };
            self.boosted = Some(sums);
        }
        let mut documents = RoaringBitmap::new();
        let mut sum = 0;
        if let Some(boosted) = &mut self.boosted {
            while let Some(&(bits, Reverse(doc_id))) = boosted.peek()
                && (documents.is_empty() || bits == sum)
            {
                boosted.pop();
                if self.remaining.remove(doc_id) {
                    documents.insert(doc_id);
                    sum = bits;
                }
            }
        }
        if documents.is_empty() {
            documents = std::mem::take(&mut self.remaining);
        }
        if documents.is_empty() {
            return Ok(None);
        }
        let score = Score::Boost { sum: f64::from_bits(sum), parts: Vec::new() };
        Ok(Some(Bucket { documents, paths: Rc::clone(&self.paths), score }))
    }

    fn forget(&mut self, documents: &RoaringBitmap) {
        self.remaining -= documents;
    }
}
