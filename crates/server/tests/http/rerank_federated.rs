//! One list of several queries, or of several instances, whose first hits a reranker puts in order.

use serde_json::{Value, json};

use crate::harness::{change_settings, ids, search};
use crate::remotes::Fleet;
use crate::rerank_provider::{Harbours, Mood, RerankProvider};

/// Harbours, and an index `ports` with documents that score between theirs.
fn harbours_and_ports() -> Harbours {
    let harbours = Harbours::start();
    let mut reranker = harbours.provider.reranker();
    reranker["documentTemplate"] = json!("{{doc.name}}");
    change_settings(&harbours.server, "ports", json!({"rerankers": {"r": reranker}}));
    let name = |boats: usize| format!("sea {}", "boat ".repeat(boats));
    harbours.server.with_documents(
        "ports",
        json!([{"id": 10, "name": name(5)}, {"id": 11, "name": name(0)}, {"id": 12, "name": "sea boat boat, no more"}]),
    );
    harbours
}

fn query(uid: &str, members: Value) -> Value {
    let mut query = json!({"indexUid": uid, "q": "sea"});
    for (name, value) in members.as_object().unwrap() {
        query[name] = value.clone();
    }
    query
}

fn rerank(limit: usize) -> Value {
    json!({"reranker": "r", "limit": limit})
}

fn ask(harbours: &Harbours, federation: Value, queries: [Value; 2]) -> Value {
    let body = json!({"federation": federation, "queries": queries});
    let answer = harbours.server.call_json("POST /multi-search", body);
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

#[test]
fn hits_of_several_indexes_are_reranked_as_one_list() {
    let harbours = harbours_and_ports();
    let both = || [query("harbours", json!({})), query("ports", json!({}))];
    let plain = ask(&harbours, json!({}), both());
    assert!(plain.get("rerank").is_none());
    let before = ids(&plain);

    let (answer, asked) =
        harbours.provider.during(|| ask(&harbours, json!({"rerank": rerank(50)}), both()));
    // Boats: 5, 3, 2, 2, 1, 0, 0. Those that score alike stay in the first order.
    let place = |id: u64| before.iter().position(|&other| other == id).unwrap();
    let mut expected = vec![10, 4, 3, 12, 2, 1, 11];
    for pair in [[2, 3], [5, 6]] {
        if place(expected[pair[0]]) > place(expected[pair[1]]) {
            expected.swap(pair[0], pair[1]);
        }
    }
    assert_eq!(ids(&answer), expected);
    assert_eq!(answer["rerank"], json!({"reranker": "r", "reranked": 7}));
    assert_eq!(answer["estimatedTotalHits"], plain["estimatedTotalHits"]);
    // The same text for the same reranker is one call.
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].body["documents"].as_array().unwrap().len(), 7);

    let page = json!({"rerank": rerank(50), "offset": 1, "limit": 2});
    let (page, asked) = harbours.provider.during(|| ask(&harbours, page, both()));
    assert_eq!((ids(&page), asked.len()), (expected[1..3].to_vec(), 1));
    let far = json!({"rerank": rerank(2), "offset": 2});
    let (far, asked) = harbours.provider.during(|| ask(&harbours, far, both()));
    assert_eq!((ids(&far), asked.len()), (before[2..].to_vec(), 0));
    assert_eq!(far["rerank"]["reranked"], 0);
    assert!(far["rerank"]["reason"].as_str().unwrap().contains("after the first 2 hits"));
}

#[test]
fn each_hit_is_compared_with_the_text_that_found_it() {
    let harbours = harbours_and_ports();
    let queries = [query("harbours", json!({"q": "boat"})), query("ports", json!({}))];
    let federation = json!({"rerank": rerank(50)});
    let (answer, asked) = harbours.provider.during(|| ask(&harbours, federation.clone(), queries));
    let texts: Vec<&Value> = asked.iter().map(|asked| &asked.body["query"]).collect();
    assert_eq!(texts, ["boat", "sea"]);
    assert_eq!(ids(&answer)[..2], [10, 4]);
    // What is found without a text has no score and follows.
    let queries = [query("harbours", json!({"q": ""})), query("ports", json!({}))];
    let answer = ask(&harbours, federation.clone(), queries);
    assert_eq!(answer["rerank"]["reranked"], 3);
    assert_eq!(ids(&answer)[..3], [10, 12, 11]);
    let queries = [query("harbours", json!({"q": ""})), query("ports", json!({"q": " "}))];
    let answer = ask(&harbours, federation, queries);
    assert_eq!(answer["rerank"]["reason"], "there is no query text to compare documents with");
}

