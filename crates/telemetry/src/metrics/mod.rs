//! Accumulators: each takes a bounded amount of memory, however many requests there are, and does
//! not depend on their order.

mod average;
mod distinct;
mod histogram;
mod most_used;
mod scrub;
mod text_set;

pub(crate) use average::Average;
pub(crate) use distinct::{Distinct, hash};
pub(crate) use histogram::Histogram;
pub(crate) use most_used::MostUsed;
pub(crate) use text_set::TextSet;

use serde_json::Value;

/// Largest value seen; none before the first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Largest(Option<u64>);

impl Largest {
    pub fn add(&mut self, value: impl Into<Option<u64>>) {
        self.0 = self.0.max(value.into());
    }
}

impl From<&Largest> for Value {
    fn from(largest: &Largest) -> Self {
        Value::from(largest.0)
    }
}

/// Least value seen; none before the first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Least(Option<u64>);

impl Least {
    pub fn add(&mut self, value: Option<u64>) {
        self.0 = match (self.0, value) {
            (Some(least), Some(value)) => Some(least.min(value)),
            (least, value) => least.or(value),
        };
    }
}

impl From<&Least> for Value {
    fn from(least: &Least) -> Self {
        Value::from(least.0)
    }
}
