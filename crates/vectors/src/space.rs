//! How a vector stands in a file and how far two of them are apart.
//!
//! A row is what was given, 32-bit floats, so that reading gives it back; behind it, for the
//! cosine, stands one over its length, so that no search has to divide. A quantised row is bits.
//!
//! Distances only have to order: smaller is nearer. `similarity` makes of them what clients see.

use crate::options::{Metric, StoreOptions};
use crate::simd::{KERNELS, Kernels};

/// Bits are kept in words of this many.
const WORD_BITS: usize = 64;

#[derive(Debug, Clone, Copy)]
pub struct Space {
    options: StoreOptions,
    kernels: Kernels,
}

impl Space {
    pub fn new(options: StoreOptions) -> Self {
        Self { options, kernels: *KERNELS }
    }

    pub fn options(&self) -> &StoreOptions {
        &self.options
    }

    /// Bytes of a row.
    pub fn stride(&self) -> usize {
        match self.options.metric {
            Metric::Cosine => 4 * self.options.dimensions + 4,
            Metric::Euclidean | Metric::DotProduct => 4 * self.options.dimensions,
            Metric::Hamming => self.padded_bits() / 8,
        }
    }

    /// Adds the row of a vector to `out`.
    pub fn encode(&self, vector: &[f32], out: &mut Vec<u8>) {
        match self.options.metric {
            Metric::Hamming => {
                for components in vector.chunks(WORD_BITS) {
                    let bit = |(place, &value): (usize, &f32)| u64::from(value > 0.0) << place;
                    let word = components.iter().enumerate().map(bit).sum::<u64>();
                    out.extend_from_slice(&word.to_le_bytes());
                }
            }
            Metric::Cosine => {
                out.extend(vector.iter().flat_map(|value| value.to_le_bytes()));
                out.extend_from_slice(&one_over_length(vector).to_le_bytes());
            }
            Metric::Euclidean | Metric::DotProduct => {
                out.extend(vector.iter().flat_map(|value| value.to_le_bytes()));
            }
        }
    }

    /// What was given; quantised: zeros and ones.
    pub fn decode(&self, row: &[u8]) -> Vec<f32> {
        if self.options.metric == Metric::Hamming {
            let bit =
                |place: usize| row.get(place / 8).is_some_and(|byte| byte >> (place % 8) & 1 == 1);
            return (0..self.options.dimensions)
                .map(|place| f32::from(u8::from(bit(place))))
                .collect();
        }
        let (values, _) = row.as_chunks::<4>();
        values
            .iter()
            .take(self.options.dimensions)
            .map(|value| f32::from_le_bytes(*value))
            .collect()
    }

    /// A vector without a direction. It is as near as can be to everything, so that it would be
    /// everyone's neighbour in a graph: it is kept out of that.
    pub fn is_zero(&self, row: &[u8]) -> bool {
        self.options.metric == Metric::Cosine && split(row).1 == 0.0
    }

    /// Of two rows of this space.
    #[inline]
    pub fn distance(&self, left: &[u8], right: &[u8]) -> f32 {
        match self.options.metric {
            Metric::Cosine => {
                let ((left, left_scale), (right, right_scale)) = (split(left), split(right));
                if left_scale == 0.0 || right_scale == 0.0 {
                    return 0.0;
                }
                let cosine = (self.kernels.dot)(left, right) * left_scale * right_scale;
                let distance = 1.0 - cosine;
                // Sums of huge components overflow.
                if distance.is_finite() { distance } else { 1.0 }
            }
            Metric::Euclidean => (self.kernels.squared_difference)(left, right),
            Metric::DotProduct => -(self.kernels.dot)(left, right),
            Metric::Hamming => (self.kernels.differing_bits)(left, right),
        }
    }

    /// Whether vectors so near to each other are equal, but for rounding.
    pub fn is_twin(&self, distance: f32) -> bool {
        match self.options.metric {
            Metric::Cosine => distance <= 1e-6,
            Metric::Euclidean | Metric::Hamming => distance <= 0.0,
            // The nearest of a vector are the longest ones, not those like it.
            Metric::DotProduct => false,
        }
    }

