//! Several searches in one request, each with its own answer.

use std::sync::Arc;

use serde_json::{Value, json};

use super::harness::{INVALID_UID, TestServer, ids, members, without};

const NAMES: &str = "`indexUid`, `q`, `offset`, `limit`, `page`, `hitsPerPage`, \
    `attributesToRetrieve`, `attributesToCrop`, `cropLength`, `cropMarker`, \
    `attributesToHighlight`, `highlightPreTag`, `highlightPostTag`, `showMatchesPosition`, \
    `filter`, `sort`, `distinct`, `facets`, `matchingStrategy`, `attributesToSearchOn`, \
    `rankingScoreThreshold`, `locales`, `hybrid`, `vector`, `retrieveVectors`, `media`, \
    `personalize`, `useNetwork`, `showRankingScore`, `showRankingScoreDetails`, \
    `showPerformanceDetails`, `federationOptions`";

/// Two indexes of this test, called `<name>_books` and `<name>_films`.
fn server(name: &str) -> Arc<TestServer> {
    let server = TestServer::shared();
    server.with_documents(
        &format!("{name}_books"),
        json!([{"id": 1, "title": "The silver river"}, {"id": 2, "title": "River of stars"}]),
    );
    server.with_documents(
        &format!("{name}_films"),
        json!([{"id": 7, "title": "Silver"}, {"id": 8, "title": "Down the river"}]),
    );
    server
}

#[track_caller]
fn results(server: &TestServer, body: Value) -> Vec<Value> {
    let answer = server.call_json("POST /multi-search", body.clone());
    assert_eq!(answer.status, 200, "{body}: {}", answer.text());
    let mut answer = answer.json();
    assert_eq!(members(&answer), ["results"]);
    answer["results"].as_array_mut().map(std::mem::take).expect("a list")
}

#[track_caller]
fn refused(server: &TestServer, body: Value, code: &str, message: &str) {
    server.call_json("POST /multi-search", body).is_error(400, code, message);
}

#[test]
fn each_query_has_its_answer_in_the_order_of_the_request() {
    let server = server("multi_order");
    let found = results(
        &server,
        json!({"queries": [
            {"indexUid": "multi_order_films", "q": "silver", "attributesToRetrieve": ["id"]},
            {"indexUid": "multi_order_books", "q": "river", "limit": 1},
            {"indexUid": "multi_order_books", "hitsPerPage": 1, "page": 2},
            {"indexUid": "multi_order_books", "q": "river", "offset": 1, "showRankingScore": true},
        ], "federation": null}),
    );
    let of_answers: Vec<Vec<u64>> = found.iter().map(ids).collect();
    assert_eq!(of_answers, [vec![7], vec![2], vec![2], vec![1]]);
    assert_eq!(found[0]["hits"], json!([{"id": 7}]));
    assert_eq!(
        members(&found[0]),
        [
            "indexUid",
            "hits",
            "query",
            "processingTimeMs",
            "limit",
            "offset",
            "estimatedTotalHits",
            "requestUid"
        ]
    );
    assert_eq!(found[0]["indexUid"], "multi_order_films");
    assert_eq!((&found[1]["limit"], &found[1]["estimatedTotalHits"]), (&json!(1), &json!(2)));
    assert_eq!((&found[2]["page"], &found[2]["totalPages"]), (&json!(2), &json!(2)));
    assert!(found[3]["hits"][0]["_rankingScore"].is_f64());
    // One request, one number.
    assert!(found.iter().all(|answer| answer["requestUid"] == found[0]["requestUid"]));
    assert_eq!(found[0]["requestUid"].as_str().map(str::len), Some(36));
}

#[test]
fn no_query_is_a_request_too() {
    let server = TestServer::shared();
    server.call_json("POST /multi-search", json!({"queries": []})).is(200, json!({"results": []}));
    server.call("GET /multi-search").is_empty(405);
}

#[test]
fn the_answer_is_that_of_the_search_alone() {
    let server = server("multi_alone");
    let query = json!({
        "q": "silver river", "attributesToHighlight": ["title"], "showMatchesPosition": true,
        "showRankingScoreDetails": true, "matchingStrategy": "all", "attributesToCrop": ["title:1"],
    });
    let mut of_many = query.clone();
    of_many["indexUid"] = json!("multi_alone_books");
    let found = results(&server, json!({"queries": [of_many, {"indexUid": "multi_alone_films"}]}));
    let alone = server.call_json("POST /indexes/multi_alone_books/search", query).json();
    let changing = ["processingTimeMs", "requestUid"];
    let found = without(found[0].clone(), &["indexUid", "processingTimeMs", "requestUid"]);
    assert_eq!(found, without(alone, &changing));
}

#[test]
fn metadata_and_times_are_told_where_they_are_asked_for() {
    let server = server("multi_metadata");
    let body = json!({"queries": [
        {"indexUid": "multi_metadata_books", "q": "river", "showPerformanceDetails": true},
        {"indexUid": "multi_metadata_films"},
    ]});
    let request = server.request("POST /multi-search").header("Meili-Include-Metadata", "1");
    let answer = request.json(&body).send().json();
    let [books, films] = [&answer["results"][0], &answer["results"][1]];
    assert_eq!(
        without(books["metadata"].clone(), &["queryUid"]),
        json!({"query": "river", "indexUid": "multi_metadata_books", "primaryKey": "id"})
    );
    assert_eq!(
        without(films["metadata"].clone(), &["queryUid"]),
        json!({"indexUid": "multi_metadata_films", "primaryKey": "id"})
    );
    assert_ne!(books["metadata"]["queryUid"], films["metadata"]["queryUid"]);
    assert!(books["performanceDetails"]["search"].is_string(), "{books}");
    assert_eq!(films["performanceDetails"], Value::Null);
}

