//! The part of the settings that decides which attributes have a column. Settings with equal rules
//! need the same columns, so nothing is rebuilt between them.

use std::collections::BTreeSet;

use model::VECTORS_FIELD;
use settings::pattern::{covers, matches};
use settings::{FilterableRule, GEOJSON_FIELD, RankingRule, Settings};

use super::entries::Entries;

/// Top-level fields whose members are not values: they have components of their own. Whether a
/// document has a shape is recorded all the same.
const WITHOUT_VALUES: [&str; 2] = [VECTORS_FIELD, GEOJSON_FIELD];

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ColumnRules {
    /// Each covers itself and everything inside it.
    entries: Entries,
    /// Each covers only itself.
    names: Entries,
    patterns: BTreeSet<String>,
}

/// Which of the attributes inside another have columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inside {
    All,
    Some,
    Nothing,
}

impl ColumnRules {
    pub fn of(settings: &Settings) -> Self {
        let mut rules = Self::default();
        for rule in &settings.filterable_attributes {
            match rule {
                FilterableRule::Attribute(entry) => rules.entries.insert(entry),
                FilterableRule::Patterns { attribute_patterns, .. } => {
                    rules.patterns.extend(attribute_patterns.iter().cloned());
                }
            }
        }
        rules.entries.extend(&settings.sortable_attributes);
        rules.names.extend(&settings.distinct_attribute);
        rules.names.extend(settings.ranking_rules.iter().filter_map(|rule| match rule {
            RankingRule::Asc(name) | RankingRule::Desc(name) => Some(name),
            _ => None,
        }));
        let boosted = settings.boosts.iter().filter_map(|boost| boost.effect.attribute());
        boosted.for_each(|attribute| rules.names.insert(attribute));
        rules
    }

    pub fn want_nothing(&self) -> bool {
        self.entries.is_empty() && self.names.is_empty() && self.patterns.is_empty()
    }

    /// Returns what these rules ask for and `before` did not. Columns that both want, in different
    /// words, are left out by the caller.
    pub fn beyond(&self, before: &Self) -> Self {
        Self {
            entries: self.entries.beyond(&before.entries),
            names: self.names.beyond(&before.names),
            patterns: &self.patterns - &before.patterns,
        }
    }

    /// Returns whether an attribute, given by its flattened name, has a column.
    pub fn want(&self, attribute: &str) -> bool {
        has_columns(attribute)
            && (self.entries.cover(attribute)
                || self.names.contains(attribute)
                || self.patterns.iter().any(|pattern| matches(pattern, attribute)))
    }

    /// Returns which attributes whose names begin with this one and a dot have columns.
    pub fn inside(&self, attribute: &str) -> Inside {
        if is_without_values(attribute) {
            return Inside::Nothing;
        }
        let start = format!("{attribute}.");
        let of_patterns = || self.patterns.iter().map(|pattern| pattern_inside(pattern, &start));
        if self.entries.cover(attribute) || of_patterns().any(|inside| inside == Inside::All) {
            return Inside::All;
        }
        let mut named = self.entries.inside(attribute).chain(self.names.inside(attribute));
        if named.next().is_some() || of_patterns().any(|inside| inside == Inside::Some) {
            return Inside::Some;
        }
        Inside::Nothing
    }
}

/// The columns to build.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ColumnChoice<'s> {
    rules: &'s ColumnRules,
    /// Columns that are not rebuilt.
    built: Option<BuiltColumns<'s>>,
}

#[derive(Debug, Clone, Copy)]
struct BuiltColumns<'s> {
    /// Columns wanted by these rules have been built, or no document has them.
    rules: &'s ColumnRules,
    /// These columns exist, whatever rules wanted them.
    columns: &'s BTreeSet<&'s str>,
}

impl<'s> ColumnChoice<'s> {
    /// Chooses all columns; `None` if the rules want none.
    pub fn all(rules: &'s ColumnRules) -> Option<Self> {
        (!rules.want_nothing()).then_some(Self { rules, built: None })
    }

