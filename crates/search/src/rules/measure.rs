//! The costs of documents under the rules that read documents: the distance of neighbours of the
//! query, their attribute, their position, and whether they match exactly.

use std::rc::Rc;

use roaring::RoaringBitmap;
use segment::DocId;
use segment::text::rounded_position;
use settings::Precision;

use crate::context::Context;
use crate::error::SearchError;
use crate::graph::{Node, Path, are_adjacent};
use crate::node_positions::{NodePositions, NodeSlotSet, NodeSlots, PhrasePosition};
use crate::scan::{Occurrences, TokenPosition};
use crate::score::{AttributeStep, Rank, Score};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    Proximity,
    /// `of_attribute`: as a step of the rule `attribute`.
    AttributeRank {
        of_attribute: bool,
    },
    WordPosition {
        of_attribute: bool,
    },
    ExactWords,
}

/// All greater distances have the same cost.
pub(crate) const FAR: u32 = 3;
const FARTHEST_POSITION_COST: u32 = 10;

/// Positions this far from their position in the query are no longer near.
const NEAR: u32 = 16;

/// Measures documents under one interpretation.
pub(crate) struct Meter<'m, 's> {
    context: &'m Context<'s>,
    nodes: Vec<MeteredNode<'m>>,
}

struct MeteredNode<'m> {
    node: &'m Node,
    slots: &'m NodeSlotSet,
    /// True if it directly follows the node before it.
    is_adjacent: bool,
    /// Documents with the exact word; only `exactness` needs them.
    exact: Option<Rc<RoaringBitmap>>,
}

impl MeteredNode<'_> {
    fn exactness(&self, doc_id: DocId) -> u32 {
        let is_exact = self.exact.as_ref().is_some_and(|documents| documents.contains(doc_id));
        if is_exact { 0 } else { self.node.size() }
    }
}

impl<'m, 's> Meter<'m, 's> {
    /// Returns the cost of the exact words of `exactness` for a document that matches the
    /// interpretation.
    pub fn exact_words(&self, doc_id: DocId) -> u32 {
        self.nodes.iter().map(|metered| metered.exactness(doc_id)).sum()
    }

    pub fn new(
        context: &'m Context<'s>,
        slots: &'m NodeSlots,
        path: &'m Path,
        measures: &[Measure],
    ) -> Result<Self, SearchError> {
        let wants_exact = measures.contains(&Measure::ExactWords);
        let mut nodes: Vec<MeteredNode<'m>> = Vec::with_capacity(path.len());
        for (node, slots) in path.iter().zip(slots.of_path(path)) {
            let is_adjacent = nodes.last().is_some_and(|left| are_adjacent(left.node, node));
            let exact = if wants_exact { Some(node.exact_documents(context)?) } else { None };
            nodes.push(MeteredNode { node, slots, is_adjacent, exact });
        }
        Ok(Self { context, nodes })
    }

    /// Returns how many tokens at the beginning of fields determine most of `wordPosition`.
    pub fn decisive_tokens(&self) -> usize {
        let last = self.nodes.iter().map(|metered| metered.node.first_position).max();
        decisive_tokens(last.unwrap_or(0))
    }

    /// Returns the cost of `wordPosition` by the positions found in beginnings, and whether it is
    /// exact; otherwise it is a lower bound.
    pub fn position_cost_by_beginnings(
        &self,
        segment: usize,
        beginnings: &Occurrences,
    ) -> (u32, bool) {
        let mut total = 0;
        let mut is_certain = true;
        for metered in &self.nodes {
            let node = metered.node;
            let places = metered.slots.places(segment, Precision::ByWord, beginnings);
            let near = places.words.iter().map(|place| position_cost(node, place.position)).min();
            let far = far_position_cost(node);
            total += near.unwrap_or(far).min(far);
            is_certain &= near.is_some_and(|near| near <= far);
        }
        (total, is_certain)
    }

