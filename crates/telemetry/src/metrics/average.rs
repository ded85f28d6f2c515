//! The mean of many numbers.

use serde_json::Value;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Average {
    sum: u64,
    times: u64,
}

impl Average {
    pub fn add(&mut self, value: u64) {
        self.sum = self.sum.saturating_add(value);
        self.times += 1;
    }

    pub fn sum(&self) -> u64 {
        self.sum
    }
}

/// Converts with two decimals; null before anything was counted.
impl From<&Average> for Value {
    fn from(average: &Average) -> Self {
        if average.times == 0 {
            return Value::Null;
        }
        Value::from((average.sum as f64 / average.times as f64 * 100.0).round() / 100.0)
    }
}
