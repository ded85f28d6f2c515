//! Ways to make one value of the readings of many requests. Each takes a bounded amount of memory,
//! however many requests there are, and does not depend on their order.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::Value;

use crate::histogram::Histogram;
use crate::reading::{Reading, RequestOutcome};
use crate::text_set::TextSet;

/// Most bytes of the names of one figure.
const MOST_NAME_BYTES: usize = 4 << 10;
/// Limit of distinct numbers; further ones count as seen.
const MOST_DISTINCT: usize = 1000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    /// True if any number was not 0.
    Any,
    Sum,
    /// The largest number; null before the first.
    Largest,
    /// The least number; null before the first.
    Least,
    /// The mean, with two decimals; null before the first number.
    Average,
    /// The name at the most frequent number; the first of equals, null before the first.
    MostUsed(&'static [&'static str]),
    /// The most frequent of true and false; true if they are equal, null before the first.
    MostUsedFlag,
    /// The names at the bits that were set in any number.
    Union(&'static [&'static str]),
    /// The count of different numbers.
    Distinct,
    /// The different names.
    Names,
    /// The different names as one text.
    JoinedNames,
    /// Timed requests that were answered.
    Succeeded,
    /// Timed requests that were not answered.
    Failed,
    /// Timed requests that were answered incompletely.
    Degraded,
    /// The 99th percentile of the time until the answer, in milliseconds.
    ResponseTime,
}

/// The value of a figure so far.
#[derive(Debug)]
pub(crate) struct Accumulator {
    fold: Fold,
    state: State,
}

#[derive(Debug)]
enum State {
    Numbers(Numbers),
    /// How often each name was used.
    Uses(Vec<u64>),
    Distinct(HashSet<u64>),
    Names(TextSet<MOST_NAME_BYTES>),
    Times(Histogram),
}

#[derive(Debug, Default)]
struct Numbers {
    count: u64,
    sum: u64,
    largest: Option<u64>,
    least: Option<u64>,
    union: u64,
}

impl Accumulator {
    pub fn new(fold: Fold) -> Self {
        let state = match fold {
            Fold::MostUsed(names) => State::Uses(vec![0; names.len()]),
            Fold::Distinct => State::Distinct(HashSet::new()),
            Fold::Names | Fold::JoinedNames => State::Names(TextSet::default()),
            Fold::ResponseTime => State::Times(Histogram::default()),
            _ => State::Numbers(Numbers::default()),
        };
        Self { fold, state }
    }

    /// Adds a request. Folds of outcomes ignore the reading.
    pub fn add(&mut self, reading: Reading, outcome: Option<RequestOutcome>) {
        let reading = match self.fold {
            Fold::Succeeded => outcome.map(|it| it.succeeded).into(),
            Fold::Failed => outcome.map(|it| !it.succeeded).into(),
            Fold::Degraded => outcome.map(|it| it.degraded).into(),
            Fold::ResponseTime => outcome.and_then(response_time).into(),
            _ => reading,
        };
        match (&mut self.state, reading) {
            (State::Numbers(numbers), Reading::Number(number)) => numbers.add(number),
            (State::Uses(uses), Reading::Number(number)) => {
                if let Some(uses) = uses.get_mut(number as usize) {
                    *uses += 1;
                }
            }
            (State::Distinct(numbers), Reading::Number(number))
                if numbers.len() < MOST_DISTINCT =>
            {
                numbers.insert(number);
            }
            (State::Times(times), Reading::Number(micros)) => {
                times.add(Duration::from_micros(micros));
            }
            (State::Names(names), Reading::Name(name)) => names.add(&name),
            _ => {}
        }
    }

    pub fn value(&self) -> Value {
        match (&self.state, self.fold) {
            (State::Numbers(numbers), fold) => numbers.value(fold),
            (State::Uses(uses), Fold::MostUsed(names)) => {
                let most = uses.iter().copied().max().filter(|&most| most > 0);
                let place = most.and_then(|most| uses.iter().position(|&uses| uses == most));
                place.map(|place| names[place]).into()
            }
            (State::Uses(_), _) => Value::Null,
            (State::Distinct(numbers), _) => numbers.len().into(),
            (State::Names(names), Fold::JoinedNames) => names.joined("; ").into(),
            (State::Names(names), _) => names.into(),
            (State::Times(times), _) => times.into(),
        }
    }

    /// Returns the bytes of client-supplied texts.
    pub fn text_bytes(&self) -> usize {
        match &self.state {
            State::Names(names) => names.bytes(),
            _ => 0,
        }
    }
}

/// Returns microseconds, if the request was answered.
fn response_time(outcome: RequestOutcome) -> Option<u64> {
    let micros = u64::try_from(outcome.elapsed.as_micros()).unwrap_or(u64::MAX);
    outcome.succeeded.then_some(micros)
}

impl Numbers {
    fn add(&mut self, number: u64) {
        self.count += 1;
        self.sum = self.sum.saturating_add(number);
        self.largest = self.largest.max(Some(number));
        self.least = Some(self.least.map_or(number, |least| least.min(number)));
        self.union |= number;
    }

    fn value(&self, fold: Fold) -> Value {
        match fold {
            Fold::Any => (self.sum > 0).into(),
            Fold::Largest => self.largest.into(),
            Fold::Least => self.least.into(),
            Fold::Average | Fold::MostUsedFlag if self.count == 0 => Value::Null,
            Fold::Average => ((self.sum as f64 / self.count as f64 * 100.0).round() / 100.0).into(),
            Fold::MostUsedFlag => (self.sum.saturating_mul(2) >= self.count).into(),
            Fold::Union(names) => {
                let used = names.iter().enumerate().filter(|(bit, _)| self.union >> bit & 1 == 1);
                used.map(|(_, &name)| name).collect()
            }
            _ => self.sum.into(),
        }
    }
}

#[cfg(test)]
#[path = "fold_tests.rs"]
mod tests;
