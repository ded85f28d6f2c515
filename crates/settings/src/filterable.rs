//! Which attributes are filterable, facetable and sortable, and so which values an index stores in
//! columns.

use crate::boosts::{Boost, Effect};
use crate::geo_fields::{GEO_FIELD, GEOJSON_FIELD};
use crate::pattern::{covers, matches};
use crate::ranking_rule::RankingRule;
use crate::typed::Settings;
use crate::values::{FilterFeatures, FilterableRule};

impl FilterFeatures {
    const ALL: Self = Self { facet_search: true, equality: true, comparison: true };

    /// Returns whether the attribute can be filtered by at all.
    pub fn filters(self) -> bool {
        self.equality || self.comparison
    }
}

impl FilterableRule {
    pub fn is_for(&self, attribute: &str) -> bool {
        match self {
            Self::Attribute(entry) => covers(entry, attribute),
            Self::Patterns { attribute_patterns, .. } => {
                attribute_patterns.iter().any(|pattern| matches(pattern, attribute))
            }
        }
    }

    pub fn features(&self) -> FilterFeatures {
        match self {
            Self::Attribute(_) => FilterFeatures::ALL,
            Self::Patterns { features, .. } => *features,
        }
    }

    /// Returns the patterns as written in the settings.
    pub fn patterns(&self) -> &[String] {
        match self {
            Self::Attribute(entry) => std::slice::from_ref(entry),
            Self::Patterns { attribute_patterns, .. } => attribute_patterns,
        }
    }
}

impl Settings {
    /// Returns the rule that applies to an attribute, and its position in the list.
    pub fn filterable_rule(&self, attribute: &str) -> Option<(usize, &FilterableRule)> {
        self.filterable_attributes.iter().enumerate().find(|(_, rule)| rule.is_for(attribute))
    }

    /// Returns the distinct patterns of the rules with a feature, in byte order.
    pub fn filterable_patterns(&self, allows: impl Fn(FilterFeatures) -> bool) -> Vec<&str> {
        let rules = self.filterable_attributes.iter().filter(|rule| allows(rule.features()));
        let mut patterns: Vec<&str> =
            rules.flat_map(FilterableRule::patterns).map(String::as_str).collect();
        patterns.sort_unstable();
        patterns.dedup();
        patterns
    }

    pub fn is_sortable(&self, attribute: &str) -> bool {
        self.sortable_attributes.iter().any(|entry| covers(entry, attribute))
    }

    /// Returns whether an index stores the values of this attribute in a column.
    pub fn needs_column(&self, attribute: &str) -> bool {
        let is_ranked_by = |rule: &RankingRule| match rule {
            RankingRule::Asc(name) | RankingRule::Desc(name) => name == attribute,
            _ => false,
        };
        self.filterable_rule(attribute).is_some()
            || self.is_sortable(attribute)
            || self.distinct_attribute.as_deref() == Some(attribute)
            || self.ranking_rules.iter().any(is_ranked_by)
            || self.boosts.iter().any(|boost| boost.effect.attribute() == Some(attribute))
    }

    /// Returns whether points are indexed. A pattern does not enable that.
    pub fn indexes_points(&self) -> bool {
        let is_near = |boost: &Boost| matches!(boost.effect, Effect::Near { .. });
        self.filters_by_points()
            || self.sortable_attributes.contains(GEO_FIELD)
            || self.boosts.iter().any(is_near)
    }

    pub fn filters_by_points(&self) -> bool {
        self.lists_filterable(GEO_FIELD)
    }

    /// Returns whether shapes are indexed, and can be filtered by.
    pub fn indexes_shapes(&self) -> bool {
        self.lists_filterable(GEOJSON_FIELD)
    }

    fn lists_filterable(&self, name: &str) -> bool {
        let is_it = |rule: &FilterableRule| matches!(rule, FilterableRule::Attribute(entry) if entry == name);
        self.filterable_attributes.iter().any(is_it)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn settings(stored: Value) -> Settings {
        Settings::from_stored(&stored)
    }

    #[test]
    fn the_first_rule_for_an_attribute_decides() {
        let off = json!({ "attributePatterns": ["secret_*"],
            "features": { "facetSearch": false, "filter": { "equality": false, "comparison": false } } });
        let settings = settings(json!({ "filterableAttributes": [off, "owner",
            { "attributePatterns": ["*_price", "owner.name"] }] }));
        let rule = |name: &str| settings.filterable_rule(name).map(|(place, _)| place);
        assert_eq!(rule("secret_price"), Some(0));
        assert_eq!(rule("low_price"), Some(2));
        assert_eq!(rule("owner.name"), Some(1));
        assert_eq!(rule("price"), None);
        assert_eq!(
            settings.filterable_patterns(FilterFeatures::filters),
            ["*_price", "owner", "owner.name"]
        );
    }

    #[test]
    fn columns_are_kept_for_what_is_asked_of_values() {
        let settings =
            settings(json!({ "filterableAttributes": ["a"], "sortableAttributes": ["b"],
            "distinctAttribute": "c", "rankingRules": ["words", "d:asc", "e:desc"] }));
        for name in ["a", "a.x", "b", "b.x", "c", "d", "e"] {
            assert!(settings.needs_column(name), "{name}");
        }
        for name in ["c.x", "d.x", "f", "ab"] {
            assert!(!settings.needs_column(name), "{name}");
        }
    }

    #[test]
    fn places_are_kept_when_they_are_named_in_full() {
        let of = |stored| {
            let settings = settings(stored);
            (settings.indexes_points(), settings.indexes_shapes())
        };
        assert_eq!(of(json!({ "filterableAttributes": ["_geo"] })), (true, false));
        assert_eq!(of(json!({ "sortableAttributes": ["_geo"] })), (true, false));
        assert_eq!(of(json!({ "filterableAttributes": ["_geojson"] })), (false, true));
        let pattern = json!([{ "attributePatterns": ["_geo", "_geo*", "*"] }]);
        assert_eq!(of(json!({ "filterableAttributes": pattern })), (false, false));
    }
}
