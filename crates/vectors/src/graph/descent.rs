//! Descent through the coarse layers to the starting points of a search.
//!
//! It keeps several members in view: distant clusters are hardly linked, and a greedy path ends in
//! whichever cluster it reached first. For the same reason a small layer is not walked but compared
//! with the query as a whole. The lowest such layer is used, since it is the finest, and the layers
//! above it are skipped.

use super::beam::Candidate;
use super::format::{LAYERS, WIDTH};
use super::walk::{Accept, AcceptAll, SearchWidth, Start, Walk};
use crate::error::Result;

/// Layers of up to this many members are compared as a whole.
pub const WHOLE: u32 = 512;
/// Members kept in view during the descent.
pub const STARTS: usize = 16;
const DESCENT_WIDTH: SearchWidth =
    SearchWidth { ef: STARTS, limit: STARTS, patience: usize::MAX, neighbours: WIDTH };
/// Rows prefetched before they are compared.
const AHEAD: usize = 32;

impl Walk<'_> {
    /// Returns the nearest members of the layer above `to`, as rows of layer `to`, nearest first;
    /// where layer `to` is compared as a whole, its own nearest. If `accept` rejects some nodes,
    /// the nearest accepted ones are added.
    pub fn descend<A: Accept>(&mut self, to: usize, accept: &A) -> Result<Vec<Start>> {
        let first = self.first_layer(to);
        let (mut near, mut accepted) = (Vec::new(), Vec::new());
        let mut layer = first;
        loop {
            near = self.approach(layer, near, &AcceptAll)?;
            if !A::EVERYTHING {
                // Where the nearest are rejected, paths to accepted ones start at them.
                if layer < first {
                    accepted.extend_from_slice(&near);
                }
                accepted = self.approach(layer, accepted, accept)?;
            }
            if layer > to {
                for start in near.iter_mut().chain(&mut accepted) {
                    *start = self.below(layer, *start)?;
                }
                layer -= 1;
            }
            if layer == to {
                near.append(&mut accepted);
                return Ok(near);
            }
        }
    }

    /// Returns the lowest layer from `to` on, except layer 0, that is compared as a whole.
    fn first_layer(&self, to: usize) -> usize {
        let is_empty = |layer: usize| self.members(layer) == 0;
        let is_last = |layer: usize| layer + 1 == LAYERS || is_empty(layer + 1);
        let mut layer = to.max(1);
        while self.members(layer) > WHOLE && !is_last(layer) {
            layer += 1;
        }
        layer
    }

    /// Returns the nearest accepted members of a layer, starting from some members, or from all.
    fn approach(
        &mut self,
        layer: usize,
        starts: Vec<Start>,
        accept: &impl Accept,
    ) -> Result<Vec<Start>> {
        let found = if starts.is_empty() {
            self.compare_all(layer, accept)?
        } else {
            self.search(layer, &starts, DESCENT_WIDTH, accept, None)?
        };
        Ok(found.iter().copied().map(Start::from).collect())
    }

    fn compare_all(&mut self, layer: usize, accept: &impl Accept) -> Result<&[Candidate]> {
        self.begin_beam(DESCENT_WIDTH);
        let mut met = Vec::with_capacity(AHEAD);
        for index in 0..self.members(layer) {
            if self.accepts(layer, index, accept)? {
                self.see(layer, index, &mut met)?;
            }
            if met.len() == AHEAD {
                self.compare(&mut met);
            }
        }
        self.compare(&mut met);
        Ok(self.candidates())
    }
}
