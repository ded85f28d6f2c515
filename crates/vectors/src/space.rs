//! Vector space: row layout of a vector and distance between two rows.
//!
//! A row is the given vector of 32-bit floats, so that reading returns it unchanged; for the cosine
//! it is followed by one over its length, so that no search has to divide. A quantised row is bits.
//!
//! Distances only define an order, smaller is nearer; `similarity` gives user-visible scores.

use std::ops::Range;

use crate::options::{Metric, StoreOptions};
use crate::simd::{KERNELS, Kernels};

/// Bits per word of a quantised row.
const WORD_BITS: usize = 64;

/// Range of one over the product of two lengths in which 32 bits suffice for vector products.
const EXACT: Range<f32> = 1e-30..1e30;

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

    /// Returns the length of a row in bytes.
    pub fn stride(&self) -> usize {
        match self.options.metric {
            Metric::Cosine => 4 * self.options.dimensions + 4,
            Metric::Euclidean | Metric::DotProduct => 4 * self.options.dimensions,
            Metric::Hamming => self.padded_bits() / 8,
        }
    }

    /// Appends the row of a vector to `out`.
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

    /// Returns the given vector; if quantised, as zeros and ones.
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

    /// Returns whether a vector has no direction. It has the best similarity to everything, so it
    /// would be everyone's neighbour in a graph: it is kept out of it.
    pub fn is_zero(&self, row: &[u8]) -> bool {
        self.options.metric == Metric::Cosine && split(row).1 == 0.0
    }

    /// Returns the distance of two rows of this space.
    #[inline]
    pub fn distance(&self, left: &[u8], right: &[u8]) -> f32 {
        match self.options.metric {
            Metric::Cosine => {
                let ((left, left_scale), (right, right_scale)) = (split(left), split(right));
                let scale = left_scale * right_scale;
                if !EXACT.contains(&scale) {
                    return extreme_cosine((left, left_scale), (right, right_scale));
                }
                1.0 - (self.kernels.dot)(left, right) * scale
            }
            Metric::Euclidean => (self.kernels.squared_difference)(left, right),
            Metric::DotProduct => {
                let product = (self.kernels.dot)(left, right);
                // Huge components of either sign make sums that are not a number.
                if product.is_nan() { f32::INFINITY } else { -product }
            }
            Metric::Hamming => (self.kernels.differing_bits)(left, right),
        }
    }

    /// Returns whether vectors at this distance are equal, apart from rounding.
    pub fn is_twin(&self, distance: f32) -> bool {
        match self.options.metric {
            Metric::Cosine => distance <= 1e-6,
            Metric::Euclidean | Metric::Hamming => distance <= 0.0,
            // The nearest of a vector are the longest ones, not its likes.
            Metric::DotProduct => false,
        }
    }

    /// Returns whether one distance is at least twice another, so that a gap may lie between them.
    pub fn is_far(&self, distance: f32, other: f32) -> bool {
        let times = match self.options.metric {
            // These are squares, or close to it.
            Metric::Cosine | Metric::Euclidean => 4.0,
            Metric::Hamming => 2.0,
            // Products have no zero to measure from.
            Metric::DotProduct => return false,
        };
        distance > times * other && !self.is_twin(distance)
    }

    /// Converts a distance to a similarity, from 1 for the nearest down to 0.
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

/// Splits a cosine row into its components and one over their length.
#[inline]
fn split(row: &[u8]) -> (&[u8], f32) {
    match row.split_last_chunk::<4>() {
        Some((components, scale)) => (components, f32::from_le_bytes(*scale)),
        None => (row, 0.0),
    }
}

/// Returns the distance of vectors of which one is tiny, or huge, or zero.
#[cold]
fn extreme_cosine(left: (&[u8], f32), right: (&[u8], f32)) -> f32 {
    if left.1 == 0.0 || right.1 == 0.0 {
        return 0.0;
    }
    let value = |bytes: &[u8; 4]| f64::from(f32::from_le_bytes(*bytes));
    let (mut product, mut left_square, mut right_square) = (0.0, 0.0, 0.0);
    for (left, right) in left.0.as_chunks().0.iter().zip(right.0.as_chunks().0) {
        let (left, right) = (value(left), value(right));
        product += left * right;
        left_square += left * left;
        right_square += right * right;
    }
    let distance = 1.0 - product / (left_square.sqrt() * right_square.sqrt());
    if distance.is_finite() { distance as f32 } else { 1.0 }
}

/// Returns one over the length of a vector, 0 for a zero vector.
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
    fn given_vectors_are_read_back() {
        for metric in [Metric::Cosine, Metric::Euclidean, Metric::DotProduct] {
            let space = space(3, metric);
            let mut row = Vec::new();
            space.encode(&[0.1, -7.25, 1e-20], &mut row);
            assert_eq!(space.decode(&row), [0.1, -7.25, 1e-20]);
            assert!(!space.is_zero(&row));
        }
    }

    #[test]
    fn zero_vectors_are_as_near_as_can_be() {
        let space = space(2, Metric::Cosine);
        let mut row = Vec::new();
        space.encode(&[0.0, -0.0], &mut row);
        assert!(space.is_zero(&row));
        assert_eq!(similarity(&space, &[0.0, 0.0], &[1.0, 2.0]), 1.0);
    }

    #[test]
    fn tiny_and_huge_vectors_have_a_direction() {
        let space = space(2, Metric::Cosine);
        for size in [1e-45, 1e-40, 1e-30, 1e-20, 1e-10, 1e10, 1e20, 1e30, 3e38] {
            for other in [1e-45, 1e-20, 1.0, 1e20, 3e38] {
                // One over a length is rounded.
                let check = |right: [f32; 2], expected: f32| {
                    let difference = similarity(&space, &[size, 0.0], &right) - expected;
                    assert!(difference.abs() < 1e-6, "{size} {right:?}: {difference}");
                };
                check([other, 0.0], 1.0);
                check([0.0, -other], 0.5);
                check([-other, 0.0], 0.0);
            }
        }
    }

    #[test]
    fn no_distance_is_no_number() {
        for metric in [Metric::Cosine, Metric::Euclidean, Metric::DotProduct, Metric::Hamming] {
            let space = space(3, metric);
            let most = f32::MAX;
            for (left, right) in [
                ([most, most, -most], [most, -most, most]),
                ([most; 3], [-most; 3]),
                ([f32::NAN, 1.0, 1.0], [1.0; 3]),
                ([f32::INFINITY; 3], [f32::NEG_INFINITY, 1.0, 0.0]),
            ] {
                let similarity = similarity(&space, &left, &right);
                let is_given = left.iter().chain(&right).all(|value| value.is_finite());
                assert!(!is_given || (0.0..=1.0).contains(&similarity), "{metric:?} {similarity}");
            }
        }
    }

    #[test]
    fn far_is_twice_as_far() {
        assert!(space(3, Metric::Euclidean).is_far(4.1, 1.0));
        assert!(!space(3, Metric::Cosine).is_far(0.39, 0.1));
        assert!(space(3, Metric::Hamming).is_far(21.0, 10.0));
        // Rounding makes nothing far, nor is anything far for a product.
        assert!(!space(3, Metric::Cosine).is_far(1e-7, 0.0));
        assert!(!space(3, Metric::DotProduct).is_far(4.1, -1.0));
    }
}
