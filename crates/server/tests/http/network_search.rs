//! Searches on remotes: by name in a federation, and of the whole network.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{TestServer, change_settings, ids, members, search, without};
use crate::remotes::{
    Fleet, Manner, NAMES, Pretender, join, networking_server, networking_within, nobody, remote,
    switch,
};

fn settings() -> Value {
    json!({
        "filterableAttributes": ["genre", "year", "house"],
        "sortableAttributes": ["year", "id", "title"],
        "searchableAttributes": ["title", "text"],
        "faceting": {"maxValuesPerFacet": 3, "sortFacetValuesBy": {"genre": "count"}},
    })
}

fn documents() -> Vec<Value> {
    let nouns = ["salt", "road", "ash", "rope", "sea", "stone", "river"];
    let genres = ["novel", "Novel", "travel", "craft", "história", "poetry"];
    (0..60)
        .map(|id| {
            let noun = |step: usize| nouns[(id / step) % nouns.len()];
            json!({
                "id": id,
                "title": format!("{} and {}", noun(1), noun(3)),
                "text": format!("the {} of the {} {}", noun(2), noun(5), noun(1)),
                "genre": genres[(id * 7) % genres.len()],
                "year": 1980 + (id * 13) % 23,
                "house": format!("house {}", id % 9),
            })
        })
        .collect()
}

/// Returns an answer without the members that differ from call to call.
fn comparable(mut answer: Value) -> Value {
    for member in ["processingTimeMs", "requestUid", "remoteErrors"] {
        answer.as_object_mut().unwrap().shift_remove(member);
    }
    for hit in answer["hits"].as_array_mut().unwrap() {
        hit["_federation"].as_object_mut().unwrap().shift_remove("remote");
    }
    answer
}

fn multi_search(server: &TestServer, body: &Value) -> Value {
    let answer = server.call_json("POST /multi-search", body.clone());
    assert_eq!(answer.status, 200, "{body}: {}", answer.text());
    answer.json()
}

/// The same three indexes, once on three instances and once on one.
fn dealt_out() -> (Fleet, TestServer) {
    let fleet = Fleet::start(3);
    let whole = networking_server();
    for (place, (server, name)) in fleet.servers.iter().zip(NAMES).enumerate() {
        let own: Value = documents().into_iter().skip(place).step_by(3).collect();
        let index = format!("books-{name}");
        for server in [server, &whole] {
            change_settings(server, &index, settings());
            server.with_documents(&index, own.clone());
        }
    }
    (fleet, whole)
}

#[test]
fn a_federation_over_remotes_is_that_of_the_same_indexes_here() {
    let (fleet, whole) = dealt_out();
    let facets = json!({"books-a": ["*"], "books-b": ["genre", "year"], "books-c": []});
    for (query, federation) in [
        (json!({"q": "salt"}), json!({})),
        (json!({"q": "salt road"}), json!({"limit": 7, "offset": 5})),
        (json!({"q": "sat"}), json!({"page": 2, "hitsPerPage": 4})),
        (json!({"q": ""}), json!({"limit": 50})),
        (json!({"q": "rope", "filter": "year > 1990", "showRankingScore": true}), json!({})),
        (json!({"sort": ["year:desc", "id:asc"]}), json!({"offset": 10, "limit": 15})),
        (json!({"q": "sea", "sort": ["title:asc"]}), json!({"limit": 40})),
        (
            json!({"q": "stone", "attributesToHighlight": ["title"], "attributesToCrop": ["text:2"],
                   "showMatchesPosition": true, "showRankingScoreDetails": true,
                   "attributesToRetrieve": ["id", "title"]}),
            json!({"limit": 6}),
        ),
        (json!({"q": "river ash", "matchingStrategy": "all"}), json!({"facetsByIndex": facets})),
        (
            json!({"q": "", "filter": ["year > 1985"]}),
            json!({"facetsByIndex": facets, "mergeFacets": {}}),
        ),
        (
            json!({"q": "salt"}),
            json!({"facetsByIndex": facets, "mergeFacets": {"maxValuesPerFacet": 2}}),
        ),
        (json!({"q": "and", "locales": ["eng"]}), json!({"limit": 3})),
        (json!({"q": "salt", "rankingScoreThreshold": 0.7}), json!({"hitsPerPage": 10})),
        (json!({"q": "the", "attributesToSearchOn": ["text"]}), json!({"limit": 12})),
    ] {
        let with = |names_remotes: bool| {
            let queries: Vec<Value> = NAMES
                .iter()
                .enumerate()
                .map(|(place, name)| {
                    let mut query = query.clone();
                    query["indexUid"] = json!(format!("books-{name}"));
                    query["federationOptions"] = json!({"weight": 1.0 - place as f64 * 0.25});
                    if names_remotes {
                        query["federationOptions"]["remote"] = json!(name);
                    }
                    query
                })
                .collect();
            json!({"federation": federation, "queries": queries})
        };
        let expected = comparable(multi_search(&whole, &with(false)));
        for server in &fleet.servers {
            let found = multi_search(server, &with(true));
            assert_eq!(found["remoteErrors"], json!({}));
            assert_eq!(comparable(found), expected, "{query} {federation}");
        }
    }
}

