//! Tests what is counted of searches.

use serde_json::{Value, json};

use super::super::tests::properties;
use super::super::{multi_searched, searched_get, searched_post};
use super::*;
use crate::http::json::BodyError;
use crate::routes::multi_search::body::MultiSearchBody;

fn of(body: Value) -> Value {
    let body = deserr::deserialize::<SearchBody, _, BodyError>(body).unwrap();
    let told = properties(|| searched_post(&body));
    assert_eq!(told, properties(|| searched_get(&body)));
    told
}

#[test]
fn a_plain_search_uses_nothing() {
    let expected = json!({
        "user-agent": ["unknown"],
        "requests": {
            "total_received": 1, "total_succeeded": 0, "total_failed": 0,
            "99th_response_time": null, "total_degraded": 0, "total_used_negative_operator": 0,
        },
        "q": {"max_terms_number": 0},
        "matching_strategy": {"most_used_strategy": "last"},
        "attributes_to_search_on": {"total_number_of_uses": 0},
        "distinct": false, "locales": false, "network": false,
        "vector": {"max_vector_size": null, "retrieve_vectors": false},
        "hybrid": {"enabled": false, "semantic_ratio": false, "total_media": 0},
        "sort": {"with_geoPoint": false, "avg_criteria_number": null},
        "filter": {
            "with_geoRadius": false, "with_geoBoundingBox": false, "on_vectors": false,
            "most_used_syntax": null,
        },
        "facets": {"avg_facets_number": null},
        "pagination": {"max_limit": 20, "max_offset": 0, "most_used_navigation": "estimated"},
        "formatting": {
            "max_attributes_to_retrieve": null, "max_attributes_to_highlight": null,
            "max_attributes_to_crop": null, "highlight_pre_tag": false,
            "highlight_post_tag": false, "crop_length": false, "crop_marker": false,
            "show_matches_position": false,
        },
        "scoring": {
            "show_ranking_score": false, "show_ranking_score_details": false,
            "ranking_score_threshold": false,
        },
    });
    // Compared as text, because the order counts too.
    assert_eq!(of(json!({})).to_string(), expected.to_string());
}

#[test]
fn all_parameters_of_a_search_are_counted() {
    let seen = of(json!({
        "q": "two -words", "page": 3, "hitsPerPage": 7, "sort": ["a:asc", "_geoPoint(1,2):asc"],
        "filter": ["_geoRadius(1,2,3)", ["_vectors EXISTS", "a = 1"]], "facets": ["a", "b", "c"],
        "attributesToRetrieve": ["a"], "attributesToHighlight": ["a", "b"],
        "attributesToCrop": [], "highlightPreTag": "<b>", "cropLength": 3,
        "showMatchesPosition": true, "distinct": "a", "attributesToSearchOn": ["a"],
        "locales": ["eng"], "hybrid": {"embedder": "e", "semanticRatio": 0.1},
        "vector": [1.0, 2.0], "retrieveVectors": true, "matchingStrategy": "all",
        "showRankingScore": true, "rankingScoreThreshold": 0.2, "useNetwork": false,
    }));
    let expected = json!({
        "user-agent": ["unknown"],
        "requests": {
            "total_received": 1, "total_succeeded": 0, "total_failed": 0,
            "99th_response_time": null, "total_degraded": 0, "total_used_negative_operator": 1,
        },
        "q": {"max_terms_number": 2},
        "matching_strategy": {"most_used_strategy": "all"},
        "attributes_to_search_on": {"total_number_of_uses": 1},
        "distinct": true, "locales": true, "network": true,
        "vector": {"max_vector_size": 2, "retrieve_vectors": true},
        "hybrid": {"enabled": true, "semantic_ratio": true, "total_media": 0},
        "sort": {"with_geoPoint": true, "avg_criteria_number": 2.0},
        "filter": {
            "with_geoRadius": true, "with_geoBoundingBox": false, "on_vectors": true,
            "most_used_syntax": "mixed",
        },
        "facets": {"avg_facets_number": 3.0},
        "pagination": {"max_limit": 7, "max_offset": 14, "most_used_navigation": "exhaustive"},
        "formatting": {
            "max_attributes_to_retrieve": 1, "max_attributes_to_highlight": 2,
            "max_attributes_to_crop": 0, "highlight_pre_tag": true,
            "highlight_post_tag": false, "crop_length": true, "crop_marker": false,
            "show_matches_position": true,
        },
        "scoring": {
            "show_ranking_score": true, "show_ranking_score_details": false,
            "ranking_score_threshold": true,
        },
    });
    assert_eq!(seen, expected);
}

#[test]
fn strategies_and_forms_of_filters_have_their_names() {
    for name in ["last", "all", "frequency", "any"] {
        let seen = of(json!({"matchingStrategy": name}));
        assert_eq!(seen["matching_strategy"]["most_used_strategy"], name);
    }
    for (filter, name) in [
        (json!("a = 1"), json!("string")),
        (json!(["a = 1"]), json!("array")),
        (json!(["a = 1", ["b = 1"]]), json!("mixed")),
        (json!([]), json!("array")),
        (json!(null), json!(null)),
    ] {
        let seen = of(json!({"filter": filter}));
        assert_eq!(seen["filter"]["most_used_syntax"], name, "{filter}");
    }
}

#[test]
fn queries_of_a_multi_search_are_counted_together() {
    let body = json!({"federation": {}, "queries": [
        {"indexUid": "a", "showRankingScore": true},
        {"indexUid": "b", "federationOptions": {"remote": "r"}},
        {"indexUid": "a", "rankingScoreThreshold": 0.1},
    ]});
    let body = deserr::deserialize::<MultiSearchBody, _, BodyError>(body).unwrap();
    let told = properties(|| multi_searched(&body.queries, body.federation.is_some()));
    assert_eq!(told["searches"], json!({"total_search_count": 3, "avg_search_count": 3.0}));
    assert_eq!(
        told["indexes"],
        json!({
            "total_distinct_index_count": 2, "avg_distinct_index_count": 2.0,
            "total_single_index": 0,
        })
    );
    assert_eq!(
        told["remotes"],
        json!({"total_distinct_remote_count": 1, "avg_distinct_remote_count": 1.0})
    );
    assert_eq!(told["federation"]["use_federation"], true);
    assert_eq!(
        told["scoring"],
        json!({"show_ranking_score": true, "show_ranking_score_details": false})
    );
}

#[test]
fn a_minus_counts_where_a_word_begins() {
    for (q, expected) in [
        ("-a", true),
        ("a -\"b c\"", true),
        ("a\t-b", true),
        ("a-b", false),
        ("- a", false),
        ("--a", false),
        ("", false),
    ] {
        assert_eq!(excludes_a_word(q), expected, "{q}");
    }
}