#[test]
fn scores_are_shown_with_the_hits_of_queries_that_show_scores() {
    let harbours = harbours_and_ports();
    let shown = json!({"showRankingScore": true, "showRankingScoreDetails": true});
    let queries = [query("harbours", shown), query("ports", json!({}))];
    let answer = ask(&harbours, json!({"rerank": rerank(50)}), queries);
    let hit = |id: u64| {
        let hits = answer["hits"].as_array().unwrap();
        hits.iter().find(|hit| hit["id"] == id).unwrap()
    };
    assert_eq!(hit(4)["_rerankScore"], 0.3);
    let detail = &hit(4)["_rankingScoreDetails"]["rerank"];
    assert_eq!((&detail["reranker"], &detail["score"]), (&json!("r"), &json!(0.3)));
    assert!(detail["rankBefore"].as_u64().unwrap() > 2, "{detail}");
    assert!(hit(10).get("_rerankScore").is_none());
    assert!(hit(4)["_federation"].get("rerankScore").is_none());
}

#[test]
fn a_reranker_that_fails_or_is_missing_is_told() {
    let harbours = harbours_and_ports();
    let both = || [query("harbours", json!({})), query("ports", json!({}))];
    let before = ids(&ask(&harbours, json!({}), both()));
    harbours.provider.set_mood(Mood::Failing(500));
    let answer = ask(&harbours, json!({"rerank": rerank(50)}), both());
    assert_eq!(ids(&answer), before);
    let reason = "the reranking server failed (HTTP 500); the hits keep their order";
    assert_eq!(answer["rerank"], json!({"reranker": "r", "reranked": 0, "reason": reason}));

    change_settings(&harbours.server, "ports", json!({"rerankers": null}));
    let body = json!({"federation": {"rerank": rerank(50)}, "queries": both()});
    harbours.server.call_json("POST /multi-search", body).is_error_like(
        400,
        "invalid_search_rerank",
        "Inside `.queries[1]`: Cannot find reranker with name `r`.",
    );
    let body = json!({"federation": {"rerank": rerank(201)}, "queries": both()});
    harbours.server.call_json("POST /multi-search", body).is_error_like(
        400,
        "invalid_search_rerank",
        "`.federation.rerank.limit`",
    );
}

#[test]
fn instances_score_their_own_hits() {
    let provider = RerankProvider::start();
    let fleet = Fleet::start(3);
    let boats = |id: usize| id * 5 % 9;
    let documents: Vec<Value> = (0..9)
        .map(|id| json!({"id": id, "title": format!("sea {}", "boat ".repeat(boats(id)))}))
        .collect();
    fleet.fill("harbours", &json!({"rerankers": {"r": provider.reranker()}}), &documents);
    let mut expected: Vec<u64> = (0..9).collect();
    expected.sort_by_key(|&id| std::cmp::Reverse(boats(id as usize)));

    let body = json!({
        "q": "sea", "useNetwork": true, "rerank": rerank(9), "limit": 4,
        "showRankingScore": true, "showRankingScoreDetails": true,
    });
    for server in &fleet.servers {
        let (answer, asked) = provider.during(|| search(server, "harbours", body.clone()));
        assert_eq!(ids(&answer), expected[..4]);
        assert_eq!(answer["rerank"], json!({"reranker": "r", "reranked": 9}));
        assert_eq!(asked.len(), 3);
        for hit in answer["hits"].as_array().unwrap() {
            let score = boats(hit["id"].as_u64().unwrap() as usize) as f64 / 10.0;
            assert_eq!(hit["_rerankScore"], score, "{hit}");
            let details = hit["_rankingScoreDetails"].as_object().unwrap();
            assert_eq!(details["rerank"]["score"], score);
            assert_eq!(details["rerank"]["order"], details.len() - 1);
            assert!(hit["_federation"].get("rerankScore").is_none(), "{hit}");
        }
    }

    // One that fails leaves the first order for all.
    let broken = json!({"rerankers": {"r": {"url": "http://127.0.0.1:9/rerank"}}});
    change_settings(&fleet.servers[1], "harbours", broken);
    let answer = search(&fleet.servers[0], "harbours", body.clone());
    assert_eq!(answer["rerank"]["reranked"], 0);
    let reason = answer["rerank"]["reason"].as_str().unwrap();
    assert!(reason.starts_with("remote `b`: could not reach"), "{reason}");
    assert!(answer["hits"][0].get("_rerankScore").is_none());

    // One that has no such reranker fails its part.
    change_settings(&fleet.servers[1], "harbours", json!({"rerankers": null}));
    let answer = search(&fleet.servers[0], "harbours", body);
    assert_eq!(answer["rerank"]["reranked"], 6);
    let error = answer["remoteErrors"]["b"]["message"].as_str().unwrap();
    assert!(error.contains("Cannot find reranker with name `r`."), "{error}");
}
