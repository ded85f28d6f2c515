//! Numbers of which only bounds are known.

use std::ops::AddAssign;

/// The least and the most that a number can be; they are equal where it is known.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Bounds {
    pub least: f64,
    pub most: f64,
}

impl Bounds {
    #[inline]
    pub fn times(self, factor: f64) -> Self {
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
