//! Checks that the hits of two queries are comparable: their ranking rules, in a common form, must
//! be of the same kinds from the first on. The error message lists what was changed on the way to
//! that form.

use std::fmt::Write;
use std::ops::RangeInclusive;

use filter::{Order, SortItem};
use settings::{RankingRule, Settings};

use crate::steps::Criteria;
use crate::strategy::Strategy;

/// The kind of a search: how the documents of a query are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchKind {
    /// All documents: a placeholder search.
    Everything,
    /// Words, possibly with a vector.
    Words(Strategy),
    /// A vector alone.
    Vector,
}

/// The rules that order the hits of one query.
#[derive(Debug)]
pub struct RuleSequence {
    query: usize,
    rules: Vec<Rule>,
    /// Notes on changes to the rules of the settings.
    notes: Vec<String>,
}

#[derive(Debug)]
struct Rule {
    kind: RuleKind,
    /// The origin and the name, as shown in messages.
    origin: String,
    name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RuleKind {
    Relevancy,
    Sort(Order),
    Geo(Order),
    Boost,
}

impl RuleSequence {
    /// Creates the sequence; `query` is the position of the query in its request.
    pub fn new(
        query: usize,
        uid: &str,
        settings: &Settings,
        sort: &[SortItem],
        searched: SearchKind,
        has_boosts: bool,
    ) -> Self {
        let Remaining { rules: remaining, notes } =
            Remaining::new(&settings.ranking_rules, sort, searched, has_boosts);
        let mut rules = Vec::new();
        let mut place = 0;
        for group in remaining.chunk_by(|a, b| a.rule.is_relevancy() && b.rule.is_relevancy()) {
            let places = place..=place + group.len() - 1;
            place += group.len();
            match group {
                [ranked, ..] if ranked.rule.is_relevancy() => {
                    let names: Vec<_> = group.iter().map(|ranked| ranked.rule.name()).collect();
                    let origin = origin(&format!("queries[{query}]"), uid, &places);
                    rules.push(Rule { kind: RuleKind::Relevancy, origin, name: names.join(", ") });
                }
                [Counting { rule: rule @ RankingRule::Boost, .. }] => {
                    let origin = origin(&format!("queries[{query}]"), uid, &places);
                    rules.push(Rule { kind: RuleKind::Boost, origin, name: rule.name() });
                }
                _ => {
                    rules.extend(group.iter().flat_map(|sorted| sorted.rules(query, uid, &places)));
                }
            }
        }
        Self { query, rules, notes }
    }

    /// Returns the rules known without the settings: the sort of the query itself.
    pub fn of_sort(query: usize, sort: &[SortItem]) -> Self {
        let mut criteria = Criteria::default();
        let rules = sort.iter().enumerate().filter_map(|(at, item)| {
            let (kind, name) = kind_and_name(&criteria.add(item.clone())?);
            Some(Rule { kind, origin: format!("`queries[{query}].sort[{at}]`"), name })
        });
        Self { query, rules: rules.collect(), notes: Vec::new() }
    }

    pub fn len(&self) -> usize {
        self.rules.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Returns an error message if the hits of this query cannot be compared with those of
    /// `earlier`.
    pub fn against(&self, earlier: &Self) -> Result<(), String> {
        let mut pairs = earlier.rules.iter().zip(&self.rules);
        let Some((theirs, ours)) = pairs.find(|(theirs, ours)| theirs.kind != ours.kind) else {
            return Ok(());
        };
        let mut text = format!(
            "The results of queries #{} and #{} are incompatible: \n  1. {theirs}\n  2. {ours}\n  \
             - cannot compare {}\n",
            earlier.query,
            self.query,
            conflict(theirs.kind, ours.kind)
        );
        for sequence in [earlier, self] {
            sequence.append_notes(&mut text);
        }
        Err(text)
    }

    fn append_notes(&self, text: &mut String) {
        if self.notes.is_empty() {
            return;
        }
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "  - note: The ranking rules of query #{} were modified during canonicalization:",
            self.query
        );
        let indent = if self.notes.len() == 1 { "   " } else { "    " };
        for (number, note) in (1..).zip(&self.notes) {
            let _ = writeln!(text, "{indent}{number}. {note}");
        }
    }
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = match self.kind {
            RuleKind::Relevancy => "relevancy rule(s)",
            RuleKind::Sort(Order::Asc) => "ascending sort rule(s)",
            RuleKind::Sort(Order::Desc) => "descending sort rule(s)",
            RuleKind::Geo(Order::Asc) => "ascending geo sort rule(s)",
            RuleKind::Geo(Order::Desc) => "descending geo sort rule(s)",
            RuleKind::Boost => "boost rule",
        };
        write!(f, "{}: {kind} {}", self.origin, self.name)
    }
}

