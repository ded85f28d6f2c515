//! Finds the members of a layer that a search could miss, since nothing near them is in the layer
//! above, where it comes from.
//!
//! Links of a tight cluster stay inside the cluster, so only its own members in the layer above are
//! a reliable way into it. A member is reachable if following its nearest links, and theirs in
//! turn, leads to such a member in a few steps: the nearest links stay in the cluster, whatever the
//! others do. It also needs an incoming link.

use std::sync::atomic::{AtomicBool, Ordering};

/// Nearest links that are followed from each member.
pub const NEAREST: usize = 4;
/// Most steps to a member of the layer above.
const STEPS: u8 = 3;

/// At most one in this many members is raised for want of incoming links. Where more have none,
/// most vectors are twins of others, and a layer with all of them would not be coarse.
const UNLINKED_ONE_IN: usize = 16;

/// Nearest links of a member, as rows of the layer, padded with the member itself.
pub type Nearest = [u32; NEAREST];

/// Placeholder for the links of a vector that is not in the graph.
pub const ABSENT: Nearest = [u32::MAX; NEAREST];

/// Nearest and incoming links of a layer.
#[derive(Debug, Default)]
pub struct Reachability {
    nearest: Vec<Nearest>,
    /// For each member, true if another member links to it.
    linked: Vec<AtomicBool>,
}

impl Reachability {
    pub fn new(members: usize) -> Self {
        let linked = std::iter::repeat_with(AtomicBool::default).take(members).collect();
        Self { nearest: Vec::with_capacity(members), linked }
    }

    /// Adds the next members, in order.
    pub fn extend(&mut self, nearest: &[Nearest]) {
        self.nearest.extend_from_slice(nearest);
    }

    /// Records an incoming link of a member; may be called from several threads.
    pub fn note_link(&self, to: u32) {
        if let Some(linked) = self.linked.get(to as usize) {
            linked.store(true, Ordering::Relaxed);
        }
    }

    /// Returns the members to add to the layer above so that all are reachable.
    pub fn out_of_reach(&self, is_above: &[bool]) -> Vec<u32> {
        let mut distances = Distances::new(ReverseLinks::of(&self.nearest));
        let places = || 0..self.nearest.len() as u32;
        let above = places().filter(|&place| is_above[place as usize]);
        above.for_each(|place| distances.lead_to(place));
        let is_there = |place: &u32| self.nearest[*place as usize] != ABSENT;
        let mut missing = Vec::new();
        for place in places().filter(is_there) {
            if distances.of(place) > STEPS {
                let raised = self.most_linked_around(place, &distances.linking);
                distances.lead_to(raised);
                missing.push(raised);
            }
        }
        let is_linked = |place: u32| self.linked[place as usize].load(Ordering::Relaxed);
        let unlinked = places().filter(is_there).filter(|&place| !is_linked(place));
        let unlinked = unlinked.filter(|&place| distances.of(place) > 0);
        missing.extend(unlinked.take(self.nearest.len() / UNLINKED_ONE_IN));
        missing
    }

    /// Returns the member with the most incoming links within some steps of another: once it is
    /// above, most of its surroundings are reachable.
    fn most_linked_around(&self, place: u32, linking: &ReverseLinks) -> u32 {
        let mut around = vec![place];
        let mut start = 0;
        for _ in 0..STEPS {
            let end = around.len();
            for step in start..end {
                let nearest = self.nearest.get(around[step] as usize).unwrap_or(&ABSENT);
                let new = nearest.iter().filter(|link| (**link as usize) < self.nearest.len());
                for link in new {
                    if !around.contains(link) {
                        around.push(*link);
                    }
                }
            }
            start = end;
        }
        around.into_iter().max_by_key(|&place| linking.to(place).len()).unwrap_or(place)
    }
}

/// Nearest links reversed: the members that link to each member.
struct ReverseLinks {
    /// Start of each member's incoming links in `from`.
    starts: Vec<u32>,
    from: Vec<u32>,
}

