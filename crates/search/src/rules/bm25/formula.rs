//! The formula of BM25F.

use std::collections::BTreeMap;
use std::rc::Rc;

use hashbrown::HashMap;
use settings::pattern;

use super::bounds::Bounds;
use super::tiers::{self, TermTier};
use crate::attributes::with_parents;
use crate::context::Context;
use crate::error::SearchError;
use crate::graph::{Node, Path};
use crate::node_key::ALL_LEVELS;
use crate::node_key::Breadth;
use crate::rules::RuleInput;

/// How soon repetitions of a word saturate (k1).
const SATURATION: f64 = 1.2;
/// Influence of the length of an attribute (b).
const LENGTH_SHARE: f64 = 0.75;
/// Weight of an attribute relative to its predecessor.
const WEIGHT_STEP: f64 = 0.5;

/// The terms of a query and the attributes of an index, with their weights.
pub(super) struct Formula {
    /// Sorted by descending weight.
    pub terms: Vec<WeighedTerm>,
    /// Scales by segment and attribute.
    scales: Vec<Vec<Scale>>,
    /// The highest possible score.
    best: f64,
}

pub(super) struct WeighedTerm {
    node: Rc<Node>,
    /// The parts of the term, each with its likelihood.
    pub parts: Vec<TermTier>,
    /// The inverse document frequency, times the term's occurrences in the query. It is also the
    /// highest score of the term.
    pub weight: f64,
    idf: f64,
}

/// Converts occurrences in an attribute into a weighted frequency.
#[derive(Debug)]
pub(super) struct Scale {
    weight: f64,
    /// The inverse of the average length.
    per_token: f64,
    /// Values by length, precomputed for the lengths of most documents.
    short: Vec<f64>,
}

/// Number of precomputed lengths in `Scale::short`.
const SHORT: u32 = 512;

impl Scale {
    fn new(weight: f64, per_token: f64) -> Self {
        let mut scale = Self { weight, per_token, short: Vec::new() };
        scale.short = (0..SHORT).map(|length| scale.compute(length)).collect();
        scale
    }

    fn compute(&self, length: u32) -> f64 {
        let relative_length = f64::from(length) * self.per_token;
        self.weight / (1.0 + LENGTH_SHARE * (relative_length - 1.0))
    }

    /// Returns the weighted frequency of `count` occurrences in an attribute of this length.
    #[inline]
    pub fn frequency(&self, count: u32, length: u32) -> f64 {
        let of_one = self.short.get(length as usize).copied();
        f64::from(count) * of_one.unwrap_or_else(|| self.compute(length))
    }
}

impl Formula {
    pub fn new(
        context: &Context<'_>,
        input: &RuleInput<'_>,
        paths: &[Path],
    ) -> Result<Self, SearchError> {
        let terms = weigh(context, paths.iter().flatten().chain(&*input.further_terms))?;
        let best = terms.iter().map(|term| term.weight).sum::<f64>().max(f64::MIN_POSITIVE);
        Ok(Self { terms, scales: scales(context, input), best })
    }

    /// Returns the scales of a segment, by attribute.
    pub fn scales(&self, segment: usize) -> &[Scale] {
        &self.scales[segment]
    }

    /// Returns a score as a share of the highest possible one.
    pub fn share_of_best(&self, score: f64) -> f64 {
        (score / self.best).clamp(0.0, 1.0)
    }
}

impl WeighedTerm {
    fn is_same_word(&self, node: &Node) -> bool {
        let (known, term) = (&self.node.term, &node.term);
        self.node.breadth == Breadth::Stem && (known.word == term.word || known.has_same_stem(term))
    }

    fn add_times(&mut self, times: u32) {
        self.weight += self.idf * f64::from(times);
    }

    /// Returns the score of the term in a document, by its weighted frequency there.
    #[inline]
    pub fn score(&self, frequency: f64) -> f64 {
        self.weight * frequency / (SATURATION + frequency)
    }

    /// Returns the bounds of the score, by those of the frequency. The upper one may be infinite.
    #[inline]
    pub fn scores(&self, frequency: Bounds) -> Bounds {
        let least = self.score(frequency.least);
        let most = match frequency.most {
            most if most == frequency.least => least,
            f64::INFINITY => self.weight,
            most => self.score(most),
        };
        Bounds { least, most }
    }
}