fn origin(query: &str, uid: &str, places: &RangeInclusive<usize>) -> String {
    let (first, last) = (places.start(), places.end());
    if first == last {
        return format!("`{query}`, `{uid}.rankingRules[{first}]`");
    }
    format!("`{query}`, `{uid}.rankingRules[{first}..={last}]`")
}

fn conflict(left: RuleKind, right: RuleKind) -> &'static str {
    match (left, right) {
        (RuleKind::Sort(_), RuleKind::Sort(_)) => "two sort rules in opposite directions",
        (RuleKind::Geo(_), RuleKind::Geo(_)) => "two geosort rules in opposite directions",
        (RuleKind::Boost, RuleKind::Relevancy) | (RuleKind::Relevancy, RuleKind::Boost) => {
            "a relevancy rule with a boost rule"
        }
        (RuleKind::Boost, _) | (_, RuleKind::Boost) => "a sort rule with a boost rule",
        (RuleKind::Sort(_), RuleKind::Geo(_)) | (RuleKind::Geo(_), RuleKind::Sort(_)) => {
            "a sort rule with a geosort rule"
        }
        (RuleKind::Geo(_), _) | (_, RuleKind::Geo(_)) => "a relevancy rule with a geosort rule",
        _ => "a relevancy rule with a sort rule",
    }
}

/// A rule that counts, with its sort items and their positions in the query's `sort`.
struct Counting {
    rule: RankingRule,
    sorts: Vec<(Option<usize>, SortItem)>,
}

impl Counting {
    fn rules<'c>(
        &'c self,
        query: usize,
        uid: &'c str,
        places: &'c RangeInclusive<usize>,
    ) -> impl Iterator<Item = Rule> + 'c {
        self.sorts.iter().map(move |(at, item)| {
            let of_query = match at {
                Some(at) => format!("queries[{query}].sort[{at}]"),
                None => format!("queries[{query}]"),
            };
            let (kind, name) = match item {
                SortItem::Attribute { order, .. } if at.is_none() => {
                    (RuleKind::Sort(*order), self.rule.name())
                }
                item => kind_and_name(item),
            };
            Rule { kind, origin: origin(&of_query, uid, places), name }
        })
    }
}

/// Returns the kind and the name of an item of `sort`.
fn kind_and_name(item: &SortItem) -> (RuleKind, String) {
    match item {
        SortItem::Attribute { name, order } => {
            (RuleKind::Sort(*order), format!("on field `{name}`"))
        }
        SortItem::Point { order, .. } => (RuleKind::Geo(*order), "default".to_owned()),
    }
}

/// The rules of the settings that apply to a query, in order, with notes about the others.
#[derive(Default)]
struct Remaining {
    rules: Vec<Counting>,
    notes: Vec<String>,
}

