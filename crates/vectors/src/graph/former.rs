//! What the graph before this one knew of vectors that came while this one was written. They are
//! entered here by the links and into the layers that they had there, without being looked for
//! again.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::Graph;
use super::fold::Renumbered;
use super::format::LAYERS;
use super::layer::Links;
use crate::error::Result;

pub struct Former {
    graph: Arc<Graph>,
    /// Of the nodes that this graph was written with.
    numbers: Box<dyn Renumbered + Send>,
    later: Vec<Later>,
    /// For each later node that was above the lowest layer how high it was; found when needed.
    highest: OnceLock<HashMap<u32, usize>>,
}

/// A file that came while this graph was written.
#[derive(Debug)]
pub struct Later {
    /// What its nodes were.
    old: Range<u32>,
    /// The first of them now.
    first: u32,
    /// Which of them are in the new graph. Links to a node do not tell, since others bring theirs.
    entered: Box<[AtomicBool]>,
}

/// A node of a later file.
#[derive(Debug, Clone, Copy)]
pub struct LaterNode<'f> {
    former: &'f Former,
    old: u32,
    entered: &'f AtomicBool,
}

/// What is known of a node of a later file.
#[derive(Debug, Default)]
pub struct Known {
    pub highest: usize,
    /// Nodes of later files that link to it in turn. They bring that link along.
    pub mutual: Links,
    pub others: Links,
}

impl Former {
    pub fn new(graph: Arc<Graph>, numbers: impl Renumbered + Send + 'static) -> Self {
        Self { graph, numbers: Box::new(numbers), later: Vec::new(), highest: OnceLock::new() }
    }

    pub fn later_node(&self, node: u32) -> Option<LaterNode<'_>> {
        self.later.iter().find_map(|later| {
            let place = node.checked_sub(later.first)?;
            let entered = later.entered.get(place as usize)?;
            Some(LaterNode { former: self, old: later.old.start + place, entered })
        })
    }

    fn links(&self, old: u32) -> Result<Links> {
        let mut links = Links::default();
        self.graph.layers[0].links(old, &mut links)?;
        Ok(links)
    }

    fn highest(&self, old: u32) -> Result<usize> {
        if self.highest.get().is_none() {
            let mut found = HashMap::new();
            for layer in 1..LAYERS {
                for index in 0..self.graph.layers[layer].length() {
                    let member = self.graph.layers[layer].member(index)?;
                    if let Some(member) = member.filter(|member| self.is_later(member.node)) {
                        found.insert(member.node, layer);
                    }
                }
            }
            self.highest.get_or_init(|| found);
        }
        Ok(self.highest.get().and_then(|known| known.get(&old)).copied().unwrap_or(0))
    }

    fn is_later(&self, old: u32) -> bool {
        self.later.iter().any(|later| later.old.contains(&old))
    }
}

impl LaterNode<'_> {
    pub fn is_entered(self) -> bool {
        self.entered.load(Ordering::Acquire)
    }

    pub fn set_entered(self) {
        self.entered.store(true, Ordering::Release);
    }

    /// Its layers, and its links as far as they lead to what has a number here; nothing where too
    /// few do.
    pub fn known(self) -> Result<Option<Known>> {
        let links = self.former.links(self.old)?;
        let mut known = Known { highest: self.former.highest(self.old)?, ..Known::default() };
        for &link in links.as_slice() {
            let later = self.former.later.iter().find_map(|later| later.new_node(link));
            if let Some(new) = later {
                let back = self.former.links(link)?;
                let is_mutual = back.as_slice().contains(&self.old);
                let list = if is_mutual { &mut known.mutual } else { &mut known.others };
                list.push(new);
            } else if let Some(new) = self.former.numbers.new_node(link) {
                known.others.push(new);
            }
        }
        let count = known.mutual.as_slice().len() + known.others.as_slice().len();
        let is_enough = count > 0 && 2 * count >= links.as_slice().len();
        Ok(is_enough.then_some(known))
    }
}