/// Weighs the terms of the query. A word that is typed twice is one term, and so are words with one
/// stem.
fn weigh<'n>(
    context: &Context<'_>,
    nodes: impl Iterator<Item = &'n Rc<Node>>,
) -> Result<Vec<WeighedTerm>, SearchError> {
    let mut terms: Vec<WeighedTerm> = Vec::new();
    let all = context.live.len() as f64;
    let mut seen = Vec::new();
    for node in nodes {
        // However the earlier rules have narrowed a term, it counts once and as a whole.
        if node.term.is_joined() || seen.contains(&node.term.id) {
            continue;
        }
        seen.push(node.term.id);
        let is_known = node.term.has_exact || node.term.has_stems();
        let same = terms.iter_mut().find(|term| is_known && term.is_same_word(node));
        if let Some(same) = same {
            same.add_times(node.times);
            continue;
        }
        let (levels, breadth) =
            if is_known { (1, Breadth::Stem) } else { (ALL_LEVELS, Breadth::Full) };
        let node = Rc::new(Node { levels, breadth, ..(**node).clone() });
        let with_term = node.documents(context)?.len() as f64;
        if with_term > 0.0 {
            let idf = (1.0 + (all - with_term + 0.5) / (with_term + 0.5)).ln();
            let weight = idf * f64::from(node.times);
            let parts = match is_known {
                true => tiers::whole(&node),
                false => tiers::by_likelihood(context, &node)?,
            };
            terms.push(WeighedTerm { node, parts, weight, idf });
        }
    }
    terms.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    Ok(terms)
}

fn scales(context: &Context<'_>, input: &RuleInput<'_>) -> Vec<Vec<Scale>> {
    // The average length of an attribute over all documents of the index that have it.
    let mut totals: HashMap<&str, (u64, u64)> = HashMap::new();
    for view in &context.segments {
        for (field, name) in view.text.fields().iter().enumerate() {
            let of_segment = view.text.field_totals(field as u16);
            let total = totals.entry(name).or_default();
            total.0 += of_segment.documents;
            total.1 += of_segment.tokens;
        }
    }
    let scale = |name: &String, weight: u32| {
        let (documents, tokens) = totals.get(name.as_str()).copied().unwrap_or_default();
        let weight = given_weight(context, input, name)
            .unwrap_or_else(|| 1.0 / (1.0 + WEIGHT_STEP * f64::from(weight)));
        Scale::new(weight, documents as f64 / (tokens as f64).max(1.0))
    };
    context
        .segments
        .iter()
        .map(|view| {
            let fields = view.text.fields().iter().zip(&view.roles);
            fields.map(|(name, role)| scale(name, role.weight)).collect()
        })
        .collect()
}

/// Returns the weight of an attribute in the query, or else in the settings.
fn given_weight(context: &Context<'_>, input: &RuleInput<'_>, attribute: &str) -> Option<f64> {
    let of_query = input.attribute_weights.and_then(|weights| weight_of(weights, attribute));
    of_query.or_else(|| weight_of(&context.settings.attribute_weights, attribute))
}

/// Returns the weight of the most specific name for an attribute: its own, that of the innermost
/// object it is in, then the longest pattern.
fn weight_of(weights: &BTreeMap<String, f64>, attribute: &str) -> Option<f64> {
    if weights.is_empty() {
        return None;
    }
    if let Some(weight) = with_parents(attribute).filter_map(|name| weights.get(name)).last() {
        return Some(*weight);
    }
    let patterns = weights.iter().filter(|(name, _)| name.contains('*'));
    let matching = patterns.filter(|(name, _)| pattern::matches(name, attribute));
    matching.max_by_key(|(name, _)| name.len()).map(|(_, weight)| *weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_gives_the_weight() {
        let weights = [("a", 1.0), ("a.b", 2.0), ("*_en", 3.0), ("title_*", 4.0), ("*", 5.0)];
        let weights = weights.map(|(name, weight)| (name.to_owned(), weight)).into();
        for (attribute, expected) in [
            ("a", 1.0),
            ("a.b", 2.0),
            ("a.b.c", 2.0),
            ("a.c", 1.0),
            ("text_en", 3.0),
            ("title_en", 4.0),
            ("other", 5.0),
        ] {
            assert_eq!(weight_of(&weights, attribute), Some(expected), "{attribute}");
        }
        assert_eq!(weight_of(&[("b".to_owned(), 1.0)].into(), "a"), None);
        assert_eq!(weight_of(&BTreeMap::new(), "a"), None);
    }
}