impl Remaining {
    fn new(all: &[RankingRule], sort: &[SortItem], searched: SearchKind, has_boosts: bool) -> Self {
        let mut remaining = Self::default();
        let mut criteria = Criteria::default();
        let mut words = Words::Missing;
        let mut vector: Option<usize> = None;
        for (place, rule) in all.iter().enumerate() {
            let at = format!("at position #{place} in ranking rules");
            let sorts = sorts(rule, sort, &mut criteria);
            let name = rule.name();
            let is_idle = *rule == RankingRule::Boost && !has_boosts;
            if is_idle {
                let note = format!("Removed rule `{name}` {at} because the query has no boosts");
                remaining.notes.push(note);
                continue;
            }
            let first = all[..place].iter().position(|earlier| earlier == rule);
            if let Some(reason) = superfluous(rule, first, sort, &sorts, searched, words, vector) {
                let kind = if rule.is_relevancy() { "relevancy rule" } else { "rule" };
                remaining.notes.push(format!("Removed {kind} `{name}` {at} because {reason}"));
                continue;
            }
            if rule.is_relevancy() && searched == SearchKind::Vector {
                vector = Some(place);
            }
            let may_drop_words =
                matches!(searched, SearchKind::Words(strategy) if strategy != Strategy::All);
            if rule.needs_words() && may_drop_words && words == Words::Missing {
                words = Words::Prepended;
                remaining.push(RankingRule::Words, Vec::new());
                remaining.notes.push(format!("Prepended rule `words` to rule `{name}` {at}"));
            }
            if *rule == RankingRule::Words {
                words = Words::Present;
            }
            remaining.push(rule.clone(), sorts);
        }
        remaining
    }

    fn push(&mut self, rule: RankingRule, sorts: Vec<(Option<usize>, SortItem)>) {
        self.rules.push(Counting { rule, sorts });
    }
}

/// The presence of the rule `words`, on which the rules about words depend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Words {
    Missing,
    Prepended,
    Present,
}

/// Returns the sort items that a rule adds to the previous ones.
fn sorts(
    rule: &RankingRule,
    sort: &[SortItem],
    criteria: &mut Criteria,
) -> Vec<(Option<usize>, SortItem)> {
    if *rule == RankingRule::Sort {
        let items = sort.iter().cloned().enumerate();
        return items.filter_map(|(at, item)| Some((Some(at), criteria.add(item)?))).collect();
    }
    custom(rule).and_then(|item| criteria.add(item)).map(|item| (None, item)).into_iter().collect()
}

/// Returns why a rule has no effect.
fn superfluous(
    rule: &RankingRule,
    first: Option<usize>,
    sort: &[SortItem],
    sorts: &[(Option<usize>, SortItem)],
    searched: SearchKind,
    words: Words,
    vector: Option<usize>,
) -> Option<String> {
    if let Some(first) = first {
        return Some(format!("it is already at position #{first}"));
    }
    if *rule == RankingRule::Sort && sort.is_empty() {
        return Some("`query.sort` is empty".to_owned());
    }
    if *rule == RankingRule::Boost {
        return None;
    }
    if !rule.is_relevancy() {
        return sorts.is_empty().then(|| "it sorts by nothing new".to_owned());
    }
    match searched {
        SearchKind::Everything => Some("the query is a placeholder search (`q`: \"\")".to_owned()),
        SearchKind::Vector => vector.map(|first| {
            format!("the query is a vector search, whose similarity counts at position #{first}")
        }),
        SearchKind::Words(_) if *rule != RankingRule::Words => None,
        SearchKind::Words(Strategy::All) => Some("`query.matchingStrategy` is `all`".to_owned()),
        SearchKind::Words(_) => {
            (words == Words::Prepended).then(|| "it was prepended to another rule".to_owned())
        }
    }
}

/// Returns the sort item of a custom rule.
fn custom(rule: &RankingRule) -> Option<SortItem> {
    let (name, order) = match rule {
        RankingRule::Asc(name) => (name, Order::Asc),
        RankingRule::Desc(name) => (name, Order::Desc),
        _ => return None,
    };
    Some(SortItem::Attribute { name: name.clone(), order })
}

#[cfg(test)]
mod tests;
