//! Weights of attributes under `bm25`: the setting and the search parameter `attributeWeights`.

use std::sync::Arc;

use serde_json::{Value, json};

use super::harness::{TestServer, change_settings, ids};

fn server(index: &str, rules: Value) -> Arc<TestServer> {
    let server = TestServer::shared();
    let documents = json!([
        {"id": 1, "title": "tide", "body": "far from here"},
        {"id": 2, "title": "far from here", "body": "tide"},
    ]);
    server.with_documents(index, documents);
    let settings = json!({"rankingRules": rules, "searchableAttributes": ["title", "body"]});
    change_settings(&server, index, settings);
    server
}

#[test]
fn the_parameter_is_laid_over_the_setting() {
    let server = server("weights", json!(["bm25"]));
    let line = "POST /indexes/weights/search";
    let find = |weights: Value| {
        let body = json!({"q": "tide ", "attributeWeights": weights, "showRankingScore": true});
        let answer = server.call_json(line, body);
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    };
    assert_eq!(ids(&find(json!(null))), [1, 2]);
    assert_eq!(ids(&find(json!({"body": 3}))), [2, 1]);
    change_settings(&server, "weights", json!({"attributeWeights": {"body": 5}}));
    assert_eq!(ids(&find(json!(null))), [2, 1]);
    // What the parameter does not name weighs what the setting says.
    assert_eq!(ids(&find(json!({"title": 3}))), [2, 1]);
    assert_eq!(ids(&find(json!({"title": 9}))), [1, 2]);
    assert_eq!(ids(&find(json!({"bod*": 0.1}))), [1, 2]);
    // An attribute without weight is found and does not count.
    let answer = find(json!({"title": 0}));
    assert_eq!(ids(&answer), [2, 1]);
    assert_eq!(answer["hits"][1]["_rankingScore"], json!(1.0 / 65_536.0));

    let get =
        server.call("GET /indexes/weights/search?q=tide%20&attributeWeights=%7B%22title%22:9%7D");
    assert_eq!(ids(&get.json()), [1, 2], "{}", get.text());
}

#[test]
fn several_searches_carry_their_own() {
    let server = server("weights-multi", json!(["bm25"]));
    let query = |weights: Value| json!({"indexUid": "weights-multi", "q": "tide ", "attributeWeights": weights});
    let queries = json!([query(json!({"body": 3})), query(json!({"body": 0.1}))]);
    let answer = server.call_json("POST /multi-search", json!({"queries": queries})).json();
    assert_eq!(ids(&answer["results"][0]), [2, 1]);
    assert_eq!(ids(&answer["results"][1]), [1, 2]);
    let body = json!({"queries": [query(json!({"body": 3}))], "federation": {}});
    let answer = server.call_json("POST /multi-search", body).json();
    assert_eq!(ids(&answer), [2, 1]);
}

#[test]
fn rejects_invalid_attribute_weights() {
    let server = server("weights-refused", json!(["words"]));
    let line = "POST /indexes/weights-refused/search";
    let code = "invalid_search_attribute_weights";
    for (weights, part) in [
        (json!([]), "Invalid value type at `.attributeWeights`: expected an object"),
        (json!({"title": -1}), "`.attributeWeights.title`: expected a number from 0 to 1000"),
        (json!({"title": 3}), "have an effect only with the ranking rule `bm25`"),
    ] {
        let body = json!({"q": "tide", "attributeWeights": weights});
        server.call_json(line, body).is_error_like(400, code, part);
    }
    let get = "GET /indexes/weights-refused/search?attributeWeights=title";
    server.call(get).is_error_like(400, code, "parameter `attributeWeights`: it is no JSON");
    server.call_json(line, json!({"attributeWeights": {}})).json()["hits"]
        .as_array()
        .expect("hits");
    let line = "PUT /indexes/weights-refused/settings/attribute-weights";
    let code = "invalid_settings_attribute_weights";
    server.call_json(line, json!({"a": "x"})).is_error_like(
        400,
        code,
        "Invalid value type at `.a`",
    );
}
