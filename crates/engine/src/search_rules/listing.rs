//! Filters and orders lists of rules.

use std::collections::HashSet;

use super::rule::Rule;
use super::rule_set::RuleSet;
use super::words;
use crate::Page;

/// Conditions on the rules to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleFilter {
    /// Words that must each occur in the description or in the rule's own words.
    pub query: Option<String>,
    pub active: Option<bool>,
}

/// Returns a page of the rules, most recently changed first.
pub(super) fn page(
    rule_set: &RuleSet,
    filter: &RuleFilter,
    offset: usize,
    limit: usize,
) -> Page<Rule> {
    let wanted = filter.query.as_deref().map(words::unique).unwrap_or_default();
    let is_listed = |rule: &&Rule| {
        filter.active.is_none_or(|active| active == rule.active) && has_words(rule, &wanted)
    };
    let mut listed: Vec<&Rule> = rule_set.iter().filter(is_listed).collect();
    listed.sort_by_key(|rule| std::cmp::Reverse(rule.last_updated_at));
    let total = listed.len();
    let results = listed.into_iter().skip(offset).take(limit).cloned().collect();
    Page { results, offset, limit, total }
}

fn has_words(rule: &Rule, wanted: &[String]) -> bool {
    if wanted.is_empty() {
        return true;
    }
    let condition = rule.conditions.query.as_ref().and_then(|query| query.words.as_deref());
    let mut found = HashSet::new();
    for text in [rule.description.as_deref(), condition].into_iter().flatten() {
        words::for_each(text, |word| {
            found.insert(word.to_owned());
        });
    }
    wanted.iter().all(|word| found.contains(word))
}

#[cfg(test)]
mod tests {
    use time::{Duration, OffsetDateTime};

    use super::*;
    use crate::search_rules::rule::QueryCondition;

    fn rule(uid: &str, description: &str, words: &str, day: i64) -> Rule {
        let mut rule = Rule::new(uid, OffsetDateTime::UNIX_EPOCH + Duration::days(day));
        rule.description = Some(description.to_owned());
        rule.conditions.query =
            Some(QueryCondition { is_empty: None, words: Some(words.to_owned()) });
        rule
    }

    #[test]
    fn rules_are_listed_from_the_last_changed_on() {
        let mut hats = rule("r2", "Summer hats", "straw boots", 3);
        hats.active = false;
        let rules = vec![rule("r1", "Blue boots", "rain", 1), hats, rule("r3", "Été", "", 2)];
        let rule_set = RuleSet::new(rules, crate::search_rules::RuleLimits::default());
        let listed = |query: Option<&str>, active, offset, limit| {
            let filter = RuleFilter { query: query.map(str::to_owned), active };
            let page = page(&rule_set, &filter, offset, limit);
            let uids: Vec<String> = page.results.into_iter().map(|rule| rule.uid).collect();
            (uids.join(" "), page.total)
        };
        for (query, active, offset, limit, uids, total) in [
            (None, None, 0, 20, "r2 r3 r1", 3),
            (Some(""), None, 0, 20, "r2 r3 r1", 3),
            (None, None, 1, 1, "r3", 3),
            (None, None, 3, 1, "", 3),
            (None, None, 0, 0, "", 3),
            (None, Some(true), 0, 20, "r3 r1", 2),
            (None, Some(false), 0, 20, "r2", 1),
            (Some("BOOTS"), None, 0, 20, "r2 r1", 2),
            (Some("boots summer"), None, 0, 20, "r2", 1),
            (Some("boots ete"), None, 0, 20, "", 0),
            (Some("ete"), None, 0, 20, "r3", 1),
            (Some("hat"), None, 0, 20, "", 0),
            (Some("boots"), Some(true), 0, 20, "r1", 1),
        ] {
            assert_eq!(listed(query, active, offset, limit), (uids.to_owned(), total), "{query:?}");
        }
    }
}