    /// Returns the cost of a document, and passes that of each node to `of_node`; `None` if it does
    /// not match the interpretation.
    pub fn total(
        &self,
        measure: Measure,
        segment: usize,
        doc_id: DocId,
        occurrences: &Occurrences,
        mut of_node: impl FnMut(u32),
    ) -> Option<u32> {
        let precision = self.context.settings.proximity_precision;
        let mut left = NodePositions::default();
        let mut total = 0;
        for metered in &self.nodes {
            let node = metered.node;
            let places = metered.slots.places(segment, precision, occurrences);
            if places.is_empty() {
                if !node.is_optional {
                    return None;
                }
                let cost = measure.most_of_node(self.context, node, metered.is_adjacent);
                of_node(cost);
                total += cost;
                left = places;
                continue;
            }
            let cost = match measure {
                Measure::Proximity => {
                    let apart =
                        if metered.is_adjacent { distance(precision, &left, &places) } else { 0 };
                    node.size() - 1 + apart
                }
                Measure::AttributeRank { .. } => {
                    let roles = &self.context.segments[segment].roles;
                    let weight = |place: TokenPosition| roles[usize::from(place.field)].weight;
                    node.size() * places.single_places().map(weight).min().unwrap_or(0)
                }
                Measure::WordPosition { .. } => places
                    .single_places()
                    .map(|place| position_cost(node, place.position))
                    .min()
                    .unwrap_or(node.size() * FARTHEST_POSITION_COST),
                Measure::ExactWords => metered.exactness(doc_id),
            };
            of_node(cost);
            total += cost;
            left = places;
        }
        Some(total)
    }
}

impl Measure {
    pub fn score(self, rank: Rank) -> Score {
        match self {
            Self::Proximity => Score::Proximity(rank),
            Self::AttributeRank { of_attribute: false } => Score::AttributeRank(rank),
            Self::AttributeRank { .. } => Score::Attribute(AttributeStep::Rank, rank),
            Self::WordPosition { of_attribute: false } => Score::WordPosition(rank),
            Self::WordPosition { .. } => Score::Attribute(AttributeStep::Position, rank),
            Self::ExactWords => Score::ExactWords(rank),
        }
    }

    /// Returns the least possible cost of a document.
    pub fn least(self, path: &Path) -> u32 {
        match self {
            Self::Proximity => path.iter().map(|node| node.size() - 1).sum(),
            Self::AttributeRank { .. } | Self::WordPosition { .. } => 0,
            Self::ExactWords => {
                path.iter().filter(|node| !node.allows_exact()).map(|node| node.size()).sum()
            }
        }
    }

    /// Returns the highest possible cost of an interpretation.
    pub fn most(self, context: &Context<'_>, path: &Path) -> u32 {
        let mut most = 0;
        let mut left: Option<&Node> = None;
        for node in path {
            let is_adjacent = left.is_some_and(|left| are_adjacent(left, node));
            most += self.most_of_node(context, node, is_adjacent);
            left = Some(node);
        }
        most
    }

    /// Returns the highest possible cost of a node.
    fn most_of_node(self, context: &Context<'_>, node: &Node, is_adjacent: bool) -> u32 {
        match self {
            Self::Proximity => node.size() - 1 + if is_adjacent { FAR } else { 0 },
            Self::AttributeRank { .. } => node.size() * (context.weights - 1),
            Self::WordPosition { .. } => node.size() * FARTHEST_POSITION_COST,
            Self::ExactWords => node.size(),
        }
    }
}

/// Returns the distance of two neighbours of the query in a document, from 0 to 3.
fn distance(precision: Precision, left: &NodePositions<'_>, right: &NodePositions<'_>) -> u32 {
    match precision {
        Precision::ByWord => distance_by_word(left, right),
        Precision::ByAttribute => {
            let lefts = || {
                let phrases = left.phrases.iter().filter(|phrase| phrase.last.is_some());
                left.words.iter().map(|place| place.field).chain(phrases.map(|phrase| phrase.field))
            };
            let rights = || {
                let phrases = right.phrases.iter().filter(|phrase| phrase.first.is_some());
                let words = right.words.iter().map(|place| place.field);
                words.chain(phrases.map(|phrase| phrase.field))
            };
            if lefts().any(|field| rights().any(|other| field == other)) { 0 } else { FAR }
        }
    }
}