impl Later {
    pub fn new(old: Range<u32>, first: u32) -> Self {
        let entered = std::iter::repeat_with(AtomicBool::default).take(old.len()).collect();
        Self { old, first, entered }
    }

    fn new_node(&self, old: u32) -> Option<u32> {
        self.old.contains(&old).then(|| self.first + (old - self.old.start))
    }
}

impl fmt::Debug for Former {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Former").field("later", &self.later).finish_non_exhaustive()
    }
}

impl Graph {
    /// The graph that this one was written from, as long as there are files that were entered
    /// there only.
    pub(super) fn former(&self) -> Option<Arc<Former>> {
        self.former.read().clone()
    }

    pub fn set_former(&self, former: Former) {
        *self.former.write() = Some(Arc::new(former));
    }

    /// Files that were entered into the former graph while this one was written.
    pub fn note_later(&self, later: Vec<Later>) {
        let former = self.former.write().take().and_then(Arc::into_inner);
        *self.former.write() =
            former.filter(|_| !later.is_empty()).map(|former| Arc::new(Former { later, ..former }));
    }

    /// All of them have been entered here.
    pub fn forget_former(&self) {
        *self.former.write() = None;
    }
}

#[cfg(test)]
mod tests {
    use super::super::layer::Member;
    use super::*;

    /// Of ten nodes the third has died; the others have moved up.
    struct OneDied;

    impl Renumbered for OneDied {
        fn new_node(&self, node: u32) -> Option<u32> {
            let is_there = node < 10 && node != 2;
            is_there.then(|| node - u32::from(node > 2))
        }

        fn old_nodes(&self) -> &[Option<u32>] {
            &[]
        }

        fn living(&self) -> u32 {
            9
        }
    }

    fn graph_with(links: &[(u32, &[u32])]) -> Arc<Graph> {
        let graph = Graph::new(None, None, 30);
        for (node, links) in links {
            let row = graph.layers[0].update(*node, |row| {
                links.iter().for_each(|&link| row.push(link));
                Ok(())
            });
            row.unwrap();
        }
        Arc::new(graph)
    }

    #[test]
    fn links_lead_to_the_same_vectors_as_before() {
        let former =
            graph_with(&[(11, &[12]), (12, &[1, 2, 9, 11, 21]), (20, &[2, 2, 29, 3]), (21, &[20])]);
        for node in [5, 12] {
            former.layers[1].add(Member { node, below: node }).unwrap();
        }
        let graph = Graph::new(None, None, 9);
        graph.set_former(Former::new(former, OneDied));
        graph.note_later(vec![Later::new(11..13, 9), Later::new(20..22, 11)]);
        let former = graph.former().unwrap();
        let known = |node| former.later_node(node).unwrap().known().unwrap();
        let numbers = |links: &Links| links.as_slice().to_vec();
        let of_12 = known(10).unwrap();
        assert_eq!((numbers(&of_12.mutual), of_12.highest), (vec![9], 1));
        // One of them does not link back.
        assert_eq!(numbers(&of_12.others), [1, 8, 12]);
        assert_eq!(known(9).unwrap().highest, 0);
        // Most of what it was linked to is not there any more.
        assert!(known(11).is_none());
        // This one was there when the graph was written, and there is none after the last.
        assert!(former.later_node(3).is_none() && former.later_node(13).is_none());
        former.later_node(12).unwrap().set_entered();
        let entered = (9..13).filter(|&node| former.later_node(node).unwrap().is_entered());
        assert_eq!(entered.collect::<Vec<u32>>(), [12]);
        graph.forget_former();
        assert!(graph.former().is_none());
    }

    #[test]
    fn without_later_files_the_former_graph_goes() {
        let graph = Graph::new(None, None, 9);
        graph.set_former(Former::new(graph_with(&[]), OneDied));
        graph.note_later(Vec::new());
        assert!(graph.former().is_none());
    }
}
