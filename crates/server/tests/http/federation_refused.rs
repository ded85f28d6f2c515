//! Invalid federated searches, and which of several errors is reported.

use std::sync::Arc;

use serde_json::{Value, json};

use super::harness::{Answer, TestServer, change_settings};

fn server(name: &str, rules: Value) -> (Arc<TestServer>, String, String) {
    let server = TestServer::shared();
    let uids = [format!("{name}_books"), format!("{name}_films")];
    for uid in &uids {
        let settings = json!({
            "filterableAttributes": ["lang"], "sortableAttributes": ["year"], "rankingRules": rules,
        });
        change_settings(&server, uid, settings);
        server.with_documents(uid, json!([{"id": 1, "title": "silver", "year": 1998}]));
    }
    let [books, films] = uids;
    (server, books, films)
}

fn usual() -> Value {
    json!(["words", "sort"])
}

#[track_caller]
fn ask(server: &TestServer, queries: Value, federation: Value) -> Answer {
    server.call_json("POST /multi-search", json!({"queries": queries, "federation": federation}))
}

#[test]
fn every_field_has_a_type_and_a_code() {
    let server = TestServer::shared();
    let wrong = |path: &str, expected: &str, found: &str| {
        format!("Invalid value type at `.{path}`: expected {expected}, but found {found}")
    };
    let integer = "a positive integer";
    for (federation, code, message) in [
        (json!("x"), "bad_request", wrong("federation", "an object", "a string: `\"x\"`")),
        (json!([]), "bad_request", wrong("federation", "an object", "an array: `[]`")),
        (
            json!({"limit": -1}),
            "invalid_search_limit",
            wrong("federation.limit", integer, "a negative integer: `-1`"),
        ),
        (
            json!({"limit": null}),
            "invalid_search_limit",
            wrong("federation.limit", integer, "null"),
        ),
        (
            json!({"offset": "a"}),
            "invalid_search_offset",
            wrong("federation.offset", integer, "a string: `\"a\"`"),
        ),
        (
            json!({"page": -1}),
            "invalid_search_page",
            wrong("federation.page", integer, "a negative integer: `-1`"),
        ),
        (
            json!({"hitsPerPage": "a"}),
            "invalid_search_hits_per_page",
            wrong("federation.hitsPerPage", integer, "a string: `\"a\"`"),
        ),
        (
            json!({"facetsByIndex": []}),
            "invalid_multi_search_facets_by_index",
            wrong("federation.facetsByIndex", "an object", "an array: `[]`"),
        ),
        (
            json!({"facetsByIndex": {"a": "lang"}}),
            "invalid_multi_search_facets_by_index",
            wrong("federation.facetsByIndex.a", "an array", "a string: `\"lang\"`"),
        ),
        (
            json!({"mergeFacets": []}),
            "invalid_multi_search_merge_facets",
            wrong("federation.mergeFacets", "an object", "an array: `[]`"),
        ),
        (
            json!({"mergeFacets": {"maxValuesPerFacet": -1}}),
            "invalid_multi_search_max_values_per_facet",
            wrong("federation.mergeFacets.maxValuesPerFacet", integer, "a negative integer: `-1`"),
        ),
        (
            json!({"mergeFacets": {"max": 1}}),
            "invalid_multi_search_merge_facets",
            "Unknown field `max` inside `.federation.mergeFacets`: expected one of \
             `maxValuesPerFacet`"
                .to_owned(),
        ),
        (
            json!({"distinct": 1}),
            "invalid_search_distinct",
            wrong("federation.distinct", "a string", "a positive integer: `1`"),
        ),
        (
            json!({"showPerformanceDetails": "x"}),
            "invalid_search_show_performance_details",
            wrong("federation.showPerformanceDetails", "a boolean", "a string: `\"x\"`"),
        ),
        (
            json!({"personalize": {}}),
            "invalid_search_personalize",
            "Missing field `userContext` inside `.federation.personalize`".to_owned(),
        ),
        (
            json!({"weight": 1}),
            "bad_request",
            "Unknown field `weight` inside `.federation`: expected one of `limit`, `offset`, \
             `page`, `hitsPerPage`, `facetsByIndex`, `mergeFacets`, `distinct`, \
             `showPerformanceDetails`, `personalize`"
                .to_owned(),
        ),
    ] {
        ask(&server, json!([]), federation).is_error(400, code, &message);
    }
}

