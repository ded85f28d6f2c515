//! Tests whether the difference between two variants is statistically significant.
//!
//! Uses a paired randomisation test: without a real difference, the sign of each query's difference
//! is arbitrary. The p value is the share of random sign choices whose mean differs at least as
//! much as the observed one. The test assumes no distribution. The seed is fixed, so the same lists
//! give the same p value.

const ROUNDS: u32 = 10_000;
/// Up to this many differences, all sign choices are tried: fewer than `ROUNDS`.
const MOST_EXACT: usize = 13;
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
/// Differences below this come from the rounding of sums.
const ROUNDING: f64 = 1e-12;
/// Significance level.
const THRESHOLD: f64 = 0.05;

/// Comparison of two lists of values for the same queries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Comparison {
    /// Mean of the second list minus mean of the first.
    pub(super) difference: f64,
    pub(super) p_value: f64,
    /// Number of queries for which the second is better.
    pub(super) wins: usize,
    pub(super) ties: usize,
    pub(super) losses: usize,
}

impl Comparison {
    pub(super) fn of(first: &[f64], second: &[f64]) -> Self {
        let differences: Vec<f64> =
            first.iter().zip(second).map(|(first, second)| second - first).collect();
        // A zero difference has no sign to flip.
        let nonzero: Vec<f64> =
            differences.iter().copied().filter(|value| value.abs() > ROUNDING).collect();
        let wins = nonzero.iter().filter(|value| **value > 0.0).count();
        Self {
            difference: differences.iter().sum::<f64>() / differences.len().max(1) as f64,
            p_value: p_value(&nonzero),
            wins,
            ties: differences.len() - nonzero.len(),
            losses: nonzero.len() - wins,
        }
    }

    pub(super) fn is_significant(&self) -> bool {
        self.p_value < THRESHOLD
    }

    pub(super) fn verdict(&self) -> Verdict {
        match (self.wins + self.losses, self.is_significant()) {
            (0, _) => Verdict::Same,
            (_, false) => Verdict::Chance,
            (_, true) if self.difference > 0.0 => Verdict::Better,
            (_, true) => Verdict::Worse,
        }
    }
}

/// Conclusion about the second variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Same,
    Chance,
    Better,
    Worse,
}

impl Verdict {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Same => "the same",
            Self::Chance => "not distinguishable from chance",
            Self::Better => "better",
            Self::Worse => "worse",
        }
    }

    pub(super) fn sentence(self) -> &'static str {
        match self {
            Self::Same => "The two are the same",
            Self::Chance => "The difference is not distinguishable from chance",
            Self::Better => "The second is better",
            Self::Worse => "The second is worse",
        }
    }
}

/// Computes the two-sided p value.
fn p_value(differences: &[f64]) -> f64 {
    let seen = differences.iter().sum::<f64>().abs() - ROUNDING;
    if differences.len() <= MOST_EXACT {
        let choices = 1_u32 << differences.len();
        let as_large = (0..choices).filter(|signs| {
            let mut signs = u64::from(*signs);
            signed_sum(differences, || {
                let bit = signs;
                signs >>= 1;
                bit
            }) >= seen
        });
        return as_large.count() as f64 / f64::from(choices);
    }
    let mut random = Random(SEED);
    let as_large = (0..ROUNDS).filter(|_| {
        let (mut bits, mut left) = (0, 0);
        let mut sign = || {
            if left == 0 {
                (bits, left) = (random.next(), u64::BITS);
            }
            let bit = bits;
            bits >>= 1;
            left -= 1;
            bit
        };
        signed_sum(differences, &mut sign) >= seen
    });
    // The observed signs are one of the choices, so no p value is zero.
    (as_large.count() + 1) as f64 / f64::from(ROUNDS + 1)
}

/// Returns the absolute value of the sum; the lowest bit of each sign flips a difference.
fn signed_sum(differences: &[f64], mut sign: impl FnMut() -> u64) -> f64 {
    let signed = differences.iter().map(|value| if sign() & 1 == 1 { -value } else { *value });
    signed.sum::<f64>().abs()
}

/// SplitMix64: short, and good enough to choose signs.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lists_are_the_same() {
        let comparison = Comparison::of(&[0.5; 40], &[0.5; 40]);
        assert_eq!((comparison.wins, comparison.ties, comparison.losses), (0, 40, 0));
        assert!(comparison.p_value >= 1.0 && comparison.verdict() == Verdict::Same);
        assert_eq!(Comparison::of(&[], &[]).verdict(), Verdict::Same);
    }

    #[test]
    fn few_differences_are_tested_exactly() {
        // All five of one sign: of 32 choices only two are as extreme.
        let comparison = Comparison::of(&[0.0; 5], &[0.5, 0.25, 0.5, 0.25, 0.5]);
        assert!((comparison.p_value - 2.0 / 32.0).abs() < 1e-12, "{comparison:?}");
        assert_eq!(comparison.verdict(), Verdict::Chance);
        // Six of one sign: 2 of 64.
        let comparison = Comparison::of(&[1.0; 6], &[0.5; 6]);
        assert!((comparison.p_value - 2.0 / 64.0).abs() < 1e-12, "{comparison:?}");
        assert_eq!((comparison.verdict(), comparison.losses), (Verdict::Worse, 6));
        // One up, one down by as much: every choice is as extreme.
        assert!(Comparison::of(&[0.0, 1.0], &[1.0, 0.0]).p_value >= 1.0);
    }

    #[test]
    fn random_signs_agree_with_the_binomial_distribution() {
        // 14 wins and 4 losses of one size: P(at least 14 of 18, either way) = 2 · 4048 / 2^18.
        let second: Vec<f64> = (0..18).map(|place| if place < 14 { 1.0 } else { -1.0 }).collect();
        let comparison = Comparison::of(&[0.0; 18], &second);
        assert!((comparison.p_value - 0.03088).abs() < 0.006, "{comparison:?}");
        assert_eq!((comparison.wins, comparison.losses), (14, 4));
        assert_eq!(comparison.verdict(), Verdict::Better);
        assert_eq!(comparison, Comparison::of(&[0.0; 18], &second), "the seed is fixed");
    }

    #[test]
    fn the_other_way_around_the_sign_alone_changes() {
        let first: Vec<f64> = (0..60).map(|place| f64::from(place % 7) / 7.0).collect();
        let second: Vec<f64> = (0..60).map(|place| f64::from(place % 5) / 5.0).collect();
        let (there, back) = (Comparison::of(&first, &second), Comparison::of(&second, &first));
        assert!((there.difference + back.difference).abs() < 1e-12);
        assert!((there.p_value - back.p_value).abs() < 1e-12);
        assert_eq!((there.wins, there.losses), (back.losses, back.wins));
    }

    #[test]
    fn a_clear_difference_over_many_queries_is_never_certain() {
        let p_value = Comparison::of(&[0.0; 100], &[1.0; 100]).p_value;
        assert!(p_value > 0.0 && p_value < 0.001, "{p_value}");
    }
}
