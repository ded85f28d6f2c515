use serde_json::{Value, json};

use crate::harness::{Setup, TestServer, change_settings, ids, search};

/// Shoes in the index `shoes`, and rules that may pin them.
fn shoes() -> TestServer {
    let server = TestServer::start(Setup::default());
    switch(&server, true);
    let settings =
        json!({ "filterableAttributes": ["kind", "price"], "sortableAttributes": ["price"] });
    change_settings(&server, "shoes", settings);
    let documents = json!([
        shoe(1, "Rain boot", "boot", 40),
        shoe(2, "Snow boot", "boot", 90),
        shoe(3, "Beach sandal", "sandal", 15),
        shoe(4, "City sandal", "sandal", 35),
        shoe(5, "Running shoe", "shoe", 70),
        shoe(6, "Boot polish", "care", 5),
    ]);
    server.with_documents("shoes", documents);
    server
}

fn shoe(id: u64, name: &str, kind: &str, price: u64) -> Value {
    json!({ "id": id, "name": name, "kind": kind, "price": price })
}

fn shoe_near(id: u64, name: &str, vector: Value) -> Value {
    json!({ "id": id, "name": name, "_vectors": { "e": vector } })
}

fn switch(server: &TestServer, on: bool) {
    server.call_json("PATCH /experimental-features", json!({ "dynamicSearchRules": on }));
}

#[track_caller]
fn rule(server: &TestServer, uid: &str, body: Value) {
    let task = server.call_json(&format!("PATCH /dynamic-search-rules/{uid}"), body).task(server);
    assert_eq!(task["status"], "succeeded", "{task}");
}

fn pins(pins: &[(&str, u64)]) -> Value {
    let pins = pins.iter().map(|(id, position)| {
        json!({ "selector": { "id": id }, "action": { "type": "pin", "position": position } })
    });
    Value::Array(pins.collect())
}

#[track_caller]
fn check(server: &TestServer, body: Value, expected: &[u64]) -> Value {
    let answer = search(server, "shoes", body.clone());
    assert_eq!(ids(&answer), expected, "{body}");
    answer
}

#[test]
fn pinned_documents_stand_in_their_places() {
    let server = shoes();
    check(&server, json!({ "q": "boot" }), &[1, 2, 6]);
    rule(&server, "p", json!({ "actions": pins(&[("5", 0), ("3", 2), ("missing", 1)]) }));
    let answer = check(&server, json!({ "q": "boot" }), &[5, 1, 3, 2, 6]);
    assert_eq!(answer["estimatedTotalHits"], 5);
    check(&server, json!({}), &[5, 1, 3, 2, 4, 6]);
    check(&server, json!({ "q": "zzzz" }), &[5, 3]);
    check(&server, json!({ "sort": ["price:asc"] }), &[5, 6, 3, 4, 1, 2]);
    // They must pass the filter, and nothing else.
    check(&server, json!({ "q": "boot", "filter": "kind = boot" }), &[1, 2]);
    check(&server, json!({ "q": "boot", "filter": "kind = shoe" }), &[5]);
    check(&server, json!({ "q": "boot", "rankingScoreThreshold": 0.99 }), &[5, 1, 3, 2]);
    check(&server, json!({ "q": "boot", "distinct": "kind" }), &[5, 1, 3, 6]);
    let get = server.call("GET /indexes/shoes/search?q=boot").json();
    assert_eq!(ids(&get), [5, 1, 3, 2, 6]);

    let answer = check(&server, json!({ "q": "sandal", "facets": ["kind"] }), &[5, 4, 3]);
    assert_eq!(answer["facetDistribution"], json!({ "kind": { "sandal": 2, "shoe": 1 } }));
    let found = server
        .call_json(
            "POST /indexes/shoes/facet-search",
            json!({ "facetName": "kind", "q": "sandal" }),
        )
        .json();
    assert_eq!(found["facetHits"], json!([{ "value": "sandal", "count": 2 }]));
}

