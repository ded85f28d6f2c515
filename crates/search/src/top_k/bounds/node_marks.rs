//! First positions of the words of a node in documents of a segment, as far as posting lists have
//! them.

use std::ops::Range;

use segment::DocId;
use segment::text::{FieldOccurrences, Mark, WordDocuments};

use super::bound::Bound;
use super::lists::Lists;
use super::places::Places;
use super::position_costs::PositionCosts;
use crate::context::SegmentView;
use crate::error::SearchError;
use crate::graph::{Node, NodeWords};
use crate::parse::Phrase;
use crate::scan::FieldScope;

pub(super) struct NodeMarks<'n> {
    pub node: &'n Node,
    /// Searched attributes, with a mark for each document.
    pub fields: Vec<(u16, Vec<Option<Mark>>)>,
    /// For each document: the first position of words of a union, whatever the attribute.
    anywhere: Option<Vec<u8>>,
    /// Number of documents.
    count: usize,
}

/// The level of detail of the collected positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// Positions in each attribute.
    Attributes,
    /// Only the first position in any attribute, stored as if there were one. That is enough for a
    /// node that comes first in the query and has no neighbours.
    FirstPosition,
}

/// Looking up a document in a list takes as long as this many steps through it.
const STEPS: usize = 16;
/// Marks documents without the words of the union.
const ABSENT: u8 = u8::MAX;

impl<'n> NodeMarks<'n> {
    pub fn new<'s>(
        view: &SegmentView<'s>,
        segment: usize,
        node: &'n Node,
        documents: &Places<'_>,
        lists: &mut Lists<'s>,
        detail: Detail,
    ) -> Result<Self, SearchError> {
        let count = documents.doc_ids.len();
        let mut marks = Self { node, fields: Vec::new(), anywhere: None, count };
        let words = match &node.term.phrase {
            Some(phrase) => first_word(view, phrase),
            None => node.words(segment),
        };
        for (ordinals, scope) in words {
            if ordinals.len() > 1 && marks.add_union(view, &ordinals, documents)? {
                continue;
            }
            for ordinal in ordinals {
                let Some((of_word, occurrences)) = lists.get(view, segment, ordinal)? else {
                    continue;
                };
                let found = few_places(of_word, documents);
                let list = if found.is_none() { of_word.list() } else { &[] };
                for of_field in occurrences.fields() {
                    if !scope.counts_in(view.role(of_field.field())) {
                        continue;
                    }
                    let known = marks.field(match detail {
                        Detail::Attributes => of_field.field(),
                        Detail::FirstPosition => 0,
                    });
                    for_each_mark(of_field, list, found.as_deref(), documents, |place, mark| {
                        let known = &mut known[place];
                        *known = Some(known.map_or(mark, |known| known.or(mark)));
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
                self.fields.push((field, vec![None; self.count]));
                self.fields.len() - 1
            }
        };
        &mut self.fields[place].1
    }

    /// Adds the positions of a union; false if the words are not a union with stored positions.
    fn add_union(
        &mut self,
        view: &SegmentView<'_>,
        ordinals: &Range<u32>,
        documents: &Places<'_>,
    ) -> Result<bool, SearchError> {
        let Some(positions) = view.text.union_positions(ordinals)? else {
            return Ok(false);
        };
        let anywhere = self.anywhere.get_or_insert_with(|| vec![ABSENT; self.count]);
        positions.for_each_of(documents.doc_ids, |place, position| {
            anywhere[place] = position.min(anywhere[place]);
        });
        Ok(true)
    }

    /// Returns whether the attributes of all words are known.
    pub fn has_fields(&self) -> bool {
        self.anywhere.is_none()
    }

    /// Calls `each` with the least weight of an attribute that has the node, for each document;
    /// `None` if unknown.
    pub fn for_each_weight(
        &self,
        view: &SegmentView<'_>,
        mut each: impl FnMut(usize, Option<u32>),
    ) {
        for place in 0..self.count {
            let present = self.fields.iter().filter(|(_, marks)| marks[place].is_some());
            let least = present.map(|(field, _)| view.role(*field).weight).min();
            each(place, least.filter(|_| self.has_fields()));
        }
    }

    /// Calls `each` with the position of the node, if known, for each document.
    pub fn for_each_position(
        &self,
        view: &SegmentView<'_>,
        costs: &PositionCosts,
        mut each: impl FnMut(usize, Option<KnownPosition>),
    ) {
        let are_all_searched = !view.is_restricted && !view.has_strict_fields;
        for place in 0..self.count {
            let mut known: Option<KnownPosition> = None;
            if let Some(anywhere) = &self.anywhere
                && anywhere[place] != ABSENT
            {
                let position = anywhere[place];
                let is_exact = are_all_searched && costs.is_union_exact(position);
                known = Some(KnownPosition {
                    cost: Bound { least: costs.of_union(position).into(), is_exact },
                    is_in_place: costs.is_in_place(position),
                });
            }
            for (_, marks) in &self.fields {
                if let Some(mark) = marks[place] {
                    let (least, is_exact) = (costs.of_mark(mark), costs.is_mark_exact(mark));
                    let found = KnownPosition {
                        cost: Bound { least: least.into(), is_exact },
                        is_in_place: costs.is_in_place(mark.bucket()),
                    };
                    known = Some(known.map_or(found, |known| known.or(found)));
                }
            }
            each(place, known);
        }
    }
}

/// Returns the documents with a word, by their indices here and in its list, if they are so few
/// that the list need not be scanned.
fn few_places(
    of_word: &mut WordDocuments<'_>,
    documents: &Places<'_>,
) -> Option<Vec<(usize, usize)>> {
    if documents.doc_ids.len() * STEPS >= of_word.count() {
        return None;
    }
    of_word.rewind();
    let in_list = |(place, doc_id): (usize, &DocId)| Some((place, of_word.find(*doc_id)?));
    Some(documents.doc_ids.iter().enumerate().filter_map(in_list).collect())
}

/// Visits the marks of documents with a word in an attribute, by their indices: of those found, or
/// of all in the list.
fn for_each_mark(
    of_field: &FieldOccurrences<'_>,
    list: &[DocId],
    found: Option<&[(usize, usize)]>,
    documents: &Places<'_>,
    mut each: impl FnMut(usize, Mark),
) {
    if let Some(found) = found {
        let mut cursor = of_field.cursor();
        for &(place, in_list) in found {
            if let Some(mark) = cursor.at(in_list) {
                each(place, mark);
            }
        }
        return;
    }
    let mut walk = documents.walk();
    of_field.for_each(list, |doc_id, mark| {
        if let Some(place) = walk.find(doc_id) {
            each(place, mark);
        }
    });
}

/// The position of a node in a document, as far as posting lists have it.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownPosition {
    pub cost: Bound,
    /// True if a word can be at its position in the query.
    pub is_in_place: bool,
}

impl KnownPosition {
    /// Combines the positions of two forms of a node.
    fn or(self, other: Self) -> Self {
        Self { cost: self.cost.or(other.cost), is_in_place: self.is_in_place || other.is_in_place }
    }
}

/// Returns the first word of a phrase, which represents it where only one position counts.
fn first_word(view: &SegmentView<'_>, phrase: &Phrase) -> Vec<NodeWords> {
    let first = phrase.iter().flatten().next();
    let ordinal = first.and_then(|word| view.text.ordinal(word.as_bytes()));
    ordinal.map(|ordinal| (ordinal..ordinal + 1, FieldScope::Everywhere)).into_iter().collect()
}
