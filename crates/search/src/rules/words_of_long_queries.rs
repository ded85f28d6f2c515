//! `words` for a question with very many words: ranks documents by their number of terms.

use std::rc::Rc;

use roaring::RoaringBitmap;

use super::{Bucket, Rule};
use crate::context::Context;
use crate::error::SearchError;
use crate::graph::Path;
use crate::score::{Rank, Score};

pub(crate) struct LongQueryWordsRule {
    paths: Rc<Vec<Path>>,
    terms: u32,
    /// The number of terms of each document, in binary: a set of documents for each bit, the lowest
    /// first.
    digits: Vec<RoaringBitmap>,
    /// Remaining groups, the highest numbers last.
    groups: Vec<Group>,
}

/// Documents whose numbers differ only in the lowest bits.
struct Group {
    documents: RoaringBitmap,
    unknown_places: usize,
    number: u32,
}

impl LongQueryWordsRule {
    /// Creates the rule for one interpretation, of which documents may lack all nodes but one.
    pub fn new(
        context: &Context<'_>,
        paths: Rc<Vec<Path>>,
        universe: RoaringBitmap,
    ) -> Result<Self, SearchError> {
        let mut digits: Vec<RoaringBitmap> = Vec::new();
        for node in paths.iter().flatten() {
            context.check_cancelled()?;
            let mut carried = &*node.documents(context)? & &universe;
            for digit in &mut digits {
                let further = &*digit & &carried;
                *digit ^= carried;
                carried = further;
            }
            if !carried.is_empty() {
                digits.push(carried);
            }
        }
        let terms = paths.iter().flatten().count() as u32;
        let groups = vec![Group { documents: universe, unknown_places: digits.len(), number: 0 }];
        Ok(Self { paths, terms, digits, groups })
    }
}

impl Rule for LongQueryWordsRule {
    fn next_bucket(&mut self, _: &Context<'_>) -> Result<Option<Bucket>, SearchError> {
        while let Some(Group { documents, unknown_places, number }) = self.groups.pop() {
            if documents.is_empty() {
                continue;
            }
            let Some(place) = unknown_places.checked_sub(1) else {
                let score = Score::Words(Rank { rank: number, max: self.terms });
                return Ok(Some(Bucket { documents, paths: Rc::clone(&self.paths), score }));
            };
            let ones = &documents & &self.digits[place];
            let zeros = documents - &ones;
            self.groups.push(Group { documents: zeros, unknown_places: place, number });
            let number = number | 1 << place;
            self.groups.push(Group { documents: ones, unknown_places: place, number });
        }
        Ok(None)
    }
}