#[test]
fn hits_are_distinct_over_all_instances() {
    let (fleet, whole) = dealt_out();
    let facets = json!({"books-a": ["year"], "books-b": ["genre"], "books-c": ["genre", "house"]});
    for federation in [
        json!({"distinct": "house", "limit": 20}),
        json!({"distinct": "house", "limit": 2, "facetsByIndex": facets}),
        json!({"distinct": "genre", "offset": 1, "facetsByIndex": facets, "mergeFacets": {}}),
        json!({"distinct": "house", "hitsPerPage": 3}),
        json!({"distinct": "genre", "page": 1, "hitsPerPage": 20, "facetsByIndex": facets}),
    ] {
        let with = |names_remotes: bool| {
            let query = |name: &str| {
                let mut query = json!({"q": "salt", "indexUid": format!("books-{name}")});
                if names_remotes {
                    query["federationOptions"] = json!({"remote": name});
                }
                query
            };
            json!({"federation": federation, "queries": NAMES.map(query)})
        };
        let expected = comparable(multi_search(&whole, &with(false)));
        let found = comparable(multi_search(&fleet.servers[0], &with(true)));
        assert_eq!(found, expected, "{federation}");
    }
}

#[test]
fn each_hit_tells_its_remote_and_the_answer_who_was_asked() {
    let (fleet, _) = dealt_out();
    let server = &fleet.servers[1];
    let query = |name: &str| json!({"q": "salt", "indexUid": format!("books-{name}"), "federationOptions": {"remote": name}});
    let body = json!({"federation": {}, "queries": NAMES.map(query)});
    let asked = server.request("POST /multi-search").json(&body);
    let answer = asked.header("Meili-Include-Metadata", "true").send().json();
    for hit in answer["hits"].as_array().unwrap() {
        let place = hit["id"].as_u64().unwrap() as usize % 3;
        let member = &hit["_federation"];
        assert_eq!(
            (&member["remote"], &member["queriesPosition"]),
            (&json!(NAMES[place]), &json!(place))
        );
        let names = ["indexUid", "queriesPosition", "weightedRankingScore", "remote"];
        assert_eq!(members(member), names);
    }
    let told: Vec<Value> = answer["metadata"]
        .as_array()
        .unwrap()
        .iter()
        .map(|metadata| without(metadata.clone(), &["queryUid"]))
        .collect();
    let expected = NAMES.map(|name| {
        json!({"query": "salt", "indexUid": format!("books-{name}"), "primaryKey": "id", "remote": name})
    });
    assert_eq!(told, expected);
    // Nobody else is named, so neither is this instance.
    let own =
        multi_search(server, &json!({"federation": {}, "queries": [{"indexUid": "books-b"}]}));
    assert_eq!(own["hits"][0]["_federation"].get("remote"), None);
    assert_eq!(own.get("remoteErrors"), None);
}

