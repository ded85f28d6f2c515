//! Which members of a layer a search could not come to, since nothing near them is in the layer
//! above, where it comes from.
//!
//! Links of a tight cluster lead to the cluster and nowhere else, so that a way into it cannot be
//! counted on. What can be counted on are its own members above it. A member is within reach if
//! its nearest links, and theirs in turn, lead to one of these in few steps: nearest links stay in
//! the cluster, whatever the others do. Besides, somebody has to link to it.

use std::sync::atomic::{AtomicBool, Ordering};

/// Nearest links of a member that are followed.
pub const NEAREST: usize = 4;
/// Steps to a member of the layer above.
const STEPS: u8 = 3;

/// Of those that nobody links to one in so many members is raised at most. Where there are more,
/// most vectors are twins of others, and a layer of them all would not be coarse.
const UNLINKED_ONE_IN: usize = 16;

/// The nearest links of a member, as places in the layer. Those that there are not are its own.
pub type Nearest = [u32; NEAREST];

/// In place of the links of one that is in no graph.
pub const ABSENT: Nearest = [u32::MAX; NEAREST];

/// The links of a layer as far as they matter here.
#[derive(Debug, Default)]
pub struct Reach {
    nearest: Vec<Nearest>,
    /// Whether anybody links to a member.
    linked: Vec<AtomicBool>,
}

impl Reach {
    pub fn new(members: usize) -> Self {
        let linked = std::iter::repeat_with(AtomicBool::default).take(members).collect();
        Self { nearest: Vec::with_capacity(members), linked }
    }

    /// Some more members, in their order.
    pub fn extend(&mut self, nearest: &[Nearest]) {
        self.nearest.extend_from_slice(nearest);
    }

    /// Notes that somebody links to a member; several threads may.
    pub fn note_link(&self, to: u32) {
        if let Some(linked) = self.linked.get(to as usize) {
            linked.store(true, Ordering::Relaxed);
        }
    }

    /// Members that have to be in the layer above for all to be within reach, beside those that
    /// are.
    pub fn out_of_reach(&self, is_above: &[bool]) -> Vec<u32> {
        let mut distances = Distances::new(Linking::of(&self.nearest));
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

    /// Of those within some steps of a member the one that most others lead to: with it above, most
    /// of what is around comes within reach.
    fn most_linked_around(&self, place: u32, linking: &Linking) -> u32 {
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

/// Nearest links the other way round: which members link to one.
struct Linking {
    /// For each member where those that link to it begin.
    starts: Vec<u32>,
    from: Vec<u32>,
}

impl Linking {
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
        Linking { starts, from }
    }

    fn to(&self, place: u32) -> &[u32] {
        let place = place as usize;
        &self.from[self.starts[place] as usize..self.starts[place + 1] as usize]
    }
}

/// Steps from each member to the next one that is above; more than [`STEPS`] if there is none.
struct Distances {
    linking: Linking,
    steps: Vec<u8>,
}

impl Distances {
    fn new(linking: Linking) -> Self {
        let steps = vec![STEPS + 1; linking.starts.len() - 1];
        Distances { linking, steps }
    }

    fn of(&self, place: u32) -> u8 {
        self.steps[place as usize]
    }

    /// A member is above: those that lead to it have become nearer to one.
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
    fn rings(count: usize, size: usize) -> Reach {
        let mut reach = Reach::new(count * size);
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
    fn none_is_more_than_a_few_steps_away() {
        let reach = rings(1, 100);
        let mut is_above = vec![false; 100];
        is_above[0] = true;
        let missing = reach.out_of_reach(&is_above);
        // Twelve places are passed in three steps of four.
        assert!((100 / 13..=2 * 100 / 13).contains(&missing.len()), "{missing:?}");
    }

    #[test]
    fn what_nobody_links_to_is_out_of_reach_and_what_is_absent_is_not() {
        let mut reach = Reach::new(UNLINKED_ONE_IN);
        reach.extend(&[[1; NEAREST], [0; NEAREST], [0; NEAREST], [0; NEAREST]]);
        reach.extend(&[ABSENT; UNLINKED_ONE_IN - 4]);
        [0, 1].into_iter().for_each(|link| reach.note_link(link));
        let mut is_above = [false; UNLINKED_ONE_IN];
        is_above[0] = true;
        // Nobody links to 2 and 3, but they are too many to be above both.
        assert_eq!(reach.out_of_reach(&is_above), [2]);
    }
}
