//! Cuts a set of documents by what they cost under one rule: the least sum over all
//! interpretations. Every sum is tried in order, depth-first, and the ways that bring a new
//! document are the interpretations that stay.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Dropping;
use super::doc_set::DocSet;
use super::nodes::{NodeId, NodeKey, Search};
use super::paths::Path;
use super::rules::{Choice, Rule, RuleState};

#[derive(Debug)]
pub struct Bucket {
    pub rank: u32,
    pub max: u32,
    pub documents: DocSet,
    pub paths: Vec<Path>,
}

pub fn buckets(
    search: &mut Search<'_>,
    rule: Rule,
    paths: &[Path],
    universe: DocSet,
    dropping: Dropping,
) -> Vec<Bucket> {
    let mut state = RuleState::new(search, rule, paths, dropping);
    let choices: Vec<Vec<Vec<Choice>>> =
        paths.iter().map(|path| state.choices(search, path)).collect();
    let walk = Walk::new(search, paths, &choices);
    let highest = walk.bounds.iter().map(|bounds| bounds[0].1).max().unwrap_or(0);
    let max = 1 + state.extra_maximum(search, paths) + highest;

    let mut left = universe;
    let mut buckets = Vec::new();
    for cost in 0..=highest {
        if left.is_empty() {
            break;
        }
        let (documents, paths) = walk.documents_at(cost, left);
        if !documents.is_empty() {
            left -= documents;
            buckets.push(Bucket { rank: max - cost, max, documents, paths });
        }
    }
    // The reference loses documents here when an earlier rule took a word for a typo where typos
    // are disabled.
    assert!(left.is_empty() || !search.index.improved(), "{rule:?} gives no cost to {left:?}");
    buckets
}

struct Walk<'a> {
    search: &'a Search<'a>,
    paths: &'a [Path],
    choices: &'a [Vec<Vec<Choice>>],
    /// Nodes by when they first appear in the paths.
    order: HashMap<NodeId, usize>,
    /// Least and largest sum from a node to the end, by path and node.
    bounds: Vec<Vec<(u32, u32)>>,
}

struct FoundPaths {
    documents: DocSet,
    paths: Vec<Path>,
    keys: BTreeSet<Vec<NodeKey>>,
}

/// A beginning of paths.
#[derive(Clone)]
struct Beginning {
    length: usize,
    cost_left: u32,
    documents: DocSet,
    must_drop: BTreeSet<NodeId>,
    chosen: Vec<usize>,
}

impl<'a> Walk<'a> {
    fn new(search: &'a Search<'a>, paths: &'a [Path], choices: &'a [Vec<Vec<Choice>>]) -> Self {
        let mut order = HashMap::new();
        for node in paths.iter().flatten() {
            let next = order.len();
            order.entry(*node).or_insert(next);
        }
        let bounds = choices.iter().map(|nodes| {
            let mut bounds = vec![(0, 0)];
            for choices in nodes.iter().rev() {
                let costs = || choices.iter().map(|choice| choice.cost);
                let (least, largest) = bounds[bounds.len() - 1];
                let here = (costs().min().unwrap_or(0), costs().max().unwrap_or(0));
                bounds.push((least + here.0, largest + here.1));
            }
            bounds.reverse();
            bounds
        });
        Self { search, paths, choices, order, bounds: bounds.collect() }
    }

    fn documents_at(&self, cost: u32, universe: DocSet) -> (DocSet, Vec<Path>) {
        let mut found =
            FoundPaths { documents: DocSet::default(), paths: Vec::new(), keys: BTreeSet::new() };
        let all: Vec<usize> = (0..self.paths.len()).collect();
        let start = Beginning {
            length: 0,
            cost_left: cost,
            documents: universe,
            must_drop: BTreeSet::new(),
            chosen: Vec::new(),
        };
        self.go_on(&all, &start, &mut found);
        (found.documents, found.paths)
    }

    /// Tries the paths that share this beginning.
    fn go_on(&self, paths: &[usize], beginning: &Beginning, found: &mut FoundPaths) {
        let depth = beginning.length;
        let mut by_node: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &path in paths {
            let (least, largest) = self.bounds[path][depth];
            if !(least..=largest).contains(&beginning.cost_left) {
                continue;
            }
            match self.paths[path].get(depth) {
                None => self.arrive(path, beginning, found),
                Some(node) => by_node.entry(self.order[node]).or_default().push(path),
            }
        }
        for paths in by_node.into_values() {
            let node = self.paths[paths[0]][depth];
            for (number, choice) in self.choices[paths[0]][depth].iter().enumerate() {
                if let Some(beginning) = beginning.with(node, number, choice, found.documents) {
                    self.go_on(&paths, &beginning, found);
                }
            }
        }
    }

    fn arrive(&self, path: usize, beginning: &Beginning, found: &mut FoundPaths) {
        let new = beginning.documents - found.documents;
        if new.is_empty() {
            return;
        }
        found.documents |= new;
        let choices = self.choices[path].iter().zip(&beginning.chosen);
        let path: Path = choices.filter_map(|(choices, chosen)| choices[*chosen].node).collect();
        let keys = path.iter().map(|node| self.search.nodes[*node].key()).collect();
        if found.keys.insert(keys) {
            found.paths.push(path);
        }
    }
}

impl Beginning {
    fn with(&self, node: NodeId, number: usize, choice: &Choice, found: DocSet) -> Option<Self> {
        let is_kept = choice.node.is_some();
        if choice.cost > self.cost_left || is_kept && self.must_drop.contains(&node) {
            return None;
        }
        let mut next = self.clone();
        next.length += 1;
        next.cost_left -= choice.cost;
        next.documents -= found;
        if let Some(documents) = choice.documents {
            next.documents &= documents;
        }
        if next.documents.is_empty() {
            return None;
        }
        next.must_drop.extend(choice.drops.iter().flat_map(|drops| drops.iter()));
        next.chosen.push(number);
        Some(next)
    }
}
