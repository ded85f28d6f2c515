//! Answers to searches: members and their order, pages, the fields of hits, metadata.

use std::sync::Arc;

use serde_json::{Value, json};

use super::harness::{TestServer, change_settings, ids, members, search, without};

const TIMES: &[&str] = &["processingTimeMs", "requestUid"];

fn server(index: &str, count: usize) -> Arc<TestServer> {
    let server = TestServer::shared();
    let documents: Vec<Value> =
        (1..=count).map(|id| json!({"id": id, "label": format!("ticket {id}")})).collect();
    server.with_documents(index, json!(documents));
    server
}

#[test]
fn a_search_for_nothing_finds_everything() {
    let server = server("search_all", 2);
    let expected = |query: &str| {
        json!({
            "hits": [{"id": 1, "label": "ticket 1"}, {"id": 2, "label": "ticket 2"}],
            "query": query, "limit": 20, "offset": 0, "estimatedTotalHits": 2,
        })
    };
    for (body, query) in [
        (json!({}), ""),
        (json!({"q": null}), ""),
        (json!({"q": ""}), ""),
        (json!({"q": " \t"}), " \t"),
    ] {
        let answer = search(&server, "search_all", body);
        assert_eq!(
            members(&answer),
            [
                "hits",
                "query",
                "processingTimeMs",
                "limit",
                "offset",
                "estimatedTotalHits",
                "requestUid"
            ]
        );
        assert!(answer["processingTimeMs"].is_u64());
        assert_eq!(without(answer, TIMES), expected(query));
    }
    let answer = server.call("GET /indexes/search_all/search");
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(without(answer.json(), TIMES), expected(""));
}

#[test]
fn every_answer_has_a_uid_of_its_own_in_the_order_of_time() {
    let server = server("search_uids", 1);
    let uid =
        || search(&server, "search_uids", json!({}))["requestUid"].as_str().unwrap().to_owned();
    let (first, second) = (uid(), uid());
    assert!(first < second, "{first} {second}");
    assert_eq!((first.len(), &first[14..15]), (36, "7"));
}

#[test]
fn offset_and_limit_cut_a_window() {
    let server = server("search_window", 30);
    for (body, expected) in [
        (json!({}), (1..=20).collect()),
        (json!({"limit": 3}), vec![1, 2, 3]),
        (json!({"limit": 0}), vec![]),
        (json!({"offset": 28}), vec![29, 30]),
        (json!({"offset": 30}), vec![]),
        (json!({"offset": u64::MAX, "limit": u64::MAX}), vec![]),
    ] {
        let answer = search(&server, "search_window", body.clone());
        assert_eq!(ids(&answer), expected, "{body}");
        assert_eq!(answer["estimatedTotalHits"], 30);
        let given = |name: &str, default: u64| body.get(name).cloned().unwrap_or(json!(default));
        assert_eq!(answer["limit"], given("limit", 20));
        assert_eq!(answer["offset"], given("offset", 0));
    }
}

#[test]
fn pages_are_counted() {
    let server = server("search_pages", 30);
    // hitsPerPage, page, totalPages
    for (body, expected, shown) in [
        (json!({"page": 1}), (1..=20).collect(), [20, 1, 2]),
        (json!({"page": 2}), (21..=30).collect(), [20, 2, 2]),
        (json!({"hitsPerPage": 7}), (1..=7).collect(), [7, 1, 5]),
        (json!({"hitsPerPage": 7, "page": 5}), vec![29, 30], [7, 5, 5]),
        (json!({"hitsPerPage": 7, "page": 6}), vec![], [7, 6, 5]),
        (json!({"page": 0}), vec![], [20, 0, 2]),
        (json!({"hitsPerPage": 0}), vec![], [0, 1, 0]),
        (json!({"page": 1_000_000, "hitsPerPage": 1_000_000}), vec![], [1_000_000, 1_000_000, 1]),
        (json!({"hitsPerPage": 2, "page": null, "offset": 9, "limit": 1}), vec![1, 2], [2, 1, 15]),
    ] {
        let answer = search(&server, "search_pages", body.clone());
        assert_eq!(
            members(&answer),
            [
                "hits",
                "query",
                "processingTimeMs",
                "hitsPerPage",
                "page",
                "totalPages",
                "totalHits",
                "requestUid"
            ]
        );
        assert_eq!(ids(&answer), expected, "{body}");
        let numbers =
            ["hitsPerPage", "page", "totalPages"].map(|name| answer[name].as_i64().unwrap());
        assert_eq!(numbers, shown, "{body}");
        assert_eq!(answer["totalHits"], 30);
    }
}

