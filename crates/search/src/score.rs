//! The scores of the rules, folded into one number, and shown one by one.

use std::borrow::Cow;
use std::sync::Arc;

use filter::Order;
use segment::geo::Point;
use serde_json::{Map, Value, json};

use crate::fusion::{FusedScore, Fusion, SideScore};
use crate::pins::Pin;

/// The score that one rule gives a document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Score {
    Words(Rank),
    Typo(Rank),
    Proximity(Rank),
    AttributeRank(Rank),
    WordPosition(Rank),
    /// The two steps of the rule `attribute`.
    Attribute(AttributeStep, Rank),
    ExactAttribute(ExactAttribute),
    ExactWords(Rank),
    /// From 0 to 1.
    Bm25(f64),
    /// Details of the factor that the score before this one was multiplied by; no score of its own.
    FactorDetails(BoostScore),
    /// The rule `boost`, which is not a relevance rule. The parts are filled in only for hits that
    /// are shown.
    Boost {
        sum: f64,
        parts: Vec<(&'static str, Option<f64>)>,
    },
    /// The factor for all scores before this one; it comes last.
    Factor(BoostScore),
    /// A rule that sorts by values, which is not a relevance rule. Without a name the attribute is
    /// not displayed.
    Value {
        name: Option<Arc<str>>,
        order: Order,
        value: Value,
    },
    /// A rule that sorts by distance: the first point of its bucket, and its distance.
    Distance {
        name: Arc<str>,
        order: Order,
        nearest: Option<(Point, f64)>,
    },
    /// Similarity to the vector of the query, 0–1; `None` without vectors.
    Vector(Option<f32>),
    /// The deadline had passed.
    Skipped,
    /// The fused score of a hybrid search.
    Fused(FusedScore),
    /// The position that the document is pinned to; no rule applied.
    Pin(Pin),
}

/// The boosts of a document, and the resulting factor.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BoostScore {
    pub sum: f64,
    pub factor: f64,
    /// The contribution of each boost, by the name of its measure; `None` if it must not be shown.
    pub parts: Vec<(&'static str, Option<f64>)>,
}

/// `rank` of `max`, higher is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rank {
    pub rank: u32,
    pub max: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AttributeStep {
    Rank,
    Position,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ExactAttribute {
    ExactMatch,
    MatchesStart,
    NoExactMatch,
}

impl Rank {
    fn share(self) -> f64 {
        f64::from(self.rank) / f64::from(self.max)
    }
}

impl ExactAttribute {
    fn rank(self) -> Rank {
        let rank = match self {
            Self::ExactMatch => 3,
            Self::MatchesStart => 2,
            Self::NoExactMatch => 1,
        };
        Rank { rank, max: 3 }
    }

    fn wire_name(self) -> &'static str {
        match self {
            Self::ExactMatch => "exactMatch",
            Self::MatchesStart => "matchesStart",
            Self::NoExactMatch => "noExactMatch",
        }
    }
}

impl Score {
    /// Returns whether the score comes from a rule that sorts.
    pub fn is_sort(&self) -> bool {
        matches!(self, Self::Value { .. } | Self::Distance { .. } | Self::Boost { .. })
    }

    /// Returns whether the score comes from a relevance rule.
    pub fn is_relevance(&self) -> bool {
        self.rank().is_some()
    }

    /// Returns rank and maximum, for relevance rules.
    fn rank(&self) -> Option<(f64, f64)> {
        match self {
            Self::Words(rank)
            | Self::Typo(rank)
            | Self::Proximity(rank)
            | Self::AttributeRank(rank)
            | Self::WordPosition(rank)
            | Self::Attribute(_, rank)
            | Self::ExactWords(rank) => Some((f64::from(rank.rank), f64::from(rank.max))),
            Self::ExactAttribute(kind) => {
                let rank = kind.rank();
                Some((f64::from(rank.rank), f64::from(rank.max)))
            }
            Self::Bm25(score) => Some((1.0 + score * (BM25_RANKS - 1.0), BM25_RANKS)),
            Self::Vector(similarity) => Some((f64::from(similarity.unwrap_or(0.0)), 1.0)),
            Self::Fused(fused) => Some((fused.score, 1.0)),
            Self::Skipped => Some((0.0, 1.0)),
            Self::Value { .. }
            | Self::Distance { .. }
            | Self::Boost { .. }
            | Self::FactorDetails(_)
            | Self::Factor(_)
            | Self::Pin(_) => None,
        }
    }
}

