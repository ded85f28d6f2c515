//! Searches by vectors that a provider makes of the query, and what is answered without it.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{Setup, TestServer, change_settings, ids, search};
use crate::provider::{Colours, KEY, Mood};

/// Titles that are found by words or by colours.
fn colours() -> Colours {
    let colours = Colours::start();
    colours.embedded_by(json!([
        {"id": 1, "title": "blue sea"},
        {"id": 2, "title": "sea with two red and red boats"},
        {"id": 3, "title": "redder"},
    ]));
    colours
}

fn hybrid(text: &str, ratio: f64) -> Value {
    json!({"q": text, "hybrid": {"embedder": "e", "semanticRatio": ratio}})
}

#[test]
fn the_query_is_embedded_once_and_only_if_it_is_needed() {
    let colours = colours();
    let find = |body: Value| {
        let (answer, asked) = colours.provider.during(|| search(&colours.server, "colours", body));
        (answer, asked.into_iter().flat_map(|asked| asked.texts).collect::<Vec<_>>())
    };
    let (answer, asked) = find(hybrid("red", 1.0));
    assert_eq!(ids(&answer)[2], 1);
    assert_eq!((answer["semanticHitCount"].clone(), asked), (json!(3), vec!["red".to_owned()]));
    // The words find two, the vector the third.
    let (answer, asked) = find(hybrid("sea", 0.5));
    assert_eq!((ids(&answer).len(), asked.len()), (3, 1));
    assert_ne!(answer["semanticHitCount"], 0);
    // The words are all that counts, or good enough, or there is a vector.
    let (answer, asked) = find(hybrid("sea", 0.0));
    assert_eq!((ids(&answer).len(), asked.len()), (2, 0));
    let mut one = hybrid("blue sea", 0.5);
    one["limit"] = json!(1);
    let (answer, asked) = find(one);
    assert_eq!((ids(&answer), asked.len()), (vec![1], 0));
    let (answer, asked) =
        find(json!({"vector": [0, 1, 0], "hybrid": {"embedder": "e", "semanticRatio": 1.0}}));
    assert_eq!((ids(&answer)[0], asked.len()), (1, 0));
}

#[test]
fn searches_of_one_request_embed_what_they_have_in_common_once() {
    let colours = colours();
    let embedders = json!({"embedders": {"e": colours.provider.embedder("{{doc.title}}", KEY)}});
    change_settings(&colours.server, "others", embedders);
    let query = |index: &str, text: &str| {
        let mut query = hybrid(text, 1.0);
        query["indexUid"] = json!(index);
        query
    };
    let queries = [
        query("colours", "red"),
        query("colours", "blue"),
        query("others", "red"),
        query("colours", "red"),
    ];
    for body in [json!({"queries": queries}), json!({"queries": queries, "federation": {}})] {
        let ask = || colours.server.call_json("POST /multi-search", body.clone());
        let (answer, asked) = colours.provider.during(ask);
        assert_eq!(answer.status, 200, "{}", answer.text());
        let mut asked: Vec<_> = asked.into_iter().flat_map(|asked| asked.texts).collect();
        asked.sort();
        assert_eq!(asked, ["blue", "red"]);
    }
    // A failure is not tried again by each of them.
    colours.provider.set_mood(Mood::Refusing);
    let words = json!({"queries": [query("colours", "sea"), query("colours", "sea")]});
    let (answer, asked) =
        colours.provider.during(|| colours.server.call_json("POST /multi-search", words));
    let begin = "Inside `.queries[0]`: Error while generating embeddings: ";
    answer.is_error_like(400, "vector_embedding_error", begin);
    assert_eq!(asked.len(), 1);
}

#[test]
fn without_its_provider_a_search_has_the_words() {
    let colours = colours();
    for mood in [Mood::Away, Mood::Refusing] {
        colours.provider.set_mood(mood);
        let answer = search(&colours.server, "colours", hybrid("sea", 0.5));
        assert_eq!((ids(&answer).len(), &answer["semanticHitCount"]), (2, &json!(0)), "{mood:?}");
        let line = "POST /indexes/colours/search";
        let answer = colours.server.call_json(line, hybrid("sea", 1.0));
        let begin = "Error while generating embeddings: ";
        answer.is_error_like(400, "vector_embedding_error", begin);
    }
}

#[test]
fn a_slow_provider_holds_up_no_other_search() {
    let colours = colours();
    change_settings(&colours.server, "colours", json!({"searchCutoffMs": 60_000}));
    colours.provider.set_mood(Mood::Holding);
    std::thread::scope(|scope| {
        let semantic = || search(&colours.server, "colours", hybrid("red", 1.0));
        let waiting: Vec<_> = (0..6).map(|_| scope.spawn(semantic)).collect();
        std::thread::sleep(Duration::from_millis(1000));
        let begun = Instant::now();
        assert_eq!(ids(&search(&colours.server, "colours", hybrid("sea", 0.0))).len(), 2);
        assert!(begun.elapsed() < Duration::from_secs(7));
        colours.provider.set_mood(Mood::Willing);
        for answer in waiting {
            let answer = answer.join().unwrap();
            assert_eq!((&answer["semanticHitCount"], ids(&answer)[2]), (&json!(3), 1));
        }
    });
}

