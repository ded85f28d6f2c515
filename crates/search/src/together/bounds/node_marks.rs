//! Where the words of a node stand in documents of a segment, as far as lists tell.

use std::ops::Range;

use segment::DocId;
use segment::text::Mark;

use super::position_costs::PositionCosts;
use crate::context::SegmentView;
use crate::graph::Node;
use crate::query::SearchError;
use crate::scan::Reach;

pub(super) struct NodeMarks<'n> {
    pub node: &'n Node,
    /// Attributes that are searched, with a mark for each document.
    pub fields: Vec<(u16, Vec<Option<Mark>>)>,
    /// For each document: where words of a union first stand, whatever the attribute.
    anywhere: Option<Vec<u8>>,
    documents: usize,
}

/// The document does not have the words of the union.
const ABSENT: u8 = u8::MAX;

impl<'n> NodeMarks<'n> {
    /// The documents are in order.
    pub fn new(
        view: &SegmentView<'_>,
        segment: usize,
        node: &'n Node,
        doc_ids: &[DocId],
    ) -> Result<Self, SearchError> {
        let documents = doc_ids.len();
        let mut marks = Self { node, fields: Vec::new(), anywhere: None, documents };
        let mut list = Vec::new();
        for (ordinals, reach) in words_of(node, segment) {
            if ordinals.len() > 1 && marks.add_union(view, &ordinals, doc_ids)? {
                continue;
            }
            for ordinal in ordinals {
                list.clear();
                let Some(occurrences) = view.text.occurrences(ordinal, &mut list)? else {
                    continue;
                };
                for of_field in occurrences.fields() {
                    let role = view.role(of_field.field());
                    if !role.is_searched || role.is_exact && reach == Reach::Tolerant {
                        continue;
                    }
                    let known = marks.field(of_field.field());
                    let mut walk = Walk { doc_ids, place: 0 };
                    of_field.for_each(&list, |doc_id, mark| {
                        if let Some(place) = walk.find(doc_id) {
                            let known = &mut known[place];
                            *known = Some(known.map_or(mark, |known| known.or(mark)));
                        }
                    });
                }
            }
        }
        Ok(marks)
    }

    fn field(&mut self, field: u16) -> &mut [Option<Mark>] {
        let place = match self.fields.iter().position(|(known, _)| *known == field) {
            Some(place) => place,
            None => {
                self.fields.push((field, vec![None; self.documents]));
                self.fields.len() - 1
            }
        };
        &mut self.fields[place].1
    }

    /// False where the words are not a union whose positions are stored.
    fn add_union(
        &mut self,
        view: &SegmentView<'_>,
        ordinals: &Range<u32>,
        doc_ids: &[DocId],
    ) -> Result<bool, SearchError> {
        let Some(parts) = view.text.union_positions(ordinals)? else {
            return Ok(false);
        };
        let anywhere = self.anywhere.get_or_insert_with(|| vec![ABSENT; doc_ids.len()]);
        let documents = view.text.documents_of_range(ordinals.clone())?;
        let mut documents = documents.iter();
        let mut walk = Walk { doc_ids, place: 0 };
        for (count, nibbles) in parts {
            for (number, doc_id) in (0..count).zip(&mut documents) {
                if let Some(place) = walk.find(doc_id) {
                    let position = nibbles[number / 2] >> (number % 2 * 4) & 15;
                    anywhere[place] = position.min(anywhere[place]);
                }
            }
        }
        Ok(true)
    }

    /// Whether attributes are known for all words.
    pub fn has_fields(&self) -> bool {
        self.anywhere.is_none()
    }

    /// The least weight of an attribute that has the node, for each document.
    pub fn for_each_weight(&self, view: &SegmentView<'_>, mut each: impl FnMut(usize, u32)) {
        if !self.has_fields() {
            return;
        }
        let weight = |field: u16| view.role(field).weight;
        for place in 0..self.documents {
            let present = self.fields.iter().filter(|(_, marks)| marks[place].is_some());
            if let Some(least) = present.map(|(field, _)| weight(*field)).min() {
                each(place, least);
            }
        }
    }

    /// The least cost of the node's position, and whether a word can stand in its place, for each
    /// document of which that is known.
    pub fn for_each_position(&self, costs: &PositionCosts, mut each: impl FnMut(usize, u8, bool)) {
        for place in 0..self.documents {
            let mut known: Option<(u8, bool)> = None;
            let mut note = |cost: u8, is_in_place: bool| {
                let (least, any) = known.unwrap_or((cost, is_in_place));
                known = Some((least.min(cost), any || is_in_place));
            };
            if let Some(anywhere) = &self.anywhere
                && anywhere[place] != ABSENT
            {
                note(costs.of_union(anywhere[place]), costs.is_in_place(anywhere[place]));
            }
            for (_, marks) in &self.fields {
                if let Some(mark) = marks[place] {
                    note(costs.of_mark(mark), costs.is_in_place(mark.bucket()));
                }
            }
            if let Some((cost, is_in_place)) = known {
                each(place, cost, is_in_place);
            }
        }
    }
}

/// The single words of a node in a segment, as ranges, with the attributes in which they count.
pub(in crate::together) fn words_of(node: &Node, segment: usize) -> Vec<(Range<u32>, Reach)> {
    let term = &node.term;
    let Some(sets) = term.words.get(segment) else {
        return Vec::new();
    };
    let mut words = Vec::new();
    for (level, set) in sets.iter().enumerate() {
        if node.levels & (1 << level) == 0 {
            continue;
        }
        let reach = term.reach(level);
        let prefixed = set.prefixed.as_ref().filter(|_| !node.exact_only);
        words.extend(prefixed.cloned().map(|range| (range, reach)));
        let is_covered = |ordinal: &u32| prefixed.is_some_and(|range| range.contains(ordinal));
        let single = set.ordinals.iter().filter(|ordinal| !is_covered(ordinal));
        words.extend(single.map(|&ordinal| (ordinal..ordinal + 1, reach)));
    }
    words
}

/// Finds documents of a list in another; both are in order.
struct Walk<'d> {
    doc_ids: &'d [DocId],
    place: usize,
}

impl Walk<'_> {
    #[inline]
    fn find(&mut self, doc_id: DocId) -> Option<usize> {
        let mut step = 1;
        while *self.doc_ids.get(self.place)? < doc_id {
            // Steps get longer while the document is far, and short again where it is passed.
            match self.doc_ids.get(self.place + step) {
                Some(&other) if other <= doc_id => {
                    self.place += step;
                    step *= 2;
                }
                _ if step == 1 => {
                    self.place += 1;
                    break;
                }
                _ => step = 1,
            }
        }
        (self.doc_ids.get(self.place) == Some(&doc_id)).then_some(self.place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_finds_what_is_there() {
        let doc_ids: Vec<DocId> = (0..500).map(|number| number * number % 1009 * 3).collect();
        let mut doc_ids = doc_ids;
        doc_ids.sort_unstable();
        doc_ids.dedup();
        for step in [1, 2, 7, 50, 900] {
            let mut walk = Walk { doc_ids: &doc_ids, place: 0 };
            for doc_id in (0..4000).step_by(step) {
                assert_eq!(walk.find(doc_id), doc_ids.binary_search(&doc_id).ok(), "{doc_id}");
            }
        }
    }
}
