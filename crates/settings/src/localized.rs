//! Finds the rule of `localizedAttributes` for an attribute. Documents may have tens of thousands
//! of fields and settings as many rules, so names and patterns with a star at one end are looked up
//! by hash; only the rare ones with stars at both ends are searched.

use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

use text::Language;

use crate::pattern;

/// The languages of the attributes that match one of the patterns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalizedRule {
    pub attribute_patterns: Vec<String>,
    /// Languages; empty means any.
    pub locales: Vec<Language>,
}

impl LocalizedRule {
    pub fn is_for(&self, attribute: &str) -> bool {
        self.attribute_patterns.iter().any(|pattern| pattern::matches(pattern, attribute))
    }
}

/// Lookup table over the rules, built on first use. It is derived from them, so all tables compare
/// equal.
#[derive(Debug, Default)]
pub struct LocalizedIndex(OnceLock<RuleTable>);

impl Clone for LocalizedIndex {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for LocalizedIndex {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for LocalizedIndex {}

impl LocalizedIndex {
    /// Returns the first rule for the attribute.
    pub fn first<'r>(
        &self,
        rules: &'r [LocalizedRule],
        attribute: &str,
    ) -> Option<&'r LocalizedRule> {
        match rules {
            [] => None,
            [only] => only.is_for(attribute).then_some(only),
            _ => {
                let places = self.0.get_or_init(|| RuleTable::of(rules));
                // Rules changed since are searched one by one.
                if places.count != rules.len() {
                    return rules.iter().find(|rule| rule.is_for(attribute));
                }
                places.first(attribute).and_then(|place| rules.get(place))
            }
        }
    }
}

/// Positions of rules by pattern; of equal patterns the first.
#[derive(Debug, Default)]
struct RuleTable {
    count: usize,
    names: HashMap<String, usize>,
    starts: AffixTable,
    ends: AffixTable,
    /// Patterns with stars at both ends, in the order of their rules.
    others: Vec<(String, usize)>,
}

#[derive(Debug, Default)]
struct AffixTable {
    places: HashMap<String, usize>,
    lengths: BTreeSet<usize>,
}

impl RuleTable {
    fn of(rules: &[LocalizedRule]) -> Self {
        let mut places = Self { count: rules.len(), ..Self::default() };
        for (place, rule) in rules.iter().enumerate() {
            for text in &rule.attribute_patterns {
                match (text.strip_prefix('*'), text.strip_suffix('*')) {
                    (Some(_), Some(_)) => places.others.push((text.clone(), place)),
                    (Some(end), None) => places.ends.add(end, place),
                    (None, Some(start)) => places.starts.add(start, place),
                    (None, None) => {
                        places.names.entry(text.clone()).or_insert(place);
                    }
                }
            }
        }
        places
    }

    fn first(&self, attribute: &str) -> Option<usize> {
        let length = attribute.len();
        let by_name = self.names.get(attribute).copied();
        let by_start = self.starts.first(length, |taken| attribute.get(..taken));
        let by_end = self.ends.first(length, |taken| attribute.get(length - taken..));
        let best = [by_name, by_start, by_end].into_iter().flatten().min();
        let before = |place: usize| best.is_none_or(|best| place < best);
        let mut others = self.others.iter().take_while(|(_, place)| before(*place));
        let other = others.find(|(text, _)| pattern::matches(text, attribute));
        other.map(|(_, place)| *place).or(best)
    }
}

impl AffixTable {
    fn add(&mut self, text: &str, place: usize) {
        self.lengths.insert(text.len());
        self.places.entry(text.to_owned()).or_insert(place);
    }

    /// Finds the first rule for an attribute of this length; `cut` returns this many of its bytes.
    fn first<'a>(&self, length: usize, cut: impl Fn(usize) -> Option<&'a str>) -> Option<usize> {
        let lengths = self.lengths.range(..=length);
        lengths.filter_map(|&taken| self.places.get(cut(taken)?).copied()).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(patterns: &[&str]) -> LocalizedRule {
        let attribute_patterns = patterns.iter().map(ToString::to_string).collect();
        LocalizedRule { attribute_patterns, locales: Vec::new() }
    }

    #[test]
    fn the_same_rule_is_found_as_by_searching() {
        let texts = ["a", "b*", "*c", "*d*", "", "*", "**", "a.b", "é*", "*é", "a*b", "ab*", "*bc"];
        let attributes =
            ["", "a", "b", "ab", "abc", "bc", "c", "xdx", "é", "aé", "éa", "a.b", "a*b"];
        for first in texts {
            for second in texts {
                for third in texts {
                    let rules = [rule(&[first]), rule(&[second, third]), rule(&["a", third])];
                    let index = LocalizedIndex::default();
                    for attribute in attributes {
                        let place = |rule: &LocalizedRule| {
                            rules.iter().position(|other| std::ptr::eq(rule, other))
                        };
                        let found = index.first(&rules, attribute).and_then(place);
                        let expected = rules.iter().position(|rule| rule.is_for(attribute));
                        assert_eq!(found, expected, "{rules:?} {attribute}");
                    }
                }
            }
        }
    }

    #[test]
    fn rules_that_were_added_later_count() {
        let mut rules = vec![rule(&["a"]), rule(&["b"])];
        let index = LocalizedIndex::default();
        assert!(index.first(&rules, "c").is_none());
        rules.push(rule(&["c"]));
        assert_eq!(index.first(&rules, "c"), rules.last());
    }
}
