//! The interpretations of a query, and which of their terms may be dropped.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::Dropping;
use super::doc_set::DocSet;
use super::nodes::{Node, NodeId, Search};
use super::query::{ParsedTerm, ParsedText};
use super::term::{Term, TermKind};

/// Nodes that cover the query from its first term to its last.
pub type Path = Vec<NodeId>;

/// A concatenation has at most this many words.
const LONGEST_NODE: usize = 3;

/// Every interpretation, those with fewer terms per node first.
pub fn interpretations(search: &mut Search<'_>, parsed: Vec<ParsedTerm>) -> Vec<Path> {
    let positions: Vec<(u32, u32)> = parsed.iter().map(|term| term.position).collect();
    for term in parsed {
        let term = match term.text {
            ParsedText::Phrase(phrase) => Term::phrase(phrase),
            ParsedText::Word { word, is_prefix } => {
                Term::word(search.index, search.view, &word, is_prefix)
            }
        };
        search.terms.push(term);
    }
    let nodes = add_nodes(search, &positions);
    let mut paths = Vec::new();
    extend(&nodes, positions.len(), 0, &mut Vec::new(), &mut paths);
    paths
}

type NodesBySpan = HashMap<(usize, usize), NodeId>;

fn add_nodes(search: &mut Search<'_>, positions: &[(u32, u32)]) -> NodesBySpan {
    let mut nodes = NodesBySpan::new();
    let node = |term, first: usize, last: usize| Node {
        term,
        position: (positions[first].0, positions[last].1),
        covers: (first, last),
        levels: [true; 3],
        only_exact: false,
    };
    for term in 0..positions.len() {
        let id = search.add_node(node(term, term, term));
        nodes.insert((term, term), id);
    }
    for n in 2..=LONGEST_NODE {
        for first in 0..(positions.len() + 1).saturating_sub(n) {
            let last = first + n - 1;
            if let Some(joined) = joined(search, positions, first, last) {
                search.terms.push(joined);
                let id = search.add_node(node(search.terms.len() - 1, first, last));
                nodes.insert((first, last), id);
            }
        }
    }
    nodes
}

/// Words next to each other as one word.
fn joined(
    search: &Search<'_>,
    positions: &[(u32, u32)],
    first: usize,
    last: usize,
) -> Option<Term> {
    let adjacent = positions[first..=last].windows(2).all(|pair| pair[0].1 + 1 == pair[1].0);
    let mut parts = Vec::new();
    let mut ends_in_prefix = false;
    for term in &search.terms[first..=last] {
        let TermKind::Word { word, is_prefix } = &term.kind else { return None };
        parts.push(word.clone());
        ends_in_prefix = *is_prefix;
    }
    adjacent.then(|| Term::joined(search.index, search.view, &parts, ends_in_prefix))
}

fn extend(nodes: &NodesBySpan, terms: usize, from: usize, path: &mut Path, paths: &mut Vec<Path>) {
    if from == terms {
        paths.push(path.clone());
        return;
    }
    for n in 1..=LONGEST_NODE {
        if let Some(node) = nodes.get(&(from, from + n - 1)) {
            path.push(*node);
            extend(nodes, terms, from + n, path, paths);
            path.pop();
        }
    }
}

/// Nodes that may be dropped, each with those that must be dropped with it if they come later in
/// the interpretation.
pub type Droppable = HashMap<NodeId, Rc<BTreeSet<NodeId>>>;

pub fn droppable(search: &mut Search<'_>, paths: &[Path], dropping: Dropping) -> Droppable {
    let nodes: BTreeSet<NodeId> = paths.iter().flatten().copied().collect();
    let terms: BTreeSet<usize> = nodes.iter().flat_map(|node| terms_of(search, *node)).collect();
    let class_of_term: HashMap<usize, usize> = match dropping {
        Dropping::All => return Droppable::new(),
        Dropping::Last if terms.len() < 2 => return Droppable::new(),
        Dropping::Last => terms.iter().rev().enumerate().map(|(i, term)| (*term, i)).collect(),
        Dropping::Frequency => by_frequency(search, &nodes, &terms),
    };
    let mut classes: BTreeMap<usize, BTreeSet<NodeId>> = BTreeMap::new();
    let mut something_stays = false;
    for node in nodes {
        if search.is_phrase(node) || search.nodes[node].only_exact {
            something_stays = true;
        } else if let Some(class) = terms_of(search, node).map(|term| class_of_term[&term]).max() {
            classes.entry(class).or_default().insert(node);
        }
    }
    if !something_stays {
        classes.pop_last();
    }
    let mut droppable = Droppable::new();
    let mut earlier = BTreeSet::new();
    for class in classes.into_values() {
        let before = Rc::new(earlier.clone());
        droppable.extend(class.iter().map(|node| (*node, Rc::clone(&before))));
        earlier.extend(class);
    }
    droppable
}

fn terms_of(search: &Search<'_>, node: NodeId) -> impl Iterator<Item = usize> + use<> {
    let (first, last) = search.nodes[node].covers;
    first..=last
}

/// Terms of as many documents form one class; the most frequent ones come first, after those
/// that match nothing.
fn by_frequency(
    search: &mut Search<'_>,
    nodes: &BTreeSet<NodeId>,
    terms: &BTreeSet<usize>,
) -> HashMap<usize, usize> {
    let mut documents: HashMap<usize, DocSet> = HashMap::new();
    for node in nodes {
        let found = search.documents(*node);
        for term in terms_of(search, *node) {
            *documents.entry(term).or_default() |= found;
        }
    }
    let frequency = |term: &usize| match documents[term].len() {
        0 => usize::MAX,
        count => count,
    };
    let frequencies: BTreeSet<usize> = terms.iter().map(frequency).collect();
    let class = |term: &usize| frequencies.iter().rev().position(|f| *f == frequency(term));
    terms.iter().filter_map(|term| class(term).map(|class| (*term, class))).collect()
}
