//! Where the words of a node stand in an attribute, as one bit a token: how near two nodes stand is
//! then a matter of a few shifts. Only the lower halves of tokens are compared.

use std::ops::Range;

use crate::lanes::{Lanes, WIDTH};
use crate::rules::FAR;

/// With more comparisons a token, looking at each of them is as quick.
const MOST_COMPARISONS: usize = 12;
/// Queries with more nodes are measured otherwise.
pub(super) const MOST_NODES: usize = 12;
/// Tokens compared at a time.
const CHUNK: usize = 2 * WIDTH;

/// The words of a node, ready to be compared.
pub(super) struct Comparisons {
    /// First token, and how many more.
    ranges: Vec<(Lanes, Lanes)>,
}

impl Comparisons {
    /// Nothing where there are too many.
    pub fn new(tokens: &[Range<u32>]) -> Option<Self> {
        let are_few = tokens.len() <= MOST_COMPARISONS;
        let are_short = tokens.iter().all(|range| (1..=1 << 16).contains(&range.len()));
        (are_few && are_short).then(|| {
            let lanes = |range: &Range<u32>| {
                (Lanes::splat(range.start as u16), Lanes::splat((range.len() - 1) as u16))
            };
            Self { ranges: tokens.iter().map(lanes).collect() }
        })
    }

    #[inline]
    fn compare(&self, [low, high]: [Lanes; 2]) -> u64 {
        let mut found = [Lanes::none(); 2];
        for &(first, more) in &self.ranges {
            found[0] = found[0].or(low.within(first, more));
            found[1] = found[1].or(high.within(first, more));
        }
        Lanes::bits(found[0], found[1]).into()
    }
}

/// Gives the bits of some nodes, in turns of 64 tokens of a stream.
#[derive(Default)]
pub(super) struct TokenBits {
    nodes: Vec<Vec<u64>>,
}

impl TokenBits {
    /// Replaces the bits by those of a stream.
    pub fn read(&mut self, nodes: &[Comparisons], low: &[[u8; 2]]) {
        self.nodes.resize(nodes.len(), Vec::new());
        self.nodes.iter_mut().for_each(Vec::clear);
        for tokens in low.chunks(64) {
            let mut words = [0; MOST_NODES];
            let (chunks, rest) = tokens.as_chunks::<CHUNK>();
            for (number, chunk) in chunks.iter().enumerate() {
                compare_all(nodes, chunk, number * CHUNK, u64::MAX, &mut words);
            }
            if !rest.is_empty() {
                let mut chunk = [[0; 2]; CHUNK];
                chunk[..rest.len()].copy_from_slice(rest);
                let mask = (1 << rest.len()) - 1;
                compare_all(nodes, &chunk, chunks.len() * CHUNK, mask, &mut words);
            }
            self.nodes.iter_mut().zip(words).for_each(|(bits, word)| bits.push(word));
        }
    }

    pub fn of(&self, node: usize) -> &[u64] {
        self.nodes.get(node).map_or(&[], Vec::as_slice)
    }
}

#[inline]
fn compare_all(
    nodes: &[Comparisons],
    chunk: &[[u8; 2]; CHUNK],
    shift: usize,
    mask: u64,
    words: &mut [u64; MOST_NODES],
) {
    let (halves, _) = chunk.as_chunks::<WIDTH>();
    let lanes = [Lanes::load(&halves[0]), Lanes::load(&halves[1])];
    for (node, word) in nodes.iter().zip(words) {
        *word |= (node.compare(lanes) & mask) << shift;
    }
}

/// The proximity cost of two neighbours of the query in an attribute, by the bits of both and of
/// the gaps.
pub(super) fn distance_cost(left: &[u64], right: &[u64], gaps: &[u64]) -> u32 {
    const { assert!(FAR == 3) };
    let (mut costs_one, mut costs_two) = (0, 0);
    let mut before = (0, 0, 0);
    for ((&left, &right), &gap) in left.iter().zip(right).zip(gaps) {
        let (left_before, right_before, gap_before) = before;
        before = (left, right, gap);
        let later = |bits: u64, before: u64, by: u32| bits << by | before >> (64 - by);
        if later(left, left_before, 1) & right != 0 {
            return 0;
        }
        // Words with a gap between them are far.
        let no_gap = !later(gap, gap_before, 1);
        let no_gaps = no_gap & !later(gap, gap_before, 2);
        costs_one |= later(left, left_before, 2) & right & no_gap;
        costs_one |= later(right, right_before, 1) & left;
        costs_two |= later(left, left_before, 3) & right & no_gaps;
        costs_two |= later(right, right_before, 2) & left & no_gap;
    }
    match (costs_one, costs_two) {
        (0, 0) => FAR,
        (0, _) => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAP: u32 = 1;

    fn comparisons(range: Range<u32>) -> Comparisons {
        Comparisons::new(&[range]).unwrap()
    }

    /// By comparing every place with every other.
    fn naive(tokens: &[u32], left: &Range<u32>, right: &Range<u32>) -> u32 {
        let mut least = FAR;
        for (from, token) in tokens.iter().enumerate() {
            for (to, other) in tokens.iter().enumerate() {
                let between = &tokens[from.min(to) + 1..from.max(to).max(from.min(to) + 1)];
                if left.contains(token)
                    && right.contains(other)
                    && from != to
                    && !between.contains(&GAP)
                {
                    let cost = if from < to { to - from - 1 } else { from - to };
                    least = least.min(cost as u32);
                }
            }
        }
        least
    }

    #[test]
    fn bits_tell_the_distance() {
        let mut state = 7_u64;
        let mut random = |end: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % end
        };
        for round in 0..3000 {
            let length = random(200);
            let kinds = 3 + round % 40;
            let tokens: Vec<u32> = (0..length).map(|_| 1 + random(kinds) as u32).collect();
            let (left, right) = (2..3, 3 + random(2) as u32..6);
            let low: Vec<[u8; 2]> =
                tokens.iter().map(|&token| (token as u16).to_le_bytes()).collect();
            let bits = |range: Range<u32>| {
                let mut bits = TokenBits::default();
                bits.read(&[comparisons(range)], &low);
                bits.of(0).to_vec()
            };
            let gaps = bits(GAP..GAP + 1);
            let found = distance_cost(&bits(left.clone()), &bits(right.clone()), &gaps);
            assert_eq!(found, naive(&tokens, &left, &right), "{tokens:?}");
        }
    }

    #[test]
    fn ranges_are_compared_by_their_lower_halves() {
        let low = [65_535_u16, 0, 3, 4].map(u16::to_le_bytes);
        let mut bits = TokenBits::default();
        bits.read(&[comparisons(0x1_ffff..0x2_0004), comparisons(4..5)], &low);
        assert_eq!((bits.of(0), bits.of(1)), (&[0b0111][..], &[0b1000][..]));
        assert!(Comparisons::new(std::slice::from_ref(&(0..0x1_0001))).is_none());
        assert!(Comparisons::new(&vec![5..6; 50]).is_none());
    }
}
