//! Facets of searches: counts, their order in the answer, and every complaint.

use std::sync::Arc;

use serde_json::{Value, json};

use super::harness::{TestServer, members};

fn server(index: &str, settings: Value) -> Arc<TestServer> {
    let server = TestServer::shared();
    server.with_documents(
        index,
        json!([
            {"id": 1, "genre": "Poetry", "price": 8, "stock": {"shop": 2}},
            {"id": 2, "genre": "poetry", "price": 12.5, "stock": {"shop": 1}},
            {"id": 3, "genre": ["Manual", "Nature"], "price": 8.0},
            {"id": 4, "genre": "", "price": null, "title": "Sea"},
        ]),
    );
    change(&server, index, settings);
    server
}

fn change(server: &TestServer, index: &str, settings: Value) {
    let task = server.call_json(&format!("PATCH /indexes/{index}/settings"), settings).task(server);
    assert_eq!(task["status"], "succeeded", "{task}");
}

#[test]
fn values_are_counted_over_all_that_matches() {
    let server =
        server("facet_counts", json!({"filterableAttributes": ["genre", "price", "stock"]}));
    let search = |body| server.call_json("POST /indexes/facet_counts/search", body).json();
    let answer = search(json!({"facets": ["price", "genre"], "limit": 1}));
    assert_eq!(
        members(&answer),
        [
            "hits",
            "query",
            "processingTimeMs",
            "limit",
            "offset",
            "estimatedTotalHits",
            "facetDistribution",
            "facetStats",
            "requestUid"
        ]
    );
    assert_eq!(members(&answer["facetDistribution"]), ["genre", "price"]);
    assert_eq!(members(&answer["facetDistribution"]["genre"]), ["Manual", "Nature", "Poetry"]);
    assert_eq!(
        answer["facetDistribution"],
        json!({"genre": {"Manual": 1, "Nature": 1, "Poetry": 2}, "price": {"8": 2, "12.5": 1}})
    );
    assert_eq!(answer["facetStats"], json!({"price": {"min": 8.0, "max": 12.5}}));
    let answer = search(json!({"facets": ["stock"], "filter": "genre = poetry", "page": 1}));
    assert_eq!(answer["facetDistribution"], json!({"stock": {}, "stock.shop": {"1": 1, "2": 1}}));
    let answer = search(json!({"facets": ["genre"], "q": "sea"}));
    assert_eq!(answer["facetDistribution"], json!({"genre": {}}));
    assert_eq!(answer["facetStats"], json!({}));
    let line = "GET /indexes/facet_counts/search?facets=,genre,&limit=0";
    assert_eq!(members(&server.call(line).json()["facetDistribution"]), ["genre"]);
    for nothing in [json!({"facets": []}), json!({"facets": null}), json!({})] {
        let answer = search(nothing);
        assert!(answer.get("facetDistribution").is_none() && answer.get("facetStats").is_none());
    }
}

#[test]
fn settings_say_how_many_and_in_which_order() {
    let settings = json!({"filterableAttributes": ["genre", "price"],
        "faceting": {"maxValuesPerFacet": 2, "sortFacetValuesBy": {"genre": "count"}}});
    let server = server("facet_order", settings);
    let body = json!({"facets": ["*"], "limit": 0});
    let answer = server.call_json("POST /indexes/facet_order/search", body).json();
    assert_eq!(members(&answer["facetDistribution"]["genre"]), ["Poetry", "Nature"]);
    assert_eq!(members(&answer["facetDistribution"]["price"]), ["12.5", "8"]);
}

/// Told without the name of the index.
#[test]
fn patterns_must_be_filterable() {
    let server = server("facet_rules", json!({}));
    let refused = |facets: Value, message: &str| {
        server.call_json("POST /indexes/facet_rules/search", json!({"facets": facets})).is_error(
            400,
            "invalid_search_facets",
            &format!("Invalid facet distribution: {message}"),
        );
    };
    for name in ["genre", "*"] {
        let none = "This index does not have configured filterable attributes.";
        refused(json!([name]), &format!("Pattern `{name}` is not filterable. {none}"));
    }
    let off = json!({"facetSearch": false, "filter": {"equality": false, "comparison": false}});
    change(
        &server,
        "facet_rules",
        json!({"displayedAttributes": ["id"], "filterableAttributes":
        ["genre", {"attributePatterns": ["secret"], "features": off}]}),
    );
    let some = "Available filterable attributes patterns are: `genre`.";
    refused(json!(["genre", "title"]), &format!("Pattern `title` is not filterable. {some}"));
    refused(json!([""]), &format!("Pattern `` is not filterable. {some}"));
    let secret = json!({"facets": ["secret"]});
    server.call_json("POST /indexes/facet_rules/search", secret).is_error_like(
        400,
        "invalid_search_facets",
        "`secret` matched rule #1 in filterableAttributes, ",
    );
}
