//! Searches by vectors that a provider makes of the query, and what is answered without it.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{change_settings, ids, search};
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
fn a_slow_provider_holds_up_no_other_search_and_takes_no_time_from_ranking() {
    let colours = colours();
    change_settings(&colours.server, "colours", json!({"searchCutoffMs": 2000}));
    colours.provider.set_mood(Mood::Holding);
    std::thread::scope(|scope| {
        let semantic = || search(&colours.server, "colours", hybrid("red", 1.0));
        let waiting: Vec<_> = (0..6).map(|_| scope.spawn(semantic)).collect();
        std::thread::sleep(Duration::from_millis(2300));
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
