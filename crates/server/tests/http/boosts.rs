//! Boosts: the setting, the search parameter, the ranking rule `boost`, and their part in scores.

use std::sync::Arc;

use serde_json::{Value, json};

use super::harness::{TestServer, change_settings, ids};

fn books() -> Value {
    json!([
        {"id": 1, "title": "sea", "stock": true, "sold": 0, "out": "2020-01-01T00:00:00Z"},
        {"id": 2, "title": "sea", "stock": false, "sold": 99, "out": "2024-06-01"},
        {"id": 3, "title": "sea", "stock": true, "sold": [9, "many"], "out": 1_717_200_000},
        {"id": 4, "title": "sea", "_geo": {"lat": 1, "lng": 1}, "out": 1_577_836_800_000_u64},
    ])
}

fn server(index: &str, rules: Value) -> Arc<TestServer> {
    let server = TestServer::shared();
    server.with_documents(index, books());
    let settings = json!({
        "rankingRules": rules,
        "filterableAttributes": ["stock", "_geo"],
        "sortableAttributes": ["sold", "out"],
    });
    change_settings(&server, index, settings);
    server
}

fn find(server: &TestServer, index: &str, body: Value) -> Value {
    let answer = server.call_json(&format!("POST /indexes/{index}/search"), body);
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

fn details(answer: &Value, rule: &str) -> Vec<Value> {
    let hits = answer["hits"].as_array().expect("hits");
    hits.iter().map(|hit| hit["_rankingScoreDetails"][rule].clone()).collect()
}

#[test]
fn the_rule_orders_by_the_sum_of_boosts() {
    let server = server("boosts-rule", json!(["words", "boost"]));
    let in_stock = json!({"filter": "stock = true", "weight": 2});
    let sold = json!({"value": {"attribute": "sold", "curve": "log"}});
    let decay = |origin: Value| json!({"decay": {"attribute": "out", "origin": origin, "scale": "30d", "curve": "linear"}});
    let near = json!({"near": {"_geo": {"lat": 1, "lng": 1.001}, "scale": 500}});
    for (boosts, expected) in [
        (json!([in_stock]), [1, 3, 2, 4]),
        (json!([sold]), [2, 3, 1, 4]),
        (json!([in_stock, sold]), [3, 1, 2, 4]),
        (json!([near, {"filter": "stock = true", "weight": 0.1}]), [4, 1, 3, 2]),
        // Dates are texts, seconds and milliseconds; the middle of 2024 is nearer to 2 and 3.
        (json!([decay(json!("2024-06-02"))]), [2, 3, 1, 4]),
        (json!([decay(json!(1_577_836_900))]), [1, 4, 2, 3]),
        (json!([decay(json!("now"))]), [1, 2, 3, 4]),
        (json!([]), [1, 2, 3, 4]),
    ] {
        for q in ["sea", ""] {
            let body = json!({"q": q, "boosts": boosts});
            assert_eq!(ids(&find(&server, "boosts-rule", body)), expected, "{q} {boosts}");
        }
    }
    let body = json!({"q": "sea", "boosts": [in_stock, sold], "showRankingScoreDetails": true});
    let answer = find(&server, "boosts-rule", body);
    let parts = json!([{"boost": "filter", "value": 2.0}, {"boost": "value", "value": 0.5}]);
    assert_eq!(details(&answer, "boost")[0], json!({"order": 1, "value": 2.5, "parts": parts}));
    // It says nothing about relevance.
    let body = json!({"q": "sea", "boosts": [in_stock], "showRankingScore": true});
    let answer = find(&server, "boosts-rule", body);
    assert!(answer["hits"].as_array().expect("hits").iter().all(|hit| hit["_rankingScore"] == 1.0));
    // A window is what it is of the whole list, and facets count as ever.
    let body = json!({"boosts": [sold], "offset": 1, "limit": 2, "facets": ["stock"]});
    let answer = find(&server, "boosts-rule", body);
    assert_eq!(ids(&answer), [3, 1]);
    assert_eq!(answer["facetDistribution"]["stock"], json!({"false": 1, "true": 2}));
    assert_eq!(answer["estimatedTotalHits"], 4);
}

#[test]
fn the_parameter_replaces_the_setting() {
    let server = server("boosts-setting", json!(["boost"]));
    let set = json!([{"value": {"attribute": "sold"}}]);
    change_settings(&server, "boosts-setting", json!({"boosts": set}));
    let shown = server.call("GET /indexes/boosts-setting/settings/boosts").json();
    assert_eq!(shown, json!([{"value": {"attribute": "sold", "curve": "linear"}, "weight": 1}]));
    assert_eq!(ids(&find(&server, "boosts-setting", json!({}))), [2, 3, 1, 4]);
    let body = json!({"boosts": [{"filter": ["stock = true"]}]});
    assert_eq!(ids(&find(&server, "boosts-setting", body)), [1, 3, 2, 4]);
    assert_eq!(ids(&find(&server, "boosts-setting", json!({"boosts": []}))), [1, 2, 3, 4]);
    assert_eq!(ids(&find(&server, "boosts-setting", json!({"boosts": null}))), [2, 3, 1, 4]);
    let line = "GET /indexes/boosts-setting/search?boosts=";
    let boosts = "%5B%7B%22filter%22%3A%22stock%20%3D%20true%22%7D%5D";
    assert_eq!(ids(&server.call(&format!("{line}{boosts}")).json()), [1, 3, 2, 4]);
    server.call(&format!("{line}stock")).is_error_like(
        400,
        "invalid_search_boosts",
        "parameter `boosts`: it is no JSON",
    );
}

#[test]
fn without_the_rule_boosts_multiply_bm25() {
    let server = server("boosts-bm25", json!(["bm25"]));
    let boosts = json!([{"filter": "stock = true", "weight": 3}]);
    let body = json!({"q": "sea ", "boosts": boosts, "showRankingScoreDetails": true});
    let answer = find(&server, "boosts-bm25", body);
    assert_eq!(ids(&answer), [1, 3, 2, 4]);
    let bm25 = details(&answer, "bm25");
    assert_eq!(bm25[0]["boost"]["factor"], 1.0);
    assert_eq!(
        bm25[2]["boost"],
        json!({"factor": 0.25, "value": 0.0,
        "parts": [{"boost": "filter", "value": 0.0}]})
    );
    let score = |place: usize| bm25[place]["score"].as_f64().expect("a score");
    assert!((score(0) - 4.0 * score(2)).abs() < 1e-9, "{bm25:?}");
}

#[test]
fn vectors_and_hybrid_searches_are_multiplied() {
    let server = TestServer::shared();
    let documents = json!([
        {"id": 1, "title": "sea", "stock": false, "_vectors": {"own": [1.0, 0.0]}},
        {"id": 2, "title": "lake", "stock": true, "_vectors": {"own": [0.8, 0.6]}},
        {"id": 3, "title": "sea", "stock": true, "_vectors": {"own": [0.0, 1.0]}},
    ]);
    let settings = json!({
        "filterableAttributes": ["stock"],
        "embedders": {"own": {"source": "userProvided", "dimensions": 2}},
    });
    change_settings(&server, "boosts-hybrid", settings);
    server.with_documents("boosts-hybrid", documents);
    let body = |ratio: f64, boosts: Value| {
        json!({"q": "sea", "vector": [1.0, 0.0], "boosts": boosts, "showRankingScore": true,
            "hybrid": {"embedder": "own", "semanticRatio": ratio}, "showRankingScoreDetails": true})
    };
    let boosts = json!([{"filter": "stock = true", "weight": 1}]);
    let found = |ratio, boosts: &Value| find(&server, "boosts-hybrid", body(ratio, boosts.clone()));
    assert_eq!(ids(&found(1.0, &json!([]))), [1, 2, 3]);
    let answer = found(1.0, &boosts);
    assert_eq!(ids(&answer), [2, 1, 3]);
    let boost = &answer["hits"][1]["_rankingScoreDetails"]["boost"];
    assert_eq!((&boost["factor"], &boost["order"]), (&json!(0.5), &json!(1)));
    assert_eq!(answer["hits"][1]["_rankingScore"], 0.5);
    // The words alone would have 1 and 3 tie.
    assert_eq!(ids(&found(0.5, &json!([])))[0], 1);
    assert_eq!(ids(&found(0.5, &boosts)), [3, 2, 1]);
    // Lists that are fused by their ranks are in the new order too.
    let fused = |boosts: &Value| {
        let mut body = body(0.5, boosts.clone());
        body["hybrid"]["fusion"] = json!("rrf");
        find(&server, "boosts-hybrid", body)
    };
    assert_eq!(ids(&fused(&json!([])))[0], 1);
    let answer = fused(&boosts);
    assert_eq!(ids(&answer)[0], 3);
    assert_eq!(answer["hits"][0]["_rankingScoreDetails"]["boost"]["factor"], 1.0);
}

#[test]
fn several_searches_carry_their_own() {
    let server = server("boosts-multi", json!(["boost", "words"]));
    let query = |boosts: Value| json!({"indexUid": "boosts-multi", "q": "sea", "boosts": boosts});
    let in_stock = json!([{"filter": "stock = true"}]);
    let sold = json!([{"value": {"attribute": "sold"}}]);
    let queries = json!([query(in_stock.clone()), query(sold.clone())]);
    let answer = server.call_json("POST /multi-search", json!({"queries": queries})).json();
    assert_eq!(ids(&answer["results"][0]), [1, 3, 2, 4]);
    assert_eq!(ids(&answer["results"][1]), [2, 3, 1, 4]);
    // The better of the two sums counts.
    let federated = |queries: Value| {
        server.call_json("POST /multi-search", json!({"queries": queries, "federation": {}}))
    };
    let weak = json!([{"filter": "stock = true", "weight": 0.5}]);
    let answer = federated(json!([query(weak), query(sold)])).json();
    assert_eq!(ids(&answer), [2, 1, 3, 4], "{answer}");
    // A sum of boosts cannot be compared with a relevance.
    federated(json!([query(in_stock), query(json!([]))])).is_error_like(
        400,
        "invalid_multi_search_query_ranking_rules",
        "cannot compare a relevancy rule with a boost rule",
    );
}

#[test]
fn rejects_invalid_boosts() {
    let server = server("boosts-refused", json!(["words", "typo"]));
    let refused = |boosts: Value, part: &str| {
        let body = json!({"q": "sea", "boosts": boosts});
        let answer = server.call_json("POST /indexes/boosts-refused/search", body);
        answer.is_error_like(400, "invalid_search_boosts", part);
    };
    refused(json!({}), "Invalid value type at `.boosts`: expected an array");
    refused(json!([{}]), "`.boosts[0]`: a boost has exactly one of");
    refused(json!([{"filter": "stock ="}]), "Was expecting");
    refused(json!([{"filter": ""}]), "The filter of a boost is empty");
    let no_effect = "have an effect only with the ranking rule `boost` or `bm25`";
    refused(json!([{"filter": "stock = true"}]), no_effect);
    refused(json!([{"value": {"attribute": "title"}}]), "`title` of a boost is neither filterable");
    change_settings(&server, "boosts-refused", json!({"rankingRules": ["boost"]}));
    refused(json!([{"filter": "title = sea"}]), "Attribute `title` is not filterable");
    // Nothing to switch off is no mistake.
    find(&server, "boosts-refused", json!({"boosts": []}));
}

#[test]
fn settings_whose_boosts_cannot_be_used_are_refused() {
    let server = server("boosts-stored", json!(["boost"]));
    let line = "PUT /indexes/boosts-stored/settings/boosts";
    let code = "invalid_settings_boosts";
    server.call_json(line, json!([{"filter": "stock ="}])).is_error_like(400, code, "expecting");
    let task = |settings: Value| {
        server.call_json("PATCH /indexes/boosts-stored/settings", settings).task(&server)
    };
    let failed = task(json!({"boosts": [{"filter": "title = sea"}]}));
    assert_eq!(failed["error"]["code"], code, "{failed}");
    let set = json!({"boosts": [{"filter": "title = sea"}], "filterableAttributes": ["title"]});
    assert_eq!(task(set)["status"], "succeeded");
    let failed = task(json!({"filterableAttributes": []}));
    assert_eq!(failed["error"]["code"], code, "{failed}");
    let reset = json!({"filterableAttributes": [], "boosts": null});
    assert_eq!(task(reset)["status"], "succeeded");
}

#[test]
fn figures_do_not_tell_values_that_are_not_displayed() {
    let server = TestServer::shared();
    let settings = json!({
        "rankingRules": ["boost"], "displayedAttributes": ["id"], "sortableAttributes": ["pay"],
    });
    change_settings(&server, "boosts-hidden", settings);
    let documents = json!([{"id": 1, "pay": 700}, {"id": 2, "pay": 900}]);
    server.call_json("POST /indexes/boosts-hidden/documents", documents).task(&server);
    let boosts = json!([{"value": {"attribute": "pay", "max": 1000}}]);
    let body = json!({"boosts": boosts, "showRankingScoreDetails": true});
    let answer = find(&server, "boosts-hidden", body);
    assert_eq!(ids(&answer), [2, 1]);
    let detail = &answer["hits"][0]["_rankingScoreDetails"]["boost"];
    let parts = json!([{"boost": "value", "value": "<hidden>"}]);
    assert_eq!((&detail["value"], &detail["parts"]), (&json!("<hidden>"), &parts));
}
