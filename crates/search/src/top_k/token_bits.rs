//! Distances of the words of nodes in a document. Many tokens are compared at once, which gives one
//! bit a token; distances are then a few shifts. All attributes are processed at once, as many are
//! short.

use std::ops::Range;

use segment::text::{GAP, High};

use crate::lanes::{BYTES, Lanes, WIDTH, equal_bytes, equal_nibbles};
use crate::rules::FAR;

/// Beyond this many comparisons per token, comparing one by one is as fast.
const MOST_COMPARISONS: usize = 12;
/// Queries with more nodes are measured differently.
const MOST_NODES: usize = 12;
/// Number of tokens whose bits form a word.
const WORD: usize = 64;
/// Tokens compared at a time.
const CHUNK: usize = 2 * WIDTH;
/// The lower halves of tokens.
type Chunk = [[u8; 2]; CHUNK];
/// A bit for each token that belongs to a node, by node. The first entry is for gaps.
type Bits = [u64; MOST_NODES];
const GAPS: usize = 0;

/// The nodes of a query, and the pairs of them that follow each other.
pub(super) struct PairBits {
    nodes: Vec<Comparisons>,
    pairs: Vec<(usize, usize)>,
    /// The upper halves of all tokens searched for.
    highs: Vec<u16>,
}

/// The words of a node, prepared for comparisons.
struct Comparisons {
    tokens: Vec<Range<u32>>,
    /// Groups by upper half.
    groups: Vec<HighHalfGroup>,
}

/// Tokens with the same upper half.
struct HighHalfGroup {
    /// The index of the upper half.
    high: usize,
    low: LowHalves,
}

enum LowHalves {
    /// A single token.
    One(Lanes),
    /// Ranges: the first token, and how many more.
    Ranges(Vec<(Lanes, Lanes)>),
}

/// The positions at which a pair of nodes has each distance.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Hits {
    costs_nothing: u64,
    costs_one: u64,
    costs_two: u64,
}

impl PairBits {
    /// Prepares the comparisons. `tokens` are those of each node, and `lefts` the first nodes of
    /// the pairs. `None` if there is too much to compare.
    pub fn new(tokens: &[Vec<Range<u32>>], lefts: &[usize]) -> Option<Self> {
        let mut highs = Vec::new();
        let gap = std::slice::from_ref(&(GAP..GAP + 1));
        let mut nodes = vec![Comparisons::new(gap, &mut highs)?];
        let mut places = Vec::with_capacity(tokens.len());
        for tokens in tokens {
            // Nodes with equal words are compared once.
            let known = nodes.iter().position(|node| node.tokens == *tokens);
            places.push(known.unwrap_or(nodes.len()));
            if known.is_none() {
                nodes.push(Comparisons::new(tokens, &mut highs)?);
            }
        }
        let pairs = lefts.iter().map(|&left| (places[left], places[left + 1])).collect();
        let are_few = nodes.len() <= MOST_NODES && highs.len() <= MOST_NODES;
        are_few.then_some(Self { nodes, pairs, highs })
    }

    pub fn pair_count(&self) -> usize {
        self.pairs.len()
    }

    /// Adds the distances according to the lower halves of tokens alone: other words may share
    /// these, so that pairs can be farther apart.
    pub fn add_apparent(&self, low: &[[u8; 2]], layout: &Layout, hits: &mut [Hits]) {
        self.add_masked(low, |_, _| u64::MAX, layout, hits);
    }

    /// Adds the distances according to both halves of tokens.
    pub fn add(&self, low: &[[u8; 2]], high: High<'_>, layout: &Layout, hits: &mut [Hits]) {
        self.add_masked(low, |start, value| equal_high_halves(high, start, value), layout, hits);
    }

    /// Adds distances. `mask` returns a bit for each of 64 tokens from a place on with an upper
    /// half.
    #[inline]
    fn add_masked(
        &self,
        low: &[[u8; 2]],
        mask: impl Fn(usize, u16) -> u64,
        layout: &Layout,
        hits: &mut [Hits],
    ) {
        let (words, rest) = low.as_chunks::<WORD>();
        let mut before = (Bits::default(), 0);
        let mut layout = layout.words.iter();
        let mut add = |mut bits: Bits, &(starts, searched): &(u64, u64)| {
            if searched != u64::MAX {
                bits.iter_mut().for_each(|bits| *bits &= searched);
            }
            self.add_word(&before, &(bits, starts), hits);
            before = (bits, starts);
        };
        for ((number, word), layout) in words.iter().enumerate().zip(&mut layout) {
            add(self.bits(word.as_chunks().0, |value| mask(number * WORD, value)), layout);
        }
        if let Some(layout) = layout.next() {
            let mut last = [[0; 2]; WORD];
            last[..rest.len()].copy_from_slice(rest);
            let (chunks, _) = last[..rest.len().next_multiple_of(CHUNK)].as_chunks();
            add(self.bits(chunks, |value| mask(words.len() * WORD, value)), layout);
        }
    }

