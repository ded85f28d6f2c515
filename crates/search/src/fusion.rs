//! Fuses the two lists of a hybrid search by their ranks, or by scores scaled to the range of their
//! own list. The raw scores of words and of vectors lie in different ranges, so that comparing them
//! would let one side always win.

use hashbrown::HashMap;
use segment::DocId;

/// The method of merging the lists of a hybrid search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fusion {
    /// Sorts by weighted score.
    #[default]
    Score,
    /// The weighted sum of reciprocal ranks. `k` is at least 1; the larger it is, the less the first
    /// ranks stand out.
    Rrf { k: u16 },
    /// The weighted sum of scores, each scaled to the range of its side.
    Normalized,
}

impl Fusion {
    pub const DEFAULT_K: u16 = 60;
    pub const MAX_K: u16 = 1000;
}

/// The position of a document in the list of one side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ListPosition {
    /// Counted from 1.
    pub rank: u32,
    pub score: f64,
}

/// The score that one side gives a document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SideScore {
    /// `None` if the document is not in the list.
    pub place: Option<ListPosition>,
    /// From 0 to 1 (best): the value that is weighted and added.
    pub value: f64,
}

/// The fused score of a document and the scores it was computed from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FusedScore {
    pub fusion: Fusion,
    /// The weight of the vector.
    pub ratio: f64,
    pub words: SideScore,
    pub vector: SideScore,
    /// From 0 to 1, where 1 is the best of both sides.
    pub score: f64,
}

/// The ranked list of one side.
#[derive(Debug, Default)]
pub(crate) struct SideList {
    places: HashMap<DocId, ListPosition>,
    /// The lowest score in the list. Documents found after its end have no higher score.
    least: f64,
}

impl SideList {
    pub fn new(list: impl IntoIterator<Item = (DocId, ListPosition)>) -> Self {
        let list = list.into_iter();
        let mut places = HashMap::with_capacity(list.size_hint().1.unwrap_or(0));
        places.extend(list);
        let least = places.values().map(|place| place.score).reduce(f64::min);
        Self { places, least: least.unwrap_or(0.0) }
    }

    /// Scores `documents` by this list. `is_found` returns whether this side finds a document that
    /// is not in the list, that is, after its end.
    fn opinions(
        &self,
        fusion: Fusion,
        documents: &[DocId],
        is_found: impl Fn(DocId) -> bool,
    ) -> Vec<SideScore> {
        let places = || documents.iter().map(|id| (*id, self.places.get(id).copied()));
        if let Fusion::Rrf { k } = fusion {
            let k = f64::from(k);
            let value = |place: ListPosition| (k + 1.0) / (k + f64::from(place.rank));
            return places()
                .map(|(_, place)| SideScore { place, value: place.map_or(0.0, value) })
                .collect();
        }
        let score = |(id, place): (DocId, Option<ListPosition>)| match place {
            Some(place) => place.score,
            None if is_found(id) => self.least,
            None => 0.0,
        };
        let range = Range::of(places().map(score));
        let opinion = |(id, place)| SideScore { place, value: range.scale(score((id, place))) };
        places().map(opinion).collect()
    }
}

/// The range of the scores of one side.
struct Range {
    least: f64,
    most: f64,
}

impl Range {
    fn of(scores: impl Iterator<Item = f64> + Clone) -> Self {
        let least = scores.clone().reduce(f64::min).unwrap_or(0.0);
        Self { least, most: scores.reduce(f64::max).unwrap_or(0.0) }
    }

    /// Scales the worst score to 0 and the best to 1. If all are equal, each is the best, unless
    /// the side found none.
    fn scale(&self, score: f64) -> f64 {
        let width = self.most - self.least;
        if width > f64::EPSILON {
            return ((score - self.least) / width).clamp(0.0, 1.0);
        }
        if self.most > 0.0 { 1.0 } else { 0.0 }
    }
}

/// Fuses the scores of both sides for each document. `matches` returns whether the words find a
/// document, whatever its rank; a vector finds every document.
pub(crate) fn fuse(
    fusion: Fusion,
    ratio: f64,
    documents: &[DocId],
    (words, vector): (&SideList, &SideList),
    matches: impl Fn(DocId) -> bool,
) -> Vec<FusedScore> {
    let of_words = words.opinions(fusion, documents, matches);
    let of_vector = vector.opinions(fusion, documents, |_| true);
    let fused = |(words, vector): (SideScore, SideScore)| {
        let score = (1.0 - ratio) * words.value + ratio * vector.value;
        FusedScore { fusion, ratio, words, vector, score: score.clamp(0.0, 1.0) }
    };
    of_words.into_iter().zip(of_vector).map(fused).collect()
}

#[cfg(test)]
mod tests;
