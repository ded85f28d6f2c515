//! Latencies and errors of a benchmark, and the report on them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use crate::terminal::{rate, thousands};

#[derive(Debug, Default)]
pub(super) struct LatencyStats {
    /// Latencies of the answered searches, in microseconds.
    times: Vec<u32>,
    /// Number of failures by message.
    failures: BTreeMap<String, u64>,
}

impl LatencyStats {
    pub(super) fn answered(&mut self, time: Duration) {
        self.times.push(u32::try_from(time.as_micros()).unwrap_or(u32::MAX));
    }

    pub(super) fn failed(&mut self, why: String) {
        *self.failures.entry(why).or_default() += 1;
    }

    pub(super) fn add(&mut self, other: LatencyStats) {
        self.times.extend(other.times);
        for (why, number) in other.failures {
            *self.failures.entry(why).or_default() += number;
        }
    }

    pub(super) fn errors(&self) -> u64 {
        self.failures.values().sum()
    }

    pub(super) fn report(&self, elapsed: Duration) -> String {
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
                line(name, u64::from(percentile(&times, share)));
            }
            line("longest", u64::from(*longest));
        }
        for (why, number) in &self.failures {
            let _ = writeln!(text, "{} times: {why}", thousands(*number));
        }
        text
    }
}

/// Returns the latency that this share of the searches did not exceed.
fn percentile(sorted: &[u32], share: f64) -> u32 {
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
        let mut stats = LatencyStats::default();
        for milliseconds in (1..=100).rev() {
            stats.answered(Duration::from_millis(milliseconds));
        }
        let mut other = LatencyStats::default();
        other.failed("no".to_owned());
        stats.add(other);
        assert_eq!(
            stats.report(Duration::from_secs(2)),
            "searches  100\nrate      50 per second\nerrors    1\nmean      50.50 ms\n\
             p50       50.00 ms\np90       90.00 ms\np99       99.00 ms\nlongest   100.00 ms\n\
             1 times: no\n"
        );
        assert_eq!(percentile(&[7], 0.5), 7);
        assert!(LatencyStats::default().report(Duration::from_secs(1)).ends_with("errors    0\n"));
    }
}
