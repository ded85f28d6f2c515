//! What a node costs by where its words first stand.

use segment::text::{LATE, Mark, POSITION_BUCKETS, position_of};

use crate::graph::Node;
use crate::rules::cost_at_rounded_position;

pub(in crate::top_k) struct PositionCosts {
    /// By bucket.
    costs: [u8; POSITION_BUCKETS as usize],
    first_position: u32,
    /// What it costs where it should stand.
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

    /// The least that a word with this mark can cost. One that first stands before its place may
    /// stand there too, if it stands there more than once.
    #[inline]
    pub fn of_mark(&self, mark: Mark) -> u8 {
        if mark.frequency() > 1 && position_of(mark.bucket()) < self.first_position {
            return self.least;
        }
        self.costs.get(usize::from(mark.bucket())).copied().unwrap_or(0)
    }

    /// True if a word with this mark costs just the least.
    #[inline]
    pub fn is_mark_exact(&self, mark: Mark) -> bool {
        mark.frequency() == 1 || position_of(mark.bucket()) >= self.first_position
    }

    /// True if the words of a union cost just the least, if all attributes are searched.
    #[inline]
    pub fn is_union_exact(&self, position: u8) -> bool {
        position < LATE && u32::from(position) >= self.first_position
    }

    /// The least that the words of a union can cost that first stand here, or after it if it is
    /// late.
    #[inline]
    pub fn of_union(&self, position: u8) -> u8 {
        match u32::from(position) < self.first_position {
            true => self.least,
            false => self.costs[usize::from(position)],
        }
    }

    /// True if a word can stand where it does in the query if this is where it first stands.
    #[inline]
    pub fn is_in_place(&self, bucket: u8) -> bool {
        u32::from(bucket.min(LATE)) <= self.first_position
    }
}
