//! Which nodes a search has met. A small table instead of a mark for every node of the store: it
//! stays in the processor's cache however large the store is.

/// What a search knows of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Met for the first time.
    New,
    /// Compared with the query, or about to be.
    Seen,
    /// Not wanted as a result.
    Rejected,
    /// Not wanted as a result, and its links have been followed all the same.
    Bridged,
}

const SMALLEST: usize = 4096;
/// Spreads node numbers, which are close to each other, over the table.
const MIX: u32 = 0x9e37_79b1;

/// Open addressing; a slot is node plus one and mark, 0 is free. Nodes have 30 bits.
#[derive(Debug)]
pub struct Visited {
    slots: Vec<u32>,
    used: usize,
}

impl Default for Visited {
    fn default() -> Self {
        Self { slots: vec![0; SMALLEST], used: 0 }
    }
}

impl Visited {
    pub fn clear(&mut self) {
        if self.used > 0 {
            // After a search that went far, a small table again.
            self.slots.truncate(4 * SMALLEST);
            self.slots.fill(0);
            self.used = 0;
        }
    }

    /// What is known of a node. One met for the first time counts as seen from now on.
    #[inline]
    pub fn meet(&mut self, node: u32) -> Mark {
        let slot = self.slot(node);
        let known = mark(self.slots[slot]);
        if known == Mark::New {
            self.fill(slot, node);
        }
        known
    }

    pub fn set(&mut self, node: u32, mark: Mark) {
        let slot = self.slot(node);
        if self.slots[slot] != 0 {
            self.slots[slot] = key(node) | mark as u32;
        }
    }

    fn fill(&mut self, slot: usize, node: u32) {
        self.slots[slot] = key(node) | Mark::Seen as u32;
        self.used += 1;
        if 2 * self.used > self.slots.len() {
            self.grow();
        }
    }

    /// Where a node is, or would be.
    #[inline]
    fn slot(&self, node: u32) -> usize {
        let last = self.slots.len() - 1;
        let mut slot = (node.wrapping_mul(MIX) >> 8) as usize & last;
        while self.slots[slot] != 0 && self.slots[slot] & !3 != key(node) {
            slot = (slot + 1) & last;
        }
        slot
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![0; 2 * self.slots.len()];
        let old = std::mem::replace(&mut self.slots, larger);
        for entry in old.into_iter().filter(|&entry| entry != 0) {
            let slot = self.slot((entry >> 2) - 1);
            self.slots[slot] = entry;
        }
    }
}

#[inline]
fn key(node: u32) -> u32 {
    (node + 1) << 2
}

#[inline]
fn mark(entry: u32) -> Mark {
    match entry & 3 {
        0 => Mark::New,
        1 => Mark::Seen,
        2 => Mark::Rejected,
        _ => Mark::Bridged,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::MOST_NODES;

    #[test]
    fn nodes_are_new_once() {
        let mut visited = Visited::default();
        for round in 0..2 {
            for node in (0..200_000).step_by(7).chain([MOST_NODES - 1]) {
                assert_eq!(visited.meet(node), Mark::New, "{node} in round {round}");
                assert_eq!(visited.meet(node), Mark::Seen);
            }
            visited.set(14, Mark::Rejected);
            assert_eq!(visited.meet(14), Mark::Rejected);
            visited.set(14, Mark::Bridged);
            assert_eq!(visited.meet(14), Mark::Bridged);
            assert_eq!(visited.meet(1), Mark::New);
            visited.clear();
        }
    }
}
