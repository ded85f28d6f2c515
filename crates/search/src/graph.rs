//! The interpretations of a query: each is a sequence of nodes that covers every term once, a
//! node being a term or a concatenation of neighbours.

use std::ops::Range;
use std::rc::Rc;

use roaring::RoaringBitmap;

use crate::context::Context;
use crate::error::SearchError;
use crate::node_key::{ALL_LEVELS, Breadth, Levels, NodeKey, TermId};
use crate::parse::{MAX_TERMS, ParsedQuery, ParsedTerm, TermText};
use crate::scan::FieldScope;
use crate::strategy::Strategy;
use crate::term::{Term, Tolerance};

/// Maximum number of words that are read as one.
const MAX_JOINED: usize = 3;
/// Maximum number of unknown words in a question that are matched with typos.
const MAX_UNKNOWN: usize = 10;
/// Above the ids of all nodes that ten terms can have.
const FIRST_ID_OF_QUESTION: TermId = 100;

/// A term in an interpretation, with the ways of matching it that remain after earlier rules.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub term: Rc<Term>,
    /// Number of occurrences in the query.
    pub times: u32,
    /// Positions in the query of its first and last word.
    pub first_position: u32,
    pub last_position: u32,
    /// Terms of the query that it covers.
    pub first_term: u32,
    pub last_term: u32,
    pub levels: Levels,
    pub breadth: Breadth,
    /// Documents may lack it, in a question with very many words. Rules that measure documents then
    /// assume the worst distance, position or exactness.
    pub is_optional: bool,
}

/// Nodes are compared by identity: two nodes of one term can differ in the ways that remain.
pub(crate) type Path = Vec<Rc<Node>>;

/// A range of ordinals, with the attributes in which these words count.
pub(crate) type NodeWords = (Range<u32>, FieldScope);

impl Node {
    /// Creates a node for some terms of the query, the first of which has index `first`.
    fn new(term: Term, covered: &[ParsedTerm], first: usize) -> Self {
        Self {
            term: Rc::new(term),
            times: covered[0].times,
            first_position: covered[0].first,
            last_position: covered[covered.len() - 1].last,
            first_term: first as u32,
            last_term: (first + covered.len() - 1) as u32,
            levels: ALL_LEVELS,
            breadth: Breadth::Full,
            is_optional: false,
        }
    }

    /// Returns how many terms of the query the node covers.
    pub fn size(&self) -> u32 {
        self.last_term - self.first_term + 1
    }

    pub fn is_phrase(&self) -> bool {
        self.term.phrase.is_some()
    }

    pub fn key(&self) -> NodeKey {
        (self.term.id, self.levels, self.breadth)
    }

    pub fn documents(&self, context: &Context<'_>) -> Result<Rc<RoaringBitmap>, SearchError> {
        context.term_documents(&self.term, self.levels, self.breadth)
    }

    /// Returns the documents of a set that match at some of its levels.
    pub fn documents_among(
        &self,
        context: &Context<'_>,
        levels: Levels,
        universe: &RoaringBitmap,
    ) -> Result<RoaringBitmap, SearchError> {
        context.term_documents_among(&self.term, levels, self.breadth, universe)
    }

    /// Returns the number of matching documents, if it was computed.
    pub fn known_document_count(&self, context: &Context<'_>) -> Option<u64> {
        context.known_document_count(&self.term, self.levels, self.breadth)
    }

    /// Returns the documents in which it is matched by several words in a row.
    pub fn phrase_documents(&self, context: &Context<'_>) -> Result<RoaringBitmap, SearchError> {
        let mut documents = RoaringBitmap::new();
        if self.breadth == Breadth::Full || self.is_phrase() {
            for phrase in self.term.phrases(self.levels) {
                documents |= &*context.phrase_documents(phrase)?;
            }
        }
        Ok(documents)
    }

    /// Returns the single words that match it in a segment.
    pub fn words(&self, segment: usize) -> Vec<NodeWords> {
        let mut words = Vec::new();
        for (set, scope) in self.term.word_sets(segment, self.levels, self.breadth) {
            let prefixed = set.prefixed.as_ref().filter(|_| self.breadth == Breadth::Full);
            words.extend(prefixed.cloned().map(|range| (range, scope)));
            let is_covered = |ordinal: &u32| prefixed.is_some_and(|range| range.contains(ordinal));
            let single = set.ordinals.iter().filter(|ordinal| !is_covered(ordinal));
            words.extend(single.map(|&ordinal| (ordinal..ordinal + 1, scope)));
        }
        words
    }

