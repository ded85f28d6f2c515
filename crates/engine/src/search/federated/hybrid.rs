//! One hybrid search asked of several instances: whether its words are good enough is decided by
//! what they find everywhere, as one instance with all documents would. Each part decides for
//! itself first and tells what its words found; only where that was not what all of them together
//! say, everybody is asked once more.

use search::federation::{Candidate, DistinctValue, Part};
use search::{Pin, Sides, words_suffice};
use serde::{Deserialize, Serialize};

use super::part::FederatedPart;
use super::request::{FoundHit, PartialAnswer};

/// How a hybrid search goes on when its words have been searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum HybridCourse {
    /// Each query decides for itself, as queries of different indexes do.
    #[default]
    OfEach,
    /// All parts are one search, and nothing has been decided yet.
    Undecided,
    /// The words of all parts are good enough.
    WordsOnly,
    Both,
}

impl HybridCourse {
    pub(super) fn sides(self) -> Option<Sides> {
        match self {
            HybridCourse::OfEach => None,
            HybridCourse::Undecided => Some(Sides::AsNeeded),
            HybridCourse::WordsOnly => Some(Sides::WordsOnly),
            HybridCourse::Both => Some(Sides::Both),
        }
    }

    /// Whether all parts are one search.
    pub fn is_common(self) -> bool {
        self != HybridCourse::OfEach
    }
}

/// What the words of a part found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WordsSide {
    /// Whether the part looked at the vector too.
    wants_vector: bool,
    hits: Vec<WordsHit>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct WordsHit {
    parts: Vec<Part>,
    /// As a part, which is exact on the wire.
    score: Part,
    number: u64,
    /// Position and precedence.
    pin: Option<(usize, u64)>,
    distinct: Vec<DistinctValue>,
}

impl WordsSide {
    pub(super) fn new(hits: Vec<Candidate<FoundHit>>, wants_vector: bool) -> Self {
        let hit = |candidate: Candidate<FoundHit>| WordsHit {
            parts: candidate.parts,
            score: Part::Rank(candidate.score),
            number: candidate.number,
            pin: candidate.pin.map(|pin| (pin.position, pin.precedence)),
            distinct: candidate.distinct,
        };
        Self { wants_vector, hits: hits.into_iter().map(hit).collect() }
    }

    fn candidates(&self) -> Vec<Candidate<()>> {
        let candidate = |hit: &WordsHit| Candidate {
            parts: hit.parts.clone(),
            score: match hit.score {
                Part::Rank(score) => score,
                _ => 0.0,
            },
            query: 0,
            number: hit.number,
            pin: hit.pin.map(|(position, precedence)| Pin { doc_id: 0, position, precedence }),
            distinct: hit.distinct.clone(),
            hit: (),
        };
        self.hits.iter().map(candidate).collect()
    }
}

impl FederatedPart {
    /// How the search goes on by what all parts say, and whether each of them has gone on so. None
    /// where nothing is to be decided.
    pub(crate) fn decision<'a>(
        &'a self,
        remotes: impl Iterator<Item = &'a PartialAnswer>,
    ) -> Option<(HybridCourse, bool)> {
        if self.request.hybrid != HybridCourse::Undecided {
            return None;
        }
        let semantic = self.request.queries.first()?.request.semantic.as_ref()?;
        let sides: Vec<&WordsSide> =
            self.words_sides.iter().chain(remotes.flat_map(|remote| &remote.words_sides)).collect();
        let index = self.indexes.first();
        // Where nothing is here, each instance gives out what its own settings allow.
        let most = index.map_or(usize::MAX, |index| index.snapshot.typed_settings().max_total_hits);
        let window = self.request.places().1.min(most);
        let lists = sides.iter().map(|side| side.candidates()).collect();
        let suffices = words_suffice(lists, window, semantic.ratio);
        let course = if suffices { HybridCourse::WordsOnly } else { HybridCourse::Both };
        Some((course, sides.iter().all(|side| side.wants_vector != suffices)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_words_found_survives_the_wire() {
        let hit = WordsHit {
            parts: vec![Part::Rank(0.1 + 0.2)],
            score: Part::Rank(1.0 / 3.0),
            number: 7,
            pin: Some((2, u64::MAX)),
            distinct: vec![DistinctValue::Text("x".to_owned())],
        };
        let side = WordsSide { wants_vector: true, hits: vec![hit] };
        let text = serde_json::to_string(&side).unwrap();
        assert_eq!(serde_json::from_str::<WordsSide>(&text).unwrap(), side);
        let candidate = &side.candidates()[0];
        assert_eq!((candidate.score, candidate.number), (1.0 / 3.0, 7));
        assert_eq!(candidate.pin.map(|pin| pin.position), Some(2));
    }
}
