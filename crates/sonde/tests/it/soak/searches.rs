//! The searches of a client and what the model says of their answers.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use testkit::Random;

use super::documents::{self, EMBEDDER, random_word};
use super::model::{Model, id_of, vector_of};
use super::tally::Tally;
use crate::support::http::Answer;

/// More than there are documents.
const ALL: u64 = 100_000;
const NEIGHBOURS: usize = 10;
/// Between scores that were computed from 32-bit and from 64-bit numbers.
const TOLERANCE: f64 = 1e-3;

#[derive(Debug)]
pub enum Search {
    /// Documents of a group from a number on, with counts, by number.
    Filtered {
        group: String,
        from: u64,
        is_descending: bool,
    },
    Tagged {
        tag: String,
    },
    Words {
        words: Vec<String>,
        needs_all: bool,
    },
    Prefix {
        prefix: String,
    },
    Phrase {
        words: [String; 2],
    },
    Without {
        word: String,
        other: String,
    },
    Near {
        vector: Vec<f64>,
        group: Option<String>,
    },
    Hybrid {
        word: String,
        vector: Vec<f64>,
    },
}

pub fn group(random: &mut Random) -> Search {
    let group = documents::group(random.below(documents::GROUPS));
    Search::Filtered { group, from: 0, is_descending: false }
}

pub fn random(random: &mut Random, model: &Model) -> Search {
    match random.below(10) {
        0 | 1 => Search::Filtered {
            group: documents::group(random.below(documents::GROUPS)),
            from: random.below(documents::NUMBERS),
            is_descending: random.below(2) == 0,
        },
        2 => Search::Tagged { tag: format!("t{}", random.below(6)) },
        3 | 4 => {
            let mut words: Vec<String> =
                (0..1 + random.below(3)).map(|_| random_word(random)).collect();
            if let Some(key) = model.settings.synonyms.keys().next() {
                words[0].clone_from(key);
            }
            Search::Words { words, needs_all: random.below(2) == 0 }
        }
        5 => Search::Prefix { prefix: random_word(random)[..3].to_owned() },
        6 => Search::Phrase { words: [random_word(random), random_word(random)] },
        7 => Search::Without { word: random_word(random), other: random_word(random) },
        8 => {
            let group = documents::group(random.below(documents::GROUPS));
            let group = (random.below(2) == 0).then_some(group);
            Search::Near { vector: documents::vector(random), group }
        }
        _ => Search::Hybrid { word: random_word(random), vector: documents::vector(random) },
    }
}

/// Counts the documents of each group.
pub fn counts(model: &Model, mut holds: impl FnMut(&Value) -> bool) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for document in model.documents.values().filter(|document| holds(document)) {
        let group = document["group"].as_str().unwrap_or_default().to_owned();
        *counts.entry(group).or_default() += 1;
    }
    counts
}

impl Search {
    pub fn body(&self) -> Value {
        let words = |query: String, strategy: &str| {
            json!({
                "q": query,
                "matchingStrategy": strategy,
                "hitsPerPage": ALL,
                "attributesToRetrieve": ["id", "number"],
            })
        };
        match self {
            Search::Filtered { group, from, is_descending } => json!({
                "filter": format!("group = {group} AND number >= {from}"),
                "facets": ["group"],
                "sort": [if *is_descending { "number:desc" } else { "number:asc" }],
                "hitsPerPage": ALL,
                "attributesToRetrieve": ["id", "number"],
            }),
            Search::Tagged { tag } => json!({
                "filter": [format!("tags = {tag}")],
                "hitsPerPage": ALL,
                "attributesToRetrieve": ["id"],
            }),
            // The blank at the end makes the last word a whole one.
            Search::Words { words: searched, needs_all } => {
                words(searched.join(" ") + " ", if *needs_all { "all" } else { "last" })
            }
            Search::Prefix { prefix } => words(prefix.clone(), "last"),
            Search::Phrase { words: [first, second] } => {
                words(format!("\"{first} {second}\""), "last")
            }
            Search::Without { word, other } => words(format!("{word} -{other}"), "last"),
            Search::Near { vector, group } => json!({
                "vector": vector,
                "hybrid": {"embedder": EMBEDDER, "semanticRatio": 1.0},
                "filter": group.as_ref().map(|group| format!("group = {group}")),
                "limit": NEIGHBOURS,
                "showRankingScore": true,
                "attributesToRetrieve": ["id"],
            }),
            Search::Hybrid { word, vector } => json!({
                "q": format!("{word} "),
                "vector": vector,
                "hybrid": {"embedder": EMBEDDER, "semanticRatio": 0.5},
                "limit": NEIGHBOURS,
                "showRankingScore": true,
                "attributesToRetrieve": ["id"],
            }),
        }
    }

