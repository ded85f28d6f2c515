//! How near two neighbours of the query can stand at best.

use roaring::RoaringBitmap;
use segment::DocId;
use segment::text::Mark;

use super::adjacency::Adjacent;
use super::node_marks::NodeMarks;
use crate::gallop::gallop;
use crate::rules::FAR;

/// A mark for each document.
type MarksOf<'m> = &'m [Option<Mark>];

/// Positions below this are told apart.
const TOLD_APART: u8 = 16;

/// How far apart two neighbours stand in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Apart {
    /// The least that it can cost.
    pub least: u32,
    /// Whether it costs just that.
    pub is_exact: bool,
}

/// How far apart two neighbours stand in each document. The documents are in order.
pub(super) fn for_each_distance(
    left: &NodeMarks<'_>,
    right: &NodeMarks<'_>,
    adjacent: Option<&Adjacent>,
    doc_ids: &[DocId],
    mut each: impl FnMut(usize, Apart),
) {
    let mut possible = adjacent.map(|adjacent| Membership::new(&adjacent.possible));
    let mut certain = adjacent.map(|adjacent| Membership::new(&adjacent.certain));
    let has_fields = left.has_fields() && right.has_fields();
    let common: Vec<(MarksOf<'_>, MarksOf<'_>)> = left
        .fields
        .iter()
        .filter_map(|(field, marks)| {
            let (_, others) = right.fields.iter().find(|(other, _)| other == field)?;
            Some((&marks[..], &others[..]))
        })
        .collect();
    for (place, &doc_id) in doc_ids.iter().enumerate() {
        let mut apart = match has_fields {
            true => Apart { least: FAR, is_exact: true },
            false => Apart { least: 0, is_exact: false },
        };
        for (lefts, rights) in &common {
            if let (Some(left), Some(right)) = (lefts[place], rights[place]) {
                apart = apart.or(distance(left, right));
            }
        }
        if apart.least == 0 && !apart.is_exact {
            let is_possible = possible.as_mut().is_none_or(|possible| possible.has(doc_id));
            let is_certain = certain.as_mut().is_some_and(|certain| certain.has(doc_id));
            apart = Apart { least: u32::from(!is_possible), is_exact: is_certain };
        }
        each(place, apart);
    }
}

impl Apart {
    /// The nearer one of two.
    fn or(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            is_exact: self.is_exact && self.least <= other.least
                || other.is_exact && other.least <= self.least,
        }
    }
}

/// How far apart two words stand, by where they first stand in an attribute.
fn distance(left: Mark, right: Mark) -> Apart {
    let (from, to) = (left.bucket(), right.bucket());
    if left.frequency() > 1 || right.frequency() > 1 || from >= TOLD_APART || to >= TOLD_APART {
        return Apart { least: 0, is_exact: false };
    }
    let apart = match from < to {
        true => u32::from(to - from) - 1,
        // One word cannot stand for both.
        false if from == to => FAR,
        false => u32::from(from - to),
    };
    Apart { least: apart.min(FAR), is_exact: true }
}

/// Asks a set for documents in ascending order.
struct Membership {
    members: Vec<DocId>,
    place: usize,
}

impl Membership {
    fn new(set: &RoaringBitmap) -> Self {
        Self { members: segment::members(set), place: 0 }
    }

    #[inline]
    fn has(&mut self, doc_id: DocId) -> bool {
        self.place = gallop(&self.members, self.place, |member| *member < doc_id);
        self.members.get(self.place) == Some(&doc_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_stand_once_have_one_distance() {
        let at = Mark::first;
        let distance = |left, right| {
            let Apart { least, is_exact } = distance(left, right);
            assert!(is_exact || least == 0);
            least
        };
        assert_eq!(distance(at(3), at(4)), 0);
        assert_eq!(distance(at(3), at(5)), 1);
        assert_eq!(distance(at(4), at(3)), 1);
        assert_eq!(distance(at(6), at(3)), 3);
        assert_eq!(distance(at(0), at(9)), 3);
        assert_eq!(distance(at(7), at(7)), 3);
        // Where a word stands again, or positions are not told apart, they may be neighbours.
        assert_eq!(distance(at(0).and_again(), at(9)), 0);
        assert_eq!(distance(at(0), at(40)), 0);
    }
}
