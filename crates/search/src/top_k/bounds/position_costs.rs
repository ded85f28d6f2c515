//! Costs of a node by the first positions of its words.

use segment::text::{LATE, Mark, POSITION_BUCKETS, position_of};

use crate::graph::Node;
use crate::rules::cost_at_rounded_position;

pub(in crate::top_k) struct PositionCosts {
    /// Costs by bucket.
    costs: [u8; POSITION_BUCKETS as usize],
    first_position: u32,
    /// The cost at its position in the query.
    least: u8,
}

impl PositionCosts {
    pub fn of(node: &Node) -> Self {
        let cost = |position| cost_at_rounded_position(node, position).min(u8::MAX.into()) as u8;
        Self {
            costs: std::array::from_fn(|bucket| cost(position_of(bucket as u8))),
            first_position: node.first_position,
            least: cost(node.first_position),
        }
    }

    /// Returns the least cost of a word with this mark. A word that first occurs before its place
    /// may also be at its place, if it occurs more than once.
    #[inline]
    pub fn of_mark(&self, mark: Mark) -> u8 {
        if mark.frequency() > 1 && position_of(mark.bucket()) < self.first_position {
            return self.least;
        }
        self.costs.get(usize::from(mark.bucket())).copied().unwrap_or(0)
    }

    /// Returns whether a word with this mark costs exactly its lower bound.
    #[inline]
    pub fn is_mark_exact(&self, mark: Mark) -> bool {
        mark.frequency() == 1 || position_of(mark.bucket()) >= self.first_position
    }

    /// Returns whether the words of a union cost exactly their lower bound, if all attributes are
    /// searched.
    #[inline]
    pub fn is_union_exact(&self, position: u8) -> bool {
        position < LATE && u32::from(position) >= self.first_position
    }

    /// Returns the least cost of the words of a union with this first position, or a later one if
    /// it is in the last bucket.
    #[inline]
    pub fn of_union(&self, position: u8) -> u8 {
        match u32::from(position) < self.first_position {
            true => self.least,
            false => self.costs[usize::from(position)],
        }
    }

    /// Returns whether a word with this first position can be at its position in the query.
    #[inline]
    pub fn is_in_place(&self, bucket: u8) -> bool {
        u32::from(bucket.min(LATE)) <= self.first_position
    }
}
