//! Tests what is counted of changes of settings.

use serde_json::json;

use super::super::settings_updated;
use super::super::tests::properties;
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
    }))
    .unwrap();
    let told = properties(|| settings_updated(&change));
    let expected = json!({
        "user-agent": ["unknown"],
        "requests": {"total_received": 1},
        "ranking_rules": {
            "words_position": 2, "typo_position": null, "proximity_position": null,
            "attribute_position": null, "attribute_rank_position": null,
            "attribute_position_position": null, "sort_position": 0,
            "exactness_position": null, "values": "sort, words",
        },
        "sortable_attributes": {"total": 2, "has_geo": true},
        "filterable_attributes": {"total": 2, "has_geo": false, "has_patterns": true},
        "searchable_attributes": {"total": 1, "with_wildcard": true},
        "displayed_attributes": {"total": null, "with_wildcard": false},
        "stop_words": {"total": 1}, "separator_tokens": {"total": null},
        "non_separator_tokens": {"total": null}, "dictionary": {"total": null},
        "synonyms": {"total": 2},
        "typo_tolerance": {
            "enabled": false, "disable_on_attributes": false, "disable_on_words": true,
            "min_word_size_for_typos": {"one_typo": 4, "two_typos": null},
        },
        "pagination": {"max_total_hits": 12},
        "faceting": {
            "max_values_per_facet": 5, "sort_facet_values_by_star_count": true,
            "sort_facet_values_by_total": 2,
        },
        "distinct_attribute": {"set": true},
        "proximity_precision": {"set": false, "value": null},
        "facet_search": {"set": true, "value": false},
        "prefix_search": {"set": true, "value": "disabled"},
        "embedders": {
            "total": 1, "sources": ["rest"], "document_template_used": true,
            "document_template_max_bytes": 9, "binary_quantization_used": true,
        },
    });
    // Compared as text, because the order counts too.
    assert_eq!(told.to_string(), expected.to_string());
    assert!(!told.to_string().contains("secret"));
}

#[test]
fn a_reset_sets_nothing() {
    let reset = properties(|| settings_updated(&Change::reset_all()));
    let nothing = Change::of_many(json!({})).unwrap();
    assert_eq!(reset, properties(|| settings_updated(&nothing)));
    assert_eq!(reset["embedders"]["total"], json!(null));
    assert_eq!(reset["prefix_search"], json!({"set": false, "value": null}));
}

#[test]
fn rules_of_fields_leave_no_name_and_keep_their_place() {
    let rules = json!(["words", "salary:desc", "sort", "words"]);
    assert_eq!(known_rules(&rules), "words, sort");
    let change = Change::of_many(json!({"rankingRules": ["words", "salary:desc", "sort"]}));
    let change = change.unwrap();
    let places = ["words", "typo", "sort"].map(|rule| place(&change, rule));
    assert_eq!(places, [Some(0), None, Some(2)]);
}

#[test]
fn sources_of_embedders_come_in_the_order_of_their_list() {
    let change = Change::of_many(json!({"embedders": {
        "a": {"source": "userProvided", "dimensions": 2},
        "b": {"source": "openAi", "apiKey": "k"},
        "c": {"source": "userProvided", "dimensions": 2},
    }}));
    let told = properties(|| settings_updated(&change.unwrap()));
    assert_eq!(told["embedders"]["sources"], json!(["openAi", "userProvided"]));
    assert_eq!(told["embedders"]["total"], 3);
}

#[test]
fn stop_words_count_in_both_forms() {
    for (value, expected) in
        [(json!(["a", "b"]), 2), (json!({"words": ["a"]}), 1), (json!({"languages": ["eng"]}), 0)]
    {
        assert_eq!(stop_words(&value), expected, "{value}");
    }
}
