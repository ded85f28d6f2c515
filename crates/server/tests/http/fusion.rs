//! `hybrid.fusion`: how hits by words and by vectors become one list, where it can be asked for, and
//! what is refused.

use serde_json::{Value, json};

use crate::harness::{Setup, TestServer, change_settings, ids, search};

/// By words 1 comes before 2, and 3 has none; by the vector `[1, 0]` the order is 2, 3, 1.
fn walks() -> TestServer {
    let server = TestServer::start(Setup::default());
    let embedder = json!({"source": "userProvided", "dimensions": 2});
    change_settings(&server, "walks", json!({"embedders": {"v": embedder}}));
    let documents = json!([
        {"id": 1, "title": "sand dune walk", "_vectors": {"v": [1, 0.3]}},
        {"id": 2, "title": "long walk on a sand dune", "_vectors": {"v": [1, 0.05]}},
        {"id": 3, "title": "beach", "_vectors": {"v": [1, 0.2]}},
        {"id": 4, "title": "forest", "_vectors": {"v": [0, 1]}},
    ]);
    let task = server.call_json("POST /indexes/walks/documents", documents).task(&server);
    assert_eq!(task["status"], "succeeded", "{task}");
    server
}

fn query(fusion: &Value) -> Value {
    let mut hybrid = json!({"embedder": "v", "semanticRatio": 0.5});
    for (name, value) in fusion.as_object().expect("an object") {
        hybrid[name] = value.clone();
    }
    json!({
        "q": "sand dune", "vector": [1, 0], "hybrid": hybrid,
        "showRankingScore": true, "showRankingScoreDetails": true,
    })
}

fn scores(answer: &Value) -> Vec<f64> {
    let hits = answer["hits"].as_array().expect("hits");
    hits.iter().map(|hit| hit["_rankingScore"].as_f64().expect("a score")).collect()
}

#[test]
fn ranks_are_fused_by_the_formula() {
    let server = walks();
    for (fusion, k) in [(json!({"fusion": "rrf"}), 60.0), (json!({"fusion": "rrf", "k": 2}), 2.0)] {
        let answer = search(&server, "walks", query(&fusion));
        assert_eq!(ids(&answer), [2, 1, 3, 4]);
        let share = |rank: f64| (k + 1.0) / (k + rank) / 2.0;
        let expected = [share(2.0) + share(1.0), share(1.0) + share(3.0), share(2.0), share(4.0)];
        for (found, expected) in scores(&answer).into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-9, "{k}: {found} {expected}");
        }
        let details = &answer["hits"][0]["_rankingScoreDetails"]["fusion"];
        assert_eq!((&details["words"]["rank"], &details["vector"]["rank"]), (&json!(2), &json!(1)));
        assert_eq!(details["k"], k as u64);
        assert_eq!(
            (&answer["semanticHitCount"], &answer["estimatedTotalHits"]),
            (&json!(4), &json!(4))
        );
    }
}

#[test]
fn scores_are_scaled_to_one_range() {
    let server = walks();
    let answer = search(&server, "walks", query(&json!({"fusion": "normalized"})));
    assert_eq!(ids(&answer)[0], 2);
    let found = scores(&answer);
    assert!(found.is_sorted_by(|a, b| a >= b) && found[0] <= 1.0, "{found:?}");
    // The last of both sides.
    assert_eq!((ids(&answer)[3], found[3]), (4, 0.0));
    let mut strict = query(&json!({"fusion": "normalized"}));
    // A number loses its last digit on its way through JSON.
    strict["rankingScoreThreshold"] = json!(found[1] - 1e-9);
    let answer = search(&server, "walks", strict);
    assert_eq!((ids(&answer).len(), &answer["estimatedTotalHits"]), (2, &json!(2)));
}

#[test]
fn score_is_the_default() {
    let server = walks();
    let of = |fusion: Value| {
        let mut answer = search(&server, "walks", query(&fusion));
        answer["processingTimeMs"] = json!(0);
        answer["requestUid"] = json!(null);
        answer
    };
    assert_eq!(of(json!({})), of(json!({"fusion": "score"})));
    assert_ne!(of(json!({})), of(json!({"fusion": "rrf"})));
}

