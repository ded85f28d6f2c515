//! Terms that the matching strategy allows documents to lack, and the documents that match when all
//! of these are dropped.

use std::rc::Rc;

use hashbrown::{HashMap, HashSet};
use roaring::RoaringBitmap;

use crate::context::Context;
use crate::error::SearchError;
use crate::graph::{Node, Path};
use crate::node_key::Breadth;
use crate::strategy::Strategy;

/// The identity of a shared node: its address. Equal nodes of different paths are different nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct NodeId(*const Node);

impl NodeId {
    pub fn of(node: &Rc<Node>) -> Self {
        Self(Rc::as_ptr(node))
    }
}

/// Maps a droppable node to the nodes that must be dropped with it if they come after it.
pub(crate) type Droppable = HashMap<NodeId, HashSet<NodeId>>;

pub(crate) fn droppable(
    context: &Context<'_>,
    paths: &[Path],
    strategy: Strategy,
) -> Result<Droppable, SearchError> {
    let nodes = distinct_nodes(paths);
    let order = match strategy {
        Strategy::All => return Ok(Droppable::new()),
        Strategy::Last => order_from_the_end(&nodes),
        Strategy::Frequency => order_by_frequency(context, &nodes)?,
        // A single class: each of them may be dropped independently.
        Strategy::Any => nodes
            .iter()
            .flat_map(|node| node.first_term..=node.last_term)
            .map(|term| (term, 1))
            .collect(),
    };
    if order.len() <= 1 && strategy != Strategy::Frequency {
        return Ok(Droppable::new());
    }

    let mut classes: HashMap<u32, Vec<NodeId>> = HashMap::new();
    let mut has_mandatory = false;
    for node in &nodes {
        if node.is_phrase() && strategy != Strategy::Any || node.breadth == Breadth::Exact {
            has_mandatory = true;
            continue;
        }
        let class = (node.first_term..=node.last_term).filter_map(|term| order.get(&term)).max();
        classes.entry(class.copied().unwrap_or(0)).or_default().push(NodeId::of(node));
    }
    let mut classes: Vec<(u32, Vec<NodeId>)> = classes.into_iter().collect();
    classes.sort_unstable_by_key(|(class, _)| *class);
    if !has_mandatory && strategy != Strategy::Any {
        classes.pop();
    }
    let mut droppable = Droppable::new();
    let mut earlier = HashSet::new();
    for (_, class) in classes {
        for &node in &class {
            droppable.insert(node, earlier.clone());
        }
        earlier.extend(class);
    }
    Ok(droppable)
}

/// Returns the nodes of some interpretations without duplicates.
fn distinct_nodes(paths: &[Path]) -> Vec<&Rc<Node>> {
    let mut seen = HashSet::new();
    paths.iter().flatten().filter(|node| seen.insert(NodeId::of(node))).collect()
}

/// Maps a term to its position in the order of dropping, the lowest first.
type Order = HashMap<u32, u32>;

fn order_from_the_end(nodes: &[&Rc<Node>]) -> Order {
    let last = nodes.iter().map(|node| node.last_term).max().unwrap_or(0);
    nodes
        .iter()
        .flat_map(|node| node.first_term..=node.last_term)
        .map(|term| (term, 1 + last - term))
        .collect()
}

/// Orders terms by descending frequency; equally frequent terms are dropped together.
fn order_by_frequency(context: &Context<'_>, nodes: &[&Rc<Node>]) -> Result<Order, SearchError> {
    let mut documents: HashMap<u32, RoaringBitmap> = HashMap::new();
    for node in nodes {
        let of_node = node.documents(context)?;
        for term in node.first_term..=node.last_term {
            *documents.entry(term).or_default() |= &*of_node;
        }
    }
    // Terms that match nothing are useless and go first.
    let mut frequencies: Vec<(u64, u32)> = documents
        .into_iter()
        .map(|(term, set)| (if set.is_empty() { u64::MAX } else { set.len() }, term))
        .collect();
    frequencies.sort_unstable_by(|a, b| b.cmp(a));
    let mut class = 1;
    let mut order = Order::new();
    for (place, (frequency, term)) in frequencies.iter().enumerate() {
        if place > 0 && frequencies[place - 1].0 != *frequency {
            class += 1;
        }
        order.insert(*term, class);
    }
    Ok(order)
}

/// Returns the documents that match some interpretation after everything droppable is dropped.
/// Without a `universe` all live documents count.
pub(crate) fn matching_documents(
    context: &Context<'_>,
    paths: &[Path],
    droppable: &Droppable,
    strategy: Strategy,
    universe: Option<&RoaringBitmap>,
) -> Result<RoaringBitmap, SearchError> {
    let mut found = RoaringBitmap::new();
    if strategy == Strategy::Any {
        for node in distinct_nodes(paths) {
            found |= &*node.documents(context)?;
        }
        if let Some(universe) = universe {
            found &= universe;
        }
        return Ok(found);
    }
    let mut done: HashSet<Vec<NodeId>> = HashSet::new();
    for path in paths {
        let needed: Vec<&Rc<Node>> =
            path.iter().filter(|node| !droppable.contains_key(&NodeId::of(node))).collect();
        if !done.insert(needed.iter().map(|node| NodeId::of(node)).collect()) {
            continue;
        }
        let mut documents: Option<RoaringBitmap> = None;
        for node in needed {
            documents = Some(match documents.as_ref().or(universe) {
                None => (*node.documents(context)?).clone(),
                Some(documents) => node.documents_among(context, node.levels, documents)?,
            });
            if documents.as_ref().is_some_and(RoaringBitmap::is_empty) {
                break;
            }
        }
        match documents {
            Some(documents) => found |= documents,
            None => return Ok(universe.unwrap_or(context.live).clone()),
        }
    }
    Ok(found)
}
