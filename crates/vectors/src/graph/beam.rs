//! The nearest nodes that a search has met, at most `width`, nearest first. Each is expanded once:
//! its links are followed. When all have been, the search is over.

use super::MOST_NODES;

/// Eight bytes, since many are moved for each that comes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    pub distance: f32,
    /// The row in the layer that is searched, and whether it has been expanded.
    marked: u32,
}

const EXPANDED: u32 = 1 << 31;
const _: () = assert!(MOST_NODES <= EXPANDED);

impl Candidate {
    /// The row in the layer that is searched; in the lowest one, the node.
    #[inline]
    pub fn index(self) -> u32 {
        self.marked & !EXPANDED
    }

    #[inline]
    fn is_expanded(self) -> bool {
        self.marked & EXPANDED != 0
    }
}

#[derive(Debug, Default)]
pub struct Beam {
    candidates: Vec<Candidate>,
    width: usize,
    /// So many may be equally near: equal vectors, of which there may be any number, must not
    /// crowd out what leads on from them.
    most_equal: usize,
    /// All before it have been expanded.
    next: usize,
}

impl Beam {
    /// Begins anew; `limit` of the candidates matter.
    pub fn start(&mut self, width: usize, limit: usize) {
        self.candidates.clear();
        self.candidates.reserve(width + 1);
        self.width = width;
        self.most_equal = limit.max(width / 4);
        self.next = 0;
    }

    /// Whether something so far away would be kept.
    #[inline]
    pub fn wants(&self, distance: f32) -> bool {
        self.candidates.len() < self.width
            || self.candidates.last().is_some_and(|last| distance < last.distance)
    }

    /// Gives the place that it got, or a place beyond all.
    pub fn push(&mut self, index: u32, distance: f32) -> usize {
        if !self.wants(distance) {
            return usize::MAX;
        }
        let place = self.candidates.partition_point(|known| known.distance <= distance);
        let first_equal = place.checked_sub(self.most_equal);
        if first_equal.is_some_and(|first| self.candidates[first].distance == distance) {
            return usize::MAX;
        }
        if self.candidates.len() == self.width {
            self.candidates.pop();
        }
        self.candidates.insert(place, Candidate { distance, marked: index });
        self.next = self.next.min(place);
        place
    }

    /// The nearest candidate that has not been expanded; it counts as expanded from now on.
    #[inline]
    pub fn expand(&mut self) -> Option<Candidate> {
        let candidate = self.candidates.get_mut(self.next)?;
        candidate.marked |= EXPANDED;
        let candidate = *candidate;
        while self.candidates.get(self.next).is_some_and(|known| known.is_expanded()) {
            self.next += 1;
        }
        Some(candidate)
    }

    /// Nearest first.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_are_kept_and_expanded_once() {
        let mut beam = Beam::default();
        beam.start(3, 3);
        for (index, distance) in [(1, 5.0), (2, 3.0), (3, 9.0)] {
            beam.push(index, distance);
        }
        assert_eq!(beam.expand().map(Candidate::index), Some(2));
        assert!(!beam.wants(9.0));
        beam.push(4, 4.0);
        beam.push(5, 1.0);
        let order: Vec<u32> = std::iter::from_fn(|| beam.expand()).map(Candidate::index).collect();
        assert_eq!(order, [5, 4]);
        let kept: Vec<u32> = beam.candidates().iter().map(|candidate| candidate.index()).collect();
        assert_eq!(kept, [5, 2, 4]);
    }

    #[test]
    fn equal_ones_leave_room_for_others() {
        let mut beam = Beam::default();
        beam.start(8, 1);
        (0..20).for_each(|index| {
            beam.push(index, 0.5);
        });
        assert_eq!(beam.candidates().len(), 2);
        beam.push(30, 0.7);
        beam.push(31, 0.4);
        let kept: Vec<u32> = beam.candidates().iter().map(|candidate| candidate.index()).collect();
        assert_eq!(kept, [31, 0, 1, 30]);
    }
}