    /// Returns the bits of up to a word of tokens.
    #[inline]
    fn bits(&self, low: &[Chunk], mask: impl Fn(u16) -> u64) -> Bits {
        let mut masks = Bits::default();
        for (value, bits) in self.highs.iter().zip(&mut masks) {
            *bits = mask(*value);
        }
        let mut all = Bits::default();
        for (node, bits) in self.nodes.iter().zip(&mut all) {
            for group in &node.groups {
                *bits |= group.low.bits(low) & masks[group.high];
            }
        }
        all
    }

    /// Adds the pairs whose later token is in a word. `before` and `now` also hold the first tokens
    /// of attributes.
    #[inline]
    fn add_word(&self, before: &(Bits, u64), now: &(Bits, u64), hits: &mut [Hits]) {
        const { assert!(FAR == 3) };
        let ((before, starts_before), (now, starts)) = (before, now);
        let shifted = |bits: u64, before: u64, by: u32| bits << by | before >> (64 - by);
        let later = |node: usize, by: u32| shifted(now[node], before[node], by);
        // Words with a gap or the end of an attribute between them are far.
        let one_apart = !starts;
        let two_apart = one_apart & !shifted(*starts, *starts_before, 1) & !later(GAPS, 1);
        let three_apart = two_apart & !shifted(*starts, *starts_before, 2) & !later(GAPS, 2);
        for (&(left, right), hits) in self.pairs.iter().zip(hits) {
            hits.costs_nothing |= later(left, 1) & now[right] & one_apart;
            hits.costs_one |= later(left, 2) & now[right] & two_apart;
            hits.costs_one |= later(right, 1) & now[left] & one_apart;
            hits.costs_two |= later(left, 3) & now[right] & three_apart;
            hits.costs_two |= later(right, 2) & now[left] & two_apart;
        }
    }
}

/// The first tokens of the attributes of a document, and which of its tokens are searched.
#[derive(Default)]
pub(super) struct Layout {
    /// Two bits for each token, in words of 64 tokens.
    words: Vec<(u64, u64)>,
}

impl Layout {
    /// Replaces the layout by that of a document: the token counts of its attributes, and which of
    /// these are searched.
    pub fn read(&mut self, fields: impl Iterator<Item = (usize, bool)>, tokens: usize) {
        self.words.clear();
        self.words.resize(tokens.div_ceil(WORD), (0, u64::MAX));
        let missing = self.words.len() * WORD - tokens;
        if let Some((_, searched)) = self.words.last_mut() {
            *searched >>= missing;
        }
        let mut start = 0;
        for (count, is_searched) in fields {
            if let Some((starts, _)) = self.words.get_mut(start / WORD) {
                *starts |= 1 << (start % WORD);
            }
            if !is_searched {
                self.leave_out(start..start + count);
            }
            start += count;
        }
    }

    fn leave_out(&mut self, tokens: Range<usize>) {
        let first = tokens.start / WORD;
        for (number, (_, searched)) in self.words.iter_mut().enumerate().skip(first) {
            let Some(left) = tokens.end.checked_sub(number * WORD).filter(|left| *left > 0) else {
                return;
            };
            let start = tokens.start.saturating_sub(number * WORD);
            let end = left.min(WORD);
            *searched &= !(u64::MAX >> (WORD - end) & u64::MAX << start);
        }
    }
}

impl Hits {
    pub fn cost(self) -> u32 {
        match self {
            Self { costs_nothing: 1.., .. } => 0,
            Self { costs_one: 1.., .. } => 1,
            Self { costs_two: 1.., .. } => 2,
            _ => FAR,
        }
    }
}

