//! The part of the settings that decides what a text component contains. Settings with equal rules
//! have the same text; [`TextChoice`] describes the differences of others.

use settings::pattern::covers;
use settings::{LocalizedIndex, LocalizedRule, Settings};
use text::{Language, WordLists};

use super::column_rules::{Inside, pattern_inside};
use super::entries::Entries;

/// Top-level fields that have a meaning of their own and are never searched.
const NEVER_SEARCHED: [&str; 3] = ["_vectors", "_geo", "_geojson"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextRules {
    /// No entry covers another. `None` stands for all attributes.
    searchable: Option<Entries>,
    words: WordLists,
    localized: Vec<LocalizedRule>,
    localized_index: LocalizedIndex,
}

/// Which part of a value is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coverage {
    All,
    /// Not the value itself, but perhaps something inside it.
    Inside,
    Nothing,
}

impl TextRules {
    pub fn of(settings: &Settings) -> Self {
        let searchable = settings.searchable_attributes.as_ref();
        let named = searchable.filter(|entries| !entries.iter().any(|entry| entry == "*"));
        Self {
            searchable: named.map(|entries| entries.iter().collect::<Entries>().without_covered()),
            words: settings.words.clone(),
            localized: settings.localized_attributes.clone(),
            localized_index: LocalizedIndex::default(),
        }
    }

    /// Returns the coverage of an attribute, given by its flattened name.
    pub fn coverage(&self, attribute: &str) -> Coverage {
        if NEVER_SEARCHED.iter().any(|entry| covers(entry, attribute)) {
            return Coverage::Nothing;
        }
        let Some(searchable) = &self.searchable else {
            return Coverage::All;
        };
        if searchable.cover(attribute) {
            Coverage::All
        } else if searchable.inside(attribute).next().is_some() {
            Coverage::Inside
        } else {
            Coverage::Nothing
        }
    }

    fn languages_of(&self, attribute: &str) -> &[Language] {
        let rule = self.localized_index.first(&self.localized, attribute);
        rule.map_or(&[], |rule| &rule.locales)
    }

    /// Returns what determines the languages of the attributes inside another.
    fn languages_inside(&self, attribute: &str) -> Vec<(Vec<&str>, &[Language])> {
        let start = format!("{attribute}.");
        let mut rules = Vec::new();
        for rule in &self.localized {
            let patterns = rule.attribute_patterns.iter().map(String::as_str);
            let counts = |pattern: &&str| pattern_inside(pattern, &start) != Inside::Nothing;
            let patterns: Vec<&str> = patterns.filter(counts).collect();
            if !patterns.is_empty() {
                rules.push((patterns, &*rule.locales));
            }
        }
        rules
    }
}

/// The attributes whose words are built.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextChoice<'s> {
    rules: &'s TextRules,
    /// Words built by these rules are not rebuilt, unless they have changed.
    before: Option<&'s TextRules>,
}

impl<'s> TextChoice<'s> {
    pub fn all(rules: &'s TextRules) -> Self {
        Self { rules, before: None }
    }

    /// Chooses what differs from the rules `before`; `None` if nothing does.
    pub fn new_ones(rules: &'s TextRules, before: &'s TextRules) -> Option<Self> {
        // Other stop words or separators may change any text.
        let same_words = rules.words == before.words;
        (rules != before).then_some(Self { rules, before: same_words.then_some(before) })
    }

    /// Returns whether the words of an attribute are built.
    pub fn builds(&self, attribute: &str) -> bool {
        self.coverage(attribute) == Coverage::All
    }

    /// Returns whether the words of an attribute stay unchanged.
    pub fn keeps(&self, attribute: &str) -> bool {
        let is_searched = |rules: &TextRules| rules.coverage(attribute) == Coverage::All;
        self.before.is_some_and(|before| {
            is_searched(before)
                && is_searched(self.rules)
                && before.languages_of(attribute) == self.rules.languages_of(attribute)
        })
    }

    /// Returns which part of an attribute is built.
    pub fn coverage(&self, attribute: &str) -> Coverage {
        let now = self.rules.coverage(attribute);
        let Some(before) = self.before else {
            return now;
        };
        match now {
            Coverage::All if !self.keeps(attribute) => Coverage::All,
            Coverage::All if self.keeps_inside(attribute, before) => Coverage::Nothing,
            Coverage::Inside if self.keeps_entries_inside(attribute) => Coverage::Nothing,
            Coverage::All | Coverage::Inside => Coverage::Inside,
            Coverage::Nothing => Coverage::Nothing,
        }
    }

    /// Returns whether everything inside an attribute stays unchanged, if the attribute does.
    fn keeps_inside(&self, attribute: &str, before: &TextRules) -> bool {
        self.rules.localized == before.localized
            || self.rules.languages_inside(attribute) == before.languages_inside(attribute)
    }