#[test]
fn options_of_a_query_have_types_and_codes() {
    let server = TestServer::shared();
    let wrong = |field: &str, expected: &str, found: &str| {
        let path = format!(".queries[0].federationOptions.{field}");
        format!("Invalid value type at `{path}`: expected {expected}, but found {found}")
    };
    for (options, code, message) in [
        (
            json!({"weight": -1}),
            "invalid_multi_search_weight",
            "Invalid value at `.queries[0].federationOptions.weight`: the value of `weight` is \
             invalid, expected a positive float (>= 0.0)."
                .to_owned(),
        ),
        (
            json!({"weight": "a"}),
            "invalid_multi_search_weight",
            wrong("weight", "a number", "a string: `\"a\"`"),
        ),
        (
            json!({"weight": null}),
            "invalid_multi_search_weight",
            wrong("weight", "a number", "null"),
        ),
        (
            json!({"remote": 3}),
            "invalid_multi_search_remote",
            wrong("remote", "a string", "a positive integer: `3`"),
        ),
        (
            json!({"queryPosition": -3}),
            "invalid_multi_search_query_position",
            wrong("queryPosition", "a positive integer", "a negative integer: `-3`"),
        ),
        (
            json!({"wieght": 1}),
            "bad_request",
            "Unknown field `wieght` inside `.queries[0].federationOptions`: did you mean \
             `weight`? expected one of `weight`, `remote`, `queryPosition`"
                .to_owned(),
        ),
    ] {
        let queries = json!([{"indexUid": "a", "federationOptions": options}]);
        ask(&server, queries, json!({})).is_error(400, code, &message);
    }
}

#[test]
fn federated_queries_refuse_shared_parameters() {
    let (server, books, _) = server("fed_once", usual());
    let refused = |field: &str, value: Value, federation: Value, code: &str, message: &str| {
        let mut query = json!({"indexUid": books});
        query[field] = value;
        let answer = ask(&server, json!([{"indexUid": books}, query]), federation);
        let code = format!("invalid_multi_search_{code}");
        answer.is_error(400, &code, &format!("Inside `.queries[1]`: {message}"));
    };
    for (field, value) in [("offset", 0), ("limit", 20), ("page", 1), ("hitsPerPage", 3)] {
        let message = format!(
            "Using pagination options is not allowed in federated queries.\n - Hint: remove \
             `{field}` from the query or remove `federation` from the request\n - Hint: pass \
             `federation.limit` and `federation.offset` for pagination in federated search"
        );
        refused(field, json!(value), json!({}), "query_pagination", &message);
    }
    let message = format!(
        "Using facet options is not allowed in federated queries.\n - Hint: remove `facets` from \
         the query or remove `federation` from the request\n - Hint: pass \
         `federation.facetsByIndex.{books}: [\"lang\", \"year\"]` for facets in federated search"
    );
    refused("facets", json!(["lang", "year"]), json!({}), "query_facets", &message);
    refused(
        "personalize",
        json!({"userContext": "x"}),
        json!({}),
        "query_personalization",
        "Using `.personalize` is not allowed in federated queries.\n - Hint: remove `personalize` \
         from the query or remove `federation` from the request\n - Hint: pass \
         `federation.personalize` for personalization in federated search",
    );
    refused(
        "showPerformanceDetails",
        json!(false),
        json!({}),
        "query_show_performance_details",
        "Using `.showPerformanceDetails` is not allowed in federated queries.\n - Hint: remove \
         `showPerformanceDetails` from the query or remove `federation` from the request",
    );
    refused(
        "distinct",
        json!("lang"),
        json!({"distinct": "lang"}),
        "distinct",
        "Using `distinct` options is not allowed in federated queries when it also appears in \
         `.federation.distinct`.\n - Hint: remove `distinct` from the query or remove \
         `federation` from the request\n  - Note: `distinct` at the query level is discouraged \
         in federated search.",
    );
    for (field, value) in [
        ("page", json!(null)),
        ("facets", json!([])),
        ("facets", json!(null)),
        ("personalize", json!(null)),
        ("distinct", json!(null)),
    ] {
        let mut query = json!({"indexUid": books});
        query[field] = value;
        assert_eq!(
            ask(&server, json!([query]), json!({"distinct": "lang"})).status,
            200,
            "{field}"
        );
    }
}

#[test]
fn features_that_are_off_are_refused() {
    let (server, books, _) = server("fed_features", usual());
    let query = |options: Value| json!([{"indexUid": books, "federationOptions": options}]);
    let off = |feature: &str| format!(" requires enabling the `{feature}` experimental feature.");
    let network = off("network");
    for (answer, message) in [
        (
            ask(&server, query(json!({"remote": "far"})), json!({})),
            format!("Inside `.queries[0]`: Performing a remote federated search{network}"),
        ),
        (
            ask(&server, query(json!({"queryPosition": 3})), json!({})),
            format!("Inside `.queries[0]`: Using `federationOptions.queryPosition`{network}"),
        ),
        (
            ask(&server, json!([{"indexUid": books, "useNetwork": false}]), json!({})),
            format!("Inside `.queries[0]`: passing `useNetwork` in a search query{network}"),
        ),
        (
            ask(&server, query(json!({})), json!({"personalize": {"userContext": "x"}})),
            format!("reranking search results{}", off("personalization")),
        ),
        (
            server
                .request("POST /multi-search")
                .header("Meili-Proxy-Search", "true")
                .json(&json!({"queries": [], "federation": {}}))
                .send(),
            format!("Performing a remote federated search{network}"),
        ),
    ] {
        answer.is_error_like(400, "feature_not_enabled", &message);
        assert!(answer.json()["message"].as_str().is_some_and(|text| text.starts_with(&message)));
    }
}