    /// From 1 for the nearest down to 0.
    pub fn similarity(&self, distance: f32) -> f32 {
        match self.options.metric {
            Metric::Cosine => (1.0 - distance / 2.0).clamp(0.0, 1.0),
            Metric::Euclidean => 1.0 / (1.0 + distance.max(0.0).sqrt()),
            // The logistic function of the product.
            Metric::DotProduct => 1.0 / (1.0 + distance.exp()),
            Metric::Hamming => 1.0 - distance / self.padded_bits().max(1) as f32,
        }
    }

    fn padded_bits(&self) -> usize {
        self.options.dimensions.next_multiple_of(WORD_BITS)
    }
}

/// The components of a row of the cosine, and one over their length.
#[inline]
fn split(row: &[u8]) -> (&[u8], f32) {
    match row.split_last_chunk::<4>() {
        Some((components, scale)) => (components, f32::from_le_bytes(*scale)),
        None => (row, 0.0),
    }
}

/// 0 for a vector without a direction.
fn one_over_length(vector: &[f32]) -> f32 {
    let square: f64 = vector.iter().map(|&value| f64::from(value) * f64::from(value)).sum();
    if square > 0.0 { (1.0 / square.sqrt()) as f32 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(dimensions: usize, metric: Metric) -> Space {
        Space::new(StoreOptions { dimensions, metric })
    }

    fn similarity(space: &Space, left: &[f32], right: &[f32]) -> f32 {
        let (mut left_row, mut right_row) = (Vec::new(), Vec::new());
        space.encode(left, &mut left_row);
        space.encode(right, &mut right_row);
        assert_eq!(left_row.len(), space.stride());
        space.similarity(space.distance(&left_row, &right_row))
    }

    #[test]
    fn cosine_is_one_half_at_right_angles() {
        let space = space(2, Metric::Cosine);
        assert_eq!(similarity(&space, &[2.0, 0.0], &[9.0, 0.0]), 1.0);
        assert_eq!(similarity(&space, &[2.0, 0.0], &[0.0, 3.0]), 0.5);
        assert_eq!(similarity(&space, &[2.0, 0.0], &[-1.0, 0.0]), 0.0);
    }

    #[test]
    fn the_other_metrics_fall_from_one_as_well() {
        let euclidean = space(2, Metric::Euclidean);
        assert_eq!(similarity(&euclidean, &[1.0, 1.0], &[1.0, 1.0]), 1.0);
        assert_eq!(similarity(&euclidean, &[0.0, 0.0], &[3.0, 4.0]), 1.0 / 6.0);
        let dot = space(2, Metric::DotProduct);
        assert_eq!(similarity(&dot, &[1.0, 0.0], &[0.0, 1.0]), 0.5);
        assert!(similarity(&dot, &[1.0, 1.0], &[2.0, 2.0]) > 0.98);
    }

    #[test]
    fn quantised_vectors_count_differing_bits_over_whole_words() {
        let space = space(70, Metric::Hamming);
        assert_eq!(space.stride(), 16);
        let mut vector = vec![-1.0; 70];
        let other = vector.clone();
        (vector[0], vector[64], vector[69]) = (0.5, 3.0, 0.1);
        assert_eq!(similarity(&space, &vector, &other), 1.0 - 3.0 / 128.0);
        let mut row = Vec::new();
        space.encode(&vector, &mut row);
        let read = space.decode(&row);
        assert_eq!(read.len(), 70);
        let ones: Vec<usize> = (0..70).filter(|&place| read[place] == 1.0).collect();
        assert_eq!(ones, [0, 64, 69]);
    }

    #[test]
    fn what_was_given_is_read_back() {
        for metric in [Metric::Cosine, Metric::Euclidean, Metric::DotProduct] {
            let space = space(3, metric);
            let mut row = Vec::new();
            space.encode(&[0.1, -7.25, 1e-20], &mut row);
            assert_eq!(space.decode(&row), [0.1, -7.25, 1e-20]);
            assert!(!space.is_zero(&row));
        }
    }

    #[test]
    fn huge_and_zero_vectors_have_a_distance() {
        let space = space(2, Metric::Cosine);
        assert!(similarity(&space, &[1e30, 1e30], &[1e30, -1e30]).is_finite());
        let mut row = Vec::new();
        space.encode(&[0.0, -0.0], &mut row);
        assert!(space.is_zero(&row));
        assert_eq!(similarity(&space, &[0.0, 0.0], &[1.0, 2.0]), 1.0);
    }
}