    /// Returns whether the node can still be matched by exactly the typed word.
    pub fn allows_exact(&self) -> bool {
        !self.term.is_joined() && self.levels & 1 != 0 && (self.is_phrase() || self.term.has_exact)
    }

    /// Returns the documents that contain exactly the typed word.
    pub fn exact_documents(&self, context: &Context<'_>) -> Result<Rc<RoaringBitmap>, SearchError> {
        if !self.allows_exact() {
            return Ok(Rc::default());
        }
        context.exact_documents(&self.term)
    }
}

/// Returns whether `right` directly follows `left` in the query.
pub(crate) fn are_adjacent(left: &Node, right: &Node) -> bool {
    left.last_position + 1 == right.first_position
}

/// Returns all interpretations, those with the shortest nodes first.
pub(crate) fn interpretations(
    context: &Context<'_>,
    query: &ParsedQuery,
    strategy: Strategy,
) -> Result<Vec<Path>, SearchError> {
    if strategy == Strategy::Any {
        return Ok(vec![question(context, &query.terms, 0)?]);
    }
    let terms = &query.terms[..query.terms.len().min(MAX_TERMS)];
    // Nodes by first term, then by number of covered terms.
    let mut nodes: Vec<Vec<Rc<Node>>> = Vec::with_capacity(terms.len());
    let mut next_id = 0;
    for first in 0..terms.len() {
        let mut starting_here = Vec::new();
        for count in 1..=MAX_JOINED.min(terms.len() - first) {
            let covered = &terms[first..first + count];
            let Some(term) = term_of(context, next_id, covered, Tolerance::Always)? else {
                break;
            };
            next_id += 1;
            starting_here.push(Rc::new(Node::new(term, covered, first)));
        }
        nodes.push(starting_here);
    }
    let mut paths = Vec::new();
    extend(&nodes, 0, &mut Vec::new(), &mut paths);
    Ok(paths)
}

/// Builds the nodes of a question, of which a document needs only few: one node for each term, from
/// `first` on, without typos for words of the index, which would cost much and add little.
pub(crate) fn question(
    context: &Context<'_>,
    terms: &[ParsedTerm],
    first: usize,
) -> Result<Path, SearchError> {
    let is_optional = terms.len() > MAX_TERMS;
    let mut unknown = 0;
    let mut path = Path::new();
    for (place, covered) in terms.iter().enumerate().skip(first) {
        let tolerance = match unknown {
            0..MAX_UNKNOWN => Tolerance::IfUnknown,
            _ => Tolerance::Never,
        };
        let id = FIRST_ID_OF_QUESTION + place as TermId;
        let covered = std::slice::from_ref(covered);
        if let Some(term) = term_of(context, id, covered, tolerance)? {
            unknown += usize::from(term.budget > 0);
            path.push(Rc::new(Node { is_optional, ..Node::new(term, covered, place) }));
        }
    }
    Ok(path)
}

/// Returns the terms read as one; `None` if they cannot be.
fn term_of(
    context: &Context<'_>,
    id: TermId,
    terms: &[ParsedTerm],
    tolerance: Tolerance,
) -> Result<Option<Term>, SearchError> {
    if let [ParsedTerm { text: TermText::Phrase(phrase), .. }] = terms {
        return Ok(Some(Term::phrase(id, phrase.clone())));
    }
    if terms.windows(2).any(|pair| pair[0].last + 1 != pair[1].first) {
        return Ok(None);
    }
    let mut parts = Vec::with_capacity(terms.len());
    let mut is_last_prefix = false;
    for term in terms {
        let TermText::Word { word, is_prefix } = &term.text else {
            return Ok(None);
        };
        parts.push(word.clone());
        is_last_prefix = *is_prefix;
    }
    let word = parts.concat();
    if parts.len() == 1 {
        parts.clear();
    }
    Term::word(context, id, word, is_last_prefix, parts, tolerance).map(Some)
}

fn extend(nodes: &[Vec<Rc<Node>>], next: usize, path: &mut Path, paths: &mut Vec<Path>) {
    let Some(starting_here) = nodes.get(next) else {
        paths.push(path.clone());
        return;
    };
    for (place, node) in starting_here.iter().enumerate() {
        path.push(Rc::clone(node));
        extend(nodes, next + place + 1, path, paths);
        path.pop();
    }
}
