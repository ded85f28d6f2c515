//! Turns the ranking rules of the settings into steps: `words` is added where a rule needs it, each
//! attribute is sorted by once, and without words in the query only the rules that sort remain.

use std::collections::HashSet;

use filter::{Order, SortItem};
use settings::{RankingRule, RuleBasis};

use crate::rules::Measure;
use crate::strategy::Strategy;
use crate::vector_query::VectorQuery;

/// A ranking rule of the settings as a step of the procedure.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step<'q> {
    Words(Strategy),
    Typo,
    Measure(Measure),
    ExactAttribute,
    Bm25,
    /// The sum of the boosts.
    Boost,
    Sort(SortItem),
    /// Similarity to the vector of the query.
    Vector(VectorQuery<'q>),
}

/// The relevance criterion of a query: how documents are found, and so ranked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Relevance<'q> {
    /// No criterion: all documents are equally good.
    None,
    Words(Strategy),
    Vector(VectorQuery<'q>),
}

/// Returns the steps of the ranking rules. Without words in the query only those that sort remain;
/// a vector replaces the first of the others. `boost` needs boosts.
pub(crate) fn steps<'q>(
    rules: &[RankingRule],
    sort: &[SortItem],
    relevance: Relevance<'q>,
    has_boosts: bool,
) -> Vec<Step<'q>> {
    let mut steps: Vec<Step<'q>> = Vec::new();
    let mut seen: Vec<&RankingRule> = Vec::new();
    let mut criteria = Criteria::default();
    let mut has_words = relevance == Relevance::Words(Strategy::All);
    for rule in rules {
        if seen.contains(&rule) {
            continue;
        }
        seen.push(rule);
        match rule {
            RankingRule::Sort => {
                let new = sort.iter().filter_map(|item| criteria.add(item.clone()));
                steps.extend(new.map(Step::Sort));
                continue;
            }
            RankingRule::Boost => {
                steps.extend(has_boosts.then_some(Step::Boost));
                continue;
            }
            RankingRule::Asc(name) | RankingRule::Desc(name) => {
                let is_ascending = matches!(rule, RankingRule::Asc(_));
                let order = if is_ascending { Order::Asc } else { Order::Desc };
                let item = SortItem::Attribute { name: name.clone(), order };
                steps.extend(criteria.add(item).map(Step::Sort));
                continue;
            }
            _ => {}
        }
        let strategy = match relevance {
            Relevance::Words(strategy) => strategy,
            Relevance::Vector(query) => {
                if !steps.contains(&Step::Vector(query)) {
                    steps.push(Step::Vector(query));
                }
                continue;
            }
            Relevance::None => continue,
        };
        if !has_words && rule.basis() == RuleBasis::MatchedWords {
            steps.push(Step::Words(strategy));
            has_words = true;
        }
        steps.extend_from_slice(word_steps(rule));
    }
    steps
}

/// Returns the steps of a rule that depends on words, after `words` itself.
fn word_steps(rule: &RankingRule) -> &'static [Step<'static>] {
    use Measure::{AttributeRank, ExactWords, Proximity, WordPosition};
    match rule {
        RankingRule::Typo => &[Step::Typo],
        RankingRule::Proximity => &[Step::Measure(Proximity)],
        RankingRule::AttributeRank => &[Step::Measure(AttributeRank { of_attribute: false })],
        RankingRule::WordPosition => &[Step::Measure(WordPosition { of_attribute: false })],
        RankingRule::Attribute => &[
            Step::Measure(AttributeRank { of_attribute: true }),
            Step::Measure(WordPosition { of_attribute: true }),
        ],
        RankingRule::Exactness => &[Step::ExactAttribute, Step::Measure(ExactWords)],
        RankingRule::Bm25 => &[Step::Bm25],
        RankingRule::Words
        | RankingRule::Sort
        | RankingRule::Boost
        | RankingRule::Asc(_)
        | RankingRule::Desc(_) => &[],
    }
}

/// The sort criteria so far: an attribute counts once, whatever the direction.
#[derive(Debug, Default)]
pub(crate) struct Criteria {
    attributes: HashSet<String>,
    /// Latitude and longitude as bits.
    points: HashSet<(u64, u64)>,
}

impl Criteria {
    /// Adds a criterion; returns `None` if it has no effect.
    pub fn add(&mut self, item: SortItem) -> Option<SortItem> {
        let is_new = match &item {
            SortItem::Attribute { name, .. } => self.attributes.insert(name.clone()),
            SortItem::Point { latitude, longitude, .. } => {
                self.points.insert((latitude.to_bits(), longitude.to_bits()))
            }
        };
        is_new.then_some(item)
    }
}
