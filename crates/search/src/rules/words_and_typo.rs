//! `words` and `typo`: a document's cost follows from the document sets of the nodes, so that a
//! bucket is computed by set operations alone.
//!
//! Choices (drop or keep a node; its typo level) are walked depth-first along the tree of
//! interpretations, for one total cost after the other. The order matters: a choice that adds no
//! new document to its bucket is not alive in it.

use std::rc::Rc;

use hashbrown::{HashMap, HashSet};
use roaring::RoaringBitmap;

use super::{Bucket, Rule};
use crate::context::Context;
use crate::error::SearchError;
use crate::graph::{Node, Path};
use crate::node_key::Levels;
use crate::node_key::NodeKey;
use crate::score::{Rank, Score};
use crate::strategy::Strategy;
use crate::term_dropping::{self, Droppable, NodeId};

pub(crate) struct WordsAndTypoRule {
    kind: WordRule,
    paths: Rc<Vec<Path>>,
    tree: Vec<TreeNode>,
    roots: Vec<usize>,
    remaining: RoaringBitmap,
    next_cost: u32,
    largest_cost: u32,
    /// Words in phrases increase the best rank of `words`.
    extra_rank: u32,
    /// Narrowed nodes by path, index and level, so that a path has one of each.
    narrowed: HashMap<(usize, usize, u8), Rc<Node>>,
}

enum WordRule {
    Words(Droppable),
    Typo,
}

/// A node of the tree in which interpretations share their beginnings.
struct TreeNode {
    node: Rc<Node>,
    children: Vec<usize>,
    /// The interpretation that ends here.
    path: Option<usize>,
    /// Bounds of the cost below this node.
    least_below: u32,
    most_below: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    Drop,
    /// Keep with these levels.
    Keep(Levels),
}

/// The search for one bucket.
struct Search<'r, 'c> {
    rule: &'r mut WordsAndTypoRule,
    context: &'c Context<'c>,
    choices: Vec<(u8, Choice)>,
    must_drop: Vec<NodeId>,
    claimed: RoaringBitmap,
    paths: Vec<Path>,
    keys: HashSet<Vec<NodeKey>>,
}

impl WordsAndTypoRule {
    pub fn words(
        context: &Context<'_>,
        paths: Rc<Vec<Path>>,
        universe: RoaringBitmap,
        strategy: Strategy,
    ) -> Result<Self, SearchError> {
        let droppable = term_dropping::droppable(context, &paths, strategy)?;
        let mut seen = HashSet::new();
        let words_in_phrases: usize = paths
            .iter()
            .flatten()
            .filter(|node| seen.insert(NodeId::of(node)))
            .filter_map(|node| node.term.phrase.as_ref())
            .map(|phrase| phrase.iter().flatten().count())
            .sum();
        let extra_rank = match strategy {
            // Phrases may be dropped and count like words.
            Strategy::Any => 0,
            _ => words_in_phrases.saturating_sub(1) as u32,
        };
        let mut rule = Self::new(WordRule::Words(droppable), paths, universe, extra_rank);
        if strategy == Strategy::Any {
            // At least one term must match.
            rule.largest_cost = rule.largest_cost.saturating_sub(1);
        }
        Ok(rule)
    }

    pub fn typo(paths: Rc<Vec<Path>>, universe: RoaringBitmap) -> Self {
        Self::new(WordRule::Typo, paths, universe, 0)
    }

    fn new(kind: WordRule, paths: Rc<Vec<Path>>, universe: RoaringBitmap, extra_rank: u32) -> Self {
        let mut rule = Self {
            kind,
            tree: Vec::new(),
            roots: Vec::new(),
            remaining: universe,
            next_cost: 0,
            largest_cost: 0,
            extra_rank,
            narrowed: HashMap::new(),
            paths,
        };
        for (number, path) in Rc::clone(&rule.paths).iter().enumerate() {
            rule.add_to_tree(number, path);
        }
        rule.sort_siblings();
        for root in 0..rule.roots.len() {
            rule.measure(rule.roots[root]);
        }
        rule.largest_cost = rule
            .roots
            .iter()
            .map(|&root| rule.tree[root].most_below + rule.cost_range(&rule.tree[root].node).1)
            .max()
            .unwrap_or(0);
        rule
    }