#[test]
fn pages_join_to_the_whole_list() {
    let server = shoes();
    rule(&server, "p", json!({ "actions": pins(&[("5", 0), ("3", 2), ("4", 9)]) }));
    let whole = [5, 1, 3, 2, 6, 4];
    for size in 1..7_usize {
        for (page, part) in whole.chunks(size).enumerate() {
            let body = json!({ "q": "boot", "limit": size, "offset": page * size });
            check(&server, body, part);
            let body = json!({ "q": "boot", "hitsPerPage": size, "page": page + 1 });
            let answer = check(&server, body, part);
            assert_eq!(answer["totalHits"], 6);
            assert_eq!(answer["totalPages"], 6_usize.div_ceil(size));
        }
        check(&server, json!({ "q": "boot", "limit": size, "offset": 6 }), &[]);
        check(&server, json!({ "q": "boot", "hitsPerPage": size, "page": 7 }), &[]);
    }
    check(&server, json!({ "q": "boot", "limit": 0 }), &[]);
    change_settings(&server, "shoes", json!({ "pagination": { "maxTotalHits": 3 } }));
    check(&server, json!({ "q": "boot" }), &[5, 1, 3]);
    check(&server, json!({ "q": "boot", "offset": 2 }), &[3]);
}

#[test]
fn a_pinned_hit_shows_where_it_was_pinned() {
    let server = shoes();
    rule(&server, "p", json!({ "actions": pins(&[("5", 0), ("6", 40)]) }));
    let body = json!({
        "q": "boot", "showRankingScore": true, "showRankingScoreDetails": true,
        "showMatchesPosition": true, "attributesToHighlight": ["name"],
    });
    let answer = check(&server, body, &[5, 1, 2, 6]);
    let hits = answer["hits"].as_array().unwrap();
    for (place, position) in [(0, 0), (3, 40)] {
        let hit = &hits[place];
        assert_eq!(hit["_rankingScore"], 1.0);
        let details = json!({ "pin": { "order": 0, "position": position } });
        assert_eq!(hit["_rankingScoreDetails"], details);
    }
    assert_eq!(hits[0]["_formatted"]["name"], "Running shoe");
    assert_eq!(hits[0]["_matchesPosition"], json!({}));
    assert_eq!(hits[3]["_formatted"]["name"], "<em>Boot</em> polish");
    assert!(hits[1]["_rankingScoreDetails"]["words"].is_object());
}

#[test]
fn the_lower_precedence_goes_first_and_a_document_stands_once() {
    let server = shoes();
    rule(&server, "none", json!({ "actions": pins(&[("4", 0), ("3", 0)]) }));
    rule(&server, "late", json!({ "precedence": 7, "actions": pins(&[("5", 0), ("3", 3)]) }));
    rule(&server, "early", json!({ "precedence": 0, "actions": pins(&[("6", 0), ("5", 4)]) }));
    check(&server, json!({ "q": "boot" }), &[6, 4, 1, 3, 5, 2]);
    rule(&server, "early", json!({ "active": false }));
    check(&server, json!({ "q": "boot" }), &[5, 4, 1, 3, 2, 6]);
    rule(&server, "late", json!({ "precedence": null }));
    // Of equal precedence the name decides.
    check(&server, json!({ "q": "boot" }), &[5, 4, 1, 3, 2, 6]);
    server.call("DELETE /dynamic-search-rules/late").task(&server);
    check(&server, json!({ "q": "boot" }), &[4, 3, 1, 2, 6]);
    server.call("DELETE /dynamic-search-rules").task(&server);
    check(&server, json!({ "q": "boot" }), &[1, 2, 6]);
}

#[test]
fn a_rule_applies_in_its_index_and_while_the_feature_is_on() {
    let server = shoes();
    server
        .with_documents("hats", json!([{ "id": 5, "name": "boot" }, { "id": 6, "name": "boot" }]));
    let mut actions = pins(&[("6", 0)]);
    actions[0]["selector"]["indexUid"] = json!("hats");
    rule(&server, "p", json!({ "actions": actions }));
    check(&server, json!({ "q": "boot" }), &[1, 2, 6]);
    assert_eq!(ids(&search(&server, "hats", json!({}))), [6, 5]);
    rule(&server, "p", json!({ "actions": pins(&[("6", 0)]) }));
    check(&server, json!({ "q": "boot" }), &[6, 1, 2]);
    assert_eq!(ids(&search(&server, "hats", json!({}))), [6, 5]);
    switch(&server, false);
    check(&server, json!({ "q": "boot" }), &[1, 2, 6]);
    switch(&server, true);
    check(&server, json!({ "q": "boot" }), &[6, 1, 2]);
    // A document that is deleted is no longer pinned.
    server.call("DELETE /indexes/shoes/documents/6").task(&server);
    check(&server, json!({ "q": "boot" }), &[1, 2]);
}

