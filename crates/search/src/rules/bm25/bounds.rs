//! Arithmetic on lower and upper bounds of numbers.

use std::ops::{AddAssign, Mul};

/// Lower and upper bound of a number; equal if it is known.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Bounds {
    pub least: f64,
    pub most: f64,
}

impl Mul<f64> for Bounds {
    type Output = Self;

    /// Multiplies by a non-negative number.
    #[inline]
    fn mul(self, factor: f64) -> Self {
        Self { least: self.least * factor, most: self.most * factor }
    }
}

impl AddAssign for Bounds {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.least += other.least;
        self.most += other.most;
    }
}