fn distance_by_word(left: &NodePositions<'_>, right: &NodePositions<'_>) -> u32 {
    let mut least = words_apart(left.words, right.words);
    if least == 0 || left.phrases.is_empty() && right.phrases.is_empty() {
        return least;
    }
    let phrase_end = |phrase: &PhrasePosition| {
        phrase.last.map(|position| TokenPosition { field: phrase.field, position, index: 0 })
    };
    let phrase_start = |phrase: &PhrasePosition| {
        phrase.first.map(|position| TokenPosition { field: phrase.field, position, index: 0 })
    };
    let mut ends: Vec<TokenPosition> = left.phrases.iter().filter_map(phrase_end).collect();
    let mut starts: Vec<TokenPosition> = right.phrases.iter().filter_map(phrase_start).collect();
    ends.sort_unstable();
    starts.sort_unstable();
    // With a phrase, only the order of the query counts.
    for (lefts, rights) in
        [(&ends[..], right.words), (&ends[..], &starts[..]), (left.words, &starts[..])]
    {
        least = least.min(apart_in_order(lefts, rights));
    }
    least
}

/// Returns the least cost of a pair in which the right one comes later; both lists are sorted.
fn apart_in_order(left: &[TokenPosition], right: &[TokenPosition]) -> u32 {
    let mut least = FAR;
    let mut rights = right.iter().peekable();
    for l in left {
        let key = (l.field, l.position);
        while rights.peek().is_some_and(|r| (r.field, r.position) <= key) {
            rights.next();
        }
        if let Some(r) = rights.peek()
            && r.field == l.field
        {
            least = least.min(r.position - l.position - 1);
        }
    }
    least
}

/// Returns the least cost of any pair of words. Both lists are sorted, so one walk finds it.
fn words_apart(left: &[TokenPosition], right: &[TokenPosition]) -> u32 {
    let mut least = FAR;
    let mut start = 0;
    for l in left {
        while start < right.len()
            && (right[start].field < l.field
                || right[start].field == l.field && right[start].position + FAR < l.position)
        {
            start += 1;
        }
        for r in &right[start..] {
            if r.field != l.field || r.position > l.position + FAR {
                break;
            }
            let cost = if r.position > l.position {
                r.position - l.position - 1
            } else if r.position < l.position {
                l.position - r.position
            } else {
                continue;
            };
            least = least.min(cost);
        }
        if least == 0 {
            break;
        }
    }
    least
}

/// Returns how many tokens at the beginning of a field show whether a word is near its position.
fn decisive_tokens(position: u32) -> usize {
    (position + NEAR + 1) as usize
}

/// Returns the least cost of a node whose words are not near their position.
fn far_position_cost(node: &Node) -> u32 {
    (1..=node.size()).map(|step| distance_cost(NEAR + step)).sum()
}

/// Returns the cost of a node by the position of one of its words.
fn position_cost(node: &Node, position: u32) -> u32 {
    cost_at_rounded_position(node, rounded_position(position))
}

/// Returns the cost of a node by the rounded position of one of its words.
pub(crate) fn cost_at_rounded_position(node: &Node, rounded: u32) -> u32 {
    let apart = rounded.abs_diff(node.first_position);
    (0..node.size()).map(|step| distance_cost(apart + step)).sum()
}

fn distance_cost(apart: u32) -> u32 {
    match apart {
        0 => 0,
        1 => 1,
        2..=4 => 2,
        5..=7 => 3,
        8..=11 => 4,
        12..=16 => 5,
        17..=24 => 6,
        25..=64 => 7,
        65..=256 => 8,
        257..=1024 => 9,
        _ => FARTHEST_POSITION_COST,
    }
}
