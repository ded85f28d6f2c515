//! Packs the bounds of the costs of a document into one number.

use crate::top_k::{Costs, MAX_STEPS};

/// Lower bounds of the costs of a document, step by step; ordered like the costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::top_k) struct Key(u64);

/// Bits for one step.
const STEP_BITS: u32 = u64::BITS / MAX_STEPS as u32;
/// Upper limit of a cost; higher costs are clamped to it.
const HIGHEST: u64 = (1 << STEP_BITS) - 1;

const fn shift(step: usize) -> u32 {
    STEP_BITS * (MAX_STEPS - 1 - step) as u32
}

impl Key {
    pub fn of(costs: &Costs) -> Self {
        let key = costs.iter().fold(0, |key, &cost| key << STEP_BITS | HIGHEST.min(cost.into()));
        Self(key)
    }

    #[inline]
    pub fn add(&mut self, step: usize, cost: u64) {
        let known = self.0 >> shift(step) & HIGHEST;
        self.0 += cost.min(HIGHEST - known) << shift(step);
    }

    #[inline]
    pub fn set(&mut self, step: usize, cost: u64) {
        self.0 = self.0 & !(HIGHEST << shift(step)) | cost.min(HIGHEST) << shift(step);
    }

    /// Returns whether the cost was too large for its bits, so that the key is only a bound of it.
    #[inline]
    pub fn is_capped(self, step: usize) -> bool {
        self.0 >> shift(step) & HIGHEST == HIGHEST
    }

    pub fn costs(self) -> Costs {
        std::array::from_fn(|step| (self.0 >> shift(step) & HIGHEST) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_ordered_as_costs_are() {
        let all: Vec<Costs> = vec![
            [0, 0, 0, 0, 0],
            [0, 0, 0, 0, 9],
            [0, 0, 2, 0, 0],
            [0, 1, 0, 5, 0],
            [3, 0, 0, 0, 1],
        ];
        for pair in all.windows(2) {
            assert!(Key::of(&pair[0]) < Key::of(&pair[1]));
        }
        for costs in all {
            assert_eq!(Key::of(&costs).costs(), costs);
        }
    }

    #[test]
    fn a_cost_that_is_too_large_stays_in_its_step() {
        let mut key = Key::of(&[0, 5000, 0, 0, 7]);
        assert_eq!(key.costs(), [0, 4095, 0, 0, 7]);
        key.add(1, 3);
        key.add(4, 4090);
        key.set(3, 2);
        assert_eq!(key.costs(), [0, 4095, 0, 2, 4095]);
        assert!(key.is_capped(1) && key.is_capped(4));
        assert!(!key.is_capped(0) && !key.is_capped(3));
    }
}