impl Comparisons {
    /// Adds new upper halves to `highs`. `None` if there is too much to compare.
    fn new(tokens: &[Range<u32>], highs: &mut Vec<u16>) -> Option<Self> {
        let mut ranges: Vec<(usize, Range<u32>)> = Vec::with_capacity(tokens.len());
        for tokens in tokens.iter().filter(|tokens| !tokens.is_empty()) {
            for high in tokens.start >> 16..=(tokens.end - 1) >> 16 {
                let range = tokens.start.max(high << 16)..tokens.end.min((high + 1) << 16);
                let value = u16::try_from(high).ok()?;
                let known = highs.iter().position(|known| *known == value);
                ranges.push((known.unwrap_or(highs.len()), range));
                if known.is_none() {
                    highs.push(value);
                }
                if ranges.len() > MOST_COMPARISONS {
                    return None;
                }
            }
        }
        ranges.sort_by_key(|(high, _)| *high);
        let group_of = |group: &[(usize, Range<u32>)]| HighHalfGroup {
            high: group[0].0,
            low: LowHalves::new(group.iter().map(|(_, range)| range)),
        };
        let groups = ranges.chunk_by(|left, right| left.0 == right.0).map(group_of).collect();
        Some(Self { tokens: tokens.to_vec(), groups })
    }
}

impl LowHalves {
    fn new<'t>(ranges: impl Iterator<Item = &'t Range<u32>>) -> Self {
        let lanes = |range: &Range<u32>| {
            (Lanes::splat(range.start as u16), Lanes::splat((range.len() - 1) as u16))
        };
        let ranges: Vec<&Range<u32>> = ranges.collect();
        match ranges[..] {
            [one] if one.len() == 1 => Self::One(Lanes::splat(one.start as u16)),
            _ => Self::Ranges(ranges.into_iter().map(lanes).collect()),
        }
    }

    /// Returns a bit for each token whose lower half matches; up to a word of them.
    #[inline]
    fn bits(&self, low: &[Chunk]) -> u64 {
        match self {
            Self::One(one) => bits_of(low, |lanes| lanes.equal(*one)),
            Self::Ranges(ranges) => bits_of(low, |lanes| {
                let within = ranges.iter().map(|&(first, more)| lanes.within(first, more));
                within.fold(Lanes::none(), Lanes::or)
            }),
        }
    }
}

#[inline]
fn bits_of(low: &[Chunk], compare: impl Fn(Lanes) -> Lanes) -> u64 {
    let of_chunk = |chunk: &Chunk| {
        let (halves, _) = chunk.as_chunks::<WIDTH>();
        let [first, second] = [0, 1].map(|half| compare(Lanes::load(&halves[half])));
        u64::from(Lanes::bits(first, second))
    };
    match low {
        // Most tokens are in whole words, which need no loop.
        [a, b, c, d] => {
            of_chunk(a)
                | of_chunk(b) << CHUNK
                | of_chunk(c) << (2 * CHUNK)
                | of_chunk(d) << (3 * CHUNK)
        }
        _ => low.iter().rev().fold(0, |bits, chunk| bits << CHUNK | of_chunk(chunk)),
    }
}

/// Returns a bit for each of 64 tokens from a place on with this upper half. Bits after the last
/// token are arbitrary.
#[inline]
fn equal_high_halves(high: High<'_>, start: usize, value: u16) -> u64 {
    match high {
        High::Nothing => {
            if value == 0 {
                u64::MAX
            } else {
                0
            }
        }
        High::Nibbles(bytes, is_odd) => {
            debug_assert!(!is_odd, "documents begin with whole bytes");
            let bytes = bytes.get(start / 2..).unwrap_or_default();
            in_blocks::<_, { WORD / 2 }, BYTES>(bytes, |block| {
                equal_nibbles(block, value as u8).into()
            })
        }
        High::Bytes(bytes) => {
            let bytes = bytes.get(start..).unwrap_or_default();
            in_blocks::<_, WORD, BYTES>(bytes, |block| equal_bytes(block, value as u8).into())
        }
        High::Pairs(pairs) => {
            let pairs = pairs.get(start..).unwrap_or_default();
            let value = Lanes::splat(value);
            in_blocks::<_, WORD, CHUNK>(pairs, |chunk| {
                bits_of(std::slice::from_ref(chunk), |lanes| lanes.equal(value))
            })
        }
    }
}