#[test]
fn remotes_receive_the_search_with_their_key() {
    let pretender = Pretender::start(Manner::json(500, &json!({})));
    let server = networking_within(Duration::from_secs(60));
    let mut remote = remote(pretender.address);
    remote["searchApiKey"] = json!("sesame");
    join(&server, json!({"remotes": {"r": remote}}));
    server.with_documents("books", json!([{"id": 1, "title": "salt"}]));
    let body = json!({
        "federation": {"offset": 3, "limit": 4, "facetsByIndex": {"films": ["x"], "books": []}},
        "queries": [
            {"indexUid": "books", "q": "salt"},
            {"indexUid": "films", "q": "sea", "filter": [["a = 1", "b = 2"]], "sort": ["x:asc"],
             "locales": ["fr"], "hybrid": {"embedder": "e", "semanticRatio": 0.25},
             "boosts": [{"filter": "a = 1"}], "attributeWeights": {"title": 2.5},
             "federationOptions": {"remote": "r", "weight": 0.5}},
        ],
    });
    let asked = server.request("POST /multi-search").json(&body);
    asked.header("Meili-Include-Metadata", "1").send();
    let heard = pretender.heard();
    assert_eq!((heard.len(), heard[0].line.as_str()), (4, "POST /multi-search HTTP/1.1"));
    assert_eq!(heard[0].header("authorization"), Some("Bearer sesame"));
    assert_eq!(heard[0].header("meili-proxy-search"), Some("true"));
    assert_eq!(heard[0].header("meili-include-metadata"), Some("true"));
    assert_eq!(heard[0].header("content-type"), Some("application/json"));
    assert_eq!(
        heard[0].body,
        json!({
            "federation": {"offset": 0, "limit": 7, "facetsByIndex": {"films": ["x"]}},
            "queries": [{
                "q": "sea", "filter": [["a = 1", "b = 2"]], "matchingStrategy": "last",
                "locales": ["fra"], "hybrid": {"embedder": "e", "semanticRatio": 0.25},
                "boosts": [{"filter": "a = 1", "weight": 1}], "attributeWeights": {"title": 2.5},
                "sort": ["x:asc"], "indexUid": "films",
                "federationOptions": {"weight": 0.5, "queryPosition": 1},
            }],
        })
    );
}

#[test]
fn remotes_that_fail_leave_the_rest() {
    let (fleet, _) = dealt_out();
    let [mute, silent] = [(); 2].map(|()| Pretender::start(Manner::IsSilent));
    let odd = Pretender::start(Manner::json(200, &json!({"hits": [{}], "totalHits": 1})));
    let key = Pretender::start(Manner::json(401, &json!({})));
    let timeout = Duration::from_secs(5);
    let server = networking_within(timeout);
    change_settings(&server, "books", settings());
    server.with_documents("books", documents().into());
    let remotes = json!({
        "good": remote(fleet.servers[0].address),
        "off": remote(fleet.servers[1].address),
        "mute": remote(mute.address),
        "silent": remote(silent.address),
        "odd": remote(odd.address),
        "key": remote(key.address),
        "gone": remote(nobody()),
    });
    switch(&fleet.servers[1], false);
    join(&server, json!({"self": "me", "remotes": remotes}));
    let of = |remote: &str, uid: &str| json!({"indexUid": uid, "q": "salt", "federationOptions": {"remote": remote}});
    let begun = Instant::now();
    let answer = multi_search(
        &server,
        &json!({
            "federation": {"limit": 100, "facetsByIndex": {"books": ["genre"], "books-a": ["genre"]}},
            "queries": [
                of("me", "books"), of("good", "books-a"), of("off", "books-b"),
                of("silent", "books"), of("odd", "books"), of("key", "books"), of("gone", "books"),
                of("mute", "books"),
            ],
        }),
    );
    // They are asked at the same time: two of them use it up, and not one after the other.
    assert!(begun.elapsed() < timeout * 2, "{:?}", begun.elapsed());
    let errors = answer["remoteErrors"].as_object().unwrap();
    let codes: Vec<(&str, &str)> = errors
        .iter()
        .map(|(name, error)| (name.as_str(), error["code"].as_str().unwrap()))
        .collect();
    assert_eq!(
        codes,
        [
            ("gone", "remote_could_not_send_request"),
            ("key", "remote_invalid_api_key"),
            ("mute", "remote_timeout"),
            ("odd", "remote_bad_response"),
            ("off", "remote_bad_request"),
            ("silent", "remote_timeout"),
        ]
    );
    let off = errors["off"]["message"].as_str().unwrap();
    assert!(off.contains("status 400") && off.contains("`network` experimental feature"), "{off}");
    let by_remote = |name: &str| {
        let hits = answer["hits"].as_array().unwrap().iter();
        hits.filter(|hit| hit["_federation"]["remote"] == name).count() as u64
    };
    assert!(by_remote("me") > 0 && by_remote("good") > 0);
    assert_eq!(answer["estimatedTotalHits"], json!(by_remote("me") + by_remote("good")));
    assert_eq!(members(&answer["facetsByIndex"]), ["books", "books-a"]);
    // An index that a remote does not have is told in the same way.
    let body = json!({"federation": {}, "queries": [of("good", "nowhere")]});
    let error = &multi_search(&server, &body)["remoteErrors"]["good"];
    assert_eq!(error["code"], "remote_bad_request");
    assert!(error["message"].as_str().unwrap().contains("Index `nowhere` not found"), "{error}");
    // What is wrong here still fails the request.
    let body = json!({"federation": {}, "queries": [of("me", "nowhere"), of("good", "books-a")]});
    server.call_json("POST /multi-search", body).is_error(
        400,
        "index_not_found",
        "Inside `.queries[0]`: Index `nowhere` not found.",
    );
}