#[test]
fn query_strings_and_several_searches_take_it_too() {
    let server = walks();
    for (fusion, parameters) in [
        (json!({"fusion": "rrf", "k": 7}), "hybridFusion=rrf&hybridK=7"),
        (json!({"fusion": "normalized"}), "hybridFusion=normalized"),
    ] {
        let expected = search(&server, "walks", query(&fusion))["hits"].clone();
        let answer = server.call(&format!(
            "GET /indexes/walks/search?q=sand+dune&vector=1,0&hybridEmbedder=v&{parameters}\
             &showRankingScore=true&showRankingScoreDetails=true"
        ));
        assert_eq!(answer.json()["hits"], expected);
        let mut one = query(&fusion);
        one["indexUid"] = json!("walks");
        let answer = server.call_json("POST /multi-search", json!({"queries": [one]}));
        assert_eq!(answer.json()["results"][0]["hits"], expected);
        let federated = json!({"queries": [one], "federation": {}});
        let answer = server.call_json("POST /multi-search", federated).json();
        assert_eq!(ids(&answer), ids(&json!({"hits": expected})));
        assert_eq!(scores(&answer), scores(&json!({"hits": expected})));
    }
}

#[test]
fn rejects_invalid_fusion() {
    let server = walks();
    for (fusion, code, begin) in [
        (
            json!({"fusion": "best"}),
            "invalid_search_hybrid_fusion",
            "Invalid value at `.hybrid.fusion`: ",
        ),
        (
            json!({"fusion": 1}),
            "invalid_search_hybrid_fusion",
            "Invalid value type at `.hybrid.fusion`: ",
        ),
        (
            json!({"fusion": "rrf", "k": 0}),
            "invalid_search_hybrid_k",
            "Invalid value at `.hybrid.k`: ",
        ),
        (
            json!({"fusion": "rrf", "k": 1001}),
            "invalid_search_hybrid_k",
            "Invalid value at `.hybrid.k`: ",
        ),
        (
            json!({"fusion": "rrf", "k": 1.5}),
            "invalid_search_hybrid_k",
            "Invalid value type at `.hybrid.k`: ",
        ),
        (json!({"k": 60}), "invalid_search_hybrid_k", "Invalid value at `.hybrid.k`: "),
        (
            json!({"fusion": "normalized", "k": 60}),
            "invalid_search_hybrid_k",
            "Invalid value at `.hybrid.k`: ",
        ),
    ] {
        let answer = server.call_json("POST /indexes/walks/search", query(&fusion));
        answer.is_error_like(400, code, begin);
        let mut body = query(&fusion);
        body.as_object_mut().expect("an object").retain(|name, _| !name.starts_with("show"));
        body["facetName"] = json!("title");
        server.call_json("POST /indexes/walks/facet-search", body).is_error_like(400, code, begin);
    }
    for (parameters, code) in [
        ("hybridEmbedder=v&hybridFusion=best", "invalid_search_hybrid_fusion"),
        ("hybridEmbedder=v&hybridFusion=rrf&hybridK=x", "invalid_search_hybrid_k"),
        ("hybridEmbedder=v&hybridK=3", "invalid_search_hybrid_k"),
        ("hybridFusion=rrf", "invalid_search_hybrid_query"),
        ("hybridK=3", "invalid_search_hybrid_query"),
    ] {
        let answer = server.call(&format!("GET /indexes/walks/search?q=a&{parameters}"));
        answer.is_error_like(400, code, "");
    }
}

#[test]
fn no_fusion_finds_what_the_text_excludes() {
    let server = walks();
    for fusion in ["score", "rrf", "normalized"] {
        for (text, expected) in [
            ("-walk", vec![3, 4]),
            ("\"sand dune\" -long", vec![1, 3, 4]),
            ("dune -\"sand dune\"", vec![3, 4]),
        ] {
            let mut one = query(&json!({"fusion": fusion}));
            one["q"] = json!(text);
            let sorted = |answer: &Value| {
                let mut ids = ids(answer);
                ids.sort_unstable();
                ids
            };
            let answer = search(&server, "walks", one.clone());
            assert_eq!(sorted(&answer), expected, "{fusion} {text}");
            assert_eq!(answer["estimatedTotalHits"], expected.len(), "{fusion} {text}");
            one["indexUid"] = json!("walks");
            let federated = json!({"queries": [one, one], "federation": {}});
            let answer = server.call_json("POST /multi-search", federated).json();
            assert_eq!(sorted(&answer), expected, "{fusion} {text}, federated");
        }
    }
}
