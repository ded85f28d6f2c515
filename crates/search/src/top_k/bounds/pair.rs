//! Lower bounds of the distance between two neighbours of the query.

use roaring::RoaringBitmap;
use segment::text::{Mark, positions_in};
use segment::{DocId, gallop};

use super::bound::Bound;
use super::nearness::PairDistances;
use super::node_marks::NodeMarks;
use crate::rules::FAR;

/// A mark for each document.
type MarksOf<'m> = &'m [Option<Mark>];

/// Calls `each` with the bound of each document. The documents are sorted.
pub(super) fn for_each_distance(
    left: &NodeMarks<'_>,
    right: &NodeMarks<'_>,
    near: Option<&PairDistances>,
    doc_ids: &[DocId],
    mut each: impl FnMut(usize, Bound),
) {
    let mut levels = near.map(Levels::new);
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
            true => Bound { least: FAR, is_exact: true },
            false => Bound { least: 0, is_exact: false },
        };
        for (lefts, rights) in &common {
            if let (Some(left), Some(right)) = (lefts[place], rights[place]) {
                apart = apart.or(distance(left, right));
            }
        }
        if !apart.is_exact
            && let Some(levels) = &mut levels
        {
            let known = levels.bound(doc_id);
            apart = if known.least < apart.least { apart } else { known };
        }
        each(place, apart);
    }
}

/// Bounds the distance of two words by the buckets of their first positions in an attribute.
fn distance(left: Mark, right: Mark) -> Bound {
    if left.frequency() > 1 || right.frequency() > 1 {
        return Bound { least: 0, is_exact: false };
    }
    let (from, to) = (positions_in(left.bucket()), positions_in(right.bucket()));
    let (least, most) = if from.end() < to.start() {
        (to.start() - from.end() - 1, to.end() - from.start() - 1)
    } else if to.end() < from.start() {
        (from.start() - to.end(), from.end() - to.start())
    } else if from.start() == from.end() {
        // One word cannot match both nodes.
        (FAR, FAR)
    } else {
        (0, FAR)
    };
    Bound { least: least.min(FAR), is_exact: least.min(FAR) == most.min(FAR) }
}

/// Looks up documents in the sets of stored pairs, in ascending order.
struct Levels {
    possible: Vec<Membership>,
    certain: Vec<Membership>,
}

impl Levels {
    fn new(near: &PairDistances) -> Self {
        let members = |sets: &[RoaringBitmap]| sets.iter().map(Membership::new).collect();
        Self { possible: members(&near.possible), certain: members(&near.certain) }
    }

    #[inline]
    fn bound(&mut self, doc_id: DocId) -> Bound {
        let least = self.possible.iter_mut().position(|possible| possible.has(doc_id));
        let least = least.unwrap_or(self.possible.len());
        let is_certain = self.certain.get_mut(least).is_some_and(|certain| certain.has(doc_id));
        Bound { least: least as u32, is_exact: is_certain || least as u32 == FAR }
    }
}

/// Tests documents in ascending order for membership in a set.
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
            let Bound { least, is_exact } = distance(left, right);
            assert!(is_exact || least == 0);
            least
        };
        assert_eq!(distance(at(3), at(4)), 0);
        assert_eq!(distance(at(3), at(5)), 1);
        assert_eq!(distance(at(4), at(3)), 1);
        assert_eq!(distance(at(6), at(3)), 3);
        assert_eq!(distance(at(0), at(9)), 3);
        assert_eq!(distance(at(7), at(7)), 3);
        // Where a word stands again, or positions share a bucket, they may be neighbours.
        assert_eq!(distance(at(0).and_again(), at(9)), 0);
        assert_eq!(distance(at(40), at(60)), 0);
        assert_eq!(distance(at(20), at(30)), 0);
        assert_eq!(distance(at(10), at(60)), 3);
        assert_eq!(distance(at(300), at(40)), 3);
    }
}
