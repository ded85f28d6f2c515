//! The positions of nodes in a document.

use std::rc::Rc;

use hashbrown::HashMap;
use settings::Precision;

use crate::context::Context;
use crate::graph::{Node, Path};
use crate::node_key::{Breadth, NodeKey};
use crate::parse::Phrase;
use crate::phrase::PhrasePattern;
use crate::scan::{FieldScope, Occurrences, Slot, Table, TokenPosition};
use crate::term_dropping::NodeId;

/// The slots of every node, and the tables that fill them.
pub(crate) struct NodeSlots {
    pub tables: Vec<Table>,
    pub slots: usize,
    nodes: HashMap<NodeId, NodeSlotSet>,
    words: HashMap<String, Slot>,
    levels: HashMap<NodeKey, Slot>,
}

pub(crate) struct NodeSlotSet {
    words: Option<Slot>,
    phrases: Vec<PhraseSlots>,
}

struct PhraseSlots {
    /// One slot for each word that is no stop word.
    words: Vec<Slot>,
    /// Patterns by segment; `None` where a word is missing.
    patterns: Vec<Option<PhrasePattern>>,
    starts_with_word: bool,
    ends_with_word: bool,
}

/// The positions of a node in one document.
#[derive(Debug, Default)]
pub(crate) struct NodePositions<'o> {
    /// Single words.
    pub words: &'o [TokenPosition],
    pub phrases: Vec<PhrasePosition>,
    /// The first word of each phrase in the document, wherever the phrase occurs.
    pub phrase_starts: Vec<TokenPosition>,
}

/// A position where a phrase starts, or one where it ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PhrasePosition {
    pub field: u16,
    /// Position of the first word, unless that is a stop word.
    pub first: Option<u32>,
    pub last: Option<u32>,
}

impl NodePositions<'_> {
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.phrases.is_empty()
    }

    /// Returns every position of the node, for rules to which a phrase counts as one position.
    pub fn single_places(&self) -> impl Iterator<Item = TokenPosition> {
        self.words.iter().chain(&self.phrase_starts).copied()
    }
}

impl NodeSlots {
    pub fn new(context: &Context<'_>, paths: &[Path]) -> Self {
        let mut slots = Self {
            tables: context.segments.iter().map(|_| Table::default()).collect(),
            slots: 0,
            nodes: HashMap::new(),
            words: HashMap::new(),
            levels: HashMap::new(),
        };
        for node in paths.iter().flatten() {
            if !slots.nodes.contains_key(&NodeId::of(node)) {
                let of_node = slots.slots_of(context, node);
                slots.nodes.insert(NodeId::of(node), of_node);
            }
        }
        slots
    }

    fn slots_of(&mut self, context: &Context<'_>, node: &Rc<Node>) -> NodeSlotSet {
        let term = &node.term;
        let words = if node.is_phrase() {
            None
        } else if node.breadth == Breadth::Exact {
            (node.levels & 1 != 0).then(|| self.slot_of_word(context, &term.word))
        } else {
            Some(self.slot_of_levels(node))
        };
        let phrases = if node.breadth != Breadth::Full && !node.is_phrase() {
            Vec::new()
        } else {
            term.phrases(node.levels).map(|phrase| self.slots_of_phrase(context, phrase)).collect()
        };
        NodeSlotSet { words, phrases }
    }

    fn slot_of_levels(&mut self, node: &Node) -> Slot {
        let key = node.key();
        if let Some(&slot) = self.levels.get(&key) {
            return slot;
        }
        let slot = self.new_slot();
        for (segment, table) in self.tables.iter_mut().enumerate() {
            for (ordinals, scope) in node.words(segment) {
                match ordinals.len() {
                    1 => table.add_word(ordinals.start, slot, scope),
                    _ => table.add_range(&ordinals, slot, scope),
                }
            }
        }
        self.levels.insert(key, slot);
        slot
    }

    /// Returns the slot of exactly this word.
    pub fn slot_of_word(&mut self, context: &Context<'_>, word: &str) -> Slot {
        if let Some(&slot) = self.words.get(word) {
            return slot;
        }
        let slot = self.new_slot();
        for (table, view) in self.tables.iter_mut().zip(&context.segments) {
            if let Some(ordinal) = view.text.ordinal(word.as_bytes()) {
                table.add_word(ordinal, slot, FieldScope::Everywhere);
            }
        }
        self.words.insert(word.to_owned(), slot);
        slot
    }

    fn slots_of_phrase(&mut self, context: &Context<'_>, phrase: &Phrase) -> PhraseSlots {
        PhraseSlots {
            words: phrase.iter().flatten().map(|word| self.slot_of_word(context, word)).collect(),
            patterns: context
                .segments
                .iter()
                .map(|view| PhrasePattern::new(view.text, phrase))
                .collect(),
            starts_with_word: phrase.first().is_some_and(Option::is_some),
            ends_with_word: phrase.last().is_some_and(Option::is_some),
        }
    }

    fn new_slot(&mut self) -> Slot {
        let slot = self.slots as Slot;
        self.slots += 1;
        slot
    }

    /// Returns the slots of the nodes of a path, in order.
    pub fn of_path(&self, path: &Path) -> Vec<&NodeSlotSet> {
        path.iter().filter_map(|node| self.nodes.get(&NodeId::of(node))).collect()
    }
}

impl NodeSlotSet {
    /// Returns the positions of a node in a document of a segment.
    pub fn places<'o>(
        &self,
        segment: usize,
        precision: Precision,
        occurrences: &'o Occurrences,
    ) -> NodePositions<'o> {
        let mut places = NodePositions {
            words: self.words.map_or(&[], |slot| occurrences.of(slot)),
            ..NodePositions::default()
        };
        for phrase in &self.phrases {
            phrase.add_places(segment, precision, occurrences, &mut places);
        }
        places
    }
}

impl PhraseSlots {
    fn add_places(
        &self,
        segment: usize,
        precision: Precision,
        occurrences: &Occurrences,
        places: &mut NodePositions<'_>,
    ) {
        let Some(Some(pattern)) = self.patterns.get(segment) else {
            return;
        };
        let Some((&first, rest)) = self.words.split_first() else {
            return;
        };
        if self.words.iter().any(|&slot| occurrences.of(slot).is_empty()) {
            return;
        }
        let before = places.phrases.len();
        let starts = occurrences.of(first);
        for of_field in starts.chunk_by(|a, b| a.field == b.field) {
            let field = of_field[0].field;
            let mut positions: Vec<Vec<u32>> =
                vec![of_field.iter().map(|place| place.position).collect()];
            for &slot in rest {
                let of_word = occurrences.of(slot).iter().filter(|place| place.field == field);
                positions.push(of_word.map(|place| place.position).collect());
            }
            if positions.iter().any(Vec::is_empty) {
                continue;
            }
            let slices: Vec<&[u32]> = positions.iter().map(Vec::as_slice).collect();
            let (firsts, lasts) = match precision {
                Precision::ByWord => (pattern.starts(&slices), pattern.ends(&slices)),
                Precision::ByAttribute => (vec![slices[0][0]], vec![slices[slices.len() - 1][0]]),
            };
            // Only one end of a phrase is compared with neighbours, never both.
            for first in firsts {
                let first = self.starts_with_word.then_some(first);
                places.phrases.push(PhrasePosition { field, first, last: None });
            }
            for last in lasts {
                let last = self.ends_with_word.then_some(last);
                places.phrases.push(PhrasePosition { field, first: None, last });
            }
        }
        if places.phrases.len() > before {
            places.phrase_starts.extend_from_slice(starts);
        }
    }
}