/// Returns a word of bits, computed by blocks of values; zeros if there are too few values.
#[inline]
fn in_blocks<T: Copy + Default, const LENGTH: usize, const BLOCK: usize>(
    values: &[T],
    bits_of: impl Fn(&[T; BLOCK]) -> u64,
) -> u64 {
    let mut padded = [T::default(); LENGTH];
    let values = values.first_chunk::<LENGTH>().unwrap_or_else(|| {
        padded[..values.len()].copy_from_slice(values);
        &padded
    });
    let (blocks, _) = values.as_chunks::<BLOCK>();
    let bits = WORD * BLOCK / LENGTH;
    blocks.iter().rev().fold(0, |word, block| word.unbounded_shl(bits as u32) | bits_of(block))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attributes, and which of them are searched.
    type Fields = [(Vec<u32>, bool)];

    /// Returns the distance by comparing every place with every other.
    fn naive(fields: &Fields, left: &Range<u32>, right: &Range<u32>) -> u32 {
        let mut least = FAR;
        for (tokens, _) in fields.iter().filter(|(_, is_searched)| *is_searched) {
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
        }
        least
    }

    /// Returns the distance by tokens whose upper halves have `high_bits` bits.
    fn cost(fields: &Fields, pair: [&Range<u32>; 2], high_bits: u32) -> u32 {
        let nodes = pair.map(|range| vec![range.clone()]);
        let bits = PairBits::new(&nodes, &[0]).unwrap();
        let tokens: Vec<u32> = fields.iter().flat_map(|(tokens, _)| tokens).copied().collect();
        let low: Vec<[u8; 2]> = tokens.iter().map(|&token| (token as u16).to_le_bytes()).collect();
        let mut bytes: Vec<u8> = tokens.iter().map(|token| (token >> 16) as u8).collect();
        let pairs: Vec<[u8; 2]> = bytes.iter().map(|&byte| [byte, 0]).collect();
        bytes.resize(bytes.len().next_multiple_of(2), 0);
        let nibbles: Vec<u8> =
            bytes.as_chunks::<2>().0.iter().map(|[lower, upper]| lower | upper << 4).collect();
        let high = match high_bits {
            0 => High::Nothing,
            4 => High::Nibbles(&nibbles, false),
            8 => High::Bytes(&bytes),
            _ => High::Pairs(&pairs),
        };
        let mut layout = Layout::default();
        let lengths = fields.iter().map(|(tokens, is_searched)| (tokens.len(), *is_searched));
        layout.read(lengths, tokens.len());
        let (mut apparent, mut hits) = ([Hits::default()], [Hits::default()]);
        bits.add_apparent(&low, &layout, &mut apparent);
        bits.add(&low, high, &layout, &mut hits);
        assert!(apparent[0].cost() <= hits[0].cost(), "{fields:?}");
        hits[0].cost()
    }

    #[test]
    fn bits_tell_the_distance() {
        let mut state = 7_u64;
        let mut random = |end: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % end
        };
        for round in 0..5000 {
            let kinds = 3 + round % 40;
            let longest = if round % 2 == 0 { 9 } else { 150 };
            let mut fields: Vec<(Vec<u32>, bool)> = (0..1 + random(6))
                .map(|_| {
                    let length = 1 + random(longest);
                    ((0..length).map(|_| random(kinds) as u32).collect(), random(4) > 0)
                })
                .collect();
            let (left, right) = (2..3, 2 + random(3) as u32..6);
            let expected = naive(&fields, &left, &right);
            assert_eq!(cost(&fields, [&left, &right], 0), expected, "{fields:?}");
            // Some are other words with the same lower half.
            let words = fields.iter_mut().flat_map(|(tokens, _)| tokens);
            for token in words.filter(|token| **token > GAP) {
                *token += (random(3) as u32) << 16;
            }
            let right = right.start..right.start + (random(2) as u32) * 0x1_0000 + 2;
            let expected = naive(&fields, &left, &right);
            for bits in [4, 8, 16] {
                let found = cost(&fields, [&left, &right], bits);
                assert_eq!(found, expected, "{fields:?} {bits}");
            }
        }
    }

    #[test]
    fn ranges_go_on_where_lower_halves_begin_anew() {
        let range = 0x1_ffff..0x2_0004;
        for (token, is_in) in [(0x1_fffe, false), (0x1_ffff, true), (0x2_0003, true), (4, false)] {
            let expected = if is_in { 0 } else { FAR };
            let fields = [(vec![9, token], true)];
            assert_eq!(cost(&fields, [&(9..10), &range], 8), expected, "{token}");
        }
        let many = vec![5..6; MOST_COMPARISONS + 1];
        assert!(Comparisons::new(&many, &mut Vec::new()).is_none());
        let long = std::slice::from_ref(&(0..0x10_0000));
        assert!(Comparisons::new(long, &mut Vec::new()).is_none());
    }
}