#[test]
fn conditions_decide_whether_a_rule_applies() {
    let server = shoes();
    let (yes, no): (&[u64], &[u64]) = (&[6, 1], &[1, 2]);
    for (conditions, body, applies) in [
        (json!({ "query": { "words": "rain boot" } }), json!({ "q": "boot" }), false),
        (json!({ "query": { "words": "rain boot" } }), json!({ "q": "Boot RAIN" }), true),
        (json!({ "query": { "isEmpty": true } }), json!({}), true),
        (json!({ "query": { "isEmpty": true } }), json!({ "q": "  " }), true),
        (json!({ "query": { "isEmpty": true } }), json!({ "q": "boot" }), false),
        (json!({ "query": { "isEmpty": false } }), json!({ "q": "boot" }), true),
        (json!({ "query": { "isEmpty": false } }), json!({}), false),
        (json!({ "time": { "end": "2001-01-01T00:00:00Z" } }), json!({}), false),
        (json!({ "time": { "start": "2001-01-01T00:00:00Z" } }), json!({}), true),
        (json!({ "filter": { "values": { "kind": "care" } } }), json!({}), false),
        (
            json!({ "filter": { "values": { "kind": "CARE" } } }),
            json!({ "filter": "kind IN [care, boot]" }),
            true,
        ),
        (
            json!({ "filter": { "values": { "kind": "care", "price": 5 } } }),
            json!({ "filter": "kind IN [care, boot]" }),
            false,
        ),
        (
            json!({ "filter": { "values": { "kind": "care", "price": 5 } } }),
            json!({ "filter": [["kind = care", "kind = boot"], "price IN [5, 40, 90]"] }),
            true,
        ),
    ] {
        let body_of_rule = json!({ "conditions": conditions, "actions": pins(&[("6", 0)]) });
        rule(&server, "w", body_of_rule);
        let mut two = body.clone();
        two["limit"] = json!(2);
        let found = ids(&search(&server, "shoes", two));
        assert_eq!(found, if applies { yes } else { no }, "{conditions} {body}");
    }
}

#[test]
fn pins_in_searches_by_vector() {
    let server = TestServer::start(Setup::default());
    switch(&server, true);
    let embedders = json!({ "e": { "source": "userProvided", "dimensions": 2 } });
    change_settings(&server, "shoes", json!({ "embedders": embedders }));
    let documents = json!([
        shoe_near(1, "Rain boot", json!([1.0, 0.0])),
        shoe_near(2, "Snow boot", json!([0.9, 0.1])),
        shoe_near(3, "Beach sandal", json!([0.0, 1.0])),
        shoe_near(4, "City sandal", Value::Null),
        shoe_near(5, "Running shoe", Value::Null),
        shoe_near(6, "Boot polish", Value::Null),
    ]);
    server.with_documents("shoes", documents);
    rule(&server, "p", json!({ "actions": pins(&[("3", 0), ("5", 1)]) }));
    let semantic = json!({ "embedder": "e", "semanticRatio": 1.0 });
    let body = json!({ "vector": [1.0, 0.0], "hybrid": semantic, "limit": 4 });
    let answer = check(&server, body, &[3, 5, 1, 2]);
    assert_eq!(answer["semanticHitCount"], 2);
    assert_eq!(answer["estimatedTotalHits"], 6);
    let hybrid = json!({ "embedder": "e", "semanticRatio": 0.9 });
    let body = json!({ "q": "polish", "vector": [1.0, 0.0], "hybrid": hybrid, "limit": 3 });
    let answer = check(&server, body, &[3, 5, 1]);
    assert_eq!(answer["semanticHitCount"], 1);

    let similar = json!({ "id": 1, "embedder": "e" });
    let answer = server.call_json("POST /indexes/shoes/similar", similar).json();
    assert_eq!(ids(&answer)[..2], [2, 3]);
}
