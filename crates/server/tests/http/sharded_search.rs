//! Searches of documents that are shared out: every member answers as one server that has all of
//! them, down to its mistakes.

use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::sharding::{Sharded, member};

/// A server with all documents, and members that share the same ones. The last member has no
/// shard.
struct Pair {
    alone: TestServer,
    sharded: Sharded,
}

fn documents() -> Value {
    let words = ["salt", "rope", "salt road", "ash", "salt and ash", "rope trick"];
    let document = |id: usize| {
        let angle = id as f32 * 0.37;
        json!({
            "id": id,
            "title": format!("{} {}", words[id % 6], words[(id / 6) % 6]),
            "genre": (["novel", "poem", "essay"][id % 3]),
            "price": id % 7,
            "weight": ((id * 37 % 91) as f64 / 7.0).sqrt(),
            // Some have none, some have the same in two spellings.
            "shelf": match id % 11 {
                0 => json!(null),
                1 => json!(format!("SHELF {}", id * 7 % 23)),
                _ => json!(format!("shelf {}", id * 7 % 23)),
            },
            "tags": [id * 5 % 17, (id * 3 % 13).to_string()],
            "_vectors": {"v": {"regenerate": false, "embeddings": match id % 10 {
                0 => json!([]),
                1 => json!([[angle.cos(), angle.sin()], [angle.sin(), angle.cos()]]),
                _ => json!([[angle.cos(), angle.sin()]]),
            }}},
        })
    };
    (0..90).map(document).collect()
}

fn pair() -> &'static Pair {
    static PAIR: OnceLock<Pair> = OnceLock::new();
    PAIR.get_or_init(|| {
        let settings = json!({
            "filterableAttributes": ["genre", "price", "weight", "shelf", "tags"],
            "sortableAttributes": ["price"],
            "pagination": {"maxTotalHits": 12},
            "embedders": {"v": {"source": "userProvided", "dimensions": 2}},
        });
        let sharded = Sharded::start(4);
        sharded.share_out();
        sharded.change(json!({"shards": {"of-d": null}}));
        let alone = member();
        for server in [&alone, sharded.leader()] {
            for index in ["books", "films"] {
                let line = format!("PATCH /indexes/{index}/settings");
                assert_eq!(server.call_json(&line, settings.clone()).status, 202);
                let line = format!("POST /indexes/{index}/documents");
                assert_eq!(server.call_json(&line, documents()).status, 202);
            }
        }
        let task = alone.call_json("POST /indexes/films/documents", json!([])).task(&alone);
        assert_eq!(task["status"], "succeeded", "{task}");
        sharded.wait_until_even();
        Pair { alone, sharded }
    })
}

/// Without what differs from call to call, and what a network adds.
fn comparable(mut answer: Value) -> Value {
    if let Some(members) = answer.as_object_mut() {
        let errors = members.shift_remove("remoteErrors");
        assert!(errors.is_none_or(|errors| errors == json!({})));
        members.shift_remove("processingTimeMs");
        members.shift_remove("requestUid");
        if let Some(Value::Array(results)) = members.get_mut("results") {
            let all = std::mem::take(results);
            *results = all.into_iter().map(comparable).collect();
        }
        if let Some(Value::Array(hits)) = members.get_mut("hits") {
            for hit in hits {
                if let Some(federation) = hit.get_mut("_federation").and_then(Value::as_object_mut)
                {
                    federation.shift_remove("remote");
                }
            }
        }
    }
    answer
}

/// Hits of a single search tell more where a network was asked.
fn without_federation(mut answer: Value) -> Value {
    let hits = answer.get_mut("hits").and_then(Value::as_array_mut);
    for hit in hits.into_iter().flatten() {
        hit.as_object_mut().expect("a hit").shift_remove("_federation");
    }
    answer
}

#[track_caller]
fn check(line: &str, body: &Value) -> Value {
    let Pair { alone, sharded } = pair();
    let expected = alone.call_json(line, body.clone());
    let status = expected.status;
    let expected = comparable(expected.json());
    let is_federated = body.get("federation").is_some();
    for server in &sharded.servers {
        let answer = server.call_json(line, body.clone());
        assert_eq!(answer.status, status, "{body}: {}", answer.text());
        let answer = comparable(answer.json());
        let answer = if is_federated { answer } else { without_federation(answer) };
        assert_eq!(answer, expected, "{line} {body}");
    }
    expected
}

