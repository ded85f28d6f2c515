//! The words of the index by which a query found its documents, for highlighting.

use hashbrown::HashSet;

use crate::context::Context;
use crate::graph::{Node, Path};
use crate::node_key::ALL_LEVELS;
use crate::node_key::Breadth;
use crate::term::Term;

/// Words that begin with a prefix are listed individually up to this many.
const MAX_PREFIXED: usize = 100;

/// Every way in which the terms of the query can occur in a text.
///
/// Excluded terms (`-word`) are not among them. A placeholder search has none.
#[derive(Debug, Clone, Default)]
pub struct MatchingWords {
    /// In any order: the reader decides to which of several terms a word of a text belongs.
    pub terms: Vec<MatchingTerm>,
}

/// A term of the query, or a concatenation of neighbouring ones.
#[derive(Debug, Clone, Default)]
pub struct MatchingTerm {
    /// First and last word of the query that it covers, counted from 0 (a phrase and a
    /// concatenation cover several). They show which words of a text are different words of the
    /// query, and which are in its order.
    pub first: u16,
    pub last: u16,
    /// The query's own word (joined, for a concatenation), normalised; empty for a phrase. Its
    /// number of characters is highlighted in longer words.
    pub original: String,
    /// True if words that begin with one of `words` match too.
    pub is_prefix: bool,
    /// Words of the index: the word itself if it is one, those that begin with it if it is a
    /// prefix, its variants by typos (of a prefix: in full, `gartens` for `garden`). Words that are
    /// not in the index are not listed, and so not highlighted where a text is tokenized
    /// differently than it was indexed, or is not indexed at all. If too many words begin with a
    /// prefix, the prefix is listed.
    ///
    /// The order matters for a prefix: the first entry that a text word begins with determines how
    /// much of it is highlighted, at most as many characters as `original` has. So: no typos, then
    /// one, then two, each in alphabetical order.
    pub words: Vec<MatchingWord>,
    /// Phrases of the query, splits in two, synonyms (of one word or several): these match whole
    /// words only and are highlighted as one. `None` is a stop word, which matches nothing.
    pub phrases: Vec<Vec<Option<String>>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchingWord {
    /// Normalised.
    pub text: String,
}

/// Collects the words that match the nodes of a query.
pub(crate) fn collect(
    context: &Context<'_>,
    paths: &[Path],
    further_terms: &Path,
) -> MatchingWords {
    let mut seen = HashSet::new();
    let mut terms = Vec::new();
    for node in paths.iter().flatten().chain(further_terms) {
        if seen.insert(node.term.id) {
            terms.push(matching_term(context, node));
        }
    }
    MatchingWords { terms }
}

fn matching_term(context: &Context<'_>, node: &Node) -> MatchingTerm {
    let term = &node.term;
    MatchingTerm {
        first: node.first_position as u16,
        last: node.last_position as u16,
        original: term.word.clone(),
        is_prefix: term.is_prefix,
        words: (0..=2).flat_map(|level| words_of(context, term, level)).collect(),
        phrases: term.phrases(ALL_LEVELS).cloned().collect(),
    }
}

/// Returns the words of one typo level in alphabetical order.
fn words_of(context: &Context<'_>, term: &Term, level: usize) -> Vec<MatchingWord> {
    let prefixed = term.words.iter().filter_map(|sets| sets[level].prefixed.clone());
    let is_long = prefixed.map(|range| range.len()).sum::<usize>() > MAX_PREFIXED;
    let mut words = Vec::new();
    if is_long {
        words.push(term.word.clone());
    }
    for (segment, view) in context.segments.iter().enumerate() {
        let sets = term.word_sets(segment, 1 << level, Breadth::Full);
        let ordinals = sets.flat_map(|(set, _)| {
            let prefixed = set.prefixed.clone().filter(|_| !is_long).into_iter().flatten();
            set.ordinals.iter().copied().chain(prefixed)
        });
        let of_segment = ordinals.filter_map(|ordinal| view.text.word(ordinal));
        words.extend(of_segment.filter_map(|word| String::from_utf8(word).ok()));
    }
    words.sort_unstable();
    words.dedup();
    words.into_iter().map(|text| MatchingWord { text }).collect()
}
