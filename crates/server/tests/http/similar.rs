//! Documents like another one: both routes, their parameters, and every complaint.

use std::sync::Arc;

use serde_json::{Value, json};

use super::harness::{TestServer, change_settings};

const BAD_ID: &str = "is invalid. A document identifier can be of type integer or string, only \
    composed of alphanumeric characters (a-z A-Z 0-9), hyphens (-) and underscores (_), and can \
    not be more than 511 bytes.";

fn server(index: &str) -> Arc<TestServer> {
    let server = TestServer::shared();
    change_settings(
        &server,
        index,
        json!({
            "embedders": {"v": {"source": "userProvided", "dimensions": 2}},
            "filterableAttributes": ["kind"],
        }),
    );
    server.with_documents(
        index,
        json!([
            {"id": 1, "kind": "a", "_vectors": {"v": [1, 0]}},
            {"id": 2, "kind": "b", "_vectors": {"v": [1, 1]}},
            {"id": 3, "kind": "a", "_vectors": {"v": [[0, 1], [-1, 0]]}},
            {"id": 4, "kind": "a", "_vectors": {"v": null}},
            {"id": 5, "kind": "b", "_vectors": {"v": [-1, 0]}},
        ]),
    );
    server
}

fn ids(answer: &Value) -> Vec<u64> {
    let hits = answer["hits"].as_array().expect("hits");
    hits.iter().map(|hit| hit["id"].as_u64().expect("an id")).collect()
}

#[test]
fn the_nearest_come_first_and_the_document_itself_never() {
    let server = server("similar_order");
    let similar = |body: Value| {
        let answer = server.call_json("POST /indexes/similar_order/similar", body);
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    };
    let all = similar(json!({"id": 1, "embedder": "v", "showRankingScoreDetails": true}));
    // Only the first vector of the third counts: the target has no second one.
    assert_eq!(ids(&all), [2, 3, 5]);
    assert_eq!(all["id"], "1");
    assert_eq!(all["estimatedTotalHits"], 4);
    assert_eq!(
        all["hits"][1]["_rankingScoreDetails"],
        json!({"vectorSort": {"order": 0, "similarity": 0.5}})
    );
    for (body, expected, total) in [
        (json!({"limit": 1, "offset": 1}), vec![3], 4),
        (json!({"limit": 0}), vec![], 4),
        (json!({"filter": "kind = b"}), vec![2, 5], 2),
        (json!({"rankingScoreThreshold": 0.5}), vec![2, 3], 2),
        (json!({"rankingScoreThreshold": 0.5, "limit": 2}), vec![2, 3], 4),
    ] {
        let mut body = body;
        body["id"] = json!("1");
        body["embedder"] = json!("v");
        let answer = similar(body.clone());
        assert_eq!(ids(&answer), expected, "{body}");
        assert_eq!(answer["estimatedTotalHits"], total, "{body}");
    }
    assert_eq!(ids(&similar(json!({"id": 4, "embedder": "v"}))), [0; 0]);
}

#[test]
fn a_query_string_asks_the_same() {
    let server = server("similar_get");
    let line = "GET /indexes/similar_get/similar?id=1&embedder=v&limit=1&attributesToRetrieve=id\
        &retrieveVectors=true&showRankingScore=true&filter=kind%20%3D%20a";
    let answer = server.call(line).json();
    assert_eq!(
        answer["hits"],
        json!([{
            "id": 3,
            "_vectors": {"v": {"embeddings": [[0.0, 1.0], [-1.0, 0.0]], "regenerate": false}},
            "_rankingScore": 0.5,
        }])
    );
    assert_eq!(answer["limit"], 1);
    server.call("GET /indexes/similar_get/similar?embedder=v").is_error(
        400,
        "bad_request",
        "Missing parameter `id`",
    );
}

#[test]
fn rejects_invalid_similar_requests() {
    let server = server("similar_refused");
    for (body, code, message) in [
        (json!({}), "bad_request", "Missing field `id`".to_owned()),
        (json!({"id": 1}), "bad_request", "Missing field `embedder`".to_owned()),
        (
            json!({"id": 1.5, "embedder": "v"}),
            "invalid_similar_id",
            format!("Invalid value at `.id`: Document identifier `1.5` {BAD_ID}"),
        ),
        (
            json!({"id": "a b", "embedder": "v"}),
            "invalid_similar_id",
            format!("Invalid value at `.id`: Document identifier `\"a b\"` {BAD_ID}"),
        ),
        (
            json!({"id": 99, "embedder": "v"}),
            "not_found_similar_id",
            "Document `99` not found.".to_owned(),
        ),
        (
            json!({"id": 1, "embedder": "w"}),
            "invalid_similar_embedder",
            "Cannot find embedder with name `w`.".to_owned(),
        ),
        (
            json!({"id": 1, "embedder": "v", "filter": "other = x"}),
            "invalid_similar_filter",
            "Attribute `other` is not filterable. Available filterable attribute patterns are: \
             `kind`.\n1:6 other = x"
                .to_owned(),
        ),
        (
            json!({"id": 1, "embedder": "v", "limit": -1}),
            "invalid_similar_limit",
            "Invalid value type at `.limit`: expected a positive integer, but found a negative \
             integer: `-1`"
                .to_owned(),
        ),
    ] {
        let answer = server.call_json("POST /indexes/similar_refused/similar", body);
        answer.is_error(400, code, &message);
    }
    let body = json!({"id": 1, "embedder": "v"});
    server.call_json("POST /indexes/similar_none/similar", body).is_error(
        404,
        "index_not_found",
        "Index `similar_none` not found.",
    );
}

#[test]
fn times_are_told_without_a_queue() {
    let server = server("similar_times");
    let body = json!({"id": 1, "embedder": "v", "showPerformanceDetails": true});
    let answer = server.call_json("POST /indexes/similar_times/similar", body).json();
    let details = answer["performanceDetails"].as_object().expect("times");
    let stages: Vec<&String> = details.keys().collect();
    assert_eq!(stages, ["search > vector ranking", "search > format", "search"]);
}