    /// Chooses the columns that `added` wants and `before` did not, except the existing `columns`.
    pub fn new_ones(
        added: &'s ColumnRules,
        before: &'s ColumnRules,
        columns: &'s BTreeSet<&'s str>,
    ) -> Option<Self> {
        let built = Some(BuiltColumns { rules: before, columns });
        (!added.want_nothing()).then_some(Self { rules: added, built })
    }

    pub fn want(&self, attribute: &str) -> bool {
        let is_built = |built: &BuiltColumns<'_>| {
            built.rules.want(attribute) || built.columns.contains(attribute)
        };
        self.rules.want(attribute) && !self.built.as_ref().is_some_and(is_built)
    }

    pub fn want_inside(&self, attribute: &str) -> bool {
        let is_built = |built: &BuiltColumns<'_>| built.rules.inside(attribute) == Inside::All;
        self.rules.inside(attribute) != Inside::Nothing
            && !self.built.as_ref().is_some_and(is_built)
    }
}

fn has_columns(attribute: &str) -> bool {
    attribute == GEOJSON_FIELD || !is_without_values(attribute)
}

fn is_without_values(attribute: &str) -> bool {
    WITHOUT_VALUES.iter().any(|entry| covers(entry, attribute))
}

/// Returns what a pattern covers of the names that begin with `start`.
pub(super) fn pattern_inside(pattern: &str, start: &str) -> Inside {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(""), _) => Inside::All,
        (Some(_), _) => Inside::Some,
        (None, Some(beginning)) if start.starts_with(beginning) => Inside::All,
        (None, Some(beginning)) if beginning.starts_with(start) => Inside::Some,
        (None, None) if pattern.starts_with(start) => Inside::Some,
        _ => Inside::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn rules(stored: Value) -> ColumnRules {
        ColumnRules::of(&Settings::from_stored(&stored))
    }

    #[test]
    fn columns_are_wanted_for_what_is_asked_of_values() {
        let rules = rules(json!({ "filterableAttributes": ["a", { "attributePatterns": ["p_*"] }],
            "sortableAttributes": ["b.c"], "distinctAttribute": "d", "rankingRules": ["e.f:asc"] }));
        for name in ["a", "a.x.y", "b.c", "b.c.x", "d", "e.f", "p_", "p_1.x"] {
            assert!(rules.want(name), "{name}");
        }
        for name in ["b", "ab", "d.x", "e", "e.f.x", "p", "_vectors", ""] {
            assert!(!rules.want(name), "{name}");
        }
        for (name, expected) in [
            ("a", Inside::All),
            ("a.x", Inside::All),
            ("b", Inside::Some),
            ("b.c", Inside::All),
            ("d", Inside::Nothing),
            ("e", Inside::Some),
            ("e.f", Inside::Nothing),
            ("p_1", Inside::All),
            ("x", Inside::Nothing),
        ] {
            assert_eq!(rules.inside(name), expected, "{name}");
        }
    }

    #[test]
    fn existing_columns_are_not_chosen_again() {
        let before = rules(json!({ "filterableAttributes": ["a", "b.x"] }));
        let after = rules(json!({ "filterableAttributes": ["a", "b", "c"] }));
        let there = BTreeSet::from(["c"]);
        let added = after.beyond(&before);
        let choice = ColumnChoice::new_ones(&added, &before, &there).unwrap();
        for name in ["a", "a.x", "b.x", "c", "d"] {
            assert!(!choice.want(name), "{name}");
        }
        for name in ["b", "b.y", "c.x"] {
            assert!(choice.want(name), "{name}");
        }
        assert!(!choice.want_inside("a") && !choice.want_inside("b.x"));
        assert!(choice.want_inside("b") && choice.want_inside("c"));
        for fewer in [&after, &before, &ColumnRules::default()] {
            let added = fewer.beyond(&after);
            let is_less = fewer == &after || *fewer == ColumnRules::default();
            assert_eq!(ColumnChoice::new_ones(&added, &after, &there).is_none(), is_less);
        }
        // Unchanged attributes are not searched for new columns.
        let added = rules(json!({ "filterableAttributes": ["b.x", "c"] }));
        let added = added.beyond(&rules(json!({ "filterableAttributes": ["b.x"] })));
        let before = rules(json!({ "filterableAttributes": ["b.x"] }));
        let choice = ColumnChoice::new_ones(&added, &before, &there).unwrap();
        assert!(!choice.want_inside("b") && choice.want_inside("c"));
    }

    #[test]
    fn the_members_of_vectors_and_shapes_have_no_columns() {
        let rules = rules(json!({ "filterableAttributes": ["_geojson", "_geo",
            { "attributePatterns": ["*"] }] }));
        assert!(rules.want("_geo.lat") && rules.want("x._geojson"));
        for name in ["_vectors", "_vectors.x", "_geojson", "_geojson.coordinates"] {
            assert_eq!(rules.want(name), name == "_geojson", "{name}");
            assert_eq!(rules.inside(name), Inside::Nothing, "{name}");
        }
    }

    #[test]
    fn only_what_changes_columns_counts() {
        let base = rules(json!({ "filterableAttributes": ["a", "b"] }));
        let same = [
            json!({ "filterableAttributes": ["b", "a", "b"] }),
            json!({ "filterableAttributes": ["a"], "sortableAttributes": ["b"] }),
            json!({ "filterableAttributes": ["a", "b"], "searchableAttributes": ["x"],
                "faceting": { "maxValuesPerFacet": 3 }, "rankingRules": ["words"] }),
        ];
        for stored in same {
            assert_eq!(rules(stored.clone()), base, "{stored}");
        }
        for stored in [
            json!(null),
            json!({ "filterableAttributes": ["a"] }),
            json!({ "filterableAttributes": ["a", "b"], "distinctAttribute": "c" }),
            json!({ "filterableAttributes": ["a", "b"], "rankingRules": ["c:desc"] }),
            json!({ "filterableAttributes": ["a", { "attributePatterns": ["b"] }] }),
        ] {
            assert_ne!(rules(stored.clone()), base, "{stored}");
        }
        assert!(rules(json!({ "stopWords": ["x"] })).want_nothing());
        assert!(!base.want_nothing());
    }

    fn name() -> impl Strategy<Value = String> {
        prop::collection::vec("[ab]{0,2}", 1..4).prop_map(|parts| parts.join("."))
    }

    fn stored() -> impl Strategy<Value = Value> {
        let pattern = (any::<bool>(), name(), any::<bool>()).prop_map(|(before, name, after)| {
            let star = |there| if there { "*" } else { "" };
            format!("{}{name}{}", star(before), star(after))
        });
        let names = || prop::collection::vec(name(), 0..2);
        (names(), prop::collection::vec(pattern, 0..2), names(), names()).prop_map(
            |(entries, patterns, sortable, ranked)| {
                let mut filterable: Vec<Value> = entries.into_iter().map(Value::from).collect();
                filterable.push(json!({ "attributePatterns": patterns }));
                let ranked: Vec<String> = ranked.iter().map(|name| format!("{name}:asc")).collect();
                json!({ "filterableAttributes": filterable, "sortableAttributes": sortable,
                    "rankingRules": ranked })
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn they_say_what_the_settings_say(stored in stored(), outer in name(), end in name()) {
            let settings = Settings::from_stored(&stored);
            let rules = ColumnRules::of(&settings);
            let inner = format!("{outer}.{end}");
            for name in [&outer, &inner] {
                prop_assert_eq!(rules.want(name), settings.needs_column(name), "{}", name);
            }
            match rules.inside(&outer) {
                Inside::All => prop_assert!(settings.needs_column(&inner)),
                Inside::Nothing => prop_assert!(!settings.needs_column(&inner)),
                Inside::Some => {}
            }
        }
    }
}
