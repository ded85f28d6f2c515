//! Usage of settings: what a change sets.

use ::settings::Change;
use serde_json::Value;
use telemetry::events::{
    AttributeList, EmbedderSource, Embedders, FilterableAttributes, PrefixSearch,
    ProximityPrecision, RankingRules, SettingsUpdate, TypoTolerance,
};

const GEO: &str = "_geo";

pub fn settings(change: &Change) -> Box<SettingsUpdate> {
    let faceting = change.get("faceting");
    let orders = faceting.and_then(|faceting| faceting.get("sortFacetValuesBy")?.as_object());
    Box::new(SettingsUpdate {
        ranking_rules: change.get("rankingRules").map(|rules| RankingRules::new(texts(rules))),
        sortable_attributes: change.get("sortableAttributes").map(attributes),
        filterable_attributes: change.get("filterableAttributes").map(filterable),
        searchable_attributes: change.get("searchableAttributes").map(attributes),
        displayed_attributes: change.get("displayedAttributes").map(attributes),
        stop_words: change.get("stopWords").map(stop_words),
        separator_tokens: change.get("separatorTokens").map(length),
        non_separator_tokens: change.get("nonSeparatorTokens").map(length),
        dictionary: change.get("dictionary").map(length),
        synonyms: change.get("synonyms").map(length),
        typo_tolerance: change.get("typoTolerance").map(typo_tolerance).unwrap_or_default(),
        max_total_hits: number(change.get("pagination"), "maxTotalHits"),
        max_values_per_facet: number(faceting, "maxValuesPerFacet"),
        facets_by_count: orders.map(|orders| orders.get("*").is_some_and(|way| way == "count")),
        facet_orders: orders.map(|orders| orders.len() as u64),
        distinct_attribute: change.get("distinctAttribute").is_some(),
        proximity_precision: change.get("proximityPrecision").map(|precision| {
            match precision.as_str() {
                Some("byAttribute") => ProximityPrecision::ByAttribute,
                _ => ProximityPrecision::ByWord,
            }
        }),
        facet_search: change.get("facetSearch").and_then(Value::as_bool),
        prefix_search: change.get("prefixSearch").map(|way| match way.as_str() {
            Some("disabled") => PrefixSearch::Disabled,
            _ => PrefixSearch::IndexingTime,
        }),
        embedders: change.get("embedders").map(embedders),
    })
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn length(value: &Value) -> u64 {
    match value {
        Value::Array(items) => items.len() as u64,
        Value::Object(members) => members.len() as u64,
        _ => 0,
    }
}

fn stop_words(stop_words: &Value) -> u64 {
    match stop_words {
        Value::Object(members) => members.get("words").map_or(0, length),
        list => length(list),
    }
}

fn number(object: Option<&Value>, member: &str) -> Option<u64> {
    object?.get(member)?.as_u64()
}

fn attributes(list: &Value) -> AttributeList {
    AttributeList {
        total: length(list),
        has_geo: texts(list).any(|name| name == GEO),
        with_wildcard: texts(list).any(|name| name == "*"),
    }
}

/// Summarises filterable attributes: names, or objects with patterns.
fn filterable(list: &Value) -> FilterableAttributes {
    let is_pattern = |entry: &Value| entry.as_str().is_none_or(|name| name.contains('*'));
    FilterableAttributes {
        total: length(list),
        has_geo: texts(list).any(|name| name == GEO),
        has_patterns: list.as_array().is_some_and(|entries| entries.iter().any(is_pattern)),
    }
}

fn typo_tolerance(value: &Value) -> TypoTolerance {
    let sizes = value.get("minWordSizeForTypos");
    TypoTolerance {
        enabled: value.get("enabled").and_then(Value::as_bool),
        disable_on_attributes: value.get("disableOnAttributes").is_some_and(|it| length(it) > 0),
        disable_on_words: value.get("disableOnWords").is_some_and(|it| length(it) > 0),
        one_typo: number(sizes, "oneTypo"),
        two_typos: number(sizes, "twoTypos"),
    }
}

fn embedders(value: &Value) -> Embedders {
    let each = || value.as_object().into_iter().flat_map(|all| all.values());
    let is_set = |embedder: &Value, name: &str| embedder.get(name).is_some_and(|it| !it.is_null());
    Embedders {
        total: length(value),
        sources: each()
            .filter_map(|embedder| EmbedderSource::named(embedder.get("source")?.as_str()?))
            .collect(),
        document_template: each().any(|embedder| is_set(embedder, "documentTemplate")),
        document_template_max_bytes: each()
            .filter_map(|embedder| number(Some(embedder), "documentTemplateMaxBytes"))
            .max(),
        binary_quantized: each()
            .any(|embedder| embedder.get("binaryQuantized") == Some(&Value::Bool(true))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn of_settings_only_lengths_and_known_words_are_told() {
        let change = Change::of_many(json!({
            "rankingRules": ["sort", "secret:asc", "words"],
            "sortableAttributes": ["secret", "_geo"],
            "filterableAttributes": ["secret", {"attributePatterns": ["secret*"]}],
            "searchableAttributes": ["*"],
            "stopWords": ["secret"],
            "synonyms": {"secret": ["secret"], "b": ["c"]},
            "typoTolerance": {"enabled": false, "disableOnWords": ["secret"],
                "minWordSizeForTypos": {"oneTypo": 4}},
            "pagination": {"maxTotalHits": 12},
            "faceting": {"maxValuesPerFacet": 5, "sortFacetValuesBy": {"*": "count", "a": "alpha"}},
            "distinctAttribute": "secret",
            "facetSearch": false,
            "prefixSearch": "disabled",
            "dictionary": null,
            "embedders": {"secret": {"source": "rest", "url": "http://secret.example",
                "apiKey": "secret", "documentTemplate": "secret", "documentTemplateMaxBytes": 9,
                "request": "{{text}}", "response": "{{embedding}}", "binaryQuantized": true}},
        }));
        let told = settings(&change.unwrap());
        let expected = SettingsUpdate {
            ranking_rules: Some(RankingRules::new(["sort", "x:asc", "words"])),
            sortable_attributes: Some(AttributeList {
                total: 2,
                has_geo: true,
                with_wildcard: false,
            }),
            filterable_attributes: Some(FilterableAttributes {
                total: 2,
                has_geo: false,
                has_patterns: true,
            }),
            searchable_attributes: Some(AttributeList {
                total: 1,
                has_geo: false,
                with_wildcard: true,
            }),
            stop_words: Some(1),
            synonyms: Some(2),
            typo_tolerance: TypoTolerance {
                enabled: Some(false),
                disable_on_words: true,
                one_typo: Some(4),
                ..TypoTolerance::default()
            },
            max_total_hits: Some(12),
            max_values_per_facet: Some(5),
            facets_by_count: Some(true),
            facet_orders: Some(2),
            distinct_attribute: true,
            facet_search: Some(false),
            prefix_search: Some(PrefixSearch::Disabled),
            embedders: Some(Embedders {
                total: 1,
                sources: vec![EmbedderSource::Rest],
                document_template: true,
                document_template_max_bytes: Some(9),
                binary_quantized: true,
            }),
            ..SettingsUpdate::default()
        };
        assert_eq!(*told, expected);
        assert!(!format!("{told:?}").contains("secret"));
        assert_eq!(*settings(&Change::reset_all()), SettingsUpdate::default());
    }
}
