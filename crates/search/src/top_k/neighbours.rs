//! Distances of neighbouring words in a document, from its tokens. Few words are compared with many
//! tokens at once; for a node with many words, only the tokens around its neighbour are examined.

use std::ops::Range;

use segment::text::{DocumentTokens, FIRST_WORD, FieldTokens, GAP};
use settings::Precision;

use super::token_bits::{Hits, Layout, PairBits};
use crate::context::{Context, SegmentView};
use crate::graph::{Node, Path, are_adjacent};
use crate::rules::FAR;

/// Maximum number of words compared one by one.
const MOST_ANCHORS: usize = 4;
/// Tokens that are compared at a time.
const CHUNK: usize = 32;

pub(super) struct Neighbours {
    /// Pairs by segment; `None` where proximity has to be measured otherwise.
    segments: Vec<Option<Pairs>>,
    /// The cost of nodes that cover several terms.
    joined: u32,
    layout: Layout,
    /// The distances of each pair.
    hits: Vec<Hits>,
}

/// The adjacent nodes of the query, as tokens of a segment.
enum Pairs {
    /// Both nodes have few words, which are compared with all tokens.
    Compared(PairBits),
    /// One node of each pair has few words.
    Anchored(Vec<Pair>),
}

/// Two neighbours of the query.
struct Pair {
    /// The tokens of one of them.
    anchors: Vec<u32>,
    /// The tokens of the other one, in order.
    wanted: Vec<Range<u32>>,
    /// True if the anchor is the left one.
    is_left: bool,
}

impl Neighbours {
    pub fn new(context: &Context<'_>, path: &Path) -> Self {
        let by_word = context.settings.proximity_precision == Precision::ByWord;
        let has_phrases = path.iter().any(|node| node.is_phrase());
        let first_nodes = (1..path.len()).map(|right| right - 1);
        let lefts = first_nodes.filter(|&left| are_adjacent(&path[left], &path[left + 1]));
        let lefts: Vec<usize> = lefts.collect();
        let segment = |(number, view): (usize, &SegmentView<'_>)| {
            if !by_word || has_phrases || view.has_strict_fields {
                return None;
            }
            let tokens: Vec<_> = path.iter().map(|node| tokens_of(node, number)).collect();
            let compared = PairBits::new(&tokens, &lefts).map(Pairs::Compared);
            compared.or_else(|| {
                let pair = |&left: &usize| Pair::new(&tokens[left], &tokens[left + 1]);
                lefts.iter().map(pair).collect::<Option<_>>().map(Pairs::Anchored)
            })
        };
        Self {
            segments: context.segments.iter().enumerate().map(segment).collect(),
            joined: path.iter().map(|node| node.size() - 1).sum(),
            layout: Layout::default(),
            hits: Vec::new(),
        }
    }

    /// Returns the cost of `proximity` in a document in which no phrase matches a node, or any cost
    /// above the limit if it is higher; `None` if it has to be measured otherwise.
    pub fn cost(
        &mut self,
        view: &SegmentView<'_>,
        segment: usize,
        tokens: DocumentTokens<'_>,
        limit: u32,
    ) -> Option<u32> {
        match self.segments.get(segment)?.as_ref()? {
            Pairs::Compared(bits) => {
                let hits = &mut self.hits;
                hits.clear();
                hits.resize(bits.pair_count(), Hits::default());
                let total =
                    |hits: &[Hits]| self.joined + hits.iter().map(|hits| hits.cost()).sum::<u32>();
                let (low, high) = (tokens.low(), tokens.high());
                let lengths = tokens.field_lengths();
                let lengths = lengths.map(|(field, count)| (count, view.role(field).is_searched));
                self.layout.read(lengths, tokens.token_count());
                if limit < self.joined + FAR * bits.pair_count() as u32 {
                    bits.add_apparent(low, &self.layout, hits);
                    let apparent = total(hits);
                    if apparent > limit || view.text.has_short_tokens() {
                        return Some(apparent);
                    }
                    hits.fill(Hits::default());
                }
                bits.add(low, high, &self.layout, hits);
                Some(total(hits))
            }
            Pairs::Anchored(pairs) => {
                let fields =
                    || tokens.fields().filter(|field| view.role(field.field()).is_searched);
                let mut total = self.joined;
                for pair in pairs {
                    let mut least = FAR;
                    for field in fields() {
                        pair.apart(field, &mut least);
                        if least == 0 {
                            break;
                        }
                    }
                    total += least;
                    if total > limit {
                        break;
                    }
                }
                Some(total)
            }
        }
    }
}

impl Pair {
    fn new(left: &[Range<u32>], right: &[Range<u32>]) -> Option<Self> {
        let are_few = |tokens: &[Range<u32>]| {
            tokens.iter().map(ExactSizeIterator::len).sum::<usize>() <= MOST_ANCHORS
        };
        let (anchors, wanted, is_left) = match (are_few(left), are_few(right)) {
            (true, _) => (left, right, true),
            (false, true) => (right, left, false),
            (false, false) => return None,
        };
        let anchors = anchors.iter().cloned().flatten().collect();
        Some(Self { anchors, wanted: wanted.to_vec(), is_left })
    }

    /// Lowers the cost of the pair to that in an attribute.
    fn apart(&self, field: FieldTokens<'_>, least: &mut u32) {
        for &anchor in &self.anchors {
            let low = (anchor as u16).to_le_bytes();
            for (number, chunk) in field.low().chunks(CHUNK).enumerate() {
                // Without branches, so that the comparison is vectorized.
                if !chunk.iter().fold(false, |any, other| any | (*other == low)) {
                    continue;
                }
                for (place, _) in chunk.iter().enumerate().filter(|(_, other)| **other == low) {
                    let index = number * CHUNK + place;
                    if field.get(index) == anchor {
                        self.look_around(field, index, least);
                        if *least == 0 {
                            return;
                        }
                    }
                }
            }
        }
    }

    fn look_around(&self, field: FieldTokens<'_>, index: usize, least: &mut u32) {
        // A pair in the order of the query costs one less than one in the other order.
        let (ahead, behind) = if self.is_left { (0, 1) } else { (1, 0) };
        let after = index + 1..field.len().min(index + 1 + FAR as usize);
        let before = (index.saturating_sub(FAR as usize)..index).rev();
        self.look(field, after, ahead, least);
        self.look(field, before, behind, least);
    }

    fn look(
        &self,
        field: FieldTokens<'_>,
        places: impl Iterator<Item = usize>,
        first_cost: u32,
        least: &mut u32,
    ) {
        for (cost, place) in (first_cost..*least).zip(places) {
            let token = field.get(place);
            if token == GAP {
                return;
            }
            if self.is_wanted(token) {
                *least = cost;
                return;
            }
        }
    }

    #[inline]
    fn is_wanted(&self, token: u32) -> bool {
        match &self.wanted[..] {
            [only] => only.contains(&token),
            wanted => {
                let place = wanted.partition_point(|range| range.end <= token);
                wanted.get(place).is_some_and(|range| range.contains(&token))
            }
        }
    }
}

/// Returns the tokens that match a node in a segment, as sorted ranges.
fn tokens_of(node: &Node, segment: usize) -> Vec<Range<u32>> {
    let words = node.words(segment).into_iter();
    let mut tokens: Vec<Range<u32>> =
        words.map(|(range, _)| range.start + FIRST_WORD..range.end + FIRST_WORD).collect();
    tokens.sort_unstable_by_key(|range| range.start);
    tokens
}