#[test]
fn an_index_gives_out_as_many_hits_as_its_settings_allow() {
    for (body, hits) in [
        (json!({"limit": 50}), 12),
        (json!({"offset": 10, "limit": 50}), 2),
        (json!({"offset": 12}), 0),
        (json!({"offset": 500, "limit": 500}), 0),
        (json!({"q": "salt", "limit": 50}), 12),
        (json!({"q": "salt", "hitsPerPage": 5, "page": 3}), 2),
        (json!({"q": "salt", "hitsPerPage": 5, "page": 4}), 0),
        (json!({"q": "salt", "sort": ["price:desc"], "offset": 9, "limit": 9}), 3),
        (json!({"distinct": "price", "limit": 50}), 7),
        (
            json!({"hybrid": {"embedder": "v", "semanticRatio": 1.0}, "vector": [1, 0], "limit": 50}),
            12,
        ),
    ] {
        let answer = check("POST /indexes/books/search", &body);
        assert_eq!(answer["hits"].as_array().map(Vec::len), Some(hits), "{body}");
    }
    for federation in [
        json!({"limit": 50}),
        json!({"offset": 20, "limit": 50}),
        json!({"hitsPerPage": 9, "page": 3}),
    ] {
        let body = json!({"federation": federation, "queries": [
            {"indexUid": "books", "q": "salt"},
            {"indexUid": "films", "q": "salt"},
            {"indexUid": "books", "q": "ash"},
        ]});
        let answer = check("POST /multi-search", &body);
        assert!(answer["hits"].as_array().is_some_and(|hits| hits.len() <= 24), "{answer}");
    }
}

#[test]
fn suggestions_and_spellings_are_those_of_all_documents() {
    for body in [
        json!({"q": "s", "limit": 3}),
        json!({"q": "salt ", "limit": 4}),
        json!({"q": "rope tr", "limit": 1, "filter": "price > 2"}),
    ] {
        let answer = check("POST /indexes/books/suggest", &body);
        assert_ne!(answer["suggestions"], json!([]), "{body}");
    }
    for (q, expected) in [("rope trikk", json!("rope trick")), ("salt", json!(null))] {
        let answer = check("POST /indexes/books/search", &json!({"q": q, "didYouMean": true}));
        assert_eq!(answer["didYouMean"], expected);
    }
}

#[test]
fn filter_errors_quote_the_filter_of_the_client() {
    for filter in [
        json!("other = 1"),
        json!("genre = novel AND (other = 1 OR price > 3)"),
        json!(["genre = novel", ["price = 1", "other = 2"]]),
        json!(["genre = novel", "price > 3", "other EXISTS"]),
        json!("genre ="),
        json!(["genre = novel", "price >"]),
        json!("genre CONTAINS n"),
        json!("_geoRadius(1, 2)"),
        json!("_geoRadius(1, 2, 3)"),
        json!(5),
        json!([["a", ["b"]]]),
        json!("_shard > s"),
    ] {
        let search = json!({"q": "salt", "filter": filter});
        let told = check("POST /indexes/books/search", &search);
        assert!(told["code"].is_string() && !told.to_string().contains("_shard IN"), "{told}");
        let mut query = search.clone();
        query["indexUid"] = json!("books");
        check("POST /multi-search", &json!({"queries": [query]}));
        check("POST /multi-search", &json!({"federation": {}, "queries": [query]}));
        let good = json!({"indexUid": "films", "q": "rope"});
        check("POST /multi-search", &json!({"federation": {}, "queries": [good, query]}));
        check("POST /indexes/books/facet-search", &json!({"facetName": "genre", "filter": filter}));
        check("POST /indexes/books/suggest", &json!({"q": "sa", "filter": filter}));
        let similar = json!({"id": 4, "embedder": "v", "filter": filter});
        check("POST /indexes/books/similar", &similar);
        check("POST /indexes/books/documents/fetch", &json!({"filter": filter}));
    }
    check("POST /indexes/none/search", &json!({}));
    check("POST /indexes/books/search", &json!({"sort": ["genre:asc"]}));
    check("POST /indexes/books/search", &json!({"facets": ["title"]}));
    check("POST /indexes/books/search", &json!({"hybrid": {"embedder": "w"}, "q": "salt"}));
}