#[test]
fn a_remote_tells_mistakes_by_the_places_that_the_client_knows() {
    let (fleet, _) = dealt_out();
    let query = |remote: &str, more: Value| {
        let mut query = json!({
            "indexUid": format!("books-{remote}"), "federationOptions": {"remote": remote},
        });
        query.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        query
    };
    let told = |queries: Value| {
        let body = json!({"federation": {}, "queries": queries});
        let answer = multi_search(&fleet.servers[0], &body);
        answer["remoteErrors"]["b"]["message"].as_str().unwrap().to_owned()
    };
    let (own, theirs) = (query("a", json!({})), query("b", json!({})));
    for wrong in [json!({"filter": "nope = 1"}), json!({"sort": ["house:asc"]})] {
        let message = told(json!([own, theirs, own, query("b", wrong)]));
        assert!(message.contains("Inside `.queries[3]`: "), "{message}");
    }
    let rope = query("b", json!({"indexUid": "nowhere"}));
    let message = told(json!([own, own, rope, theirs]));
    assert!(message.contains("Inside `.queries[2]`: Index `nowhere`"), "{message}");

    // One search has no places.
    fleet.servers[0].with_documents("alone", json!([{"id": 1}]));
    let found = search(&fleet.servers[0], "alone", json!({"useNetwork": true}));
    let message = found["remoteErrors"]["b"]["message"].as_str().unwrap();
    assert!(message.ends_with("status 400: Index `alone` not found."), "{message}");
}

#[test]
fn rejects_queries_with_different_sort_orders() {
    let (fleet, whole) = dealt_out();
    let query = |name: &str, remote: bool, sort: &[&str]| {
        let mut query = json!({"indexUid": format!("books-{name}"), "sort": sort});
        if remote {
            query["federationOptions"] = json!({"remote": name});
        }
        query
    };
    let (up, down): (&[&str], &[&str]) = (&["year:asc"], &["id:desc"]);
    for (sorts, status) in [
        ([up, down, up], 400),
        ([up, up, down], 400),
        ([down, down, &["year:desc", "id:asc"]], 200),
        ([up, &["id:asc", "year:asc"], &["id:asc", "year:desc"]], 400),
    ] {
        let with = |is_remote: bool| {
            let queries = NAMES.iter().zip(sorts);
            let queries: Vec<Value> =
                queries.map(|(name, sort)| query(name, is_remote, sort)).collect();
            json!({"federation": {}, "queries": queries})
        };
        assert_eq!(whole.call_json("POST /multi-search", with(false)).status, status);
        let refused = fleet.servers[0].call_json("POST /multi-search", with(true));
        assert_eq!(refused.status, status, "{}", refused.text());
        if status == 400 {
            let refused = refused.json();
            assert_eq!(refused["code"], "invalid_multi_search_query_ranking_rules", "{refused}");
        }
    }
}