/// Number of ranks that a continuous score counts as.
const BM25_RANKS: f64 = 65_536.0;

/// Returns the global score: each rule divides the step left by the rules before it. Numerator and
/// denominator stay integers as long as possible, so that a perfect document scores 1.
pub(crate) fn ranking_score(scores: &[Score]) -> f64 {
    let (scores, factor) = without_factor(scores);
    let (mut rank, mut max) = (1.0, 1.0);
    for (of_rule, max_of_rule) in scores.iter().filter_map(Score::rank) {
        rank = (rank - 1.0) * max_of_rule + of_rule;
        max *= max_of_rule;
    }
    f64::clamp(rank / max * factor, 0.0, 1.0)
}

/// Splits off the factor by which the other scores are multiplied.
pub(crate) fn without_factor(scores: &[Score]) -> (&[Score], f64) {
    match scores {
        [of_rules @ .., Score::Factor(boosted)] => (of_rules, boosted.factor),
        of_rules => (of_rules, 1.0),
    }
}

/// `_rankingScoreDetails`.
pub(crate) fn details(scores: &[Score]) -> Map<String, Value> {
    let mut details = Map::new();
    let mut order = 0;
    let mut scores = scores.iter().peekable();
    while let Some(score) = scores.next() {
        let (name, detail): (Cow<'_, str>, Value) = match score {
            Score::Words(rank) => (
                "words".into(),
                json!({ "order": order, "matchingWords": rank.rank, "maxMatchingWords": rank.max,
                        "score": rank.share() }),
            ),
            Score::Typo(rank) => (
                "typo".into(),
                json!({ "order": order, "typoCount": rank.max - rank.rank,
                        "maxTypoCount": rank.max - 1, "score": rank.share() }),
            ),
            Score::Proximity(rank) => {
                ("proximity".into(), json!({ "order": order, "score": rank.share() }))
            }
            Score::AttributeRank(rank) => {
                ("attributeRank".into(), json!({ "order": order, "score": rank.share() }))
            }
            Score::WordPosition(rank) => {
                ("wordPosition".into(), json!({ "order": order, "score": rank.share() }))
            }
            Score::Attribute(_, rank) => {
                let position = match scores.peek() {
                    Some(Score::Attribute(AttributeStep::Position, position)) => Some(*position),
                    _ => None,
                };
                if position.is_some() {
                    scores.next();
                }
                ("attribute".into(), attribute_details(order, *rank, position))
            }
            Score::ExactAttribute(kind) => {
                let words = match scores.peek() {
                    Some(Score::ExactWords(words)) => Some(*words),
                    _ => None,
                };
                if words.is_some() {
                    scores.next();
                }
                ("exactness".into(), exactness_details(order, *kind, words))
            }
            Score::ExactWords(rank) => (
                "exactness".into(),
                exactness_details(order, ExactAttribute::NoExactMatch, Some(*rank)),
            ),
            Score::Bm25(score) => {
                let mut detail = json!({ "order": order, "score": score });
                if let Some(Score::FactorDetails(boosted)) = scores.peek() {
                    detail["boost"] = boosted.details();
                    scores.next();
                }
                ("bm25".into(), detail)
            }
            Score::Boost { sum, parts } => {
                let value = shown(*sum, parts);
                let parts = details_of_parts(parts);
                ("boost".into(), json!({ "order": order, "value": value, "parts": parts }))
            }
            Score::Factor(boosted) | Score::FactorDetails(boosted) => {
                let mut detail = boosted.details();
                detail["order"] = order.into();
                ("boost".into(), detail)
            }
            Score::Value { name: Some(name), value, .. } => {
                (Cow::Borrowed(&**name), json!({ "order": order, "value": value }))
            }
            Score::Value { name: None, .. } => (
                format!("<hidden-rule-{order}>").into(),
                json!({ "order": order, "value": HIDDEN }),
            ),
            Score::Distance { name, nearest, .. } => {
                (Cow::Borrowed(&**name), distance_details(order, *nearest))
            }
            Score::Vector(similarity) => (
                "vectorSort".into(),
                json!({ "order": order, "similarity": similarity.map(f64::from) }),
            ),
            Score::Fused(fused) => ("fusion".into(), fusion_details(order, fused)),
            Score::Skipped => ("skipped".into(), json!({ "order": order })),
            Score::Pin(pin) => ("pin".into(), json!({ "order": order, "position": pin.position })),
        };
        details.insert(name.into_owned(), detail);
        order += 1;
    }
    details
}