/// Indexes by name, then queries as they were sent: the first mistake in this order is told.
#[test]
fn mistakes_are_told_index_by_index() {
    let (server, books, films) = server("fed_order", usual());
    let failing = |uid: &str, field: &str, value: Value| {
        let mut query = json!({"indexUid": uid});
        query[field] = value;
        query
    };
    let filter = |uid: &str| failing(uid, "filter", json!("title = 1"));
    let sort = |uid: &str| failing(uid, "sort", json!(["lang:asc"]));
    let syntax = |uid: &str| failing(uid, "sort", json!(["year:up"]));
    let missing = json!({"indexUid": "fed_order_z"});
    for (queries, code, message) in [
        (
            json!([filter(&films), sort(&books)]),
            "invalid_search_sort",
            format!("Inside `.queries[1]`: Index `{books}`: Attribute `lang` is not sortable."),
        ),
        (
            json!([sort(&books), filter(&books)]),
            "invalid_search_sort",
            format!("Inside `.queries[0]`: Index `{books}`: Attribute `lang` is not sortable."),
        ),
        // A search that fails comes before what a later query says wrongly.
        (
            json!([syntax(&films), filter(&books)]),
            "invalid_search_filter",
            format!("Inside `.queries[1]`: Index `{books}`: Attribute `title` is not filterable."),
        ),
        (
            json!([syntax(&films), {"indexUid": books}]),
            "invalid_search_sort",
            "Inside `.queries[0]`: Invalid syntax for the sort parameter".to_owned(),
        ),
        (
            json!([missing, filter(&films)]),
            "invalid_search_filter",
            format!("Inside `.queries[1]`: Index `{films}`: "),
        ),
        (
            json!([{"indexUid": books}, missing]),
            "index_not_found",
            "Inside `.queries[1]`: Index `fed_order_z` not found.".to_owned(),
        ),
        (
            json!([{"indexUid": books, "hybrid": {"embedder": "x"}, "vector": [1]}]),
            "invalid_search_embedder",
            "Inside `.queries[0]`: Cannot find embedder with name `x`.".to_owned(),
        ),
        (
            json!([{"indexUid": books}, {"indexUid": films, "vector": [1]}]),
            "missing_search_hybrid",
            "Inside `.queries[1]`: Invalid request: missing `hybrid` parameter".to_owned(),
        ),
    ] {
        ask(&server, queries, json!({})).is_error_like(400, code, &message);
    }
    let both = json!([{"indexUid": films}, {"indexUid": books}]);
    ask(&server, both, json!({"distinct": "title"})).is_error(
        400,
        "invalid_search_distinct",
        &format!(
            "Inside `.queries[1]`: Index `{books}`: Attribute `title` is not filterable and thus, \
             cannot be used as distinct attribute. Available filterable attributes patterns are: \
             `lang`."
        ),
    );
}

#[test]
fn rules_that_cannot_be_compared_are_refused() {
    let (server, books, films) = server("fed_rules", json!(["sort", "words"]));
    let query = |uid: &str, q: &str, sort: &[&str]| json!({"indexUid": uid, "q": q, "sort": sort});
    let refused = |queries: Value, message: &str| {
        let answer = ask(&server, queries, json!({}));
        answer.is_error(400, "invalid_multi_search_query_ranking_rules", message);
    };
    let up = query(&films, "silver", &["year:asc"]);
    refused(
        json!([up, query(&books, "silver", &["year:desc"])]),
        &format!(
            "Inside `.queries[0]`: The results of queries #1 and #0 are incompatible: \n  \
             1. `queries[1].sort[0]`, `{books}.rankingRules[0]`: descending sort rule(s) on field \
             `year`\n  \
             2. `queries[0].sort[0]`, `{films}.rankingRules[0]`: ascending sort rule(s) on field \
             `year`\n  - cannot compare two sort rules in opposite directions\n"
        ),
    );
    refused(
        json!([query(&books, "silver", &[]), up]),
        &format!(
            "Inside `.queries[1]`: The results of queries #0 and #1 are incompatible: \n  \
             1. `queries[0]`, `{books}.rankingRules[0]`: relevancy rule(s) words\n  \
             2. `queries[1].sort[0]`, `{films}.rankingRules[0]`: ascending sort rule(s) on field \
             `year`\n  - cannot compare a relevancy rule with a sort rule\n  \
             - note: The ranking rules of query #0 were modified during canonicalization:\n   \
             1. Removed rule `sort` at position #0 in ranking rules because `query.sort` is empty\n"
        ),
    );
    // Those with fewer rules agree with any others; the longest is what others must agree with.
    let placeholder = query(&books, "", &[]);
    let agreed = json!([placeholder, query(&books, "", &["year:asc"]), up]);
    assert_eq!(ask(&server, agreed, json!({})).status, 200);
    let hidden = json!([query(&books, "x", &["year:asc"]), placeholder, query(&films, "x", &[])]);
    let answer = ask(&server, hidden, json!({}));
    let message = "The results of queries #0 and #2 are incompatible";
    answer.is_error_like(400, "invalid_multi_search_query_ranking_rules", message);
}
