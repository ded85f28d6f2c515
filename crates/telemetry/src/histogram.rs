//! Histogram of durations, for percentiles in a fixed amount of memory. A bucket is as wide as a
//! thirty-second of its values: a percentile is at most about 3 % too long, and never too short.

use std::time::Duration;

use serde_json::Value;

/// Buckets between a power of two and the next.
const STEPS: u64 = 32;
const STEP_BITS: u32 = STEPS.trailing_zeros();
/// Microseconds up to 2^36, which is 19 hours; longer durations count as that long.
const LONGEST: u64 = (1 << 36) - 1;
const BUCKETS: usize = (STEPS as usize) * (36 - STEP_BITS as usize + 1);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Histogram {
    /// None before the first duration.
    times: Option<Box<[u64; BUCKETS]>>,
    total: u64,
}

impl Histogram {
    pub fn add(&mut self, duration: Duration) {
        let times = self.times.get_or_insert_with(|| Box::new([0; BUCKETS]));
        times[bucket(micros(duration))] += 1;
        self.total += 1;
    }

    /// Returns the 99th percentile.
    pub fn percentile_99(&self) -> Option<Duration> {
        let times = self.times.as_ref()?;
        let wanted = (self.total * 99).div_ceil(100);
        let mut counted = 0;
        let bucket = times.iter().position(|&times| {
            counted += times;
            counted >= wanted
        })?;
        Some(Duration::from_micros(upper_bound(bucket)))
    }
}

/// Converts to the percentile in milliseconds.
impl From<&Histogram> for Value {
    fn from(histogram: &Histogram) -> Self {
        match histogram.percentile_99() {
            Some(duration) => Value::from(duration.as_micros() as f64 / 1000.0),
            None => Value::Null,
        }
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).map_or(LONGEST, |micros| micros.min(LONGEST))
}

/// Returns the bucket. Small numbers have one each; larger ones share one with those that begin
/// with the same bits.
fn bucket(micros: u64) -> usize {
    if micros < STEPS {
        return micros as usize;
    }
    let shift = micros.ilog2() - STEP_BITS;
    let within = (micros >> shift) - STEPS;
    ((u64::from(shift) + 1) * STEPS + within) as usize
}

fn upper_bound(bucket: usize) -> u64 {
    let (row, within) = (bucket as u64 / STEPS, bucket as u64 % STEPS);
    match row.checked_sub(1) {
        None => within,
        Some(shift) => ((STEPS + within + 1) << shift) - 1,
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_duration_has_a_bucket_that_ends_soon_after_it() {
        let around = (0..36).flat_map(|bit| {
            let power = 1_u64 << bit;
            [power.saturating_sub(1), power, power + 1, power + power / 3]
        });
        for long in around.chain([LONGEST]) {
            let end = upper_bound(bucket(long.min(LONGEST)));
            assert!(end >= long.min(LONGEST) && end <= long + long / 31, "{long}: {end}");
        }
        assert_eq!(bucket(LONGEST), BUCKETS - 1);
        assert_eq!(micros(Duration::MAX), LONGEST);
    }

    proptest! {
        /// The percentile is that of a sorted list, up to the width of buckets.
        #[test]
        fn percentiles_are_those_of_a_sorted_list(mut all in vec(0..20_000_000_u64, 1..400)) {
            let mut histogram = Histogram::default();
            all.iter().for_each(|&micros| histogram.add(Duration::from_micros(micros)));
            all.sort_unstable();
            let exact = all[(all.len() * 99).div_ceil(100) - 1];
            let expected = Duration::from_micros(upper_bound(bucket(exact)));
            prop_assert_eq!(histogram.percentile_99(), Some(expected));
        }
    }
}
