//! A hybrid search of several instances: whether the keyword results are good enough is decided by
//! all of them, as one instance with all documents would. Each part first decides alone and reports
//! its keyword results; only where all together decide otherwise, everyone is asked once more.
//! Where hits are distinct, a part also reports its vector results, since the counts depend on both
//! lists.

use std::collections::{BTreeMap, BTreeSet};

use search::federation::{
    Candidate, DistinctValue, MergedHits, SortKey, merge_answers, merge_queries,
};
use search::{Pin, Sides, words_suffice};
use serde::{Deserialize, Serialize};

use super::part::FederatedPart;
use super::request::{FoundHit, PartialAnswer};

/// How a hybrid search continues after the keyword search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum HybridMode {
    /// Each query decides alone, as queries of different indexes do.
    #[default]
    OfEach,
    /// All parts are one search and nothing is decided yet.
    Undecided,
    /// The keyword results of all parts are good enough.
    WordsOnly,
    Both,
}

impl HybridMode {
    pub(super) fn sides(self) -> Option<Sides> {
        match self {
            HybridMode::OfEach => None,
            HybridMode::Undecided => Some(Sides::AsNeeded),
            HybridMode::WordsOnly => Some(Sides::WordsOnly),
            HybridMode::Both => Some(Sides::Both),
        }
    }

    /// Returns whether all parts are one search.
    pub fn is_common(self) -> bool {
        self != HybridMode::OfEach
    }
}

/// Results of both sides in one part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HybridSides {
    /// True if the part searched by vector too.
    wants_vector: bool,
    words: Vec<SideHit>,
    /// Vector results, where hits are distinct.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    near: Vec<SideHit>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct SideHit {
    parts: Vec<SortKey>,
    /// The score as a sort key, which is exact on the wire.
    score: SortKey,
    number: u64,
    /// Position and precedence.
    pin: Option<(usize, u64)>,
    distinct: Vec<DistinctValue>,
}

impl HybridSides {
    pub(super) fn new(
        words: Vec<Candidate<FoundHit>>,
        near: Vec<Candidate<FoundHit>>,
        wants_vector: bool,
    ) -> Self {
        let told = |hits: Vec<Candidate<FoundHit>>| hits.into_iter().map(SideHit::new).collect();
        Self { wants_vector, words: told(words), near: told(near) }
    }
}

impl SideHit {
    fn new(candidate: Candidate<FoundHit>) -> Self {
        Self {
            parts: candidate.parts,
            score: SortKey::Rank(candidate.score),
            number: candidate.number,
            pin: candidate.pin.map(|pin| (pin.position, pin.precedence)),
            distinct: candidate.distinct,
        }
    }

    fn candidate<H>(&self, hit: H) -> Candidate<H> {
        Candidate {
            parts: self.parts.clone(),
            score: match self.score {
                SortKey::Rank(score) => score,
                _ => 0.0,
            },
            query: 0,
            number: self.number,
            pin: self.pin.map(|(position, precedence)| Pin { doc_id: 0, position, precedence }),
            distinct: self.distinct.clone(),
            hit,
        }
    }
}

/// A document of a side: its instance, none for this one, and its number there.
pub(super) type SideDocument = (Option<String>, u64);

impl FederatedPart {
    /// Returns how the search continues according to all parts, and whether each has done so
    /// already. None where nothing is to be decided.
    pub fn decision<'a>(
        &'a self,
        remotes: impl Iterator<Item = &'a PartialAnswer>,
    ) -> Option<(HybridMode, bool)> {
        if self.request.hybrid != HybridMode::Undecided {
            return None;
        }
        let semantic = self.request.queries.first()?.request.semantic.as_ref()?;
        let sides: Vec<&HybridSides> =
            self.sides.iter().chain(remotes.flat_map(|remote| &remote.sides)).collect();
        let of_side =
            |side: &&HybridSides| side.words.iter().map(|hit| hit.candidate(())).collect();
        let lists = sides.iter().map(of_side).collect();
        let suffices = words_suffice(lists, self.common_window(), semantic.ratio);
        let course = if suffices { HybridMode::WordsOnly } else { HybridMode::Both };
        Some((course, sides.iter().all(|side| side.wants_vector != suffices)))
    }

    /// Returns how many hits of each side count, over all parts.
    fn common_window(&self) -> usize {
        let index = self.indexes.first();
        // Where the index is not here, other instances apply their own maximum.
        let most = index.map_or(usize::MAX, |index| index.snapshot.typed_settings().max_total_hits);
        self.request.depth().min(most)
    }

    /// Merges the results of both sides, as far as they are distinct. These are more than the hits:
    /// one instance would remove the duplicates of all of them from its counts.
    pub(super) fn both_sides(&self, remotes: &[PartialAnswer]) -> MergedHits<SideDocument> {
        let own = self.sides.iter().map(|sides| (None, sides));
        let elsewhere = remotes
            .iter()
            .flat_map(|remote| remote.sides.iter().map(|sides| (remote.remote.clone(), sides)));
        let parts: Vec<(Option<String>, &HybridSides)> = own.chain(elsewhere).collect();
        let mut numbers: BTreeSet<(u64, &Option<String>)> = BTreeSet::new();
        for (home, sides) in &parts {
            numbers.extend(sides.words.iter().chain(&sides.near).map(|hit| (hit.number, home)));
        }
        // Both sides can find a document, and two instances can use the same number.
        let places: BTreeMap<(u64, &Option<String>), u64> = numbers.into_iter().zip(0..).collect();
        let list = |home: &Option<String>, hits: &[SideHit]| {
            let candidates = hits.iter().map(|hit| {
                let candidate = hit.candidate((home.clone(), hit.number));
                let number = places.get(&(hit.number, home)).copied().unwrap_or_default();
                Candidate { number, ..candidate }
            });
            candidates.collect::<Vec<_>>()
        };
        let lists = |of: fn(&HybridSides) -> &[SideHit]| {
            parts.iter().map(|(home, sides)| list(home, of(sides))).collect::<Vec<_>>()
        };
        let window = self.common_window();
        let ranked = |lists: Vec<Vec<Candidate<SideDocument>>>| {
            let hits = merge_answers(lists, window).hits.into_iter();
            hits.filter(|hit| hit.pin.is_none()).collect::<Vec<_>>()
        };
        let of_words = lists(|sides| &sides.words);
        let pins = of_words.iter().flatten().filter(|hit| hit.pin.is_some()).cloned();
        let pins: Vec<Candidate<SideDocument>> = pins.collect();
        let mut words = ranked(of_words);
        words.extend(pins);
        let near = ranked(lists(|sides| &sides.near));
        let most = words.len() + near.len();
        merge_queries(vec![words, near], most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_both_sides_survive_the_wire() {
        let hit = |number: u64| SideHit {
            parts: vec![SortKey::Rank(0.1 + 0.2)],
            score: SortKey::Rank(1.0 / 3.0),
            number,
            pin: Some((2, u64::MAX)),
            distinct: vec![DistinctValue::Text("x".to_owned())],
        };
        let sides = HybridSides { wants_vector: true, words: vec![hit(7)], near: vec![hit(8)] };
        let text = serde_json::to_string(&sides).unwrap();
        assert_eq!(serde_json::from_str::<HybridSides>(&text).unwrap(), sides);
        let candidate = sides.words[0].candidate(());
        assert_eq!((candidate.score, candidate.number), (1.0 / 3.0, 7));
        assert_eq!(candidate.pin.map(|pin| pin.position), Some(2));
    }
}