impl ReverseLinks {
    fn of(nearest: &[Nearest]) -> Self {
        let links = || {
            let all = nearest.iter().zip(0_u32..).flat_map(|(to, from)| to.map(|to| (from, to)));
            all.filter(|&(from, to)| from != to && (to as usize) < nearest.len())
        };
        let mut starts = vec![0; nearest.len() + 1];
        links().for_each(|(_, to)| starts[to as usize + 1] += 1);
        for place in 0..nearest.len() {
            starts[place + 1] += starts[place];
        }
        let mut from = vec![0; starts[nearest.len()] as usize];
        let mut next = starts.clone();
        for (source, to) in links() {
            from[next[to as usize] as usize] = source;
            next[to as usize] += 1;
        }
        ReverseLinks { starts, from }
    }

    fn to(&self, place: u32) -> &[u32] {
        let place = place as usize;
        &self.from[self.starts[place] as usize..self.starts[place + 1] as usize]
    }
}

/// Steps from each member to the next one that is above; more than [`STEPS`] if there is none.
struct Distances {
    linking: ReverseLinks,
    steps: Vec<u8>,
}

impl Distances {
    fn new(linking: ReverseLinks) -> Self {
        let steps = vec![STEPS + 1; linking.starts.len() - 1];
        Distances { linking, steps }
    }

    fn of(&self, place: u32) -> u8 {
        self.steps[place as usize]
    }

    /// Marks a member as above and updates the members that lead to it.
    fn lead_to(&mut self, place: u32) {
        self.steps[place as usize] = 0;
        let mut around = vec![place];
        for step in 1..=STEPS {
            let mut farther = Vec::new();
            for place in around {
                for &from in self.linking.to(place) {
                    if self.steps[from as usize] > step {
                        self.steps[from as usize] = step;
                        farther.push(from);
                    }
                }
            }
            around = farther;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rings of members, each of which links to the next four of its ring.
    fn rings(count: usize, size: usize) -> Reachability {
        let mut reach = Reachability::new(count * size);
        for place in 0..count * size {
            let next = |step: usize| (place / size * size + (place + step) % size) as u32;
            let nearest = [1, 2, 3, 4].map(next);
            nearest.iter().for_each(|&link| reach.note_link(link));
            reach.extend(&[nearest]);
        }
        reach
    }

    #[test]
    fn every_ring_needs_one_above() {
        let reach = rings(5, 12);
        let mut is_above = vec![false; 60];
        (is_above[3], is_above[50]) = (true, true);
        let missing = reach.out_of_reach(&is_above);
        let rings: Vec<u32> = missing.iter().map(|place| place / 12).collect();
        assert_eq!(rings, [1, 2, 3]);
        missing.iter().for_each(|&place| is_above[place as usize] = true);
        assert_eq!(reach.out_of_reach(&is_above), []);
    }

    #[test]
    fn every_member_is_within_a_few_steps() {
        let reach = rings(1, 100);
        let mut is_above = vec![false; 100];
        is_above[0] = true;
        let missing = reach.out_of_reach(&is_above);
        // Twelve places are passed in three steps of four.
        assert!((100 / 13..=2 * 100 / 13).contains(&missing.len()), "{missing:?}");
    }

    #[test]
    fn unlinked_members_are_out_of_reach_and_absent_ones_are_not() {
        let mut reach = Reachability::new(UNLINKED_ONE_IN);
        reach.extend(&[[1; NEAREST], [0; NEAREST], [0; NEAREST], [0; NEAREST]]);
        reach.extend(&[ABSENT; UNLINKED_ONE_IN - 4]);
        [0, 1].into_iter().for_each(|link| reach.note_link(link));
        let mut is_above = [false; UNLINKED_ONE_IN];
        is_above[0] = true;
        // Members 2 and 3 have no incoming links, but only one of them may be raised.
        assert_eq!(reach.out_of_reach(&is_above), [2]);
    }
}