    fn keeps_entries_inside(&self, attribute: &str) -> bool {
        let searchable = self.rules.searchable.iter();
        let mut entries = searchable.flat_map(|searchable| searchable.inside(attribute));
        entries.all(|entry| self.coverage(entry) == Coverage::Nothing)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn rules(stored: Value) -> TextRules {
        TextRules::of(&Settings::from_stored(&stored))
    }

    #[test]
    fn an_entry_covers_what_is_inside_it() {
        let rules = rules(json!({ "searchableAttributes": ["a.b", "c", "c.d", "c"] }));
        for (attribute, expected) in [
            ("a", Coverage::Inside),
            ("a.b", Coverage::All),
            ("a.b.c", Coverage::All),
            ("a.bc", Coverage::Nothing),
            ("c", Coverage::All),
            ("c.x", Coverage::All),
            ("cc", Coverage::Nothing),
            ("", Coverage::Nothing),
            ("_geo", Coverage::Nothing),
        ] {
            assert_eq!(rules.coverage(attribute), expected, "{attribute}");
        }
    }

    #[test]
    fn everything_but_reserved_fields_is_searched_by_default() {
        for stored in [json!(null), json!({ "searchableAttributes": ["a", "*"] })] {
            let rules = rules(stored);
            assert_eq!(rules.coverage("any.thing"), Coverage::All);
            assert_eq!(rules.coverage("x._geo"), Coverage::All);
            for attribute in ["_vectors", "_geo.lat", "_geojson", "_vectors.a.b"] {
                assert_eq!(rules.coverage(attribute), Coverage::Nothing);
            }
        }
    }

    #[test]
    fn attributes_are_built_alone() {
        let before = rules(json!({ "searchableAttributes": ["a", "b.x", "c"] }));
        let after = rules(json!({ "searchableAttributes": ["b", "c", "d.e"],
            "localizedAttributes": [{ "attributePatterns": ["c.x", "d"], "locales": ["jpn"] }] }));
        let choice = TextChoice::new_ones(&after, &before).unwrap();
        for (attribute, expected, stays) in [
            ("a", Coverage::Nothing, false),
            ("b", Coverage::All, false),
            ("b.y", Coverage::All, false),
            ("b.x", Coverage::Nothing, true),
            ("b.x.z", Coverage::Nothing, true),
            ("c", Coverage::Inside, true),
            ("c.x", Coverage::All, false),
            ("c.y", Coverage::Nothing, true),
            ("d", Coverage::Inside, false),
            ("d.e", Coverage::All, false),
        ] {
            assert_eq!(choice.coverage(attribute), expected, "{attribute}");
            assert_eq!(choice.keeps(attribute), stays, "{attribute}");
        }
        // In the other direction: unchanged attributes inside `b` are not looked for.
        let choice = TextChoice::new_ones(&before, &after).unwrap();
        assert_eq!(choice.coverage("b"), Coverage::Nothing);
        assert_eq!(choice.coverage("a"), Coverage::All);
        assert!(choice.keeps("b.x") && !choice.keeps("b.y"));
    }

    #[test]
    fn other_words_change_everything_and_equal_rules_nothing() {
        let before = rules(json!({ "searchableAttributes": ["a"] }));
        let after = rules(json!({ "searchableAttributes": ["a"], "dictionary": ["j. r."] }));
        let choice = TextChoice::new_ones(&after, &before).unwrap();
        assert!(choice.builds("a") && !choice.keeps("a"));
        assert_eq!(choice.coverage("b"), Coverage::Nothing);
        assert!(TextChoice::new_ones(&after, &after).is_none());
        // Everything is searched, by name or without.
        let all = rules(json!(null));
        let choice = TextChoice::new_ones(&all, &before).unwrap();
        assert_eq!(
            (choice.coverage("a"), choice.coverage("b")),
            (Coverage::Nothing, Coverage::All)
        );
    }

    #[test]
    fn only_what_changes_words_counts() {
        let base = rules(json!({ "searchableAttributes": ["a", "b"], "stopWords": ["x"] }));
        let same = [
            json!({ "searchableAttributes": ["b", "a"], "stopWords": ["x"] }),
            json!({ "searchableAttributes": ["b", "a.c", "a", "b"], "stopWords": ["x"] }),
            json!({ "searchableAttributes": ["a", "b"], "stopWords": ["x"],
                "synonyms": { "a": ["b"] }, "rankingRules": ["words"], "displayedAttributes": ["a"],
                "typoTolerance": { "enabled": false }, "sortableAttributes": ["a"] }),
        ];
        for stored in same {
            assert_eq!(rules(stored.clone()), base, "{stored}");
        }
        let other = [
            json!({ "stopWords": ["x"] }),
            json!({ "searchableAttributes": ["a"], "stopWords": ["x"] }),
            json!({ "searchableAttributes": ["a", "b"] }),
            json!({ "searchableAttributes": ["a", "b"], "stopWords": ["x"], "separatorTokens": ["-"] }),
            json!({ "searchableAttributes": ["a", "b"], "stopWords": ["x"], "nonSeparatorTokens": ["-"] }),
            json!({ "searchableAttributes": ["a", "b"], "stopWords": ["x"], "dictionary": ["j. r."] }),
            json!({ "searchableAttributes": ["a", "b"], "stopWords": ["x"],
                "localizedAttributes": [{ "attributePatterns": ["a"], "locales": ["jpn"] }] }),
        ];
        for stored in other {
            assert_ne!(rules(stored.clone()), base, "{stored}");
        }
    }
}
