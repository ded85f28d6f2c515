//! A rule with its conditions parsed once, so that a search only compares.

use super::filter_values::RuleValue;
use super::rule::{Action, ActionKind, Rule, TimeCondition};
use super::rule_facts::RuleFacts;
use super::words;

#[derive(Debug)]
pub(crate) struct CompiledRule {
    pub rule: Rule,
    words: Vec<String>,
    values: Vec<RuleValue>,
}

/// A document to pin, by its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RulePin<'r> {
    pub id: &'r str,
    pub position: usize,
    /// Precedence of the rule; the highest number for none.
    pub precedence: u64,
}

impl CompiledRule {
    pub fn new(rule: Rule) -> Self {
        let query = rule.conditions.query.as_ref();
        let words = query.and_then(|query| query.words.as_deref()).map(words::unique);
        let filter = rule.conditions.filter.iter().flat_map(|filter| &filter.values);
        let values = filter.filter_map(|(name, value)| RuleValue::new(name, value)).collect();
        Self { words: words.unwrap_or_default(), values, rule }
    }

    /// Returns the sort key of rules. Ties on precedence are broken arbitrarily but always alike.
    pub fn rank(&self) -> (bool, u64, &str) {
        let precedence = self.rule.precedence;
        (precedence.is_none(), precedence.unwrap_or_default(), &self.rule.uid)
    }

    pub fn applies(&self, facts: &RuleFacts<'_>) -> bool {
        let conditions = &self.rule.conditions;
        let query = conditions.query.as_ref();
        let is_empty = query.and_then(|query| query.is_empty);
        is_empty.is_none_or(|is_empty| is_empty == facts.is_blank())
            && self.words.iter().all(|word| facts.has_word(word))
            && conditions.time.as_ref().is_none_or(|time| is_within(time, facts))
            && (self.values.is_empty() || facts.values().contain_all(&self.values))
    }

    /// Returns its pins for an index.
    pub fn pins(&self, index_uid: &str) -> impl Iterator<Item = RulePin<'_>> {
        let precedence = self.rule.precedence.unwrap_or(u64::MAX);
        let is_meant = move |action: &&Action| {
            action.selector.index_uid.as_ref().is_none_or(|uid| uid == index_uid)
        };
        self.rule.actions.iter().filter(is_meant).map(move |action| {
            let ActionKind::Pin { position } = action.action;
            RulePin { id: &action.selector.id, position, precedence }
        })
    }
}

fn is_within(time: &TimeCondition, facts: &RuleFacts<'_>) -> bool {
    time.start.is_none_or(|start| start <= facts.now) && time.end.is_none_or(|end| facts.now < end)
}

#[cfg(test)]
mod tests {
    use filter::Filter;
    use serde_json::{Value, json};
    use time::OffsetDateTime;
    use time::macros::datetime;

    use super::*;
    use crate::search_rules::RuleLimits;

    const NOW: OffsetDateTime = datetime!(2030-06-01 0:00 UTC);

    #[track_caller]
    fn check(conditions: Value, text: &str, filter: Value, expected: bool) {
        let mut rule = Rule::new("r", NOW);
        rule.conditions = serde_json::from_value(conditions.clone()).unwrap();
        let parsed = Filter::from_json(&filter).unwrap();
        let limits = RuleLimits::default();
        let facts = RuleFacts::new(Some(text), parsed.as_ref(), NOW, limits);
        let found = CompiledRule::new(rule).applies(&facts);
        assert_eq!(found, expected, "{conditions} {text:?} {filter}");
    }

    #[test]
    fn every_word_must_stand_in_the_query() {
        let words = |words: &str| json!({ "query": { "words": words } });
        for (query, expected) in [
            ("rain boot", true),
            ("BOOT for the Rain", true),
            ("\"rain boot\"", true),
            ("rain boots", false),
            ("rainboot", false),
            ("boot", false),
            ("rain boo", false),
            ("", false),
        ] {
            check(words("rain boot"), query, json!([]), expected);
        }
        check(words("Café"), "cafe", json!([]), true);
        check(words(""), "anything", json!([]), true);
    }

    #[test]
    fn emptiness_can_be_asked_for_and_ruled_out() {
        for (query, is_empty) in [("", true), ("  ", true), ("boot", false), ("!", false)] {
            check(json!({ "query": { "isEmpty": true } }), query, json!([]), is_empty);
            check(json!({ "query": { "isEmpty": false } }), query, json!([]), !is_empty);
        }
        check(json!({ "query": {} }), "boot", json!([]), true);
        let both = json!({ "query": { "isEmpty": false, "words": "boot" } });
        check(both.clone(), "boot", json!([]), true);
        check(both, "shoe", json!([]), false);
    }

    #[test]
    fn a_time_has_two_ends() {
        for (start, end, expected) in [
            (None, None, true),
            (Some("2030-06-01T00:00:00Z"), None, true),
            (Some("2030-06-01T00:00:01Z"), None, false),
            (None, Some("2030-06-01T00:00:00Z"), false),
            (None, Some("2030-06-01T00:00:01Z"), true),
            (Some("2030-05-31T23:00:00-02:00"), Some("2031-01-01T00:00:00Z"), false),
            (Some("2030-06-01T01:00:00+02:00"), Some("2031-01-01T00:00:00Z"), true),
        ] {
            let mut time = json!({});
            start.into_iter().for_each(|start| time["start"] = json!(start));
            end.into_iter().for_each(|end| time["end"] = json!(end));
            check(json!({ "time": time }), "", json!([]), expected);
        }
    }

    #[test]
    fn every_value_must_be_asked_for() {
        let values = json!({ "filter": { "values": { "kind": "care", "price": 5 } } });
        check(values.clone(), "", json!("kind = care AND price = 5"), true);
        check(values.clone(), "", json!("kind = care"), false);
        check(values.clone(), "", json!("kind = care OR price = 5"), false);
        check(values, "", json!([]), false);
        check(json!({ "filter": { "values": {} } }), "", json!([]), true);
    }

    #[test]
    fn all_conditions_must_hold() {
        let all = json!({
            "query": { "words": "boot" }, "time": { "start": "2030-01-01T00:00:00Z" },
            "filter": { "values": { "kind": "care" } },
        });
        check(all.clone(), "boot", json!("kind = care"), true);
        check(all.clone(), "shoe", json!("kind = care"), false);
        check(all.clone(), "boot", json!("kind = boot"), false);
        let mut later = all;
        later["time"]["start"] = json!("2031-01-01T00:00:00Z");
        check(later, "boot", json!("kind = care"), false);
    }
}
