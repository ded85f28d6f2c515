//! Fields of an index, and the settings of each. An index may have tens of thousands of fields and
//! a setting as many entries, so entries are looked up by name: that of the field and those of the
//! objects that contain it.

use std::collections::{HashMap, HashSet};

use index::Snapshot;
use settings::pattern::{covers, matches};
use settings::{
    FacetOrder, FilterFeatures, FilterableRule, GEO_FIELD, GEOJSON_FIELD, RankingRule, Settings,
};

use crate::common::page::Page;

/// Conditions on the fields to list; all must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldFilter {
    /// Patterns, one of which must match the name.
    pub patterns: Option<Vec<String>>,
    pub displayed: Option<bool>,
    pub searchable: Option<bool>,
    pub sortable: Option<bool>,
    pub distinct: Option<bool>,
    pub ranking_rule: Option<bool>,
    pub filterable: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Name, with dots if it is nested.
    pub name: String,
    pub displayed: bool,
    pub searchable: bool,
    pub sortable: bool,
    pub distinct: bool,
    /// Order of a ranking rule that sorts by the field.
    pub ranking_order: Option<RankingOrder>,
    /// Filter features; all off if not filterable.
    pub filterable: FilterFeatures,
    /// Order of the facet values.
    pub facet_order: FacetOrder,
    /// Three-letter language codes.
    pub locales: Vec<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankingOrder {
    Ascending,
    Descending,
}

/// Returns a page of the fields that documents have or had, in byte order of their names.
pub(crate) fn fields_of(
    snapshot: &Snapshot,
    filter: &FieldFilter,
    (offset, limit): (usize, usize),
) -> Page<Field> {
    let described = FieldLookup::new(snapshot.typed_settings());
    let mut results = Vec::new();
    let mut total = 0;
    for name in snapshot.field_names().filter(|name| described.passes(name, filter)) {
        if total >= offset && results.len() < limit {
            results.push(described.field(name));
        }
        total += 1;
    }
    Page { results, offset, limit, total }
}

/// Settings with lookup tables by name.
struct FieldLookup<'s> {
    settings: &'s Settings,
    displayed: Option<HashSet<&'s str>>,
    searchable: Option<HashSet<&'s str>>,
    /// Plain entry → index of its rule.
    filterable: HashMap<&'s str, usize>,
    /// Pattern rules, with their indexes.
    patterns: Vec<(usize, &'s FilterableRule)>,
    ranking: HashMap<&'s str, RankingOrder>,
}

impl<'s> FieldLookup<'s> {
    fn new(settings: &'s Settings) -> Self {
        let listed = |names: &'s Option<Vec<String>>| -> Option<HashSet<&'s str>> {
            Some(names.as_ref()?.iter().map(String::as_str).collect())
        };
        let mut filterable = HashMap::new();
        let mut patterns = Vec::new();
        for (place, rule) in settings.filterable_attributes.iter().enumerate() {
            match rule {
                FilterableRule::Attribute(name) => {
                    filterable.entry(name.as_str()).or_insert(place);
                }
                FilterableRule::Patterns { .. } => patterns.push((place, rule)),
            }
        }
        let mut ranking = HashMap::new();
        for rule in &settings.ranking_rules {
            let (name, order) = match rule {
                RankingRule::Asc(name) => (name, RankingOrder::Ascending),
                RankingRule::Desc(name) => (name, RankingOrder::Descending),
                _ => continue,
            };
            ranking.entry(name.as_str()).or_insert(order);
        }
        Self {
            settings,
            displayed: listed(&settings.displayed_attributes),
            searchable: listed(&settings.searchable_attributes),
            filterable,
            patterns,
            ranking,
        }
    }

    fn is_displayed(&self, name: &str) -> bool {
        self.displayed
            .as_ref()
            .is_none_or(|listed| itself_and_above(name).any(|n| listed.contains(n)))
    }

    fn is_searchable(&self, name: &str) -> bool {
        // Geo fields have no words.
        let is_place = [GEO_FIELD, GEOJSON_FIELD].iter().any(|place| covers(place, name));
        let listed = self.searchable.as_ref();
        !is_place && listed.is_none_or(|listed| itself_and_above(name).any(|n| listed.contains(n)))
    }

    fn is_sortable(&self, name: &str) -> bool {
        itself_and_above(name).any(|name| self.settings.sortable_attributes.contains(name))
    }

    fn is_distinct(&self, name: &str) -> bool {
        self.settings.distinct_attribute.as_deref() == Some(name)
    }

    /// Returns the filter features by the first rule that matches the field.
    fn features(&self, name: &str) -> FilterFeatures {
        let plain = itself_and_above(name).filter_map(|name| self.filterable.get(name)).min();
        let before = |place: &usize| plain.is_none_or(|plain| place < plain);
        let mut patterns = self.patterns.iter().take_while(|(place, _)| before(place));
        let place = patterns.find(|(_, rule)| rule.is_for(name)).map(|(place, _)| place).or(plain);
        let rule = place.and_then(|&place| self.settings.filterable_attributes.get(place));
        rule.map_or(NOT_FILTERABLE, FilterableRule::features)
    }

