//! Search rules of a tenant token: which indexes, and which of their documents.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::pattern;

/// Rules as tokens spell them. Patterns are not checked: one that matches nothing allows nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum SearchRules {
    Indexes(BTreeSet<String>),
    Filtered(BTreeMap<String, Option<Rule>>),
}

/// Rule of one index. An array of one element is read as this, too. An unknown member could be a
/// misspelled filter; ignoring it would expose every document.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with a `filter`")]
pub struct Rule {
    filter: Option<Value>,
}

/// Chooses the form first, so that an error names the mistake and not the possible forms.
impl<'de> Deserialize<'de> for SearchRules {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = match Value::deserialize(deserializer)? {
            list @ Value::Array(_) => serde_json::from_value(list).map(Self::Indexes),
            rules @ Value::Object(_) => serde_json::from_value(rules).map(Self::Filtered),
            _ => return Err(D::Error::custom("`searchRules` must be an array or an object")),
        };
        read.map_err(|error| D::Error::custom(format!("`searchRules`: {error}")))
    }
}

impl SearchRules {
    /// Returns whether the index may be searched at all.
    pub fn allow(&self, index: &str) -> bool {
        match self {
            Self::Indexes(patterns) => patterns.iter().any(|p| pattern::matches(p, index)),
            Self::Filtered(rules) => rule_for(rules, index).is_some(),
        }
    }

    /// Returns the filter that its documents must match, in any form of a filter.
    pub fn filter(&self, index: &str) -> Option<&Value> {
        match self {
            Self::Indexes(_) => None,
            Self::Filtered(rules) => rule_for(rules, index)?.as_ref()?.filter.as_ref(),
        }
    }

    pub(crate) fn listed(&self) -> BTreeSet<&str> {
        match self {
            Self::Indexes(patterns) => patterns.iter().map(String::as_str).collect(),
            Self::Filtered(rules) => rules.keys().map(String::as_str).collect(),
        }
    }
}

/// Returns the rule that applies: the exact name's, else the longest pattern's.
fn rule_for<'r>(
    rules: &'r BTreeMap<String, Option<Rule>>,
    index: &str,
) -> Option<&'r Option<Rule>> {
    if let Some(rule) = rules.get(index) {
        return Some(rule);
    }
    let matching = rules.iter().filter(|(pattern, _)| pattern::matches(pattern, index));
    matching.max_by_key(|(pattern, _)| pattern.len()).map(|(_, rule)| rule)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rules(json: Value) -> SearchRules {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn one_rule_counts_the_closest() {
        for (given, filter) in [
            (json!({"*": {"filter": "a"}, "books": {"filter": "b"}}), Some("b")),
            (json!({"*": {"filter": "a"}, "boo*": {"filter": "b"}}), Some("b")),
            (json!({"b*": {"filter": "a"}, "boo*": {"filter": "b"}}), Some("b")),
            (json!({"boo*": {"filter": "b"}, "b*": {"filter": "a"}}), Some("b")),
            (json!({"books*": {"filter": "a"}, "books": {}}), None),
            (json!({"*": {"filter": "a"}, "b*": null}), None),
            (json!({"*": {"filter": "a"}, "films": {}}), Some("a")),
            (json!({"books": ["b"]}), Some("b")),
        ] {
            let rules = rules(given.clone());
            assert!(rules.allow("books"), "{given}");
            assert_eq!(rules.filter("books").and_then(Value::as_str), filter, "{given}");
        }
    }

    #[test]
    fn indexes_without_a_rule_are_closed() {
        for given in [
            json!([]),
            json!({}),
            json!(["films"]),
            json!({"films": {}}),
            json!({"**": {}}),
            json!(["a b"]),
            json!(["Books"]),
        ] {
            assert!(!rules(given.clone()).allow("books"), "{given}");
        }
        for given in [json!(["*"]), json!(["boo*"]), json!(["films", "books"]), json!({"*": null})]
        {
            assert!(rules(given.clone()).allow("books"), "{given}");
        }
    }

    #[test]
    fn other_forms_are_not_rules() {
        for bad in [json!(null), json!("*"), json!(5), json!([1]), json!({"books": 3})] {
            assert!(serde_json::from_value::<SearchRules>(bad.clone()).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_misspelled_filter_is_refused() {
        for (given, name) in [
            (json!({"books": {"filters": "a = 1"}}), "filters"),
            (json!({"books": {"Filter": "a = 1"}}), "Filter"),
            (json!({"books": {"filter": "a = 1", "limit": 1}}), "limit"),
            (json!({"films": {}, "b*": {"": null}}), ""),
        ] {
            let error = serde_json::from_value::<SearchRules>(given.clone()).unwrap_err();
            let expected = format!("`searchRules`: unknown field `{name}`, expected `filter`");
            assert_eq!(error.to_string(), expected, "{given}");
        }
        for none in [json!({}), json!(null), json!({"filter": null}), json!({"filter": []})] {
            assert!(rules(json!({"books": none})).allow("books"));
        }
    }
}
