//! The rules that work on interpretations: what each node can cost, and for which documents.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::rc::Rc;

use super::Dropping;
use super::doc_set::DocSet;
use super::fields::FieldScope;
use super::index::bucketed;
use super::nodes::{Node, NodeId, Search};
use super::paths::{Droppable, Path, droppable};
use super::proximity::NeighbourCosts;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    Words,
    Typo,
    Proximity,
    AttributeRank,
    WordPosition,
    ExactWords,
}

/// One way to take a node.
#[derive(Debug, Clone)]
pub struct Choice {
    pub cost: u32,
    /// None: any document will do, the node is dropped.
    pub documents: Option<DocSet>,
    /// The rest of the node.
    pub node: Option<NodeId>,
    /// Nodes that must be dropped too.
    pub drops: Option<Rc<BTreeSet<NodeId>>>,
}

impl Choice {
    fn keep(cost: u32, documents: DocSet, node: NodeId) -> Self {
        Self { cost, documents: Some(documents), node: Some(node), drops: None }
    }
}

/// State of a rule besides the path.
pub struct RuleState {
    pub rule: Rule,
    droppable: Droppable,
    neighbours: NeighbourCosts,
}

impl RuleState {
    pub fn new(search: &mut Search<'_>, rule: Rule, paths: &[Path], dropping: Dropping) -> Self {
        let droppable = match rule {
            Rule::Words => droppable(search, paths, dropping),
            _ => Droppable::new(),
        };
        Self { rule, droppable, neighbours: NeighbourCosts::default() }
    }

    /// Words inside phrases count for the maximum of `words`, one of them for the least rank.
    pub fn extra_maximum(&self, search: &Search<'_>, paths: &[Path]) -> u32 {
        if self.rule != Rule::Words {
            return 0;
        }
        let nodes: BTreeSet<NodeId> = paths.iter().flatten().copied().collect();
        let phrases = nodes.iter().filter_map(|node| search.term(*node).as_phrase());
        let words: usize = phrases.map(super::phrase::Phrase::number_of_words).sum();
        words.saturating_sub(1) as u32
    }

    /// The choices for each node of a path, in the order in which they are tried.
    pub fn choices(&mut self, search: &mut Search<'_>, path: &Path) -> Vec<Vec<Choice>> {
        let mut choices = Vec::new();
        for (i, &node) in path.iter().enumerate() {
            let left = i.checked_sub(1).map(|left| path[left]);
            choices.push(match self.rule {
                Rule::Words => self.words(search, node),
                Rule::Typo => typo(search, node),
                Rule::Proximity => self.neighbours.choices(search, left, node),
                Rule::AttributeRank => attribute_rank(search, node),
                Rule::WordPosition => word_position(search, node),
                Rule::ExactWords => exact_words(search, node),
            });
        }
        choices
    }

    fn words(&self, search: &mut Search<'_>, node: NodeId) -> Vec<Choice> {
        let mut choices = Vec::new();
        if let Some(drops) = self.droppable.get(&node) {
            choices.push(Choice {
                cost: search.nodes[node].n(),
                documents: None,
                node: None,
                drops: Some(Rc::clone(drops)),
            });
        }
        choices.push(Choice::keep(0, search.documents(node), node));
        choices
    }
}

fn typo(search: &mut Search<'_>, node: NodeId) -> Vec<Choice> {
    let n = search.nodes[node].n();
    let joining = if n == 1 { 0 } else { n };
    let mut choices = Vec::new();
    for level in 0..=search.highest_level(node) {
        let narrowed = search.add_node(search.nodes[node].at_level(level));
        let documents = search.documents(narrowed);
        choices.push(Choice::keep(joining + level as u32, documents, narrowed));
    }
    choices
}

fn attribute_rank(search: &Search<'_>, node: NodeId) -> Vec<Choice> {
    let (index, view, n) = (search.index, search.view, search.nodes[node].n());
    let heaviest = index.settings.searchable.as_ref().map_or(0, |e| e.len().saturating_sub(1));
    let mut by_cost = BTreeMap::from([(heaviest as u32 * n, DocSet::default())]);
    for &field in &view.fields {
        let found = search.matching_at(node, |word, scope| match scope {
            FieldScope::WhereTyposAre if index.is_strict(field, word) => DocSet::default(),
            _ => view.in_field(word, field),
        });
        *by_cost.entry(index.fields[field].weight * n).or_default() |= found;
    }
    by_cost.into_iter().map(|(cost, documents)| Choice::keep(cost, documents, node)).collect()
}

fn word_position(search: &Search<'_>, node: NodeId) -> Vec<Choice> {
    let (view, n) = (search.view, search.nodes[node].n());
    let wanted = search.nodes[node].position.0;
    let mut by_cost = BTreeMap::from([(FARTHEST_COST * n, DocSet::default())]);
    for position in view.positions() {
        let at_position = |word, scope| view.at_position(word, scope, position);
        let found = search.matching_at(node, at_position);
        let distance = position.abs_diff(wanted);
        let cost = (distance..distance + n).map(distance_cost).sum();
        *by_cost.entry(cost).or_default() |= found;
    }
    by_cost.into_iter().map(|(cost, documents)| Choice::keep(cost, documents, node)).collect()
}

const FARTHEST_COST: u32 = 10;

fn distance_cost(distance: u32) -> u32 {
    const LIMITS: [u32; FARTHEST_COST as usize] = [0, 1, 4, 7, 11, 16, 24, 64, 256, 1024];
    let cost = LIMITS.iter().position(|limit| distance <= *limit);
    cost.map_or(FARTHEST_COST, |cost| cost as u32)
}

fn exact_words(search: &mut Search<'_>, node: NodeId) -> Vec<Choice> {
    let all = Choice::keep(search.nodes[node].n(), search.documents(node), node);
    let exact_documents = search.exact_documents(node);
    let narrowed = if search.is_phrase(node) {
        search.nodes[node].clone()
    } else {
        Node { only_exact: true, ..search.nodes[node].at_level(0) }
    };
    let exact = search.add_node(narrowed);
    vec![Choice::keep(0, exact_documents, exact), all]
}

/// Whether a word stands at a position of the query, as roughly as positions are known.
pub fn stands_at(position: u32, wanted: u32) -> bool {
    bucketed(position) == bucketed(wanted)
}