impl BoostScore {
    fn details(&self) -> Value {
        let parts = details_of_parts(&self.parts);
        let (factor, value) = (shown(self.factor, &self.parts), shown(self.sum, &self.parts));
        json!({ "factor": factor, "value": value, "parts": parts })
    }
}

/// Replaces the name of attributes that are not displayed.
const HIDDEN: &str = "<hidden>";

/// Returns a figure that was computed from all parts, unless one of them is hidden.
fn shown(figure: f64, parts: &[(&'static str, Option<f64>)]) -> Value {
    if parts.iter().all(|(_, part)| part.is_some()) { figure.into() } else { HIDDEN.into() }
}

fn details_of_parts(parts: &[(&'static str, Option<f64>)]) -> Vec<Value> {
    let value = |part: &Option<f64>| part.map_or_else(|| HIDDEN.into(), Value::from);
    parts.iter().map(|(name, part)| json!({ "boost": name, "value": value(part) })).collect()
}

fn fusion_details(order: u32, fused: &FusedScore) -> Value {
    let (method, value_name) = match fused.fusion {
        Fusion::Score => ("score", "score"),
        Fusion::Rrf { .. } => ("rrf", "reciprocalRank"),
        Fusion::Normalized => ("normalized", "normalizedScore"),
    };
    let opinion = |opinion: SideScore, score_name: &str| {
        json!({
            "rank": opinion.place.map(|place| place.rank),
            score_name: opinion.place.map(|place| place.score),
            value_name: opinion.value,
        })
    };
    let mut details = json!({
        "order": order,
        "fusion": method,
        "semanticRatio": fused.ratio,
        "words": opinion(fused.words, "score"),
        "vector": opinion(fused.vector, "similarity"),
        "score": fused.score,
    });
    if let Fusion::Rrf { k } = fused.fusion {
        details["k"] = k.into();
    }
    details
}

fn distance_details(order: u32, nearest: Option<(Point, f64)>) -> Value {
    let point = nearest.map(|(point, _)| json!({ "lat": point.lat, "lng": point.lng }));
    json!({ "order": order, "value": point, "distance": nearest.map(|(_, metres)| metres) })
}

fn attribute_details(order: u32, rank: Rank, position: Option<Rank>) -> Value {
    let both = match position {
        Some(position) => {
            ranking_score(&[Score::AttributeRank(rank), Score::WordPosition(position)])
        }
        None => rank.share(),
    };
    json!({
        "order": order,
        "attributeRankingOrderScore": rank.share(),
        "queryWordDistanceScore": position.map_or(0.0, Rank::share),
        "score": both,
    })
}

fn exactness_details(order: u32, kind: ExactAttribute, words: Option<Rank>) -> Value {
    match (kind, words) {
        (ExactAttribute::NoExactMatch, Some(words)) => json!({
            "order": order,
            "matchType": kind.wire_name(),
            "matchingWords": words.rank - 1,
            "maxMatchingWords": words.max - 1,
            "score": ranking_score(&[Score::ExactAttribute(kind), Score::ExactWords(words)]),
        }),
        _ => json!({
            "order": order,
            "matchType": kind.wire_name(),
            "score": kind.rank().share(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(rank: u32, max: u32) -> Rank {
        Rank { rank, max }
    }

    #[test]
    fn the_score_of_worked_example_10() {
        let scores = [
            Score::Words(rank(3, 3)),
            Score::Typo(rank(3, 4)),
            Score::Proximity(rank(6, 7)),
            Score::AttributeRank(rank(4, 4)),
            Score::WordPosition(rank(30, 31)),
            Score::ExactAttribute(ExactAttribute::NoExactMatch),
            Score::ExactWords(rank(3, 4)),
        ];
        assert!((ranking_score(&scores) - 0.9046).abs() < 5e-5);
        let details = details(&scores);
        assert_eq!(details["typo"]["typoCount"], 1);
        assert_eq!(details["typo"]["maxTypoCount"], 3);
        assert_eq!(details["exactness"]["score"], 3.0 / 12.0);
        assert_eq!(details["exactness"]["order"], 5);
    }

    #[test]
    fn no_rule_is_a_perfect_score_and_a_skipped_one_adds_nothing() {
        assert_eq!(ranking_score(&[]), 1.0);
        assert_eq!(ranking_score(&[Score::Skipped]), 0.0);
        let score = ranking_score(&[Score::Words(rank(3, 3)), Score::Skipped]);
        assert!((score - 2.0 / 3.0).abs() < 1e-9);
    }
}
