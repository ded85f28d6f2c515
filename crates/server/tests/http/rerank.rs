//! Searches whose first hits are put in order by a reranker.

use serde_json::{Value, json};

use crate::harness::{Setup, TestServer, change_settings, ids, search};
use crate::rerank_provider::{Harbours, KEY, Mood};

/// A search for the sea with a reranker, and more members.
fn sea(members: Value) -> Value {
    let mut body = json!({"q": "sea", "rerank": {"reranker": "r"}});
    for (name, value) in members.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

fn first(limit: u64) -> Value {
    json!({"rerank": {"reranker": "r", "limit": limit}})
}

#[test]
fn the_first_hits_are_put_in_another_order() {
    let harbours = Harbours::start();
    let find = |body: Value| search(&harbours.server, "harbours", body);
    let plain = find(json!({"q": "sea"}));
    assert_eq!(ids(&plain), [1, 2, 3, 4]);
    assert!(plain.get("rerank").is_none());

    let (answer, asked) = harbours.provider.during(|| find(sea(json!({}))));
    assert_eq!(ids(&answer), [4, 3, 2, 1]);
    assert_eq!(answer["rerank"], json!({"reranker": "r", "reranked": 4}));
    assert_eq!(answer["estimatedTotalHits"], 4);
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].key, Some(format!("Bearer {KEY}")));
    let documents = json!(["sea", "sea boat", "sea boat boat", "sea boat boat boat"]);
    assert_eq!(asked[0].body, json!({"model": "m", "query": "sea", "documents": documents}));

    let answer = find(sea(first(2)));
    assert_eq!((ids(&answer), &answer["rerank"]["reranked"]), (vec![2, 1, 3, 4], &json!(2)));
}

#[test]
fn pages_are_cut_out_of_the_new_order() {
    let harbours = Harbours::start();
    let find = |members: Value| search(&harbours.server, "harbours", sea(members));
    assert_eq!(ids(&find(json!({"offset": 1, "limit": 2}))), [3, 2]);
    let page = find(json!({"page": 2, "hitsPerPage": 2}));
    assert_eq!((ids(&page), &page["totalHits"]), (vec![2, 1], &json!(4)));
    assert_eq!(ids(&find(json!({"limit": 1, "rerank": {"reranker": "r", "limit": 3}}))), [3]);
    // A page that the reranker does not reach.
    let mut far = first(2);
    far["offset"] = json!(2);
    let (answer, asked) = harbours.provider.during(|| find(far));
    assert_eq!((ids(&answer), asked.len()), (vec![3, 4], 0));
    assert_eq!(
        answer["rerank"],
        json!({"reranker": "r", "reranked": 0,
            "reason": "the page begins after the first 2 hits, which are reranked"})
    );
}

#[test]
fn scores_are_shown_beside_those_of_the_first_ranking() {
    let harbours = Harbours::start();
    let shown = json!({"showRankingScore": true, "showRankingScoreDetails": true});
    let answer = search(&harbours.server, "harbours", sea(shown.clone()));
    let mut plain = shown;
    plain["q"] = json!("sea");
    let plain = search(&harbours.server, "harbours", plain);
    let best = &answer["hits"][0];
    assert_eq!((&best["id"], &best["_rerankScore"]), (&json!(4), &json!(0.3)));
    assert_eq!(best["_rankingScore"], plain["hits"][3]["_rankingScore"]);
    let mut details = best["_rankingScoreDetails"].clone();
    let rerank = details.as_object_mut().unwrap().shift_remove("rerank").unwrap();
    let rules = plain["hits"][3]["_rankingScoreDetails"].as_object().unwrap().len();
    let expected = json!({"order": rules, "reranker": "r", "score": 0.3, "rankBefore": 4});
    assert_eq!(rerank, expected);
    assert_eq!(details, plain["hits"][3]["_rankingScoreDetails"]);
    assert!(plain["hits"][0].get("_rerankScore").is_none());
    let timed = search(&harbours.server, "harbours", sea(json!({"showPerformanceDetails": true})));
    assert!(timed["performanceDetails"]["search > rerank"].is_string(), "{timed}");
}

