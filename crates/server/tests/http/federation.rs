//! Several searches whose hits become one list: order, weights, windows, and what hits tell.

use std::sync::Arc;

use serde_json::{Value, json};

use super::harness::{TestServer, change_settings, members, without};

/// The indexes `<name>_books` and `<name>_films`.
fn library(name: &str) -> (Arc<TestServer>, String, String) {
    let server = TestServer::shared();
    let (books, films) = (format!("{name}_books"), format!("{name}_films"));
    for uid in [&books, &films] {
        let settings = json!({
            "filterableAttributes": ["lang", "genre", "year"],
            "sortableAttributes": ["year", "title", "_geo"],
        });
        change_settings(&server, uid, settings);
    }
    server.with_documents(
        &books,
        json!([
            {"id": 1, "title": "The silver river", "year": 1998, "lang": "en", "genre": ["travel", "nature"]},
            {"id": 2, "title": "River of stars", "year": 2005, "lang": "fr", "genre": ["poetry"]},
            {"id": 3, "title": "Silver bones", "year": 2011, "lang": "en", "genre": ["crime"]},
            {"id": 4, "title": "A quiet garden", "year": 1998, "lang": "de", "genre": ["nature"]},
        ]),
    );
    server.with_documents(
        &films,
        json!([
            {"id": 11, "title": "Silver", "year": 2011, "lang": "en", "genre": "crime"},
            {"id": 12, "title": "Down the river", "year": 1987, "lang": "en", "genre": "travel"},
            {"id": 13, "title": "Gardens of the silver moon", "year": 2020, "lang": "fr", "genre": "Drama"},
        ]),
    );
    (server, books, films)
}

#[track_caller]
fn find(server: &TestServer, queries: Value, federation: Value) -> Value {
    let body = json!({"queries": queries, "federation": federation});
    let answer = server.call_json("POST /multi-search", body.clone());
    assert_eq!(answer.status, 200, "{body}: {}", answer.text());
    answer.json()
}

/// The id of each hit, and the query that found it.
#[track_caller]
fn found(answer: &Value) -> Vec<(u64, u64)> {
    let hits = answer["hits"].as_array().expect("hits").iter();
    hits.map(|hit| {
        let query = &hit["_federation"]["queriesPosition"];
        (hit["id"].as_u64().expect("an id"), query.as_u64().expect("a query"))
    })
    .collect()
}

fn ids(answer: &Value) -> Vec<u64> {
    found(answer).into_iter().map(|(id, _)| id).collect()
}

#[test]
fn hits_are_ordered_by_their_weighted_scores() {
    let (server, books, films) = library("fed_weights");
    let queries = |of_books: Value, of_films: Value| {
        json!([
            {"indexUid": books, "q": "silver", "federationOptions": of_books},
            {"indexUid": films, "q": "silver", "federationOptions": of_films},
        ])
    };
    let answer = find(&server, queries(json!({}), json!(null)), json!({}));
    assert_eq!(found(&answer), [(11, 1), (3, 0), (1, 0), (13, 1)]);
    assert_eq!(
        members(&answer),
        ["hits", "processingTimeMs", "limit", "offset", "estimatedTotalHits", "requestUid"]
    );
    assert_eq!(answer["estimatedTotalHits"], 4);
    assert_eq!(
        answer["hits"][0]["_federation"],
        json!({"indexUid": films, "queriesPosition": 1, "weightedRankingScore": 1.0})
    );
    let answer = find(&server, queries(json!({"weight": 2.5}), json!({"weight": 0.5})), json!({}));
    assert_eq!(found(&answer), [(3, 0), (1, 0), (11, 1), (13, 1)]);
    assert_eq!(answer["hits"][2]["_federation"]["weightedRankingScore"], 0.5);
    // Without weight they keep their order, behind all others.
    let answer = find(&server, queries(json!({"weight": 0}), json!({})), json!({}));
    assert_eq!(found(&answer), [(11, 1), (13, 1), (3, 0), (1, 0)]);
    assert_eq!(answer["hits"][3]["_federation"]["weightedRankingScore"], 0.0);
}

#[test]
fn ties_go_to_the_first_query_and_what_is_not_ranked_comes_last() {
    let (server, books, films) = library("fed_ties");
    let answer = find(&server, json!([{"indexUid": films}, {"indexUid": books}]), json!({}));
    assert_eq!(ids(&answer), [11, 12, 13, 1, 2, 3, 4]);
    let queries = json!([{"indexUid": books}, {"indexUid": films, "q": "river"}]);
    assert_eq!(ids(&find(&server, queries, json!({}))), [12, 1, 2, 3, 4]);
    let nothing = find(&server, json!([]), json!({}));
    assert_eq!((ids(&nothing).len(), &nothing["estimatedTotalHits"]), (0, &json!(0)));
}