#[test]
fn the_first_query_that_fails_fails_the_request() {
    let server = server("multi_failing");
    let books = json!({"indexUid": "multi_failing_books"});
    let nowhere = json!({"indexUid": "multi_failing_none"});
    let syntax = json!({"indexUid": "multi_failing_books", "filter": "id"});
    let options = json!({"indexUid": "multi_failing_books", "federationOptions": {}});
    let no_hybrid = json!({"indexUid": "multi_failing_books", "vector": [1]});
    let missing = "Index `multi_failing_none` not found.";
    for (queries, code, place, message) in [
        (json!([books, nowhere]), "index_not_found", 1, missing),
        (json!([nowhere, syntax]), "index_not_found", 0, missing),
        // Also where a later one can be refused without searching.
        (json!([books, nowhere, options]), "index_not_found", 1, missing),
        (json!([syntax, nowhere]), "invalid_search_filter", 0, "Was expecting an operation"),
        (
            json!([books, options, nowhere]),
            "invalid_multi_search_federation_options",
            1,
            "Using `federationOptions` is not allowed in a non-federated search.\n - Hint: remove \
             `federationOptions` from the query or add `federation` to the request.",
        ),
        (
            json!([books, no_hybrid]),
            "missing_search_hybrid",
            1,
            "Invalid request: missing `hybrid`",
        ),
        (
            json!([{"indexUid": "multi_failing_books", "filter": "title = x"}]),
            "invalid_search_filter",
            0,
            "Index `multi_failing_books`: Attribute `title` is not filterable.",
        ),
    ] {
        let answer = server.call_json("POST /multi-search", json!({"queries": queries}));
        answer.is_error_like(400, code, &format!("Inside `.queries[{place}]`: {message}"));
    }
}

#[test]
fn bodies_are_checked_strictly() {
    let server = TestServer::shared();
    let wrong = |at: &str, expected: &str, found: &str| {
        format!("Invalid value type{at}: expected {expected}, but found {found}")
    };
    let at = |path: &str| format!(" at `{path}`");
    let queries = at(".queries");
    for (body, code, message) in [
        (json!([]), "bad_request", wrong("", "an object", "an array: `[]`")),
        (json!({}), "bad_request", "Missing field `queries`".to_owned()),
        (json!({"queries": null}), "bad_request", wrong(&queries, "an array", "null")),
        (json!({"queries": {}}), "bad_request", wrong(&queries, "an array", "an object: `{}`")),
        (
            json!({"queries": [3]}),
            "bad_request",
            wrong(&at(".queries[0]"), "an object", "a positive integer: `3`"),
        ),
        (
            json!({"queries": [], "extra": 1}),
            "bad_request",
            "Unknown field `extra`: expected one of `queries`, `federation`".to_owned(),
        ),
        (
            json!({"queries": [{"q": "x"}]}),
            "missing_index_uid",
            "Missing field `indexUid` inside `.queries[0]`".to_owned(),
        ),
        (
            json!({"queries": [{"indexUid": 5}]}),
            "invalid_index_uid",
            wrong(&at(".queries[0].indexUid"), "a string", "a positive integer: `5`"),
        ),
        (
            json!({"queries": [{"indexUid": "a b"}]}),
            "invalid_index_uid",
            format!("Invalid value at `.queries[0].indexUid`: `a b` {INVALID_UID}"),
        ),
        (
            json!({"queries": [{"indexUid": "a", "Q": 1}]}),
            "bad_request",
            format!("Unknown field `Q` inside `.queries[0]`: expected one of {NAMES}"),
        ),
        (
            json!({"queries": [{"indexUid": "a"}, {"indexUid": "a", "q": 3}]}),
            "invalid_search_q",
            wrong(&at(".queries[1].q"), "a string", "a positive integer: `3`"),
        ),
        (
            json!({"queries": [{"indexUid": "a", "limit": null}]}),
            "invalid_search_limit",
            wrong(&at(".queries[0].limit"), "a positive integer", "null"),
        ),
        (
            json!({"queries": [{"indexUid": "a", "showPerformanceDetails": null}]}),
            "invalid_search_show_performance_details",
            wrong(&at(".queries[0].showPerformanceDetails"), "a boolean", "null"),
        ),
        (
            json!({"queries": [{"indexUid": "a", "federationOptions": 3}]}),
            "bad_request",
            wrong(&at(".queries[0].federationOptions"), "an object", "a positive integer: `3`"),
        ),
    ] {
        refused(&server, body, code, &message);
    }
}

#[test]
fn many_queries_are_answered_at_once() {
    let server = server("multi_many");
    let queries: Vec<Value> = (0..200)
        .map(|number| match number % 2 {
            0 => json!({"indexUid": "multi_many_books", "q": "stars"}),
            _ => json!({"indexUid": "multi_many_films", "q": "silver"}),
        })
        .collect();
    let found = results(&server, json!({"queries": queries}));
    assert_eq!(found.len(), 200);
    for (number, answer) in found.iter().enumerate() {
        assert_eq!(ids(answer), if number % 2 == 0 { [2] } else { [7] });
    }
}
