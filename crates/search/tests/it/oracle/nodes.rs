//! A term as one step of an interpretation, with what earlier rules have left of it.

use std::collections::HashMap;

use super::doc_set::DocSet;
use super::fields::{FieldScope, SearchedFields};
use super::index::{ModelIndex, WordId};
use super::phrase::{Phrase, Slot};
use super::term::{Term, TermKind};

/// Place in the list of nodes. Nodes with the same contents may have several.
pub type NodeId = usize;

#[derive(Debug, Clone)]
pub struct Node {
    pub term: usize,
    /// Positions of its first and last word in the query.
    pub position: (u32, u32),
    /// First and last term that it covers.
    pub covers: (usize, usize),
    /// The remaining typo levels.
    pub levels: [bool; 3],
    /// Only the word itself is left.
    pub only_exact: bool,
}

/// Equal for nodes that match the same.
pub type NodeKey = (usize, [bool; 3], bool);

impl Node {
    pub fn key(&self) -> NodeKey {
        (self.term, self.levels, self.only_exact)
    }

    /// How many terms it covers.
    pub fn n(&self) -> u32 {
        (self.covers.1 - self.covers.0 + 1) as u32
    }

    pub fn at_level(&self, level: usize) -> Self {
        let mut levels = [false; 3];
        levels[level] = self.levels[level];
        Self { levels, ..self.clone() }
    }
}

/// Everything a search knows, and what it has computed so far.
#[derive(Debug)]
pub struct Search<'m> {
    pub index: &'m ModelIndex,
    pub view: &'m SearchedFields,
    pub terms: Vec<Term>,
    pub nodes: Vec<Node>,
    documents: HashMap<NodeKey, DocSet>,
}

/// An exact form of a node at a place in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exact<'t> {
    Word(WordId),
    Phrase(&'t Phrase),
}

impl<'m> Search<'m> {
    pub fn new(index: &'m ModelIndex, view: &'m SearchedFields) -> Self {
        Self { index, view, terms: Vec::new(), nodes: Vec::new(), documents: HashMap::new() }
    }

    pub fn add_node(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    pub fn term(&self, node: NodeId) -> &Term {
        &self.terms[self.nodes[node].term]
    }

    pub fn is_phrase(&self, node: NodeId) -> bool {
        self.term(node).as_phrase().is_some()
    }

    /// The single words that are left of a node.
    pub fn words(&self, node: NodeId) -> Vec<(WordId, FieldScope)> {
        let (node, term) = (&self.nodes[node], self.term(node));
        let mut words = Vec::new();
        for (level, at_level) in term.words.iter().enumerate() {
            if !node.levels[level] {
                continue;
            }
            if level == 0 && node.only_exact {
                words.extend(term.exact.map(|word| (word, FieldScope::Everywhere)));
            } else {
                words.extend(at_level);
            }
        }
        words
    }

    /// The phrases that are left of a node.
    pub fn phrases(&self, node: NodeId) -> Vec<&Phrase> {
        let (node, term) = (&self.nodes[node], self.term(node));
        let synonyms_left = !self.index.improved() || node.levels[0] && !node.only_exact;
        let mut phrases = Vec::new();
        if synonyms_left {
            phrases.extend(&term.phrases);
        }
        if node.levels[1] {
            phrases.extend(&term.split);
        }
        phrases
    }

    pub fn documents(&mut self, node: NodeId) -> DocSet {
        let key = self.nodes[node].key();
        if let Some(known) = self.documents.get(&key) {
            return *known;
        }
        let mut found = DocSet::default();
        for (word, scope) in self.words(node) {
            found |= self.view.documents(word, scope);
        }
        for phrase in self.phrases(node) {
            found |= phrase.documents(self.index, self.view);
        }
        self.documents.insert(key, found);
        found
    }

    /// The exact form of a node, if it is still allowed.
    pub fn exact(&self, node: NodeId) -> Option<Exact<'_>> {
        let (node, term) = (&self.nodes[node], self.term(node));
        if !node.levels[0] {
            return None;
        }
        match &term.kind {
            TermKind::Joined => None,
            TermKind::Phrase(phrase) => Some(Exact::Phrase(phrase)),
            TermKind::Word { .. } => term.exact.map(Exact::Word),
        }
    }

    pub fn exact_documents(&self, node: NodeId) -> DocSet {
        match self.exact(node) {
            None => DocSet::default(),
            Some(Exact::Word(word)) => self.view.documents(word, FieldScope::Everywhere),
            Some(Exact::Phrase(phrase)) => phrase.documents(self.index, self.view),
        }
    }

    /// The highest typo level that counts for a node; a split is always possible.
    pub fn highest_level(&self, node: NodeId) -> usize {
        let (node, term) = (&self.nodes[node], self.term(node));
        let left = |level: usize| node.levels[level];
        match (&term.kind, term.budget) {
            (TermKind::Phrase(_), _) => 0,
            (_, 0) => 1,
            (_, 2) if left(2) => 2,
            _ => usize::from(left(1)),
        }
    }

    /// Documents that match a node at a place: by a word in the set that `of_word` gives, or by
    /// a phrase whose first word is. The reference forgets here where typos are disabled.
    pub fn matching_at(
        &self,
        node: NodeId,
        of_word: impl Fn(WordId, FieldScope) -> DocSet,
    ) -> DocSet {
        let mut found = DocSet::default();
        for (word, scope) in self.words(node) {
            found |=
                of_word(word, if self.index.improved() { scope } else { FieldScope::Everywhere });
        }
        for phrase in self.phrases(node) {
            if let Slot::Word(first) = phrase.first_word() {
                let documents = phrase.documents(self.index, self.view);
                found |= documents & of_word(first, FieldScope::Everywhere);
            }
        }
        found
    }
}