#[test]
fn a_window_is_cut_out_of_the_common_list() {
    let (server, books, films) = library("fed_window");
    let queries = json!([
        {"indexUid": books, "q": "silver", "attributesToRetrieve": ["id"]},
        {"indexUid": films, "q": "silver", "attributesToRetrieve": ["id"]},
    ]);
    let windowed = |federation| find(&server, queries.clone(), federation);
    for (federation, expected) in [
        (json!({"limit": 2}), vec![11, 3]),
        (json!({"limit": 2, "offset": 1}), vec![3, 1]),
        (json!({"limit": 0}), vec![]),
        (json!({"offset": 3, "limit": 1_000_000}), vec![13]),
        (json!({"offset": 9}), vec![]),
        (json!({"page": 1}), vec![11, 3, 1, 13]),
        (json!({"page": 0}), vec![]),
        (json!({"hitsPerPage": 3, "page": 2}), vec![13]),
        (json!({"hitsPerPage": 0}), vec![]),
        (json!({"hitsPerPage": 2, "limit": 1, "offset": 1}), vec![11, 3]),
        (json!({"page": null, "hitsPerPage": null}), vec![11, 3, 1, 13]),
    ] {
        let answer = windowed(federation.clone());
        assert_eq!(ids(&answer), expected, "{federation}");
        let is_paged = federation["page"].is_u64() || federation["hitsPerPage"].is_u64();
        let total = if is_paged { "totalHits" } else { "estimatedTotalHits" };
        assert_eq!(answer[total], 4, "{federation}");
    }
    let answer = windowed(json!({"hitsPerPage": 3}));
    assert_eq!(
        members(&answer),
        [
            "hits",
            "processingTimeMs",
            "hitsPerPage",
            "page",
            "totalPages",
            "totalHits",
            "requestUid"
        ]
    );
    assert_eq!((&answer["page"], &answer["totalPages"]), (&json!(1), &json!(2)));
    // An index gives out no more than its settings allow, whichever query finds it.
    change_settings(&server, &books, json!({"pagination": {"maxTotalHits": 1}}));
    let answer = windowed(json!({}));
    assert_eq!((ids(&answer), &answer["estimatedTotalHits"]), (vec![11, 3, 13], &json!(4)));
    let twice = json!([{"indexUid": books}, {"indexUid": books, "q": "garden"}]);
    let answer = find(&server, twice, json!({}));
    assert_eq!((found(&answer), &answer["estimatedTotalHits"]), (vec![(4, 1)], &json!(4)));
}

#[test]
fn a_document_of_several_queries_is_shown_once_by_the_best() {
    let (server, books, _) = library("fed_twice");
    let query = |q: &str, pre: &str, weight: f64| {
        json!({"indexUid": books, "q": q, "attributesToRetrieve": ["id"],
               "attributesToHighlight": ["title"], "highlightPreTag": pre, "highlightPostTag": "",
               "federationOptions": {"weight": weight}})
    };
    let queries = json!([query("river", "*", 1.0), query("silver", "#", 1.0)]);
    let answer = find(&server, queries, json!({}));
    assert_eq!(found(&answer), [(2, 0), (3, 1), (1, 1)]);
    assert_eq!(answer["estimatedTotalHits"], 3);
    assert_eq!(members(&answer["hits"][2]), ["id", "_federation", "_formatted"]);
    assert_eq!(answer["hits"][2]["_formatted"]["title"], "The #silver river");
    let queries = json!([query("river", "*", 1.5), query("silver", "#", 1.0)]);
    let answer = find(&server, queries, json!({}));
    assert_eq!(found(&answer), [(2, 0), (1, 0), (3, 1)]);
    assert_eq!(answer["hits"][1]["_formatted"]["title"], "The silver *river");
    let filtered = json!([
        {"indexUid": books, "filter": "lang = en"}, {"indexUid": books, "filter": "year = 1998"},
    ]);
    let answer = find(&server, filtered, json!({"hitsPerPage": 2}));
    assert_eq!((found(&answer), &answer["totalHits"]), (vec![(1, 0), (3, 0)], &json!(3)));
}

#[test]
fn sorted_hits_are_merged_by_their_values() {
    let (server, books, films) = library("fed_sort");
    let sorted = |sort: &[&str]| {
        let query = |uid: &String| json!({"indexUid": uid, "sort": sort});
        ids(&find(&server, json!([query(&books), query(&films)]), json!({})))
    };
    assert_eq!(sorted(&["year:asc"]), [12, 1, 4, 2, 3, 11, 13]);
    assert_eq!(sorted(&["year:desc"]), [13, 3, 11, 2, 1, 4, 12]);
    assert_eq!(sorted(&["year:asc", "title:asc"]), [12, 4, 1, 2, 11, 3, 13]);
    // Numbers come before texts, whatever they are called.
    let queries = json!([
        {"indexUid": films, "sort": ["title:asc"]}, {"indexUid": books, "sort": ["year:asc"]},
    ]);
    assert_eq!(ids(&find(&server, queries, json!({}))), [1, 4, 2, 3, 12, 13, 11]);
}

