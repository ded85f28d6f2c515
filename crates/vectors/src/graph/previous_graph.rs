//! Link to the previous graph, for vectors that were committed while this one was being written.
//! They are inserted with the links and layers that they had there, without a new search.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::Graph;
use super::compact::Renumbering;
use super::format::LAYERS;
use super::layer::Links;
use crate::error::Result;

pub struct PreviousGraph {
    graph: Arc<Graph>,
    /// New numbers of the nodes that this graph was written with.
    numbers: Box<dyn Renumbering + Send>,
    concurrent: Vec<ConcurrentFile>,
    /// Highest layer of each concurrent node that is above layer 0; computed on first use.
    highest: OnceLock<HashMap<u32, usize>>,
}

/// File that was committed while this graph was being written.
#[derive(Debug)]
pub struct ConcurrentFile {
    /// Its nodes in the previous graph.
    old: Range<u32>,
    /// Its first node in this graph.
    first: u32,
    /// Which of its nodes are in this graph; links are no proof, since other nodes bring theirs.
    inserted: Box<[AtomicBool]>,
}

/// Node of a concurrent file.
#[derive(Debug, Clone, Copy)]
pub struct ConcurrentNode<'f> {
    previous: &'f PreviousGraph,
    old: u32,
    inserted: &'f AtomicBool,
}

/// Links and layer of a concurrent node in the previous graph.
#[derive(Debug, Default)]
pub struct PreviousLinks {
    pub highest: usize,
    /// Nodes of concurrent files that link back to it, and bring that link along.
    pub mutual: Links,
    pub others: Links,
}

impl PreviousGraph {
    pub fn new(graph: Arc<Graph>, numbers: impl Renumbering + Send + 'static) -> Self {
        Self { graph, numbers: Box::new(numbers), concurrent: Vec::new(), highest: OnceLock::new() }
    }

    pub fn concurrent_node(&self, node: u32) -> Option<ConcurrentNode<'_>> {
        self.concurrent.iter().find_map(|concurrent| {
            let place = node.checked_sub(concurrent.first)?;
            let inserted = concurrent.inserted.get(place as usize)?;
            Some(ConcurrentNode { previous: self, old: concurrent.old.start + place, inserted })
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
        self.concurrent.iter().any(|concurrent| concurrent.old.contains(&old))
    }
}

impl ConcurrentNode<'_> {
    pub fn is_inserted(self) -> bool {
        self.inserted.load(Ordering::Acquire)
    }

    pub fn set_inserted(self) {
        self.inserted.store(true, Ordering::Release);
    }

    /// Returns its highest layer and those of its links that have a number in this graph; `None` if
    /// too few have.
    pub fn known(self) -> Result<Option<PreviousLinks>> {
        let links = self.previous.links(self.old)?;
        let mut known =
            PreviousLinks { highest: self.previous.highest(self.old)?, ..PreviousLinks::default() };
        for &link in links.as_slice() {
            let concurrent =
                self.previous.concurrent.iter().find_map(|concurrent| concurrent.new_node(link));
            if let Some(new) = concurrent {
                let back = self.previous.links(link)?;
                let is_mutual = back.as_slice().contains(&self.old);
                let list = if is_mutual { &mut known.mutual } else { &mut known.others };
                list.push(new);
            } else if let Some(new) = self.previous.numbers.new_node(link) {
                known.others.push(new);
            }
        }
        let count = known.mutual.as_slice().len() + known.others.as_slice().len();
        let is_enough = count > 0 && 2 * count >= links.as_slice().len();
        Ok(is_enough.then_some(known))
    }
}

impl ConcurrentFile {
    pub fn new(old: Range<u32>, first: u32) -> Self {
        let inserted = std::iter::repeat_with(AtomicBool::default).take(old.len()).collect();
        Self { old, first, inserted }
    }

    fn new_node(&self, old: u32) -> Option<u32> {
        self.old.contains(&old).then(|| self.first + (old - self.old.start))
    }
}

impl fmt::Debug for PreviousGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreviousGraph")
            .field("concurrent", &self.concurrent)
            .finish_non_exhaustive()
    }
}

impl Graph {
    /// Returns the graph that this one was written from, while some files are only in that one.
    pub(super) fn previous(&self) -> Option<Arc<PreviousGraph>> {
        self.previous.read().clone()
    }

    pub fn set_previous(&self, previous: PreviousGraph) {
        *self.previous.write() = Some(Arc::new(previous));
    }

    /// Sets the files that were inserted into the previous graph while this one was being written.
    pub fn set_concurrent_files(&self, concurrent: Vec<ConcurrentFile>) {
        let previous = self.previous.write().take().and_then(Arc::into_inner);
        *self.previous.write() = previous
            .filter(|_| !concurrent.is_empty())
            .map(|previous| Arc::new(PreviousGraph { concurrent, ..previous }));
    }

    /// Drops the previous graph, once all its files have been inserted here.
    pub fn forget_previous(&self) {
        *self.previous.write() = None;
    }
}

#[cfg(test)]
mod tests {
    use super::super::layer::Member;
    use super::*;

    /// Ten nodes of which the third is deleted; the others have moved up.
    struct OneDied;

    impl Renumbering for OneDied {
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
        let previous =
            graph_with(&[(11, &[12]), (12, &[1, 2, 9, 11, 21]), (20, &[2, 2, 29, 3]), (21, &[20])]);
        for node in [5, 12] {
            previous.layers[1].add(Member { node, below: node }).unwrap();
        }
        let graph = Graph::new(None, None, 9);
        graph.set_previous(PreviousGraph::new(previous, OneDied));
        graph.set_concurrent_files(vec![
            ConcurrentFile::new(11..13, 9),
            ConcurrentFile::new(20..22, 11),
        ]);
        let previous = graph.previous().unwrap();
        let known = |node| previous.concurrent_node(node).unwrap().known().unwrap();
        let numbers = |links: &Links| links.as_slice().to_vec();
        let of_12 = known(10).unwrap();
        assert_eq!((numbers(&of_12.mutual), of_12.highest), (vec![9], 1));
        // One of them does not link back.
        assert_eq!(numbers(&of_12.others), [1, 8, 12]);
        assert_eq!(known(9).unwrap().highest, 0);
        // Most of its neighbours are gone.
        assert!(known(11).is_none());
        // The first was there when the graph was written; the second is past the end.
        assert!(previous.concurrent_node(3).is_none() && previous.concurrent_node(13).is_none());
        previous.concurrent_node(12).unwrap().set_inserted();
        let inserted =
            (9..13).filter(|&node| previous.concurrent_node(node).unwrap().is_inserted());
        assert_eq!(inserted.collect::<Vec<u32>>(), [12]);
        graph.forget_previous();
        assert!(graph.previous().is_none());
    }

    #[test]
    fn without_later_files_the_former_graph_goes() {
        let graph = Graph::new(None, None, 9);
        graph.set_previous(PreviousGraph::new(graph_with(&[]), OneDied));
        graph.set_concurrent_files(Vec::new());
        assert!(graph.previous().is_none());
    }
}
