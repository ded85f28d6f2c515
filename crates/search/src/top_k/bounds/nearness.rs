//! Bounds of `proximity` from stored pairs of words; they are often exact.

use roaring::{MultiOps, RoaringBitmap};

use crate::context::{Context, SegmentView};
use crate::error::SearchError;
use crate::graph::{Node, NodeWords, Path, are_adjacent};
use crate::rules::FAR;
use crate::scan::FieldScope;

/// For nodes with more words than this, only frequent words are looked up.
const MOST_WORDS: usize = 1024;

/// The pairs of neighbours of a query.
#[derive(Default)]
pub(in crate::top_k) struct Nearness {
    pairs: Vec<PairNearness>,
}

struct PairNearness {
    /// The index of the left node in the path.
    left: usize,
    /// Distances by segment; `None` where nothing is known.
    segments: Vec<Option<PairDistances>>,
}

/// The distances of the words of two nodes in the documents of a segment.
pub(super) struct PairDistances {
    /// Documents in which the pair may cost no more than the index of the set. Nothing is known of
    /// costs without a set; with all costs below [`FAR`], every other document costs that.
    pub possible: Vec<RoaringBitmap>,
    /// Documents in which the pair certainly costs no more than the index of the set.
    pub certain: Vec<RoaringBitmap>,
}

impl Nearness {
    /// Looks up all neighbours. `count` is the number of documents needed: if so many have their
    /// words next to each other, nothing else is looked up.
    pub fn new(
        context: &Context<'_>,
        path: &Path,
        universe: &RoaringBitmap,
        count: usize,
    ) -> Result<Self, SearchError> {
        let mut finders = Vec::new();
        let mut nearness = Self::default();
        for (left, pair) in path.windows(2).enumerate() {
            let (node, next) = (&pair[0], &pair[1]);
            if !are_adjacent(node, next) || node.is_phrase() || next.is_phrase() {
                continue;
            }
            context.check_cancelled()?;
            let mut segments = Vec::with_capacity(context.segments.len());
            let mut of_pair = Vec::with_capacity(context.segments.len());
            for (segment, view) in context.segments.iter().enumerate() {
                let finder = Finder::new(view, segment, node, next)?;
                segments.push(match &finder {
                    Some(finder) => Some(finder.adjacent()?),
                    None => None,
                });
                of_pair.push(finder);
            }
            nearness.pairs.push(PairNearness { left, segments });
            finders.push(of_pair);
        }
        if nearness.certain(path, universe).len() < count as u64 {
            for (pair, of_pair) in nearness.pairs.iter_mut().zip(&finders) {
                context.check_cancelled()?;
                for (near, finder) in pair.segments.iter_mut().zip(of_pair) {
                    if let Some((near, finder)) = near.as_mut().zip(finder.as_ref()) {
                        finder.add_farther(near)?;
                    }
                }
            }
        }
        Ok(nearness)
    }

    /// Returns the documents in which all neighbours of the query are certainly adjacent.
    pub fn certain(&self, path: &Path, documents: &RoaringBitmap) -> RoaringBitmap {
        let pairs = path.windows(2).filter(|pair| are_adjacent(&pair[0], &pair[1])).count();
        if self.pairs.len() < pairs {
            return RoaringBitmap::new();
        }
        let mut certain = documents.clone();
        for pair in &self.pairs {
            let known = pair.segments.iter().flatten().filter_map(|near| near.certain.first());
            certain &= known.union();
        }
        certain
    }

    /// Returns the known distances of a node and the next one in a segment.
    pub(super) fn of(&self, left: usize, segment: usize) -> Option<&PairDistances> {
        let pair = self.pairs.iter().find(|pair| pair.left == left)?;
        pair.segments.get(segment)?.as_ref()
    }

    /// Groups documents by the excess of their lower bound over the minimum. Nothing is known of
    /// `unclear` documents.
    pub fn groups(
        &self,
        context: &Context<'_>,
        universe: &RoaringBitmap,
        unclear: &RoaringBitmap,
    ) -> Vec<RoaringBitmap> {
        let mut groups = vec![universe.clone()];
        for pair in &self.pairs {
            let levels = pair.levels(context, unclear);
            let mut farther = vec![RoaringBitmap::new(); groups.len() + levels.len()];
            for (cost, mut group) in groups.into_iter().enumerate() {
                for (more, possible) in levels.iter().enumerate() {
                    farther[cost + more] |= &group & possible;
                    group -= possible;
                }
                farther[cost + levels.len()] |= group;
            }
            groups = farther;
        }
        groups
    }
}

impl PairNearness {
    /// Returns, for each cost from zero on, the documents of all segments in which the pair may
    /// cost no more.
    fn levels(&self, context: &Context<'_>, unclear: &RoaringBitmap) -> Vec<RoaringBitmap> {
        let known = self.segments.iter().flatten().map(|near| near.possible.len()).max();
        let level = |cost: usize| {
            let mut possible = unclear.clone();
            for (view, near) in context.segments.iter().zip(&self.segments) {
                let known = near.as_ref().and_then(|near| near.possible.get(cost));
                possible |= known.unwrap_or(view.text.doc_ids());
            }
            possible
        };
        (0..known.unwrap_or(0)).map(level).collect()
    }
}