    fn add_to_tree(&mut self, number: usize, path: &Path) {
        let mut parent: Option<usize> = None;
        for node in path {
            let siblings = match parent {
                Some(parent) => &self.tree[parent].children,
                None => &self.roots,
            };
            let known = siblings
                .iter()
                .copied()
                .find(|&sibling| Rc::ptr_eq(&self.tree[sibling].node, node));
            let place = known.unwrap_or_else(|| {
                let place = self.tree.len();
                self.tree.push(TreeNode {
                    node: Rc::clone(node),
                    children: Vec::new(),
                    path: None,
                    least_below: 0,
                    most_below: 0,
                });
                match parent {
                    Some(parent) => self.tree[parent].children.push(place),
                    None => self.roots.push(place),
                }
                place
            });
            parent = Some(place);
        }
        if let Some(end) = parent {
            self.tree[end].path = Some(number);
        }
    }

    /// Sorts siblings by the first occurrence of their nodes in any path.
    fn sort_siblings(&mut self) {
        let mut numbers: HashMap<NodeId, usize> = HashMap::new();
        for node in self.paths.iter().flatten() {
            let next = numbers.len();
            numbers.entry(NodeId::of(node)).or_insert(next);
        }
        let number: Vec<usize> =
            self.tree.iter().map(|tree_node| numbers[&NodeId::of(&tree_node.node)]).collect();
        self.roots.sort_by_key(|&place| number[place]);
        for tree_node in &mut self.tree {
            tree_node.children.sort_by_key(|&place| number[place]);
        }
    }

    fn measure(&mut self, place: usize) {
        let mut below: Option<(u32, u32)> = self.tree[place].path.map(|_| (0, 0));
        for child in self.tree[place].children.clone() {
            self.measure(child);
            let (least, most) = self.cost_range(&self.tree[child].node);
            let (least, most) =
                (least + self.tree[child].least_below, most + self.tree[child].most_below);
            below = Some(match below {
                None => (least, most),
                Some(known) => (known.0.min(least), known.1.max(most)),
            });
        }
        let (least, most) = below.unwrap_or((0, 0));
        self.tree[place].least_below = least;
        self.tree[place].most_below = most;
    }

    fn cost_range(&self, node: &Rc<Node>) -> (u32, u32) {
        match &self.kind {
            WordRule::Words(droppable) => {
                let most = if droppable.contains_key(&NodeId::of(node)) { node.size() } else { 0 };
                (0, most)
            }
            WordRule::Typo => (typo_base(node), typo_base(node) + most_typos(node)),
        }
    }

    /// Returns the options for a node with their costs, in the order in which they are tried.
    fn choices(&self, node: &Rc<Node>, must_drop: &[NodeId]) -> Vec<(u32, u8, Choice)> {
        match &self.kind {
            WordRule::Words(droppable) => {
                let id = NodeId::of(node);
                let mut choices = Vec::with_capacity(2);
                if droppable.contains_key(&id) {
                    choices.push((node.size(), 0, Choice::Drop));
                }
                if !must_drop.contains(&id) {
                    choices.push((0, 1, Choice::Keep(node.levels)));
                }
                choices
            }
            // A missing word has no typo.
            WordRule::Typo if node.is_optional => vec![(0, 0, Choice::Keep(node.levels))],
            WordRule::Typo => (0..=most_typos(node))
                .map(|level| {
                    let levels = node.levels & (1 << level);
                    (typo_base(node) + level, level as u8, Choice::Keep(levels))
                })
                .collect(),
        }
    }

    fn narrowed_path(&mut self, number: usize, choices: &[(u8, Choice)]) -> Path {
        let path = &self.paths[number];
        let mut narrowed = Path::new();
        for (place, (node, (choice_number, choice))) in path.iter().zip(choices).enumerate() {
            let Choice::Keep(levels) = *choice else {
                continue;
            };
            narrowed.push(match self.kind {
                WordRule::Words(_) => Rc::clone(node),
                WordRule::Typo => Rc::clone(
                    self.narrowed
                        .entry((number, place, *choice_number))
                        .or_insert_with(|| Rc::new(Node { levels, ..(**node).clone() })),
                ),
            });
        }
        narrowed
    }
}

