//! The first step of `exactness`: whether an attribute is, or begins with, the query.

use super::doc_set::DocSet;
use super::fields::FieldScope;
use super::index::{FieldId, WordId, bucketed};
use super::nodes::{Exact, NodeId, Search};
use super::paths::Path;
use super::phrase::Slot;
use super::rules::stands_at;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttributeMatch {
    Exact,
    Start,
    None,
}

impl AttributeMatch {
    pub const ALL: [Self; 3] = [Self::Exact, Self::Start, Self::None];

    pub fn rank(self) -> u32 {
        match self {
            Self::Exact => 3,
            Self::Start => 2,
            Self::None => 1,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exactMatch",
            Self::Start => "matchesStart",
            Self::None => "noExactMatch",
        }
    }
}

/// Longer attributes have no known length.
const LONGEST_FIELD: usize = 30;

/// The words that must stand at their positions, and how many positions they cover.
struct ExactWords {
    words: Vec<(WordId, u32)>,
    positions: u32,
}

pub fn attribute_match(search: &Search<'_>, paths: &[Path], documents: DocSet) -> [DocSet; 3] {
    let Some(words) = ExactWords::of(search, paths) else {
        return [DocSet::default(), DocSet::default(), documents];
    };
    let (mut exact, mut start) = (DocSet::default(), DocSet::default());
    for document in documents.iter() {
        for &field in &search.view.fields {
            if words.stands_in(search, document, field) {
                let length = search.index.documents[document].texts[field].len();
                let is_exact = length <= LONGEST_FIELD && length == words.positions as usize;
                (if is_exact { &mut exact } else { &mut start }).insert(document);
            }
        }
    }
    [exact, start - exact, documents - exact - start]
}

impl ExactWords {
    /// Returns `None` if the terms that still have an exact form do not begin the query, or have a
    /// gap.
    fn of(search: &Search<'_>, paths: &[Path]) -> Option<Self> {
        let mut nodes: Vec<NodeId> = paths.iter().flatten().copied().collect();
        nodes.retain(|node| search.exact(*node).is_some());
        nodes.sort_by_key(|node| search.nodes[*node].covers.0);
        nodes.dedup_by_key(|node| search.nodes[*node].covers.0);
        let in_a_row = nodes.iter().enumerate().all(|(i, node)| search.nodes[*node].covers.0 == i);
        if nodes.is_empty() || !in_a_row {
            return None;
        }
        let mut words = Self { words: Vec::new(), positions: 0 };
        for node in nodes {
            let (first, last) = search.nodes[node].position;
            words.positions += last - first + 1;
            match search.exact(node) {
                Some(Exact::Word(word)) => words.words.push((word, first)),
                Some(Exact::Phrase(phrase)) => words.add_phrase(phrase.slots(), first)?,
                None => {}
            }
        }
        Some(words)
    }

    /// `first` is where the first word stands that is no stop word. After leading stop words the
    /// words are looked for too far on; that is how it is.
    fn add_phrase(&mut self, slots: &[Slot], first: u32) -> Option<()> {
        for (position, slot) in (first..).zip(slots) {
            match slot {
                Slot::StopWord => {}
                Slot::Word(word) => self.words.push((*word, position)),
                Slot::Unknown => return None,
            }
        }
        Some(())
    }

    fn stands_in(&self, search: &Search<'_>, document: usize, field: FieldId) -> bool {
        let text = &search.index.documents[document].texts[field];
        self.words.iter().all(|&(word, words)| {
            if search.index.improved() {
                text.iter().any(|at| at.word == word && stands_at(at.position, words))
            } else {
                // Here the position may be one of another attribute.
                let at_position =
                    search.view.at_position(word, FieldScope::Everywhere, bucketed(words));
                at_position.contains(document) && text.iter().any(|at| at.word == word)
            }
        })
    }
}