#[test]
fn places_nearby_come_first_whatever_their_index() {
    let server = TestServer::shared();
    for (uid, first) in [("fed_geo_a", 1), ("fed_geo_b", 11)] {
        change_settings(&server, uid, json!({"sortableAttributes": ["_geo"]}));
        let at = |id: u64, lat: f64| json!({"id": id, "_geo": {"lat": lat, "lng": 0}});
        let far = if first == 1 { 0.5 } else { 0.7 };
        server.with_documents(
            uid,
            json!([at(first, far), at(first + 1, far + 1.0), {"id": first + 2}]),
        );
    }
    let query = |uid: &str, direction: &str| json!({"indexUid": uid, "sort": [format!("_geoPoint(0, 0):{direction}")]});
    let both = |way| json!([query("fed_geo_a", way), query("fed_geo_b", way)]);
    let answer = find(&server, both("asc"), json!({}));
    assert_eq!(ids(&answer), [1, 11, 2, 12, 3, 13]);
    assert_eq!(members(&answer["hits"][0]), ["id", "_geo", "_geoDistance", "_federation"]);
    assert_eq!(ids(&find(&server, both("desc"), json!({}))), [12, 2, 11, 1, 3, 13]);
}

#[test]
fn one_document_of_each_value_over_all_indexes() {
    let (server, books, films) = library("fed_distinct");
    let queries = json!([{"indexUid": books, "q": "silver"}, {"indexUid": films, "q": "silver"}]);
    let facets = json!({&books: ["lang"], &films: ["lang"]});
    let answer =
        find(&server, queries.clone(), json!({"distinct": "lang", "facetsByIndex": facets}));
    assert_eq!((ids(&answer), &answer["estimatedTotalHits"]), (vec![11, 13], &json!(2)));
    assert_eq!(
        answer["facetsByIndex"],
        json!({&books: {"distribution": {"lang": {}}, "stats": {}},
               &films: {"distribution": {"lang": {"en": 1, "fr": 1}}, "stats": {}}})
    );
    // A document with several values excludes those that share one.
    let answer = find(&server, queries.clone(), json!({"distinct": "genre"}));
    assert_eq!((ids(&answer), &answer["estimatedTotalHits"]), (vec![11, 1, 13], &json!(3)));
    let answer = find(&server, queries.clone(), json!({"distinct": "lang", "hitsPerPage": 1}));
    assert_eq!((ids(&answer), &answer["totalHits"]), (vec![11], &json!(2)));
    let answer = find(&server, queries, json!({"distinct": "lang", "limit": 1, "offset": 1}));
    assert_eq!((ids(&answer), &answer["estimatedTotalHits"]), (vec![13], &json!(2)));
    // In one query alone it concerns its own hits.
    let queries = json!([
        {"indexUid": books, "q": "silver", "distinct": "lang"}, {"indexUid": films, "q": "silver"},
    ]);
    let answer = find(&server, queries, json!({}));
    assert_eq!((ids(&answer), &answer["estimatedTotalHits"]), (vec![11, 3, 13], &json!(3)));
}

#[test]
fn metadata_and_times_are_told_where_they_are_asked_for() {
    let (server, books, films) = library("fed_metadata");
    let body = json!({
        "queries": [{"indexUid": films, "q": "river"}, {"indexUid": books}],
        "federation": {"showPerformanceDetails": true, "limit": 1},
    });
    let request = server.request("POST /multi-search").header("Meili-Include-Metadata", "true");
    let answer = request.json(&body).send().json();
    let metadata: Vec<Value> = answer["metadata"].as_array().expect("a list").clone();
    assert_eq!(
        metadata.into_iter().map(|of_query| without(of_query, &["queryUid"])).collect::<Vec<_>>(),
        [
            json!({"query": "river", "indexUid": films, "primaryKey": "id"}),
            json!({"indexUid": books, "primaryKey": "id"})
        ]
    );
    let times = answer["performanceDetails"].as_object().expect("times");
    assert!(times.contains_key("search > keyword ranking"), "{times:?}");
    assert_eq!(members(&answer).last(), Some(&"performanceDetails"));
}

