//! Codes of the catalogue that no other test meets. `crates/sonde/tests/catalogue` knows where each
//! of them is provoked.

use serde_json::{Map, Value, json};

use super::harness::{TestServer, change_settings};

#[test]
fn documents_with_too_many_fields_are_refused() {
    let server = TestServer::shared();
    let mut document: Map<String, Value> =
        (0..65_536).map(|number| (format!("f{number}"), json!(1))).collect();
    document.insert("id".to_owned(), json!(1));
    let task = server.call_json("POST /indexes/codes_fields/documents", json!([document]));
    let task = task.task(&server);
    assert_eq!(task["status"], "failed", "{task}");
    assert_eq!(task["error"]["code"], "max_fields_limit_exceeded");
}

#[test]
fn documents_with_too_many_vectors_are_refused() {
    let server = TestServer::shared();
    let embedders = json!({"embedders": {"v": {"source": "userProvided", "dimensions": 1}}});
    change_settings(&server, "codes_vectors", embedders);
    let vectors = vec![[0.5]; 257];
    let documents =
        json!([{"id": 1, "_vectors": {"v": {"embeddings": vectors, "regenerate": false}}}]);
    let task = server.call_json("POST /indexes/codes_vectors/documents", documents).task(&server);
    assert_eq!(task["status"], "failed", "{task}");
    assert_eq!(task["error"]["code"], "too_many_vectors");
}

#[test]
fn members_of_the_wrong_kind_have_a_code_each() {
    let server = TestServer::shared();
    server.with_documents("codes_members", json!([{"id": 1}]));
    for (line, body, code) in [
        (
            "POST /indexes/codes_members/similar",
            json!({"id": 1, "embedder": "v", "rankingScoreThreshold": "high"}),
            "invalid_similar_ranking_score_threshold",
        ),
        (
            "POST /indexes/codes_members/similar",
            json!({"id": 1, "embedder": "v", "showPerformanceDetails": 1}),
            "invalid_similar_show_performance_details",
        ),
        (
            "POST /indexes/codes_members/similar",
            json!({"id": 1, "embedder": "v", "showRankingScore": 1}),
            "invalid_similar_show_ranking_score",
        ),
        (
            "POST /indexes/codes_members/similar",
            json!({"id": 1, "embedder": "v", "showRankingScoreDetails": 1}),
            "invalid_similar_show_ranking_score_details",
        ),
        (
            "PUT /indexes/codes_members/settings/searchable-attributes",
            json!("title"),
            "invalid_settings_searchable_attributes",
        ),
    ] {
        server.call_json(line, body).is_error_like(400, code, "Invalid value type");
    }
}