#[test]
fn a_reranker_that_fails_leaves_the_first_order() {
    let harbours = Harbours::start();
    for (mood, part) in [
        (Mood::Failing(400), "the reranking server refused the request (HTTP 400)"),
        (Mood::Failing(401), "did not accept the API key (HTTP 401)"),
        (Mood::Failing(429), "got too many requests"),
        (Mood::Failing(500), "failed (HTTP 500)"),
        (Mood::Babbling, "the answer of the reranking server cannot be used"),
        (Mood::Away, "could not reach the reranking server"),
    ] {
        harbours.provider.set_mood(mood);
        let answer = search(&harbours.server, "harbours", sea(json!({"showRankingScore": true})));
        assert_eq!(ids(&answer), [1, 2, 3, 4], "{mood:?}");
        assert!(answer["hits"][0].get("_rerankScore").is_none());
        let report = &answer["rerank"];
        assert_eq!(report["reranked"], 0);
        let reason = report["reason"].as_str().unwrap();
        assert!(
            reason.contains(part) && reason.ends_with("; the hits keep their order"),
            "{reason}"
        );
        assert!(!reason.contains(KEY));
    }
}

#[test]
fn a_reranker_that_is_late_leaves_the_first_order() {
    let harbours = Harbours::start();
    harbours.provider.set_mood(Mood::Holding);
    harbours.set(json!({"timeoutMs": 40}));
    let answer = search(&harbours.server, "harbours", sea(json!({"limit": 2})));
    assert_eq!(ids(&answer), [1, 2]);
    let late = json!({"reranker": "r", "reranked": 0,
        "reason": "no answer within 40 ms; the hits keep their order"});
    assert_eq!(answer["rerank"], late);
    // Without a limit of its own, it has what is left of `searchCutoffMs`.
    harbours.set(json!({"timeoutMs": null}));
    change_settings(&harbours.server, "harbours", json!({"searchCutoffMs": 60}));
    let answer = search(&harbours.server, "harbours", sea(json!({})));
    assert_eq!(ids(&answer), [1, 2, 3, 4]);
    assert_eq!(answer["rerank"]["reranked"], 0);
}

#[test]
fn without_a_query_text_nothing_is_reranked() {
    let harbours = Harbours::start();
    let (answer, asked) =
        harbours.provider.during(|| search(&harbours.server, "harbours", sea(json!({"q": "  "}))));
    assert_eq!((ids(&answer), asked.len()), (vec![1, 2, 3, 4], 0));
    let reason = "there is no query text to compare documents with";
    assert_eq!(answer["rerank"], json!({"reranker": "r", "reranked": 0, "reason": reason}));
}

#[test]
fn documents_that_the_template_does_not_fit_follow() {
    let harbours = Harbours::start();
    harbours.set(json!({"documentTemplate": "{{doc.title}} {{doc.note}}"}));
    let answer = search(&harbours.server, "harbours", sea(json!({})));
    assert_eq!(ids(&answer), [4, 2, 1, 3]);
    let reason =
        "the document template does not fit some of the documents, which follow the others";
    assert_eq!(answer["rerank"], json!({"reranker": "r", "reranked": 3, "reason": reason}));
}

#[test]
fn pinned_documents_keep_their_places() {
    let harbours = Harbours::start();
    let server = &harbours.server;
    server.call_json("PATCH /experimental-features", json!({"dynamicSearchRules": true}));
    let pin = json!({"selector": {"id": "1"}, "action": {"type": "pin", "position": 1}});
    let rule = json!({"actions": [pin]});
    let task = server.call_json("PATCH /dynamic-search-rules/p", rule).task(server);
    assert_eq!(task["status"], "succeeded", "{task}");
    let answer = search(server, "harbours", sea(json!({})));
    assert_eq!((ids(&answer), &answer["rerank"]["reranked"]), (vec![4, 1, 3, 2], &json!(3)));
}

#[test]
fn mistakes_are_refused() {
    let harbours = Harbours::start();
    let ask = |body: Value| harbours.server.call_json("POST /indexes/harbours/search", body);
    for (rerank, part) in [
        (json!({"reranker": "none"}), "Cannot find reranker with name `none`."),
        (json!({}), "Missing field `reranker` inside `.rerank`"),
        (json!("r"), "Invalid value type at `.rerank`: expected an object"),
        (json!({"reranker": 1}), "Invalid value type at `.rerank.reranker`: expected a string"),
        (json!({"reranker": "r", "top": 1}), "Unknown field `top` inside `.rerank`"),
        (
            json!({"reranker": "r", "limit": 0}),
            "Invalid value at `.rerank.limit`: the value of `limit`",
        ),
        (json!({"reranker": "r", "limit": 201}), "expected an integer from 1 to 200."),
        (json!({"reranker": "r", "limit": "5"}), "Invalid value type at `.rerank.limit`"),
    ] {
        let answer = ask(json!({"q": "sea", "rerank": rerank}));
        answer.is_error_like(400, "invalid_search_rerank", part);
    }
    assert_eq!(ask(json!({"q": "sea", "rerank": null})).status, 200);
    for (line, part) in [
        ("rerankLimit=3", "`rerankReranker` is mandatory when `rerankLimit` is present"),
        ("rerankReranker=none", "Cannot find reranker with name `none`."),
        ("rerankReranker=r&rerankLimit=0", "`rerankLimit`"),
        ("rerankReranker=r&rerankLimit=x", "`rerankLimit`"),
    ] {
        let answer = harbours.server.call(&format!("GET /indexes/harbours/search?{line}"));
        answer.is_error_like(400, "invalid_search_rerank", part);
    }
}