#[test]
fn documents_like_another_one_are_found_wherever_they_are() {
    let line = "POST /indexes/books/similar";
    for id in [0, 1, 2, 3, 4, 31, 52, 89] {
        for more in [
            json!({}),
            json!({"limit": 50}),
            json!({"offset": 7, "limit": 6}),
            json!({"limit": 0}),
            json!({"filter": "genre = poem"}),
            json!({"rankingScoreThreshold": 0.9, "limit": 60}),
            json!({"rankingScoreThreshold": 0.9, "limit": 2}),
            json!({"showRankingScore": true, "retrieveVectors": true, "attributesToRetrieve": ["id"]}),
            json!({"showRankingScoreDetails": true, "limit": 3}),
        ] {
            let mut body = more;
            (body["id"], body["embedder"]) = (json!(id), json!("v"));
            let answer = check(line, &body);
            assert!(answer["hits"].is_array(), "{answer}");
        }
    }
    let missing = check(line, &json!({"id": 1000, "embedder": "v", "filter": "other = 1"}));
    assert_eq!(missing["code"], "not_found_similar_id");
    check(line, &json!({"id": 1, "embedder": "w"}));
    check("POST /indexes/none/similar", &json!({"id": 1, "embedder": "v"}));
    let Pair { alone, sharded } = pair();
    let line = "GET /indexes/books/similar?id=4&embedder=v&limit=3";
    let expected = comparable(alone.call(line).json());
    assert_eq!(comparable(sharded.servers[3].call(line).json()), expected);
}

#[test]
fn a_hybrid_search_is_one_for_all_members_or_for_none() {
    let mut counts = std::collections::BTreeSet::new();
    for ratio in [0.05, 0.1, 0.3, 0.5, 0.7, 0.9] {
        for text in ["salt", "salt road", "rope trick", "slat", "nothing"] {
            for more in [
                json!({"limit": 1}),
                json!({"limit": 6}),
                json!({"hitsPerPage": 4, "page": 2, "facets": ["genre"]}),
                json!({"distinct": "price", "showRankingScore": true, "facets": ["genre"]}),
                json!({"sort": ["price:asc"], "filter": "genre = poem"}),
            ] {
                let mut body = more;
                body["q"] = json!(text);
                body["hybrid"] = json!({"embedder": "v", "semanticRatio": ratio});
                body["vector"] = json!([0.3, 0.9]);
                let answer = check("POST /indexes/books/search", &body);
                counts.insert(answer["semanticHitCount"].as_u64().unwrap());
            }
        }
    }
    assert!(counts.contains(&0) && counts.len() > 3, "{counts:?}");
}

#[test]
fn each_value_is_counted_once_over_all_members() {
    for distinct in ["shelf", "tags", "price", "genre"] {
        for more in [
            json!({"q": "salt", "page": 1, "hitsPerPage": 2}),
            json!({"q": "rope", "page": 2, "hitsPerPage": 3}),
            json!({"page": 1, "hitsPerPage": 4, "sort": ["price:desc"]}),
            json!({"page": 3, "hitsPerPage": 1, "filter": "price > 2"}),
            json!({"q": "salt", "limit": 2}),
            json!({"offset": 2, "limit": 3}),
        ] {
            let mut body = more;
            body["distinct"] = json!(distinct);
            body["facets"] = json!(["genre", "price", "weight"]);
            check("POST /indexes/books/search", &body);
            body.as_object_mut().unwrap().shift_remove("facets");
            check("POST /indexes/books/search", &body);
        }
        let facets = json!({"books": ["genre", "weight"]});
        for federation in [
            json!({"page": 1, "hitsPerPage": 2, "facetsByIndex": facets}),
            json!({"limit": 2, "facetsByIndex": facets}),
            json!({"page": 1, "hitsPerPage": 2}),
        ] {
            let mut federation = federation;
            federation["distinct"] = json!(distinct);
            let queries = json!([{"indexUid": "books", "q": "salt"}]);
            check("POST /multi-search", &json!({"federation": federation, "queries": queries}));
        }
    }
}

#[test]
fn hybrid_distinct_counts_equal_those_of_one_server() {
    for ratio in [0.1, 0.5, 0.9] {
        for text in ["salt", "rope trick", "nothing"] {
            for more in [
                json!({"limit": 2}),
                json!({"offset": 1, "limit": 3, "filter": "price < 5"}),
                json!({"page": 1, "hitsPerPage": 2}),
                json!({"page": 2, "hitsPerPage": 3}),
            ] {
                let mut body = more;
                body["q"] = json!(text);
                body["facets"] = json!(["genre", "price"]);
                body["hybrid"] = json!({"embedder": "v", "semanticRatio": ratio});
                body["vector"] = json!([0.3, 0.9]);
                body["distinct"] = json!("shelf");
                check("POST /indexes/books/search", &body);
            }
        }
    }
}
