//! The way down through the coarse layers to where a search begins.
//!
//! It keeps several members in view: clusters that lie far apart are hardly linked, and a way that
//! only ever goes nearer ends in whichever cluster it came to first. For the same reason a layer of
//! few members is not walked through: all of them are compared with the query. That is the lowest
//! such layer, so that it is as fine as can be, and those above it are not needed.

use super::beam::Candidate;
use super::format::{LAYERS, WIDTH};
use super::walk::{Accept, Effort, Everything, Start, Walk};
use crate::error::Result;

/// A layer of so many members is compared whole.
pub const WHOLE: u32 = 512;
/// Members that are kept in view on the way.
pub const STARTS: usize = 16;
const EFFORT: Effort =
    Effort { width: STARTS, limit: STARTS, patience: usize::MAX, neighbours: WIDTH };
/// Rows that are asked for before they are compared.
const AHEAD: usize = 32;

impl Walk<'_> {
    /// The nearest members of the layer above `to`, as places in layer `to`, nearest first; where
    /// layer `to` is compared whole, its own nearest. With them come the nearest of those that are
    /// accepted, where not all are.
    pub fn descend<A: Accept>(&mut self, to: usize, accept: &A) -> Result<Vec<Start>> {
        let first = self.first_layer(to);
        let (mut near, mut accepted) = (Vec::new(), Vec::new());
        let mut layer = first;
        loop {
            near = self.approach(layer, near, &Everything)?;
            if !A::EVERYTHING {
                // Where the nearest are not accepted, ways to those that are start at them.
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

    /// The lowest layer from `to` on, but not the lowest of all, that is compared whole.
    fn first_layer(&self, to: usize) -> usize {
        let is_empty = |layer: usize| self.members(layer) == 0;
        let is_last = |layer: usize| layer + 1 == LAYERS || is_empty(layer + 1);
        let mut layer = to.max(1);
        while self.members(layer) > WHOLE && !is_last(layer) {
            layer += 1;
        }
        layer
    }

    /// The nearest accepted members of a layer, from some of them on, or from all.
    fn approach(
        &mut self,
        layer: usize,
        starts: Vec<Start>,
        accept: &impl Accept,
    ) -> Result<Vec<Start>> {
        let found = if starts.is_empty() {
            self.compare_all(layer, accept)?
        } else {
            self.search(layer, &starts, EFFORT, accept, None)?
        };
        Ok(found.iter().copied().map(Start::from).collect())
    }

    fn compare_all(&mut self, layer: usize, accept: &impl Accept) -> Result<&[Candidate]> {
        self.begin_beam(EFFORT);
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
