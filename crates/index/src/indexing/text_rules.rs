//! The part of the settings that decides what a text component holds. Two settings with equal
//! rules have the same text, so nothing is built again between them.

use std::collections::BTreeSet;

use settings::pattern::covers;
use settings::{LocalizedRule, Settings};
use text::WordLists;

/// Top-level fields that have a meaning of their own and are never searched.
const NEVER_SEARCHED: [&str; 3] = ["_vectors", "_geo", "_geojson"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextRules {
    /// Names of attributes; each covers those inside it too, and none covers another. None: all.
    searchable: Option<BTreeSet<String>>,
    words: WordLists,
    localized: Vec<LocalizedRule>,
}

/// What of a value is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coverage {
    All,
    /// Not itself, but perhaps something inside it.
    Inside,
    Nothing,
}

impl TextRules {
    pub fn of(settings: &Settings) -> Self {
        Self {
            searchable: settings.searchable_attributes.as_deref().and_then(without_covered),
            words: settings.words.clone(),
            localized: settings.localized_attributes.clone(),
        }
    }

    /// `attribute` is a flattened name.
    pub fn coverage(&self, attribute: &str) -> Coverage {
        if NEVER_SEARCHED.iter().any(|entry| covers(entry, attribute)) {
            return Coverage::Nothing;
        }
        let Some(searchable) = &self.searchable else {
            return Coverage::All;
        };
        if searchable.iter().any(|entry| covers(entry, attribute)) {
            return Coverage::All;
        }
        if searchable.iter().any(|entry| covers(attribute, entry)) {
            return Coverage::Inside;
        }
        Coverage::Nothing
    }
}

fn without_covered(entries: &[String]) -> Option<BTreeSet<String>> {
    if entries.iter().any(|entry| entry == "*") {
        return None;
    }
    let is_covered =
        |entry: &String| entries.iter().any(|other| other != entry && covers(other, entry));
    Some(entries.iter().filter(|entry| !is_covered(entry)).cloned().collect())
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