/// Looks up the pairs of two nodes in a segment.
struct Finder<'f> {
    view: &'f SegmentView<'f>,
    left: Words,
    right: Words,
}

/// The words of a node in a segment.
struct Words {
    frequent: Vec<FrequentWord>,
    /// The other words; `None` if there are very many.
    others: Option<Vec<u32>>,
}

#[derive(Clone, Copy)]
struct FrequentWord {
    ordinal: u32,
    /// True if its pairs are stored with words between them.
    is_nearby: bool,
    /// True if the search covers every attribute that contains the word. Otherwise a stored pair may
    /// come from an attribute that is not searched.
    is_certain: bool,
}

impl<'f> Finder<'f> {
    /// Returns `None` if nothing can be known.
    fn new(
        view: &'f SegmentView<'f>,
        segment: usize,
        left: &Node,
        right: &Node,
    ) -> Result<Option<Self>, SearchError> {
        if !view.text.has_occurrences() {
            return Ok(None);
        }
        let (left, right) = (left.words(segment), right.words(segment));
        let count = |words: &[NodeWords]| words.iter().map(|(range, _)| range.len()).sum::<usize>();
        let are_few = count(&left) + count(&right) <= MOST_WORDS;
        let words = |words| Words::new(view, words, are_few);
        let (left, right) = (words(left)?, words(right)?);
        let is_known = are_few || !left.frequent.is_empty() && !right.frequent.is_empty();
        Ok(is_known.then_some(Self { view, left, right }))
    }

    /// Returns the documents in which the right node may directly follow the left one, or does.
    fn adjacent(&self) -> Result<PairDistances, SearchError> {
        let text = self.view.text;
        // All of the few documents of an infrequent word are candidates.
        let others = self.left.others.iter().zip(&self.right.others).next();
        let mut possible = match others {
            Some((left, right)) => {
                Some(text.documents_of_words(left.iter().chain(right).copied())?)
            }
            None => None,
        };
        let mut certain = RoaringBitmap::new();
        self.add_pairs(&self.left, &self.right, 1, possible.as_mut(), &mut certain)?;
        certain -= self.view.deleted;
        Ok(PairDistances { possible: possible.into_iter().collect(), certain: vec![certain] })
    }

    /// Adds the documents in which the nodes may cost more than nothing, but less than [`FAR`], if
    /// that is stored.
    fn add_farther(&self, near: &mut PairDistances) -> Result<(), SearchError> {
        const { assert!(FAR == 3) };
        let ([possible], [certain]) = (&near.possible[..], &near.certain[..]) else {
            return Ok(());
        };
        let frequent = || self.left.frequent.iter().chain(&self.right.frequent);
        if frequent().all(|word| !word.is_nearby) && frequent().next().is_some() {
            return Ok(());
        }
        let (mut possible, mut certain) = (possible.clone(), certain.clone());
        // Words whose pairs are stored only if they are adjacent.
        let not_nearby = frequent().filter(|word| !word.is_nearby).map(|word| word.ordinal);
        possible |= self.view.text.documents_of_words(not_nearby)?;
        // A pair in the order of the query costs one less than one in the other order.
        for cost in 1..FAR {
            let known = Some(&mut possible);
            self.add_pairs(&self.left, &self.right, cost + 1, known, &mut certain)?;
            let known = Some(&mut possible);
            self.add_pairs(&self.right, &self.left, cost, known, &mut certain)?;
            certain -= self.view.deleted;
            near.possible.push(possible.clone());
            near.certain.push(certain.clone());
        }
        Ok(())
    }

    /// Adds the documents in which a frequent word of one node is `steps` after one of the other.
    fn add_pairs(
        &self,
        first: &Words,
        second: &Words,
        steps: u32,
        mut possible: Option<&mut RoaringBitmap>,
        certain: &mut RoaringBitmap,
    ) -> Result<(), SearchError> {
        let is_stored = |word: &&FrequentWord| steps == 1 || word.is_nearby;
        for left in first.frequent.iter().filter(is_stored) {
            for is_certain in [true, false] {
                let rights = second.frequent.iter().filter(is_stored);
                let rights = rights.filter(|word| word.is_certain == is_certain);
                let rights: Vec<u32> = rights.map(|word| word.ordinal).collect();
                let is_certain = is_certain && left.is_certain;
                if rights.is_empty() || !is_certain && possible.is_none() {
                    continue;
                }
                let text = self.view.text;
                let found = text.documents_of_frequent_pairs(left.ordinal, &rights, steps)?;
                if is_certain {
                    *certain |= &found;
                }
                if let Some(possible) = &mut possible {
                    **possible |= found;
                }
            }
        }
        Ok(())
    }
}