#[test]
fn vectors_and_words_are_merged_by_their_scores() {
    let server = TestServer::shared();
    let embedder = json!({"embedders": {"v": {"source": "userProvided", "dimensions": 2}}});
    let document = |id: u64, text: &str, vector: Value| json!({"id": id, "t": text, "_vectors": {"v": vector}});
    for (uid, documents) in [
        (
            "fed_vectors_a",
            json!([
                document(1, "red kite", json!([1, 0])),
                document(2, "blue kite", json!([0.6, 0.8])),
                document(3, "paper boat", json!([-1, 0]))
            ]),
        ),
        (
            "fed_vectors_b",
            json!([
                document(11, "kite string", json!([0.8, 0.6])),
                document(12, "tin boat", json!(null))
            ]),
        ),
    ] {
        change_settings(&server, uid, embedder.clone());
        server.with_documents(uid, documents);
    }
    let near = |uid: &str, vector: Value| json!({"indexUid": uid, "vector": vector, "hybrid": {"embedder": "v"}});
    let mut first = near("fed_vectors_a", json!([1, 0]));
    first["retrieveVectors"] = json!(true);
    first["federationOptions"] = json!({"weight": 0.5});
    let queries = json!([first, near("fed_vectors_b", json!([1, 0]))]);
    let answer = find(&server, queries, json!({}));
    assert_eq!(ids(&answer), [11, 1, 2, 3, 12]);
    assert_eq!(answer["queryVectors"], json!({"0": [1.0, 0.0]}));
    assert_eq!(answer["semanticHitCount"], 5);
    assert!(answer["hits"][1]["_vectors"].is_object());
    assert_eq!(answer["hits"][0]["_vectors"], Value::Null);
    let mut hybrid = near("fed_vectors_a", json!([1, 0]));
    hybrid["q"] = json!("kite");
    let queries = json!([hybrid, {"indexUid": "fed_vectors_b", "q": "kite"}]);
    let answer = find(&server, queries, json!({}));
    assert_eq!((ids(&answer), &answer["semanticHitCount"]), (vec![1, 11, 2, 3], &json!(2)));
    let words = json!([{"indexUid": "fed_vectors_a", "q": "boat", "retrieveVectors": true}]);
    let answer = find(&server, words, json!({}));
    assert_eq!((&answer["queryVectors"], &answer["semanticHitCount"]), (&json!({}), &Value::Null));
}

#[test]
fn hits_show_the_documents_that_their_ids_stand_for() {
    let server = TestServer::start(Default::default());
    server.call_json("PATCH /experimental-features", json!({"foreignKeys": true}));
    server.with_documents("people", json!([{"id": 5, "name": "Ann"}]));
    let keys = json!([{"foreignIndexUid": "people", "fieldName": "by"}]);
    change_settings(&server, "essays", json!({"foreignKeys": keys}));
    server.with_documents("essays", json!([{"id": 1, "by": 5}, {"id": 2, "by": [5, 6]}]));
    let answer = find(&server, json!([{"indexUid": "people"}, {"indexUid": "essays"}]), json!({}));
    assert_eq!(ids(&answer), [5, 1, 2]);
    assert_eq!(answer["hits"][1]["by"], json!({"id": 5, "name": "Ann"}));
    assert_eq!(answer["hits"][2]["by"], json!([{"id": 5, "name": "Ann"}, {}]));
}

#[test]
fn pinned_documents_stand_in_their_places_each_once() {
    let server = TestServer::start(Default::default());
    server.call_json("PATCH /experimental-features", json!({"dynamicSearchRules": true}));
    server.with_documents(
        "a",
        json!([{"id": 1, "t": "boot"}, {"id": 2, "t": "boot one"}, {"id": 3, "t": "sandal"}]),
    );
    server.with_documents("b", json!([{"id": 11, "t": "boot"}, {"id": 12, "t": "glove"}]));
    let pin = |uid: &str, id: &str, position: u64| {
        json!({"selector": {"indexUid": uid, "id": id},
               "action": {"type": "pin", "position": position}})
    };
    let rule = json!({"actions": [pin("a", "3", 0), pin("b", "12", 1), pin("b", "11", 9)]});
    let task = server.call_json("PATCH /dynamic-search-rules/p", rule).task(&server);
    assert_eq!(task["status"], "succeeded", "{task}");
    // Pinned for two queries, and shown once.
    let queries = json!([
        {"indexUid": "a", "q": "boot"}, {"indexUid": "a", "q": "one"}, {"indexUid": "b", "q": "boot"},
    ]);
    let answer = find(&server, queries.clone(), json!({}));
    assert_eq!(found(&answer), [(3, 0), (12, 2), (1, 0), (2, 0), (11, 2)]);
    assert_eq!(answer["estimatedTotalHits"], 5);
    assert_eq!(answer["hits"][0]["_federation"]["weightedRankingScore"], 1.0);
    for offset in 0..5 {
        let part = find(&server, queries.clone(), json!({"offset": offset, "limit": 2}));
        let all = found(&answer);
        assert_eq!(found(&part), all[offset..(offset + 2).min(5)], "{offset}");
    }
}
