//! Set of the nodes that a search has met. A small hash table instead of a mark for every node of
//! the store: it stays in the processor's cache however large the store is.

const SMALLEST: usize = 4096;
/// Spreads node numbers, which are close to each other, over the table.
const MIX: u32 = 0x9e37_79b1;

/// Open addressing; a slot is a node plus one, 0 is free.
#[derive(Debug)]
pub struct VisitedSet {
    slots: Vec<u32>,
    used: usize,
}

impl Default for VisitedSet {
    fn default() -> Self {
        Self { slots: vec![0; SMALLEST], used: 0 }
    }
}

impl VisitedSet {
    pub fn clear(&mut self) {
        if self.used > 0 {
            // Shrink the table again after a long search.
            self.slots.truncate(4 * SMALLEST);
            self.slots.fill(0);
            self.used = 0;
        }
    }

    /// Adds a node; returns whether it is new.
    #[inline]
    pub fn meet(&mut self, node: u32) -> bool {
        let slot = self.slot(node);
        let is_new = self.slots[slot] == 0;
        if is_new {
            self.slots[slot] = node + 1;
            self.used += 1;
            if 2 * self.used > self.slots.len() {
                self.grow();
            }
        }
        is_new
    }

    /// Returns the slot of a node, or the free one where it would go.
    #[inline]
    fn slot(&self, node: u32) -> usize {
        let last = self.slots.len() - 1;
        let mut slot = (node.wrapping_mul(MIX) >> 8) as usize & last;
        while self.slots[slot] != 0 && self.slots[slot] != node + 1 {
            slot = (slot + 1) & last;
        }
        slot
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![0; 2 * self.slots.len()];
        let old = std::mem::replace(&mut self.slots, larger);
        for entry in old.into_iter().filter(|&entry| entry != 0) {
            let slot = self.slot(entry - 1);
            self.slots[slot] = entry;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::MOST_NODES;

    #[test]
    fn nodes_are_new_once() {
        let mut visited = VisitedSet::default();
        for round in 0..2 {
            for node in (0..200_000).step_by(7).chain([MOST_NODES - 1]) {
                assert!(visited.meet(node), "{node} in round {round}");
                assert!(!visited.meet(node));
            }
            assert!(visited.meet(1));
            visited.clear();
        }
    }
}