#[test]
fn rejects_queries_to_invalid_remotes() {
    let server = networking_server();
    server.with_documents("books", json!([{"id": 1}]));
    join(&server, json!({"self": "me", "remotes": {"r": remote(nobody())}}));
    let query = |more: Value| {
        let mut query = json!({"indexUid": "books"});
        query.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        server.call_json("POST /multi-search", json!({"federation": {}, "queries": [query]}))
    };
    let both = json!({"useNetwork": true, "federationOptions": {"remote": "r"}});
    query(both).is_error_like(
        400,
        "invalid_multi_search_federation_options",
        "Inside `.queries[0]`: Using `federationOptions.remote`",
    );
    query(json!({"federationOptions": {"remote": "x"}})).is_error(
        400,
        "invalid_multi_search_remote",
        "Inside `.queries[0]`: Invalid `.federation_options.remote`: remote `x` is not registered",
    );
    query(json!({"federationOptions": {"remote": 1}})).is_error_like(
        400,
        "invalid_multi_search_remote",
        "at `.queries[0].federationOptions.remote`",
    );
    query(json!({"federationOptions": {"queryPosition": -1}})).is_error_like(
        400,
        "invalid_multi_search_query_position",
        "at `.queries[0].federationOptions.queryPosition`",
    );
    let hits = query(json!({"federationOptions": {"queryPosition": 9}})).json()["hits"].clone();
    assert_eq!(hits[0]["_federation"]["queriesPosition"], 9);
    switch(&server, false);
    let off = "requires enabling the `network` experimental feature";
    for options in [json!({"remote": "r"}), json!({"queryPosition": 9})] {
        query(json!({"federationOptions": options})).is_error_like(400, "feature_not_enabled", off);
    }
}

/// Three instances with a part each of one index, and one that has all of it.
fn shared_out() -> (Fleet, TestServer) {
    let fleet = Fleet::start(3);
    let whole = networking_server();
    fleet.fill("books", &settings(), &documents());
    change_settings(&whole, "books", settings());
    whole.with_documents("books", documents().into());
    (fleet, whole)
}

#[test]
fn network_search_equals_search_of_a_single_instance() {
    let (fleet, whole) = shared_out();
    for mut body in [
        json!({"q": "salt", "sort": ["id:asc"], "limit": 50}),
        json!({"q": "salt road", "sort": ["id:desc"], "offset": 4, "limit": 9}),
        json!({"q": "", "sort": ["year:asc", "id:asc"], "page": 2, "hitsPerPage": 11}),
        json!({"q": "sea", "sort": ["id:asc"], "facets": ["*"], "showRankingScore": true}),
        json!({"q": "", "sort": ["id:asc"], "facets": ["genre", "year"], "filter": "year > 1984"}),
        json!({"q": "rope", "sort": ["id:asc"], "filter": [["genre = novel", "genre = craft"]],
               "attributesToHighlight": ["*"], "attributesToRetrieve": ["id"]}),
        json!({"sort": ["year:desc", "id:asc"], "distinct": "house", "limit": 9}),
        json!({"sort": ["year:desc", "id:asc"], "distinct": "house", "limit": 3, "facets": ["year"]}),
        json!({"q": "salt", "sort": ["id:asc"], "distinct": "genre", "hitsPerPage": 2}),
        json!({"sort": ["id:asc"], "distinct": "genre", "hitsPerPage": 9, "facets": ["house"]}),
        json!({"q": "nothing at all like it", "facets": ["genre"]}),
    ] {
        let expected = search(&whole, "books", body.clone());
        body["useNetwork"] = json!(true);
        for server in &fleet.servers {
            let mut found = search(server, "books", body.clone());
            assert_eq!(found["remoteErrors"], json!({}));
            for hit in found["hits"].as_array_mut().unwrap() {
                let member = hit.as_object_mut().unwrap().shift_remove("_federation").unwrap();
                assert_eq!(member["queriesPosition"], 0);
                assert!(member["remote"].is_string());
            }
            let unlike = ["processingTimeMs", "requestUid"];
            let mut lower = without(found, &[&unlike[..], &["remoteErrors"]].concat());
            let mut wanted = without(expected.clone(), &unlike);
            // Whose spelling is shown depends on who is asked.
            for answer in [&mut lower, &mut wanted] {
                if let Some(genres) = answer["facetDistribution"].get_mut("genre") {
                    *genres = serde_json::from_str(&genres.to_string().to_lowercase()).unwrap();
                }
            }
            assert_eq!(lower, wanted, "{body}");
        }
    }
}