impl Words {
    fn new(
        view: &SegmentView<'_>,
        words: Vec<NodeWords>,
        are_few: bool,
    ) -> Result<Self, SearchError> {
        let text = view.text;
        let mut frequent = Vec::new();
        for (range, scope) in &words {
            for ordinal in text.frequent_words(range) {
                frequent.push(FrequentWord {
                    ordinal,
                    is_nearby: text.is_frequent_nearby(ordinal)?,
                    is_certain: counts_wherever_it_is(view, ordinal, *scope)?,
                });
            }
        }
        // A word may match by several typos, and one certain way is enough.
        frequent.sort_unstable_by_key(|word| (word.ordinal, !word.is_certain));
        frequent.dedup_by_key(|word| word.ordinal);
        let ordinals = words.into_iter().flat_map(|(range, _)| range);
        let others = are_few.then(|| ordinals.filter(|word| !text.is_frequent(*word)).collect());
        Ok(Self { frequent, others })
    }
}

/// Returns whether a word counts in all attributes that contain it.
fn counts_wherever_it_is(
    view: &SegmentView<'_>,
    ordinal: u32,
    scope: FieldScope,
) -> Result<bool, SearchError> {
    let is_unlimited = !view.is_restricted && !view.has_strict_fields;
    let counts = |field: u16| scope.counts_in(view.role(field));
    Ok(is_unlimited || view.text.is_only_in(ordinal, counts)?)
}

#[cfg(test)]
mod tests {
    use filter::SortItem;
    use serde_json::{Value, json};

    use crate::testing::{TestIndex, desc};

    const WORDS: [&str; 12] = [
        "the", "of", "and", "then", "movie", "over", "often", "thin", "anders", "most", "m", "rare",
    ];
    /// Segments of more documents than this can have frequent words.
    const SMALL: usize = 500;

    struct Random(u64);

    impl Random {
        fn below(&mut self, end: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) % end
        }

        /// The first words are the most frequent.
        fn word(&mut self) -> &'static str {
            let highest = 1 + self.below(WORDS.len() as u64);
            WORDS[self.below(highest) as usize]
        }

        fn text(&mut self, longest: u64) -> String {
            let mut text = String::new();
            for _ in 0..1 + self.below(longest) {
                text.push_str(self.word());
                text.push_str(if self.below(12) == 0 { ". " } else { " " });
            }
            text
        }
    }

    fn settings() -> Value {
        json!({ "searchableAttributes": ["a", "b"], "sortableAttributes": ["n"] })
    }

    /// Indexes documents in segments that are too small to have frequent words.
    fn in_small_segments(documents: &[Value]) -> TestIndex {
        let mut parts = documents.chunks(SMALL);
        let index = TestIndex::new(settings(), parts.next().unwrap_or_default());
        parts.for_each(|part| index.put(part));
        index
    }

    #[test]
    fn stored_pairs_change_no_order() {
        let mut random = Random(11);
        let documents: Vec<Value> = (1..=3_200)
            .map(|id| {
                let longest = if id % 2 == 0 { 5 } else { 25 };
                let (a, b) = (random.text(longest), random.text(6));
                json!({ "id": id, "a": a, "b": b, "n": random.below(50) })
            })
            .collect();
        let (index, small) =
            (TestIndex::new(settings(), &documents), in_small_segments(&documents));
        let deleted: Vec<u64> = (1..3_000).step_by(7).collect();
        index.delete(&deleted);
        small.delete(&deleted);
        let snapshot = index.snapshot();
        let text = snapshot.segments()[0].text();
        let frequent = text.ordinal(b"the").unwrap();
        assert!(text.is_frequent_nearby(frequent).unwrap());
        let pair = text.documents_of_frequent_pairs(frequent, &[frequent], 3).unwrap();
        assert!(!pair.is_empty(), "pairs are stored");

        let by_number: [SortItem; 1] = [desc("n")];
        let only_b = ["b".to_owned()];
        for round in 0..300 {
            let mut words: Vec<&str> = (0..2 + random.below(3)).map(|_| random.word()).collect();
            if round % 5 == 0 {
                words[1] = words[0];
            }
            let mut query = words.join(" ");
            match round % 3 {
                0 => query.push(' '),
                1 => query.truncate(query.len() - 1),
                _ => {}
            }
            let ranked = |index: &TestIndex| {
                let answer = index.run(|asked| {
                    asked.text = Some(&query);
                    asked.limit = [3, 20, 300][round % 3];
                    if round % 4 == 1 {
                        asked.sort = &by_number;
                    }
                    if round % 7 == 2 {
                        asked.criteria.to_mut().attributes_to_search_on = Some(only_b.to_vec());
                    }
                });
                answer.expect("an answer").ranked()
            };
            assert_eq!(ranked(&index), ranked(&small), "{query} in round {round}");
        }
    }
}
