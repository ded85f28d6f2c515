//! Durations of the parts of a search.

use std::time::{Duration, Instant};

#[derive(Debug, Clone, Default)]
pub struct Stages(Vec<(&'static str, Duration)>);

impl Stages {
    /// Runs a part and records its duration.
    pub(super) fn time<T>(&mut self, name: &'static str, part: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let result = part();
        self.add(name, begun.elapsed());
        result
    }

    pub fn add(&mut self, name: &'static str, elapsed: Duration) {
        self.0.push((name, elapsed));
    }

    /// Adds the durations of another search, part by part.
    pub(super) fn merge(&mut self, other: &Stages) {
        for (name, elapsed) in other.iter() {
            match self.0.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += elapsed,
                None => self.add(name, elapsed),
            }
        }
    }

    /// Returns the durations in the order in which parts ended.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Duration)> + '_ {
        self.0.iter().copied()
    }
}
