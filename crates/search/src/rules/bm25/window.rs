//! The scores of some consecutive documents.

use segment::DocId;

use super::bounds::Bounds;

/// Number of documents of a window.
const LENGTH: usize = 2048;

pub(super) struct Window {
    first: DocId,
    /// Frequencies of the term that is being added.
    frequencies: Vec<Bounds>,
    scores: Vec<Bounds>,
    /// One bit for each document that has a score.
    scored: [u64; LENGTH / 64],
}

impl Default for Window {
    fn default() -> Self {
        Self {
            first: 0,
            frequencies: vec![Bounds::default(); LENGTH],
            scores: vec![Bounds::default(); LENGTH],
            scored: [0; LENGTH / 64],
        }
    }
}

impl Window {
    /// Moves to a document and those after it. The window must be empty.
    pub fn start_at(&mut self, doc_id: DocId) {
        self.first = doc_id;
    }

    /// Returns whether a document is not before the window.
    #[inline]
    pub fn contains(&self, doc_id: DocId) -> bool {
        ((doc_id - self.first) as usize) < LENGTH
    }

    #[inline]
    pub fn add_frequency(&mut self, doc_id: DocId, frequency: Bounds) {
        self.frequencies[(doc_id - self.first) as usize] += frequency;
    }

    /// Converts the frequency of a document to a summand of its score.
    #[inline]
    pub fn add_score(&mut self, doc_id: DocId, score: impl FnOnce(Bounds) -> Bounds) {
        let place = (doc_id - self.first) as usize;
        self.scores[place] += score(std::mem::take(&mut self.frequencies[place]));
        self.scored[place / 64] |= 1 << (place % 64);
    }

    /// Visits each document with a score, in ascending order, and empties the window.
    #[inline]
    pub fn drain(&mut self, mut each: impl FnMut(DocId, Bounds)) {
        for (number, bits) in self.scored.iter_mut().enumerate() {
            let mut bits = std::mem::take(bits);
            while bits != 0 {
                let place = 64 * number + bits.trailing_zeros() as usize;
                each(self.first + place as DocId, std::mem::take(&mut self.scores[place]));
                bits &= bits - 1;
            }
        }
    }
}
