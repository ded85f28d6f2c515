//! What was measured, and the few numbers that tell it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use crate::terminal::{rate, thousands};

#[derive(Debug, Default)]
pub(super) struct Figures {
    /// Microseconds, of those that were answered.
    times: Vec<u32>,
    /// What went wrong, and how often.
    failures: BTreeMap<String, u64>,
}

impl Figures {
    pub(super) fn answered(&mut self, time: Duration) {
        self.times.push(u32::try_from(time.as_micros()).unwrap_or(u32::MAX));
    }

    pub(super) fn failed(&mut self, why: String) {
        *self.failures.entry(why).or_default() += 1;
    }

    pub(super) fn add(&mut self, other: Figures) {
        self.times.extend(other.times);
        for (why, number) in other.failures {
            *self.failures.entry(why).or_default() += number;
        }
    }

    pub(super) fn errors(&self) -> u64 {
        self.failures.values().sum()
    }

    pub(super) fn shown(&self, elapsed: Duration) -> String {
        let mut times = self.times.clone();
        times.sort_unstable();
        let number = times.len() as u64;
        let mut text = format!(
            "searches  {}\nrate      {} per second\nerrors    {}\n",
            thousands(number),
            thousands(rate(number, elapsed)),
            thousands(self.errors())
        );
        if let Some(longest) = times.last() {
            let mean = times.iter().map(|time| u64::from(*time)).sum::<u64>() / number;
            let mut line = |name: &str, micros: u64| {
                let _ = writeln!(text, "{name:<10}{}", milliseconds(micros));
            };
            line("mean", mean);
            for (name, share) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)] {
                line(name, u64::from(at_share(&times, share)));
            }
            line("longest", u64::from(*longest));
        }
        for (why, number) in &self.failures {
            let _ = writeln!(text, "{} times: {why}", thousands(*number));
        }
        text
    }
}

/// The time that this share of all did not exceed.
fn at_share(sorted: &[u32], share: f64) -> u32 {
    let place = (sorted.len() as f64 * share).ceil() as usize;
    sorted[place.clamp(1, sorted.len()) - 1]
}

fn milliseconds(micros: u64) -> String {
    format!("{:.2} ms", micros as f64 / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_exact() {
        let mut figures = Figures::default();
        for milliseconds in (1..=100).rev() {
            figures.answered(Duration::from_millis(milliseconds));
        }
        let mut other = Figures::default();
        other.failed("no".to_owned());
        figures.add(other);
        assert_eq!(
            figures.shown(Duration::from_secs(2)),
            "searches  100\nrate      50 per second\nerrors    1\nmean      50.50 ms\n\
             p50       50.00 ms\np90       90.00 ms\np99       99.00 ms\nlongest   100.00 ms\n\
             1 times: no\n"
        );
        assert_eq!(at_share(&[7], 0.5), 7);
        assert!(Figures::default().shown(Duration::from_secs(1)).ends_with("errors    0\n"));
    }
}
