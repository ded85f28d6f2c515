//! Computes `_rankingScore` and `_rankingScoreDetails` from ranks.

use serde_json::{Map, Value, json};

use super::exact_attribute::AttributeMatch;
use super::sort::Criterion;

/// The result of one step for a document.
#[derive(Debug, Clone)]
pub enum Entry {
    Ranked { part: RankPart, rank: u32, max: u32 },
    Sorted { name: String, value: Value },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankPart {
    Words,
    Typo,
    Proximity,
    AttributeRank,
    WordPosition,
    /// The two steps of `attribute`.
    RankOfAttribute,
    PositionOfAttribute,
    /// The two steps of `exactness`.
    AttributeMatch(AttributeMatch),
    ExactWords,
}

impl Entry {
    pub fn ranked(part: RankPart, rank: u32, max: u32) -> Self {
        Self::Ranked { part, rank, max }
    }

    pub fn sorted(criterion: &Criterion, value: Value) -> Self {
        Self::Sorted { name: criterion.name(), value }
    }

    /// Returns a short form for messages and for recorded answers.
    pub fn label(&self) -> String {
        match self {
            Self::Sorted { name, value } => format!("{name}={value}"),
            Self::Ranked { part, rank, max } => {
                let name = match part {
                    RankPart::Words => "words",
                    RankPart::Typo => "typo",
                    RankPart::Proximity => "proximity",
                    RankPart::AttributeRank | RankPart::RankOfAttribute => "attributeRank",
                    RankPart::WordPosition | RankPart::PositionOfAttribute => "wordPosition",
                    RankPart::AttributeMatch(kind) => kind.name(),
                    RankPart::ExactWords => "exactWords",
                };
                format!("{name}={rank}/{max}")
            }
        }
    }
}

pub fn score(entries: &[Entry]) -> f64 {
    let (mut rank, mut max) = (1_u128, 1_u128);
    for entry in entries {
        if let Entry::Ranked { rank: r, max: m, .. } = entry {
            rank = (rank - 1) * u128::from(*m) + u128::from(*r);
            max *= u128::from(*m);
        }
    }
    rank as f64 / max as f64
}

pub fn details(entries: &[Entry]) -> Map<String, Value> {
    let mut details = Map::new();
    for (i, entry) in entries.iter().enumerate() {
        let order = details.len();
        let (part, rank, max) = match entry {
            Entry::Ranked { part, rank, max } => (*part, *rank, *max),
            Entry::Sorted { name, value } => {
                details.insert(name.clone(), json!({"order": order, "value": value}));
                continue;
            }
        };
        let score = f64::from(rank) / f64::from(max);
        let plain = json!({"order": order, "score": score});
        let (name, value) = match part {
            RankPart::Words => {
                let value = json!({
                    "order": order, "matchingWords": rank, "maxMatchingWords": max, "score": score,
                });
                ("words", value)
            }
            RankPart::Typo => {
                let value = json!({
                    "order": order, "typoCount": max - rank, "maxTypoCount": max - 1,
                    "score": score,
                });
                ("typo", value)
            }
            RankPart::Proximity => ("proximity", plain),
            RankPart::AttributeRank => ("attributeRank", plain),
            RankPart::WordPosition => ("wordPosition", plain),
            // These take the next entry with them.
            RankPart::RankOfAttribute => ("attribute", attribute(order, &entries[i..])),
            RankPart::AttributeMatch(kind) => ("exactness", exactness(order, kind, &entries[i..])),
            RankPart::PositionOfAttribute | RankPart::ExactWords => continue,
        };
        details.insert(name.to_owned(), value);
    }
    details
}

fn attribute(order: usize, entries: &[Entry]) -> Value {
    json!({
        "order": order,
        "attributeRankingOrderScore": score(&entries[..1]),
        "queryWordDistanceScore": score(&entries[1..2]),
        "score": score(&entries[..2]),
    })
}

fn exactness(order: usize, kind: AttributeMatch, entries: &[Entry]) -> Value {
    let name = kind.name();
    match (kind, entries.get(1)) {
        (AttributeMatch::Exact, _) => json!({"order": order, "matchType": name, "score": 1.0}),
        (AttributeMatch::Start, _) => {
            json!({"order": order, "matchType": name, "score": 2.0 / 3.0})
        }
        (AttributeMatch::None, Some(Entry::Ranked { rank, max, .. })) => json!({
            "order": order,
            "matchType": name,
            "matchingWords": rank - 1,
            "maxMatchingWords": max - 1,
            "score": f64::from(*rank) / (3.0 * f64::from(*max)),
        }),
        (AttributeMatch::None, _) => json!({"order": order, "matchType": name}),
    }
}