#[test]
fn no_hit_past_the_maximum_is_shown_but_all_are_counted() {
    let server = server("search_maximum", 30);
    change_settings(&server, "search_maximum", json!({"pagination": {"maxTotalHits": 5}}));
    for (body, expected) in [
        (json!({}), vec![1, 2, 3, 4, 5]),
        (json!({"offset": 4, "limit": 2}), vec![5]),
        (json!({"offset": 5}), vec![]),
        (json!({"hitsPerPage": 2, "page": 3}), vec![5]),
        (json!({"hitsPerPage": 2, "page": 4}), vec![]),
    ] {
        let answer = search(&server, "search_maximum", body.clone());
        assert_eq!(ids(&answer), expected, "{body}");
        match body.get("hitsPerPage") {
            Some(_) => {
                assert_eq!((&answer["totalHits"], &answer["totalPages"]), (&json!(30), &json!(15)));
            }
            None => assert_eq!(answer["estimatedTotalHits"], 30),
        }
    }
}

#[test]
fn hits_show_the_fields_that_are_asked_for_and_displayed() {
    let server = TestServer::shared();
    let document = json!({
        "id": "k", "name": "Café", "n": 1.0, "at": {"street": "Quai", "zip": 8, "notes": ["a", "b"]},
        "reviews": [{"by": "Ann", "text": "x"}, {"by": "Olu", "text": "y"}], "_vectors": {"m": [1]},
    });
    server.with_documents("search_fields", json!([document]));
    let all = without(document.clone(), &["_vectors"]);
    let hit = |body: Value| search(&server, "search_fields", body)["hits"][0].clone();
    for (names, expected) in [
        (json!(null), all.clone()),
        (json!(["*"]), all.clone()),
        (json!(["*", "nope"]), all),
        (json!([]), json!({})),
        (json!([""]), json!({})),
        (json!(["name", "id", "name"]), json!({"id": "k", "name": "Café"})),
        (json!(["NAME", "na*", "nope"]), json!({})),
        (json!(["at.zip", "n"]), json!({"n": 1.0, "at": {"zip": 8}})),
        (json!(["reviews.text"]), json!({"reviews": [{"text": "x"}, {"text": "y"}]})),
        (json!(["_vectors"]), json!({})),
    ] {
        let shown = hit(json!({"attributesToRetrieve": names}));
        assert_eq!(shown.to_string(), expected.to_string(), "{names}");
    }
    let vectors = hit(json!({"attributesToRetrieve": ["id"], "retrieveVectors": true}));
    assert_eq!(vectors["id"], "k");
    assert_eq!(vectors["_vectors"], document["_vectors"]);

    change_settings(
        &server,
        "search_fields",
        json!({"displayedAttributes": ["name", "at.street"]}),
    );
    for (names, expected) in [
        (json!(null), json!({"name": "Café", "at": {"street": "Quai"}})),
        (json!(["*"]), json!({"name": "Café", "at": {"street": "Quai"}})),
        (json!(["id", "name"]), json!({"name": "Café"})),
        (json!(["at"]), json!({})),
    ] {
        assert_eq!(hit(json!({"attributesToRetrieve": names})), expected, "{names}");
    }
    assert_eq!(
        hit(json!({"attributesToRetrieve": ["name"], "retrieveVectors": true})),
        json!({"name": "Café"})
    );
}