/// Returns the base cost: a concatenation costs as much as the terms it covers.
fn typo_base(node: &Node) -> u32 {
    if node.size() == 1 { 0 } else { node.size() }
}

fn most_typos(node: &Node) -> u32 {
    let has = |level: u8| node.levels & (1 << level) != 0;
    match node.term.budget {
        _ if node.is_phrase() || node.is_optional => 0,
        0 => 1,
        1 => u32::from(has(1)),
        _ if has(2) => 2,
        _ => u32::from(has(1)),
    }
}

impl Search<'_, '_> {
    fn descend(
        &mut self,
        places: &[usize],
        so_far: &RoaringBitmap,
        budget: u32,
    ) -> Result<(), SearchError> {
        for &place in places {
            let node = Rc::clone(&self.rule.tree[place].node);
            let (least, most) =
                (self.rule.tree[place].least_below, self.rule.tree[place].most_below);
            for (cost, number, choice) in self.rule.choices(&node, &self.must_drop) {
                if cost > budget || budget - cost < least || budget - cost > most {
                    continue;
                }
                if self.claimed.len() == self.rule.remaining.len() {
                    return Ok(());
                }
                let marked = self.must_drop.len();
                let kept;
                let documents = match choice {
                    Choice::Drop => {
                        if let WordRule::Words(droppable) = &self.rule.kind
                            && let Some(with_it) = droppable.get(&NodeId::of(&node))
                        {
                            self.must_drop.extend(with_it);
                        }
                        so_far
                    }
                    Choice::Keep(_) if node.is_optional => so_far,
                    Choice::Keep(levels) => {
                        kept = node.documents_among(self.context, levels, so_far)?;
                        &kept
                    }
                };
                if !documents.is_empty() {
                    self.choices.push((number, choice));
                    self.arrive(place, documents, budget - cost)?;
                    self.choices.pop();
                }
                self.must_drop.truncate(marked);
            }
        }
        Ok(())
    }

    fn arrive(
        &mut self,
        place: usize,
        documents: &RoaringBitmap,
        budget: u32,
    ) -> Result<(), SearchError> {
        if budget == 0
            && let Some(number) = self.rule.tree[place].path
        {
            let has_new = if self.claimed.is_empty() {
                self.claimed = documents.clone();
                true
            } else {
                let before = self.claimed.len();
                self.claimed |= documents;
                self.claimed.len() > before
            };
            if has_new {
                let path = self.rule.narrowed_path(number, &self.choices);
                if self.keys.insert(path.iter().map(|node| node.key()).collect()) {
                    self.paths.push(path);
                }
            }
        }
        let children = std::mem::take(&mut self.rule.tree[place].children);
        let result = self.descend(&children, documents, budget);
        self.rule.tree[place].children = children;
        result
    }
}

impl Rule for WordsAndTypoRule {
    fn next_bucket(&mut self, context: &Context<'_>) -> Result<Option<Bucket>, SearchError> {
        while self.next_cost <= self.largest_cost && !self.remaining.is_empty() {
            context.check_cancelled()?;
            let cost = self.next_cost;
            self.next_cost += 1;
            let (roots, universe) = (self.roots.clone(), self.remaining.clone());
            let mut search = Search {
                rule: self,
                context,
                choices: Vec::new(),
                must_drop: Vec::new(),
                claimed: RoaringBitmap::new(),
                paths: Vec::new(),
                keys: HashSet::new(),
            };
            search.descend(&roots, &universe, cost)?;
            let Search { claimed, paths, .. } = search;
            if claimed.is_empty() {
                continue;
            }
            if claimed.len() == self.remaining.len() {
                self.remaining.clear();
            } else {
                self.remaining -= &claimed;
            }
            let max = 1 + self.extra_rank + self.largest_cost;
            let rank = Rank { rank: max - cost, max };
            let score = match self.kind {
                WordRule::Words(_) => Score::Words(rank),
                WordRule::Typo => Score::Typo(rank),
            };
            return Ok(Some(Bucket { documents: claimed, paths: Rc::new(paths), score }));
        }
        Ok(None)
    }
}