#[test]
fn a_query_string_asks_for_it_too() {
    let harbours = Harbours::start();
    let line = "GET /indexes/harbours/search?q=sea&rerankReranker=r";
    assert_eq!(ids(&harbours.server.call(line).json()), [4, 3, 2, 1]);
    let answer = harbours.server.call(&format!("{line}&rerankLimit=3")).json();
    assert_eq!(ids(&answer), [3, 2, 1, 4]);
}

#[test]
fn each_query_of_several_has_its_own() {
    let harbours = Harbours::start();
    let query = |members: Value| {
        let mut query = sea(members);
        query["indexUid"] = json!("harbours");
        query
    };
    let ask = |body: Value| harbours.server.call_json("POST /multi-search", body);
    let mut plain = query(json!({}));
    plain["rerank"] = Value::Null;
    let answer = ask(json!({"queries": [query(json!({})), plain, query(first(2))]})).json();
    let results = answer["results"].as_array().unwrap();
    assert_eq!(ids(&results[0]), [4, 3, 2, 1]);
    assert_eq!((ids(&results[1]), results[1].get("rerank")), (vec![1, 2, 3, 4], None));
    assert_eq!(ids(&results[2]), [2, 1, 3, 4]);
    let unknown = query(json!({"rerank": {"reranker": "none"}}));
    ask(json!({"queries": [plain, unknown]})).is_error_like(
        400,
        "invalid_search_rerank",
        "Inside `.queries[1]`: Cannot find reranker",
    );
    // One list of several queries is reranked as a whole.
    let federated = json!({"queries": [query(json!({}))], "federation": {}});
    let part = "Inside `.queries[0]`: Using `.rerank` is not allowed in federated queries.";
    ask(federated).is_error_like(400, "invalid_search_rerank", part);
}

#[test]
fn secrets_of_rerankers_are_not_shown() {
    let harbours = Harbours::start();
    let server = &harbours.server;
    let route = "/indexes/harbours/settings/rerankers";
    let shown = server.call(&format!("GET {route}")).json();
    assert_eq!(shown["r"]["apiKey"], "kqzXXXXX...");
    for line in
        [format!("GET {route}"), "GET /indexes/harbours/settings".into(), "GET /tasks".into()]
    {
        assert!(!server.call(&line).text().contains(KEY), "{line}");
    }
    // What is shown can be sent back.
    let task = server.call_json(&format!("PATCH {route}"), shown).task(server);
    assert_eq!(task["status"], "succeeded", "{task}");
    let (_, asked) = harbours.provider.during(|| search(server, "harbours", sea(json!({}))));
    assert_eq!(asked[0].key, Some(format!("Bearer {KEY}")));
}

#[test]
fn settings_that_cannot_be_are_refused_or_fail_their_task() {
    let server = TestServer::start(Setup::default());
    let route = "PATCH /indexes/refused_rerankers/settings/rerankers";
    let code = "invalid_settings_rerankers";
    server.call_json(route, json!({"r": {"source": "rest", "timeoutMs": 0}})).is_error_like(
        400,
        code,
        "`.rerankers.r.timeoutMs`: expected 1 to 30000, got 0",
    );
    server.call_json(route, json!({"r": {"source": "rest", "model": "m"}})).is_error_like(
        400,
        code,
        "Field `model` unavailable for source `rest`",
    );
    for (members, part) in [
        (json!({"source": "cohere"}), "Missing field `model`"),
        (
            json!({"source": "huggingFace", "model": "../elsewhere"}),
            "could not load model `../elsewhere`",
        ),
    ] {
        let task = server.call_json(route, json!({"r": members})).task(&server);
        assert_eq!((&task["status"], &task["error"]["code"]), (&json!("failed"), &json!(code)));
        let message = task["error"]["message"].as_str().unwrap();
        assert!(message.contains(part), "{message}");
    }
}
