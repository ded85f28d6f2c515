//! Graph over the vectors of a store: a hierarchical navigable small world (HNSW). Each vector has
//! a node with links to near ones in many directions; one in sixteen is also in a coarser layer
//! above, and so on, so a search starts with few far steps and ends with many near ones.
//!
//! One graph serves all snapshots since its file was written. Links are hints: they may lead to
//! nodes that a snapshot does not have, of later or abandoned commits, and such nodes are skipped.
//! So a failed commit leaves nothing to undo.

mod beam;
mod compact;
mod descent;
mod file;
pub mod format;
mod insert;
mod layer;
mod previous_graph;
mod reachability;
mod rows;
mod select;
mod upper;
#[cfg(test)]
mod upper_tests;
mod visited;
mod walk;
#[cfg(test)]
mod walk_tests;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::RwLock;

pub use compact::{Renumbering, write_compacted};
pub use file::GraphFile;
pub use previous_graph::{ConcurrentFile, PreviousGraph};
pub use walk::{Accept, AcceptAll, SearchWidth, Start, View, Walk};

use crate::error::{Result, VectorsError};
use format::LAYERS;
use layer::Layer;

/// Searches store one bit of their own with a node.
pub const MOST_NODES: u32 = 1 << 31;

/// Nodes sampled for the average number of links.
const SAMPLE: u32 = 64;

#[derive(Debug)]
pub struct Graph {
    file: Option<Arc<GraphFile>>,
    /// Generation of the file.
    generation: Option<u64>,
    layers: [Layer; LAYERS],
    /// The next unused node number.
    next_node: AtomicU32,
    /// Average number of links of a node in the lowest layer.
    degree: OnceLock<f64>,
    previous: RwLock<Option<Arc<PreviousGraph>>>,
}

impl Graph {
    /// Creates a graph from a file, or an empty one. Nodes before `next_node` are taken.
    pub fn new(file: Option<Arc<GraphFile>>, generation: Option<u64>, next_node: u32) -> Self {
        let rows = file.as_ref().map_or(0, |file| file.rows(0));
        Self {
            layers: std::array::from_fn(|number| Layer::new(number, file.clone())),
            next_node: AtomicU32::new(next_node.max(rows)),
            degree: OnceLock::new(),
            previous: RwLock::default(),
            generation,
            file,
        }
    }

    /// Returns the average number of links of a node in the lowest layer, by a sample taken once.
    /// The more alike the vectors are, the fewer links they have.
    pub fn degree(&self) -> Result<f64> {
        if let Some(degree) = self.degree.get() {
            return Ok(*degree);
        }
        let nodes = self.next_node.load(Ordering::Acquire);
        let (mut sum, mut count) = (0, 0);
        let mut links = layer::Links::default();
        for node in (0..nodes).step_by((nodes / SAMPLE).max(1) as usize) {
            self.layers[0].links(node, &mut links)?;
            sum += links.as_slice().len();
            count += usize::from(!links.as_slice().is_empty());
        }
        let degree = sum as f64 / count.max(1) as f64;
        Ok(*self.degree.get_or_init(|| degree.max(1.0)))
    }

    pub fn file(&self) -> Option<&Arc<GraphFile>> {
        self.file.as_ref()
    }

    pub fn generation(&self) -> Option<u64> {
        self.generation
    }

    /// Returns the number of nodes that have rows in the file.
    pub fn nodes_in_file(&self) -> u32 {
        self.file.as_ref().map_or(0, |file| file.rows(0))
    }

    /// Returns the number of rows of the file that have changed since.
    pub fn changed_rows(&self) -> u32 {
        self.layers[0].copies()
    }

    /// Reserves numbers for new nodes; returns the first.
    pub fn take_nodes(&self, count: u32) -> Result<u32> {
        let claim = |next: u32| next.checked_add(count).filter(|&end| end <= MOST_NODES);
        self.next_node
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, claim)
            .map_err(|_| VectorsError::Full)
    }
}

/// Returns the highest layer of a node: one in sixteen is in layer 1, one in sixteen of these in
/// layer 2. It is a hash of the node number, so it need not be stored.
fn highest_layer(node: u32) -> usize {
    let mixed = (u64::from(node) ^ 0x5bd1_e995).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    ((mixed >> 32 | 1 << 31).trailing_zeros() as usize / 4).min(LAYERS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_in_sixteen_is_in_the_next_layer() {
        let count = |layer| (0..100_000).filter(|&node| highest_layer(node) >= layer).count();
        assert!((6000..6500).contains(&count(1)), "{}", count(1));
        assert!((330..450).contains(&count(2)), "{}", count(2));
    }
}
