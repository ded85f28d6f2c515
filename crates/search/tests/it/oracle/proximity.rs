//! Costs of the distance between two neighbouring nodes in a document.

use std::collections::HashMap;

use super::doc_set::DocSet;
use super::fields::{FARTHEST, FieldScope};
use super::index::{FieldId, ModelIndex, WordId};
use super::nodes::{NodeId, NodeKey, Search};
use super::phrase::{Phrase, Slot};
use super::rules::Choice;

/// By pair of nodes: documents for the costs below [`FARTHEST`].
#[derive(Debug, Default)]
pub struct NeighbourCosts {
    known: HashMap<(NodeKey, NodeKey), [DocSet; FARTHEST as usize]>,
}

impl NeighbourCosts {
    pub fn choices(
        &mut self,
        search: &mut Search<'_>,
        left: Option<NodeId>,
        node: NodeId,
    ) -> Vec<Choice> {
        let joining = search.nodes[node].n() - 1;
        let keep = |cost, documents| Choice {
            cost,
            documents: Some(documents),
            node: Some(node),
            drops: None,
        };
        let matching = search.documents(node);
        let adjacent =
            |left: &NodeId| search.nodes[*left].position.1 + 1 == search.nodes[node].position.0;
        let Some(left) = left.filter(adjacent) else {
            return vec![keep(joining, matching)];
        };
        let key = (search.nodes[left].key(), search.nodes[node].key());
        let near = self.known.entry(key).or_insert_with(|| near(search, left, node));
        let mut choices: Vec<Choice> =
            (joining..).zip(*near).map(|(cost, documents)| keep(cost, documents)).collect();
        choices.push(keep(joining + FARTHEST, matching));
        choices
    }
}

fn near(search: &Search<'_>, left: NodeId, right: NodeId) -> [DocSet; FARTHEST as usize] {
    if !search.index.improved() {
        return [0, 1, 2].map(|cost| documents_by_pairs(search, left, right, cost));
    }
    let mut near = [DocSet::default(); FARTHEST as usize];
    let (left, right) = (Ends::last(search, left), Ends::first(search, right));
    for document in 0..search.index.documents.len() {
        let fields = search.view.fields.iter();
        let cost =
            fields.filter_map(|field| pair_cost(search.index, &left, &right, document, *field));
        if let Some(cost) = cost.min().filter(|cost| *cost < FARTHEST) {
            near[cost as usize].insert(document);
        }
    }
    near
}

/// The words on one side of the gap.
struct Ends<'s> {
    words: Vec<(WordId, FieldScope)>,
    phrases: Vec<&'s Phrase>,
    takes_last: bool,
}

impl<'s> Ends<'s> {
    fn last(search: &'s Search<'_>, node: NodeId) -> Self {
        Self::new(search, node, true)
    }

    fn first(search: &'s Search<'_>, node: NodeId) -> Self {
        Self::new(search, node, false)
    }

    fn new(search: &'s Search<'_>, node: NodeId, takes_last: bool) -> Self {
        let words = search.words(node);
        let mut phrases = search.phrases(node);
        // A phrase that ends in a stop word has nothing to measure from.
        phrases.retain(|phrase| {
            let slots = phrase.slots();
            let end = if takes_last { slots.last() } else { slots.first() };
            end != Some(&Slot::StopWord)
        });
        Self { words, phrases, takes_last }
    }

    /// Positions in one attribute, each with whether a phrase stands there.
    fn positions(&self, index: &ModelIndex, document: usize, field: FieldId) -> Vec<(u32, bool)> {
        let text = &index.documents[document].texts[field];
        let words = text.iter().filter(|at| {
            self.words.contains(&(at.word, FieldScope::Everywhere))
                || self.words.contains(&(at.word, FieldScope::WhereTyposAre))
                    && !index.is_strict(field, at.word)
        });
        let mut positions: Vec<(u32, bool)> = words.map(|at| (at.position, false)).collect();
        for phrase in &self.phrases {
            let places = phrase.places(index, document, field);
            let end = |place: super::phrase::PhrasePosition| {
                if self.takes_last { place.last } else { place.first }
            };
            positions.extend(places.into_iter().map(|place| (end(place), true)));
        }
        positions
    }
}

fn pair_cost(
    index: &ModelIndex,
    left: &Ends<'_>,
    right: &Ends<'_>,
    document: usize,
    field: FieldId,
) -> Option<u32> {
    let right = right.positions(index, document, field);
    let mut best = None;
    for (l, left_is_phrase) in left.positions(index, document, field) {
        for &(r, right_is_phrase) in &right {
            let cost = if index.settings.by_attribute {
                0
            } else if r > l {
                r - l - 1
            } else if r < l && !left_is_phrase && !right_is_phrase {
                l - r
            } else {
                continue;
            };
            best = Some(best.map_or(cost, |best: u32| best.min(cost)));
        }
    }
    best
}

/// As the reference does it: phrase and distance may be found at different places.
fn documents_by_pairs(search: &Search<'_>, left: NodeId, right: NodeId, cost: u32) -> DocSet {
    let ends = |ends: Ends<'_>| -> Vec<(WordId, Option<DocSet>)> {
        let mut all: Vec<_> = ends.words.iter().map(|(word, _)| (*word, None)).collect();
        for phrase in &ends.phrases {
            let slots = phrase.slots();
            let end = if ends.takes_last { slots.last() } else { slots.first() };
            if let Some(Slot::Word(word)) = end {
                all.push((*word, Some(phrase.documents(search.index, search.view))));
            }
        }
        all
    };
    let by_attribute = search.index.settings.by_attribute;
    let rights = ends(Ends::first(search, right));
    let mut found = DocSet::default();
    for (left, left_phrase) in ends(Ends::last(search, left)) {
        for (right, right_phrase) in &rights {
            let mut near = search.view.pair(left, *right, cost + 1, by_attribute);
            if cost > 0 && left_phrase.is_none() && right_phrase.is_none() {
                near |= search.view.pair(*right, left, cost, by_attribute);
            }
            for phrase in left_phrase.iter().chain(right_phrase) {
                near &= *phrase;
            }
            found |= near;
        }
    }
    found
}