    pub fn check(&self, model: &Model, answer: &Answer, index: &str, tally: &Tally) {
        let found = answer.json();
        if let Search::Tagged { .. } = self
            && !model.settings.are_tags_filterable
        {
            let is_refused = answer.status == 400 && found["code"] == "invalid_search_filter";
            tally.check(is_refused, || format!("{index}: {self:?} is answered: {found}"));
            return;
        }
        if let Search::Near { vector, group } = self {
            count_neighbours(model, vector, group.as_deref(), &found, tally);
        }
        let is_right = answer.status == 200 && self.is_answered(model, &found);
        tally.check(is_right, || {
            let documents = model.documents.len();
            format!("{index}: {self:?} over {documents} documents: {found}")
        });
    }

    pub fn is_answered(&self, model: &Model, found: &Value) -> bool {
        match self {
            Search::Filtered { group, from, is_descending } => {
                let holds = |document: &Value| {
                    document["group"] == **group && document["number"].as_u64() >= Some(*from)
                };
                has_exactly(found, &model.ids_where(holds))
                    && is_ordered(found, *is_descending)
                    && has_counts(found, &counts(model, holds))
            }
            Search::Tagged { tag } => {
                let has_tag = |document: &Value| {
                    document["tags"]
                        .as_array()
                        .is_some_and(|tags| tags.iter().any(|one| one == tag))
                };
                has_exactly(found, &model.ids_where(has_tag))
            }
            Search::Words { words, needs_all } => is_by_words(model, words, *needs_all, found),
            Search::Prefix { prefix } => {
                has_exactly(found, &model.ids_where(|document| model.has_prefix(document, prefix)))
            }
            Search::Phrase { words: [first, second] } => {
                let expected =
                    model.ids_where(|document| model.has_phrase(document, [first, second]));
                has_exactly(found, &expected)
            }
            Search::Without { word, other } => {
                let expected = model.ids_where(|document| {
                    model.has_word(document, word) && !model.has_word(document, other)
                });
                has_exactly(found, &expected)
            }
            Search::Near { vector, group } => is_near(model, vector, group.as_deref(), found),
            Search::Hybrid { word, vector } => is_hybrid(model, word, vector, found),
        }
    }
}

fn hits(found: &Value) -> &[Value] {
    found["hits"].as_array().map_or(&[], Vec::as_slice)
}

/// All of these, each once, and the total says so.
fn has_exactly(found: &Value, expected: &BTreeSet<u64>) -> bool {
    let ids: BTreeSet<u64> = hits(found).iter().map(id_of).collect();
    ids == *expected
        && hits(found).len() == expected.len()
        && found["totalHits"] == json!(expected.len())
}

/// An attribute that no document of the index has is not shown at all.
fn has_counts(found: &Value, expected: &BTreeMap<String, u64>) -> bool {
    match &found["facetDistribution"]["group"] {
        Value::Null => expected.is_empty(),
        shown => *shown == json!(expected),
    }
}

fn is_ordered(found: &Value, is_descending: bool) -> bool {
    let numbers: Vec<u64> = hits(found).iter().filter_map(|hit| hit["number"].as_u64()).collect();
    numbers.len() == hits(found).len()
        && numbers.windows(2).all(|pair| match is_descending {
            true => pair[0] >= pair[1],
            false => pair[0] <= pair[1],
        })
}