    fn passes(&self, name: &str, filter: &FieldFilter) -> bool {
        let agrees = |wanted: Option<bool>, is: &dyn Fn() -> bool| wanted.is_none_or(|w| w == is());
        let is_named = |patterns: &Vec<String>| patterns.iter().any(|it| matches(it, name));
        filter.patterns.as_ref().is_none_or(is_named)
            && agrees(filter.displayed, &|| self.is_displayed(name))
            && agrees(filter.searchable, &|| self.is_searchable(name))
            && agrees(filter.sortable, &|| self.is_sortable(name))
            && agrees(filter.distinct, &|| self.is_distinct(name))
            && agrees(filter.ranking_rule, &|| self.ranking.contains_key(name))
            && agrees(filter.filterable, &|| self.features(name).filters())
    }

    fn field(&self, name: &str) -> Field {
        let Settings { faceting, .. } = self.settings;
        let languages = self.settings.languages_of(name).iter();
        Field {
            name: name.to_owned(),
            displayed: self.is_displayed(name),
            searchable: self.is_searchable(name),
            sortable: self.is_sortable(name),
            distinct: self.is_distinct(name),
            ranking_order: self.ranking.get(name).copied(),
            filterable: self.features(name),
            facet_order: faceting.orders.get(name).copied().unwrap_or(faceting.order),
            locales: languages.map(|&language| text::locale::three_letter(language)).collect(),
        }
    }
}

const NOT_FILTERABLE: FilterFeatures =
    FilterFeatures { facet_search: false, equality: false, comparison: false };

/// Returns the name, then the names of the objects that contain it, innermost first.
fn itself_and_above(name: &str) -> impl Iterator<Item = &str> {
    let above = name.rmatch_indices('.').map(|(dot, _)| &name[..dot]);
    std::iter::once(name).chain(above)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_is_what_it_or_its_object_is_listed_as() {
        let settings = Settings::from_stored(&json!({
            "displayedAttributes": ["a", "_geo"],
            "searchableAttributes": ["a.b", "_geo"],
            "sortableAttributes": ["a.b.c"],
            "distinctAttribute": "a.b",
            "rankingRules": ["a:desc", "words", "a:asc"],
        }));
        let described = FieldLookup::new(&settings);
        let is = |name: &str| {
            let field = described.field(name);
            [field.displayed, field.searchable, field.sortable, field.distinct]
        };
        assert_eq!(is("a"), [true, false, false, false]);
        assert_eq!(is("a.b"), [true, true, false, true]);
        assert_eq!(is("a.b.c"), [true, true, true, false]);
        assert_eq!(is("a.b.c.d"), [true, true, true, false]);
        assert_eq!(is("ab"), [false; 4]);
        assert_eq!(is("_geo.lat"), [true, false, false, false]);
        assert_eq!(described.field("a").ranking_order, Some(RankingOrder::Descending));
        assert_eq!(described.field("a.b").ranking_order, None);
    }

    #[test]
    fn the_first_filterable_rule_decides_whichever_way_it_is_found() {
        let rule = |pattern: &str, comparison: bool| {
            let filter = json!({ "equality": false, "comparison": comparison });
            json!({ "attributePatterns": [pattern], "features": { "filter": filter } })
        };
        let rules = json!([rule("a.x*", true), "a", rule("a.*", true), rule("*", false), "b", "*"]);
        let settings = Settings::from_stored(&json!({ "filterableAttributes": rules }));
        let described = FieldLookup::new(&settings);
        for name in ["a", "a.b", "a.x", "a.xy", "a.b.c", "b", "c", "", "ab", "b.a"] {
            let (_, expected) = settings.filterable_rule(name).expect("the star is for all");
            assert_eq!(described.features(name), expected.features(), "{name}");
        }
        let wanted = FieldFilter { filterable: Some(true), ..FieldFilter::default() };
        let passing = ["a", "a.x", "b"].map(|name| described.passes(name, &wanted));
        assert_eq!(passing, [true, true, false]);
    }

    #[test]
    fn long_lists_are_not_gone_through_for_each_field() {
        let names: Vec<String> =
            (0..50_000).map(|number| format!("object.field_{number}")).collect();
        let settings = Settings::from_stored(&json!({
            "displayedAttributes": names, "searchableAttributes": names,
            "sortableAttributes": names, "filterableAttributes": names,
        }));
        let described = FieldLookup::new(&settings);
        let all = FieldFilter {
            displayed: Some(true),
            searchable: Some(true),
            sortable: Some(true),
            filterable: Some(true),
            ..FieldFilter::default()
        };
        // Billions of comparisons would exceed the time of a test.
        assert_eq!(names.iter().filter(|name| described.passes(name, &all)).count(), names.len());
    }
}
