//! Beam of a search: the nearest nodes met so far, at most `width` (`ef` in HNSW), nearest first.
//! Each is expanded once, by following its links; when all have been, the search ends.

use super::MOST_NODES;

/// Eight bytes, since every insertion moves many of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    pub distance: f32,
    /// Row in the searched layer, and whether it has been expanded.
    marked: u32,
}

const EXPANDED: u32 = 1 << 31;
const _: () = assert!(MOST_NODES <= EXPANDED);

impl Candidate {
    /// Returns the row in the searched layer; in the lowest one, this is the node.
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
    /// How many candidates may be equally near: equal vectors, of which there may be any number,
    /// must not crowd out candidates that lead further.
    most_equal: usize,
    /// All candidates before this one have been expanded.
    next: usize,
}

impl Beam {
    /// Resets the beam; the first `limit` candidates are the ones that matter.
    pub fn start(&mut self, width: usize, limit: usize) {
        self.candidates.clear();
        self.candidates.reserve(width + 1);
        self.width = width;
        self.most_equal = limit.max(width / 4);
        self.next = 0;
    }

    /// Returns whether a candidate at this distance would be kept.
    #[inline]
    pub fn wants(&self, distance: f32) -> bool {
        self.candidates.len() < self.width
            || self.candidates.last().is_some_and(|last| distance < last.distance)
    }

    /// Inserts a candidate; returns its rank, or a rank past the end if it is not kept.
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

    /// Marks the nearest unexpanded candidate as expanded and returns it.
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

    /// Returns the candidates, nearest first.
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
