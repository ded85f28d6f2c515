//! Where the words of a node stand in documents of a segment, as far as lists tell.

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
    /// Attributes that are searched, with a mark for each document.
    pub fields: Vec<(u16, Vec<Option<Mark>>)>,
    /// For each document: where words of a union first stand, whatever the attribute.
    anywhere: Option<Vec<u8>>,
    /// How many documents there are.
    count: usize,
}

/// How much of the positions of a node's words is collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// Where they stand in each attribute.
    Attributes,
    /// Only where they first stand in any attribute, which is kept as if there were one. That is
    /// enough for a node that comes first in the query and has no neighbours.
    FirstPosition,
}

/// Looking for a document in a list takes as long as so many steps through it.
const STEPS: usize = 16;
/// The document does not have the words of the union.
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

    /// False where the words are not a union whose positions are stored.
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

    /// True if attributes are known for all words.
    pub fn has_fields(&self) -> bool {
        self.anywhere.is_none()
    }

    /// The least weight of an attribute that has the node, for each document; nothing where that is
    /// not known.
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

    /// What is known of the node's position, for each document; nothing where nothing is.
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

/// The documents that have a word, by their places here and in its list, where they are so few that
/// the list is not gone through.
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

/// Gives the marks of those documents that have a word in an attribute, by their places: of those
/// that were found, or of all in the list.
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

/// What lists tell of the position of a node in a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownPosition {
    pub cost: Bound,
    /// True if a word can stand where it does in the query.
    pub is_in_place: bool,
}

impl KnownPosition {
    /// The position of a node that stands in both ways.
    fn or(self, other: Self) -> Self {
        Self { cost: self.cost.or(other.cost), is_in_place: self.is_in_place || other.is_in_place }
    }
}

/// The first word of a phrase stands for all of it where only one place counts.
fn first_word(view: &SegmentView<'_>, phrase: &Phrase) -> Vec<NodeWords> {
    let first = phrase.iter().flatten().next();
    let ordinal = first.and_then(|word| view.text.ordinal(word.as_bytes()));
    ordinal.map(|ordinal| (ordinal..ordinal + 1, FieldScope::Everywhere)).into_iter().collect()
}
