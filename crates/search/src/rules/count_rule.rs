//! `words` for a question of very many words: documents by how many of the terms they have.

use std::rc::Rc;

use roaring::RoaringBitmap;

use super::{Bucket, Rule};
use crate::context::Context;
use crate::error::SearchError;
use crate::graph::Path;
use crate::score::{Rank, Score};

pub(crate) struct CountRule {
    paths: Rc<Vec<Path>>,
    terms: u32,
    /// The number of terms that a document has, in binary: the documents with a one in each place,
    /// the lowest place first.
    digits: Vec<RoaringBitmap>,
    /// Those to come, the highest numbers last.
    groups: Vec<Group>,
}

/// Documents whose numbers are alike but for the lowest places.
struct Group {
    documents: RoaringBitmap,
    unknown_places: usize,
    number: u32,
}

impl CountRule {
    /// There is one interpretation, and documents may lack all of its nodes but one.
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

impl Rule for CountRule {
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