#[test]
fn a_provider_that_is_too_late_leaves_a_search_its_words() {
    let colours = colours();
    change_settings(&colours.server, "colours", json!({"searchCutoffMs": 150}));
    colours.provider.set_mood(Mood::Holding);
    let begun = Instant::now();
    let answer = search(&colours.server, "colours", hybrid("sea", 0.5));
    assert_eq!((ids(&answer).len(), &answer["semanticHitCount"]), (2, &json!(0)));
    let mut query = hybrid("sea", 0.9);
    query["indexUid"] = json!("colours");
    let two = json!([query, query]);
    let answer = colours.server.call_json("POST /multi-search", json!({ "queries": two })).json();
    for result in answer["results"].as_array().unwrap() {
        assert_eq!((ids(result).len(), &result["semanticHitCount"]), (2, &json!(0)));
    }
    let federated = json!({"queries": two, "federation": {}});
    let answer = colours.server.call_json("POST /multi-search", federated).json();
    assert_eq!((ids(&answer).len(), &answer["semanticHitCount"]), (2, &json!(0)));
    // Where nothing else could answer, the error says what can be done.
    let line = "POST /indexes/colours/search";
    let answer = colours.server.call_json(line, hybrid("sea", 1.0));
    answer.is_error_like(400, "vector_embedding_error", "Error while generating embeddings: ");
    let message = answer.json()["message"].as_str().unwrap().to_owned();
    assert!(message.contains("`searchCutoffMs`"), "{message}");
    // One provider that is waited for without that bound takes ten seconds.
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    colours.provider.set_mood(Mood::Willing);
}

/// Documents that bring their vectors.
fn walks() -> TestServer {
    let server = TestServer::start(Setup::default());
    let embedder = json!({"source": "userProvided", "dimensions": 2});
    let settings = json!({"embedders": {"v": embedder}, "filterableAttributes": ["id"]});
    change_settings(&server, "walks", settings);
    let documents = json!([
        {"id": 1, "title": "sand dune walk", "_vectors": {"v": [1, 0.3]}},
        {"id": 2, "title": "long walk on a sand dune", "_vectors": {"v": [1, 0.05]}},
        {"id": 3, "title": "beach", "_vectors": {"v": [1, 0.2]}},
        {"id": 4, "title": "dune of sand", "_vectors": {"v": null}},
    ]);
    let task = server.call_json("POST /indexes/walks/documents", documents).task(&server);
    assert_eq!(task["status"], "succeeded", "{task}");
    server
}

#[test]
fn excluded_words_and_phrases_are_not_found_by_a_vector_either() {
    let server = walks();
    for (text, expected) in [
        ("-walk", vec![3, 4]),
        ("\"sand dune\" -long", vec![1, 3, 4]),
        ("dune -\"sand dune\"", vec![3, 4]),
        ("sand", vec![1, 2, 3, 4]),
    ] {
        for ratio in [0.5, 1.0] {
            let hybrid = json!({"embedder": "v", "semanticRatio": ratio});
            let mut query = json!({"q": text, "vector": [1, 0], "hybrid": hybrid});
            let found = |answer: &Value| {
                let mut ids = ids(answer);
                ids.sort_unstable();
                ids
            };
            let answer = search(&server, "walks", query.clone());
            assert_eq!(found(&answer), expected, "{text} {ratio}");
            assert_eq!(answer["estimatedTotalHits"], expected.len(), "{text} {ratio}");
            query["indexUid"] = json!("walks");
            let federated = json!({"queries": [query], "federation": {}});
            let answer = server.call_json("POST /multi-search", federated).json();
            assert_eq!(found(&answer), expected, "{text} {ratio}, federated");
        }
    }
}

#[test]
fn a_single_candidate_is_counted_as_semantic_whatever_is_shown() {
    let server = walks();
    // The last one has no vectors.
    for (id, shows_score) in [(1, false), (4, false), (4, true)] {
        let answer = search(
            &server,
            "walks",
            json!({
                "vector": [1, 0], "hybrid": {"embedder": "v"}, "filter": format!("id = {id}"),
                "showRankingScore": shows_score,
            }),
        );
        assert_eq!((ids(&answer), &answer["semanticHitCount"]), (vec![id], &json!(1)));
    }
    let words = json!({"q": "sand", "hybrid": {"embedder": "v", "semanticRatio": 0.0}});
    assert_eq!(search(&server, "walks", words).get("semanticHitCount"), None);
}

#[test]
fn a_similar_search_without_names_is_told_of_the_embedder() {
    let server = walks();
    let line = |parameters: &str| format!("GET /indexes/walks/similar?{parameters}");
    let message = "Cannot find embedder with name ``.";
    server.call(&line("id=&embedder=")).is_error(400, "invalid_similar_embedder", message);
    let message = "Invalid value at `.id`: Document identifier `\"\"` is invalid.";
    server.call(&line("id=&embedder=v")).is_error_like(400, "invalid_similar_id", message);
}

#[test]
fn a_vector_has_numbers_that_can_be_compared() {
    let colours = colours();
    let line = "POST /indexes/colours/search";
    let body = json!({"vector": [1e300, 0, 0], "hybrid": {"embedder": "e"}});
    let message = "Invalid vector: number #0 is out of the range of 32-bit floats.";
    colours.server.call_json(line, body).is_error(400, "invalid_search_vector", message);
    let line = "GET /indexes/colours/search?vector=0,nan,0&hybridEmbedder=e";
    let message = "Invalid vector: number #1 is out of the range of 32-bit floats.";
    colours.server.call(line).is_error(400, "invalid_search_vector", message);
}

#[test]
fn similar_documents_need_no_provider() {
    let colours = colours();
    colours.provider.set_mood(Mood::Away);
    let body = json!({"id": 2, "embedder": "e"});
    let answer = colours.server.call_json("POST /indexes/colours/similar", body).json();
    assert_eq!(ids(&answer), [3, 1]);
    let answer = colours.server.call("GET /indexes/colours/similar?id=2&embedder=e&limit=1").json();
    assert_eq!(ids(&answer), [3]);
}