/// Documents with more of the words, counted from the first, come before those with fewer.
fn is_by_words(model: &Model, words: &[String], needs_all: bool, found: &Value) -> bool {
    let matched =
        |document: &Value| words.iter().take_while(|word| model.has_word(document, word)).count();
    let least = if needs_all { words.len() } else { 1 };
    if !has_exactly(found, &model.ids_where(|document| matched(document) >= least)) {
        return false;
    }
    let places: Vec<(usize, u64)> = hits(found)
        .iter()
        .filter_map(|hit| {
            let document = model.documents.get(&id_of(hit))?;
            Some((matched(document), document["number"].as_u64()?))
        })
        .collect();
    places.windows(2).all(|pair| {
        let ((first, number), (second, next)) = (pair[0], pair[1]);
        first > second || first == second && (!model.settings.is_by_number || number >= next)
    })
}

/// (1 + cos) / 2
fn similarity(left: &[f64], right: &[f64]) -> f64 {
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let length = (product(left, left) * product(right, right)).sqrt();
    f64::midpoint(1.0, product(left, right) / length)
}

/// Similarities of all documents that pass, best first; those without a vector have none.
fn nearest(model: &Model, vector: &[f64], group: Option<&str>) -> Vec<(f64, u64)> {
    let passing = model
        .documents
        .iter()
        .filter(|(_, document)| group.is_none_or(|group| document["group"] == *group));
    let mut nearest: Vec<(f64, u64)> = passing
        .map(|(id, document)| {
            (vector_of(document).map_or(0.0, |own| similarity(vector, &own)), *id)
        })
        .collect();
    nearest.sort_by(|left, right| right.0.total_cmp(&left.0));
    nearest
}

fn count_neighbours(
    model: &Model,
    vector: &[f64],
    group: Option<&str>,
    found: &Value,
    tally: &Tally,
) {
    let nearest = nearest(model, vector, group);
    let wanted = nearest.len().min(NEIGHBOURS);
    let Some((least, _)) = wanted.checked_sub(1).and_then(|last| nearest.get(last)) else {
        return;
    };
    let near: BTreeSet<u64> = nearest
        .iter()
        .take_while(|(similarity, _)| *similarity >= least - 1e-6)
        .map(|(_, id)| *id)
        .collect();
    let hit = hits(found).iter().filter(|hit| near.contains(&id_of(hit))).count();
    tally.neighbours(wanted, hit.min(wanted));
}

/// As many as were asked for, with their true scores, best first, none twice.
fn is_near(model: &Model, vector: &[f64], group: Option<&str>, found: &Value) -> bool {
    let expected: BTreeMap<u64, f64> =
        nearest(model, vector, group).into_iter().map(|(score, id)| (id, score)).collect();
    let scores: Vec<f64> = hits(found).iter().map(score).collect();
    let ids: BTreeSet<u64> = hits(found).iter().map(id_of).collect();
    let are_true = hits(found).iter().all(|hit| {
        expected.get(&id_of(hit)).is_some_and(|expected| (score(hit) - expected).abs() < TOLERANCE)
    });
    are_true
        && ids.len() == expected.len().min(NEIGHBOURS)
        && hits(found).len() == ids.len()
        && scores.windows(2).all(|pair| pair[0] >= pair[1] - TOLERANCE)
}

/// Every hit has the word or is near; the first is the best of one of the two.
fn is_hybrid(model: &Model, word: &str, vector: &[f64], found: &Value) -> bool {
    let with_word = model.ids_where(|document| model.has_word(document, word));
    let nearest = nearest(model, vector, None);
    let similarities: BTreeMap<u64, f64> =
        nearest.iter().map(|(score, id)| (*id, *score)).collect();
    let ids: BTreeSet<u64> = hits(found).iter().map(id_of).collect();
    let semantic = found["semanticHitCount"].as_u64().unwrap_or(u64::MAX);
    let by_words = hits(found).iter().filter(|hit| with_word.contains(&id_of(hit))).count() as u64;
    let are_true = hits(found).iter().all(|hit| {
        let near = similarities.get(&id_of(hit)).copied().unwrap_or(f64::NAN);
        with_word.contains(&id_of(hit)) || (score(hit) - near).abs() < TOLERANCE
    });
    let count = hits(found).len() as u64;
    are_true
        && ids.len() == hits(found).len()
        && hits(found).len() == model.documents.len().min(NEIGHBOURS)
        && semantic <= count
        && count - semantic <= by_words
}

fn score(hit: &Value) -> f64 {
    hit["_rankingScore"].as_f64().unwrap_or(f64::NAN)
}