#[test]
fn scores_and_their_details_are_shown_on_demand() {
    let server = server("search_scores", 1);
    let hit = |body: Value| search(&server, "search_scores", body)["hits"][0].clone();
    assert_eq!(
        hit(json!({"showRankingScore": true})),
        json!({"id": 1, "label": "ticket 1", "_rankingScore": 1.0})
    );
    let both = hit(json!({
        "attributesToRetrieve": [], "showRankingScore": true, "showRankingScoreDetails": true,
    }));
    assert_eq!(both.to_string(), r#"{"_rankingScore":1.0,"_rankingScoreDetails":{}}"#);
    let found = hit(
        json!({"q": "ticket", "attributesToRetrieve": ["id"], "showRankingScoreDetails": true}),
    );
    assert_eq!(members(&found), ["id", "_rankingScoreDetails"]);
    assert_eq!(found["_rankingScoreDetails"]["words"]["matchingWords"], 1);
}

#[test]
fn formatting_comes_before_scores() {
    let server = server("search_formatted", 1);
    let hit = |body: Value| search(&server, "search_formatted", body)["hits"][0].clone();
    let whole = hit(json!({
        "q": "ticket", "attributesToRetrieve": ["id"], "attributesToHighlight": ["label"],
        "highlightPreTag": "[", "highlightPostTag": "]",
        "showMatchesPosition": true, "showRankingScore": true,
    }));
    assert_eq!(members(&whole), ["id", "_formatted", "_matchesPosition", "_rankingScore"]);
    assert_eq!(whole["_formatted"], json!({"id": "1", "label": "[ticket] 1"}));
    assert_eq!(whole["_matchesPosition"], json!({"label": [{"start": 0, "length": 6}]}));
    let cropped = hit(json!({
        "q": "ticket", "attributesToRetrieve": [], "attributesToCrop": ["label"], "cropLength": 1,
        "cropMarker": "~",
    }));
    assert_eq!(cropped, json!({"_formatted": {"label": "ticket~"}}));
    assert_eq!(
        hit(json!({"attributesToRetrieve": [], "showMatchesPosition": true})),
        json!({"_matchesPosition": {}})
    );
    assert_eq!(
        hit(json!({"attributesToRetrieve": [], "attributesToHighlight": ["nope"]})),
        json!({})
    );
}

#[test]
fn words_are_found_by_every_strategy_and_only_where_they_are_looked_for() {
    let server = TestServer::shared();
    let documents = json!([
        {"id": 1, "title": "winter orchard", "body": "silver"},
        {"id": 2, "title": "winter", "body": "orchard silver"},
        {"id": 3, "title": "summer", "body": "orchard"},
    ]);
    server.with_documents("search_words", documents);
    for (body, expected) in [
        (json!({"q": "winter orchard"}), vec![1, 2]),
        (json!({"q": "winter orchard", "matchingStrategy": "all"}), vec![1, 2]),
        (json!({"q": "winter orchard", "matchingStrategy": "any"}), vec![1, 2, 3]),
        (json!({"q": "orchard", "attributesToSearchOn": ["title"]}), vec![1]),
        (json!({"q": "orchard", "attributesToSearchOn": []}), vec![]),
        (json!({"attributesToSearchOn": []}), vec![1, 2, 3]),
        (json!({"q": "winter", "rankingScoreThreshold": 1, "locales": ["eng"]}), vec![2]),
    ] {
        let answer = search(&server, "search_words", body.clone());
        assert_eq!(ids(&answer), expected, "{body}");
        assert_eq!(answer["estimatedTotalHits"], expected.len());
    }
    change_settings(&server, "search_words", json!({"searchableAttributes": ["title"]}));
    server
        .call_json("POST /indexes/search_words/search", json!({"q": "a", "attributesToSearchOn": ["nope"]}))
        .is_error(
            400,
            "invalid_search_attributes_to_search_on",
            "Index `search_words`: Attribute `nope` is not searchable. Available searchable attributes are: `title`.",
        );
}

/// A prefix that a hundred words and more begin with: the order of a pair costs what it costs for any
/// other word, and documents that tie keep the order of their insertion.
#[test]
fn short_prefixes_rank_pairs_in_both_orders() {
    let server = TestServer::shared();
    let index = "search_short_prefix";
    let many: Vec<String> = (0..150).map(|number| format!("av{number}")).collect();
    let far = "x ".repeat(12);
    let documents = json!([
        {"id": 1, "text": many.join(" ")},
        {"id": 2, "text": format!("avocet {far} zebra")},
        {"id": 3, "text": "avocado zebra"},
        {"id": 4, "text": "zebra avenue"},
        {"id": 5, "text": format!("zebra {far} avenue")},
        {"id": 6, "text": "average zebra"},
        {"id": 7, "text": "zebra avid"},
        {"id": 8, "text": "av zebra"},
    ]);
    server.with_documents(index, documents);
    change_settings(&server, index, json!({"rankingRules": ["words", "proximity"]}));
    let answer = search(&server, index, json!({"q": "zebra av", "showRankingScore": true}));
    assert_eq!(ids(&answer), [4, 7, 3, 6, 8, 2, 5]);
    let scores: Vec<f64> = answer["hits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|h| h["_rankingScore"].as_f64().unwrap())
        .collect();
    assert!(scores[0] > scores[2] && scores[2] > scores[5], "{scores:?}");
    assert_eq!((scores[0], scores[2], scores[5]), (scores[1], scores[4], scores[6]), "{scores:?}");
}

#[test]
fn metadata_come_with_a_header() {
    let server = server("search_metadata", 1);
    let ask = |value: &str, body: Value| {
        let request = server.request("POST /indexes/search_metadata/search");
        request.header("Meili-Include-Metadata", value).json(&body).send().json()
    };
    for value in ["true", "TRUE", "1"] {
        let answer = ask(value, json!({"q": "ticket"}));
        assert_eq!(members(&answer).last(), Some(&"metadata"));
        let metadata = answer["metadata"].clone();
        assert_eq!(members(&metadata), ["query", "queryUid", "indexUid", "primaryKey"]);
        assert_ne!(metadata["queryUid"], answer["requestUid"]);
        assert_eq!(
            without(metadata, &["queryUid"]),
            json!({"query": "ticket", "indexUid": "search_metadata", "primaryKey": "id"})
        );
    }
    assert_eq!(
        members(&ask("true", json!({}))["metadata"]),
        ["queryUid", "indexUid", "primaryKey"]
    );
    for value in ["false", "0", "yes", ""] {
        assert_eq!(ask(value, json!({})).get("metadata"), None, "{value}");
    }
}

#[test]
fn the_time_of_each_stage_is_told_on_demand() {
    let server = server("search_stages", 1);
    let answer = search(&server, "search_stages", json!({"showPerformanceDetails": true}));
    assert_eq!(members(&answer).last(), Some(&"performanceDetails"));
    let details = &answer["performanceDetails"];
    assert_eq!(
        members(details),
        ["wait in queue", "search > keyword ranking", "search > format", "search"]
    );
    for (stage, time) in details.as_object().unwrap() {
        let time = time.as_str().unwrap();
        let number = time.trim_end_matches(char::is_alphabetic);
        assert!(number.parse::<f64>().is_ok() && time.ends_with('s'), "{stage}: {time}");
    }
}
