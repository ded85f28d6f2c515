//! What the graph before this one knew of vectors that came while this one was written. They are
//! entered here by the links that they had there, without being looked for again.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::Graph;
use super::fold::Renumbered;
use super::layer::Links;
use crate::error::Result;

pub struct Former {
    graph: Arc<Graph>,
    /// Of the nodes that this graph was written with.
    numbers: Box<dyn Renumbered + Send>,
    later: Vec<Later>,
}

/// A file that came while this graph was written.
#[derive(Debug)]
pub struct Later {
    /// What its nodes were.
    pub old: Range<u32>,
    /// The first of them now.
    pub first: u32,
}

/// The links of a node of a later file.
#[derive(Debug, Default)]
pub struct KnownLinks {
    /// To nodes of later files: they come with their own, and need no others back.
    pub mutual: Links,
    pub others: Links,
}

impl Former {
    pub fn new(graph: Arc<Graph>, numbers: impl Renumbered + Send + 'static) -> Self {
        Self { graph, numbers: Box::new(numbers), later: Vec::new() }
    }

    /// The links that a node of a later file had, as far as they lead to what is still there;
    /// nothing where too few do.
    pub fn links_of(&self, node: u32) -> Result<Option<KnownLinks>> {
        let Some(old) = self.later.iter().find_map(|later| later.old_node(node)) else {
            return Ok(None);
        };
        let mut links = Links::default();
        self.graph.layers[0].links(old, &mut links)?;
        let mut known = KnownLinks::default();
        for &link in links.as_slice() {
            if let Some(link) = self.later.iter().find_map(|later| later.new_node(link)) {
                known.mutual.push(link);
            } else if let Some(link) = self.numbers.new_node(link) {
                known.others.push(link);
            }
        }
        let count = known.mutual.as_slice().len() + known.others.as_slice().len();
        let is_enough = count > 0 && 2 * count >= links.as_slice().len();
        Ok(is_enough.then_some(known))
    }
}

impl Later {
    fn old_node(&self, node: u32) -> Option<u32> {
        let old = self.old.start.checked_add(node.checked_sub(self.first)?)?;
        self.old.contains(&old).then_some(old)
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
        let former = graph_with(&[(12, &[1, 2, 9, 11, 21]), (20, &[2, 2, 29, 3])]);
        let graph = Graph::new(None, None, 9);
        graph.set_former(Former::new(former, OneDied));
        let later = [Later { old: 11..13, first: 9 }, Later { old: 20..22, first: 11 }];
        graph.note_later(later.into());
        let former = graph.former().unwrap();
        let links_of = |node| {
            let links = former.links_of(node).unwrap();
            links.map(|links| [links.mutual, links.others].map(|links| links.as_slice().to_vec()))
        };
        assert_eq!(links_of(10), Some([vec![9, 12], vec![1, 8]]));
        // Most of what it was linked to is not there any more.
        assert_eq!(links_of(11), None);
        // It had no links, and this one was there when the graph was written.
        assert_eq!((links_of(9), links_of(3)), (None, None));
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