#[test]
fn boosts_count_on_every_instance() {
    let (fleet, whole) = shared_out();
    for server in fleet.servers.iter().chain([&whole]) {
        change_settings(server, "books", json!({"rankingRules": ["boost", "sort"]}));
    }
    let boosts =
        json!([{"value": {"attribute": "year", "max": 2002}}, {"filter": "genre = novel"}]);
    let mut body = json!({"boosts": boosts, "sort": ["id:asc"], "limit": 25});
    let expected = ids(&search(&whole, "books", body.clone()));
    body["useNetwork"] = json!(true);
    for server in &fleet.servers {
        assert_eq!(ids(&search(server, "books", body.clone())), expected);
    }
}

#[test]
fn every_route_that_searches_knows_the_network() {
    let (fleet, _) = shared_out();
    let server = &fleet.servers[2];
    let found = server.call("GET /indexes/books/search?useNetwork=true&sort=id:asc&limit=4").json();
    assert_eq!((ids(&found), &found["remoteErrors"]), (vec![0, 1, 2, 3], &json!({})));
    // Without being asked for it, an instance shows what it has.
    let own = search(server, "books", json!({"sort": ["id:asc"], "limit": 2}));
    assert_eq!((ids(&own), own.get("remoteErrors")), (vec![2, 5], None));
    let own = search(server, "books", json!({"sort": ["id:asc"], "limit": 2, "useNetwork": false}));
    assert_eq!(ids(&own), [2, 5]);

    let all = json!({"indexUid": "books", "sort": ["id:asc"], "limit": 3, "useNetwork": true});
    let own = json!({"indexUid": "books", "sort": ["id:asc"], "limit": 3});
    let answers = multi_search(server, &json!({"queries": [own, all]}));
    let results = answers["results"].as_array().unwrap();
    assert_eq!((ids(&results[0]), ids(&results[1])), (vec![2, 5, 8], vec![0, 1, 2]));
    assert_eq!((results[0].get("remoteErrors"), &results[1]["remoteErrors"]), (None, &json!({})));
    assert_eq!(results[0]["requestUid"], results[1]["requestUid"]);

    let asked = server.request("POST /multi-search").header("Meili-Include-Metadata", "true");
    let federated = json!({
        "federation": {"limit": 5, "facetsByIndex": {"books": ["year"]}},
        "queries": [
            {"indexUid": "books", "filter": "year = 1", "sort": ["id:asc"]},
            {"indexUid": "books", "sort": ["id:asc"], "useNetwork": true},
        ],
    });
    let found = asked.json(&federated).send().json();
    assert_eq!(ids(&found), [0, 1, 2, 3, 4]);
    assert_eq!(found["estimatedTotalHits"], 60);
    for hit in found["hits"].as_array().unwrap() {
        assert_eq!(hit["_federation"]["queriesPosition"], 1);
    }
    assert_eq!(found["metadata"].as_array().unwrap().len(), 2);
    let counted = found["facetsByIndex"]["books"]["stats"]["year"].clone();
    assert_eq!(counted, json!({"min": 1980.0, "max": 2002.0}));
}

#[test]
fn network_searches_report_the_usual_errors() {
    let (fleet, whole) = shared_out();
    let server = &fleet.servers[0];
    for mut body in [
        json!({"sort": ["house:asc"]}),
        json!({"filter": "nope = 1"}),
        json!({"filter": "year >"}),
        json!({"facets": ["nope"]}),
        json!({"distinct": "nope"}),
        json!({"attributesToSearchOn": ["nope"], "q": "x"}),
        json!({"hybrid": {"embedder": "e"}, "q": "x"}),
    ] {
        let expected = whole.call_json("POST /indexes/books/search", body.clone());
        body["useNetwork"] = json!(true);
        let refused = server.call_json("POST /indexes/books/search", body.clone());
        assert_eq!((refused.status, refused.json()), (expected.status, expected.json()), "{body}");
    }
    let body = json!({"useNetwork": true});
    server.call_json("POST /indexes/nowhere/search", body).is_error(
        404,
        "index_not_found",
        "Index `nowhere` not found.",
    );
}

#[test]
fn sharded_searches_report_the_filter_of_the_client() {
    let (fleet, whole) = (Fleet::start(1), networking_server());
    let server = &fleet.servers[0];
    for server in [server, &whole] {
        change_settings(server, "books", settings());
        server.with_documents("books", documents().into());
    }
    let change = json!({"leader": "a", "shards": {"s": {"remotes": ["a"]}}});
    assert_eq!(server.call_json("PATCH /network", change).status, 202);
    for filter in [json!("nope = 1"), json!("year >"), json!(3), json!([["year > 1", 4]])] {
        for route in ["search", "facet-search", "documents/fetch"] {
            let body = json!({"filter": filter, "facetName": "genre"});
            let body = match route {
                "facet-search" => body,
                _ => without(body, &["facetName"]),
            };
            let line = format!("POST /indexes/books/{route}");
            let expected = whole.call_json(&line, body.clone());
            let refused = server.call_json(&line, body);
            assert_eq!(
                (refused.status, refused.json()),
                (400, expected.json()),
                "{route} {filter}"
            );
        }
    }
    // Without a word about it, everybody is asked.
    let found = search(server, "books", json!({"q": "salt"}));
    assert_eq!(found["remoteErrors"], json!({}));
    assert_eq!(found["hits"][0]["_federation"]["remote"], "a");
    let own = search(server, "books", json!({"q": "salt", "useNetwork": false}));
    assert_eq!(own.get("remoteErrors"), None);
    assert_eq!(ids(&own), ids(&found));
}

#[test]
fn a_network_of_nobody_finds_nothing() {
    let server = networking_server();
    server.with_documents("books", json!([{"id": 1}]));
    join(&server, json!({"self": "me"}));
    let found = search(&server, "books", json!({"useNetwork": true, "facets": ["x"]}));
    assert_eq!((&found["hits"], &found["estimatedTotalHits"]), (&json!([]), &json!(0)));
    assert_eq!((&found["remoteErrors"], &found["facetDistribution"]), (&json!({}), &json!({})));
}

#[test]
fn proxied_searches_return_sort_keys_and_do_not_fan_out() {
    let (fleet, _) = shared_out();
    let proxied = |body: Value| {
        let asked = fleet.servers[0].request("POST /multi-search").json(&body);
        asked.header("Meili-Proxy-Search", "true").send().json()
    };
    let query = json!({"indexUid": "books", "q": "salt", "useNetwork": true});
    let facets = json!({"books": ["house", "genre"]});
    let found =
        proxied(json!({"federation": {"facetsByIndex": facets, "limit": 2}, "queries": [query]}));
    assert_eq!(found["hits"].as_array().unwrap().len(), 2);
    for hit in found["hits"].as_array().unwrap() {
        assert_eq!(hit["id"].as_u64().unwrap() % 3, 0);
        assert!(hit["_federation"]["weightedScoreValues"].is_array(), "{hit}");
        assert!(hit["_federation"]["documentNumber"].is_u64(), "{hit}");
    }
    let facets = &found["facetsByIndex"]["books"];
    let houses = facets["distribution"]["house"].as_object().unwrap().len();
    assert!(houses >= 3 && found.get("remoteErrors").is_none(), "{found}");
    let shown = json!({"genre": {"order": "count", "maxValues": 3}, "house": {"order": "alpha", "maxValues": 3}});
    assert_eq!(facets["shown"], shown);
}
