//! Searching for values of facets: what is found, what is ignored, and every complaint.

use std::sync::Arc;

use serde_json::{Value, json};

use super::harness::{Answer, INVALID_UID, TestServer, members, without};

fn server(index: &str, settings: Value) -> Arc<TestServer> {
    let server = TestServer::shared();
    server.with_documents(
        index,
        json!([
            {"id": 1, "author": "Mira Olsen", "title": "Salt", "year": 1990},
            {"id": 2, "author": "mira olsen", "title": "Road", "year": 1994},
            {"id": 3, "author": ["Élodie March", "Jon Pell"], "title": "Salt", "year": 2001},
            {"id": 4, "author": 42, "title": "Sea"},
        ]),
    );
    change(&server, index, settings);
    server
}

fn change(server: &TestServer, index: &str, settings: Value) {
    let task = server.call_json(&format!("PATCH /indexes/{index}/settings"), settings).task(server);
    assert_eq!(task["status"], "succeeded", "{task}");
}

fn ask(server: &TestServer, index: &str, body: Value) -> Answer {
    server.call_json(&format!("POST /indexes/{index}/facet-search"), body)
}

#[test]
fn values_are_found_among_the_documents_of_a_search() {
    let settings = json!({"filterableAttributes": ["author", "year"]});
    let server = server("values", settings);
    let values = |mut body: Value| -> Value {
        body["facetName"] = json!("author");
        let answer = ask(&server, "values", body);
        assert_eq!(answer.status, 200, "{}", answer.text());
        let hits = answer.json()["facetHits"].clone();
        let pair = |hit: &Value| json!([hit["value"], hit["count"]]);
        hits.as_array().expect("hits").iter().map(pair).collect()
    };
    let all = json!([["Élodie March", 1], ["Jon Pell", 1], ["Mira Olsen", 2]]);
    for (body, expected) in [
        (json!({}), &all),
        (json!({"facetQuery": null, "q": null, "exhaustiveFacetCount": null}), &all),
        (json!({"facetQuery": ""}), &all),
        (json!({"facetQuery": "elo"}), &json!([["Élodie March", 1]])),
        (json!({"facetQuery": "mira olzen"}), &json!([["Mira Olsen", 2]])),
        (json!({"facetQuery": "olsen"}), &json!([])),
        (json!({"q": "salt"}), &json!([["Élodie March", 1], ["Jon Pell", 1], ["Mira Olsen", 1]])),
        (
            json!({"filter": "year > 1990"}),
            &json!([["Élodie March", 1], ["Jon Pell", 1], ["Mira Olsen", 1]]),
        ),
        (json!({"q": "road", "filter": ["year > 1990"]}), &json!([["Mira Olsen", 1]])),
        (json!({"q": "salt road", "matchingStrategy": "all"}), &json!([])),
        (json!({"q": "mira", "attributesToSearchOn": ["title"]}), &json!([])),
        (json!({"limit": 1, "sort": 5, "nonsense": {}}), &all),
    ] {
        assert_eq!(&values(body.clone()), expected, "{body}");
    }
    let answer = ask(&server, "values", json!({"facetName": "author", "facetQuery": "JON"})).json();
    assert_eq!(members(&answer), ["facetHits", "facetQuery", "processingTimeMs"]);
    assert_eq!(
        without(answer, &["processingTimeMs"]),
        json!({"facetHits": [{"value": "Jon Pell", "count": 1}], "facetQuery": "JON"})
    );
}

#[test]
fn every_field_has_a_type_and_a_code() {
    let server = TestServer::shared();
    let integer = "a positive integer: `3`";
    for (field, bad, expected, found, code, nullable) in [
        ("facetName", json!(3), "a string", integer, "invalid_facet_search_facet_name", false),
        ("facetQuery", json!(3), "a string", integer, "invalid_facet_search_query", true),
        (
            "exhaustiveFacetCount",
            json!(3),
            "a boolean",
            integer,
            "invalid_facet_search_exhaustive_facet_count",
            true,
        ),
        ("q", json!(3), "a string", integer, "invalid_search_q", true),
        ("vector", json!(3), "an array", integer, "invalid_search_vector", true),
        ("hybrid", json!(3), "an object", integer, "invalid_search_hybrid_query", true),
        (
            "matchingStrategy",
            json!(3),
            "a string",
            integer,
            "invalid_search_matching_strategy",
            false,
        ),
        (
            "attributesToSearchOn",
            json!(3),
            "an array",
            integer,
            "invalid_search_attributes_to_search_on",
            true,
        ),
        (
            "rankingScoreThreshold",
            json!("3"),
            "a number",
            "a string: `\"3\"`",
            "invalid_search_ranking_score_threshold",
            true,
        ),
        ("locales", json!(3), "an array", integer, "invalid_search_locales", true),
        ("useNetwork", json!(3), "a boolean", integer, "invalid_search_use_network", true),
    ] {
        let message = |found: &str| {
            format!("Invalid value type at `.{field}`: expected {expected}, but found {found}")
        };
        let mut body = json!({"facetName": "a"});
        body[field] = bad;
        ask(&server, "values_ghost", body.clone()).is_error(400, code, &message(found));
        body[field] = json!(null);
        let null = ask(&server, "values_ghost", body);
        match nullable {
            true => null.is_error(404, "index_not_found", "Index `values_ghost` not found."),
            false => null.is_error(400, code, &message("null")),
        }
    }
    ask(&server, "values_ghost", json!({"q": "a"})).is_error(
        400,
        "missing_facet_search_facet_name",
        "Missing field `facetName`",
    );
    ask(&server, "values_ghost", json!([])).is_error(
        400,
        "bad_request",
        "Invalid value type: expected an object, but found an array: `[]`",
    );
    ask(&server, "a+b", json!({"facetName": "a"})).is_error(
        400,
        "invalid_index_uid",
        &format!("`a+b` {INVALID_UID}"),
    );
    let vector = json!({"facetName": "a", "vector": [1]});
    ask(&server, "values_ghost", vector).is_error(
        400,
        "missing_search_hybrid",
        "Invalid request: missing `hybrid` parameter when `vector` or `media` are present.",
    );
    let network = json!({"facetName": "a", "useNetwork": true});
    ask(&server, "values_ghost", network).is_error_like(400, "feature_not_enabled", "`network`");
    server.call("GET /indexes/values_ghost/facet-search").is_empty(405);
}

#[test]
fn attributes_must_allow_it() {
    let server = server("values_rules", json!({}));
    let refused = |name: &str, message: &str| {
        ask(&server, "values_rules", json!({"facetName": name})).is_error(
            400,
            "invalid_facet_search_facet_name",
            &format!("Attribute `{name}` is not facet-searchable. {message}"),
        );
    };
    let add = "To make it facet-searchable add it to the `filterableAttributes` index settings.";
    refused(
        "author",
        &format!("This index does not have configured facet-searchable attributes. {add}"),
    );
    let off = json!({"facetSearch": false, "filter": {"equality": true, "comparison": false}});
    change(
        &server,
        "values_rules",
        json!({"displayedAttributes": ["author"],
        "filterableAttributes":
            ["author", "year", "unseen", {"attributePatterns": ["title"], "features": off}]}),
    );
    refused(
        "size",
        &format!(
            "Available facet-searchable attributes patterns are: `author, <..hidden-attributes>`. \
             {add}"
        ),
    );
    refused(
        "title",
        "Note: this attribute matches rule #3 in filterableAttributes, but this rule does not \
         enable facetSearch.\nHint: enable facetSearch in rule #3 by adding `\"facetSearch\": \
         true` to the rule.\nHint: prepend another rule matching title with facetSearch: true \
         before rule #3",
    );
    let unseen = ask(&server, "values_rules", json!({"facetName": "unseen"}));
    assert_eq!(unseen.json()["facetHits"], json!([]));
    let filter = json!({"facetName": "author", "filter": "size = 1"});
    ask(&server, "values_rules", filter).is_error(
        400,
        "invalid_search_filter",
        "Attribute `size` is not filterable. Available filterable attribute patterns are: \
         `author`, `title`, `unseen`, `year`.\n1:5 size = 1",
    );
    change(&server, "values_rules", json!({"facetSearch": false}));
    for name in ["author", "size"] {
        ask(&server, "values_rules", json!({"facetName": name})).is_error(
            400,
            "facet_search_disabled",
            "The facet search is disabled for this index",
        );
    }
}

#[test]
fn languages_decide_which_letters_are_the_same() {
    let server = TestServer::shared();
    let index = "values-languages";
    let names = [("sv", "trä"), ("sv", "traktor"), ("sv", "Ängö"), ("ja", "进击的巨人")];
    let document = |(id, (field, value)): (usize, &(&str, &str))| json!({"id": id, *field: value});
    let documents: Vec<Value> = names.iter().enumerate().map(document).collect();
    server.with_documents(index, json!(documents));
    let found = |facet: &str, query: &str, locales: Value| -> Value {
        let body = json!({"facetName": facet, "facetQuery": query, "locales": locales});
        let hits = ask(&server, index, body).json()["facetHits"].clone();
        hits.as_array().expect("hits").iter().map(|hit| hit["value"].clone()).collect()
    };
    let filterable = json!(["sv", "ja"]);
    change(&server, index, json!({"filterableAttributes": filterable}));
    for (facet, query, locales, expected) in [
        ("sv", "trä", json!(null), json!(["trä", "traktor"])),
        ("sv", "tra", json!(null), json!(["trä", "traktor"])),
        // The query alone is Swedish.
        ("sv", "trä", json!(["sv"]), json!([])),
        ("sv", "ango", json!(null), json!(["Ängö"])),
        // One character differs, which is a typo.
        ("ja", "進撃", json!(["cmn"]), json!(["进击的巨人"])),
        ("ja", "進撃", json!(["jpn"]), json!(["进击的巨人"])),
    ] {
        assert_eq!(found(facet, query, locales.clone()), expected, "{facet} {query} {locales}");
    }
    let localized = json!([
        {"attributePatterns": ["sv"], "locales": ["swe"]},
        {"attributePatterns": ["ja"], "locales": ["jpn"]},
    ]);
    change(&server, index, json!({"localizedAttributes": localized}));
    for (facet, query, locales, expected) in [
        ("sv", "trä", json!(null), json!(["trä"])),
        ("sv", "TRÄ", json!(["swe"]), json!(["trä"])),
        ("sv", "tra", json!(null), json!(["traktor"])),
        ("sv", "trä", json!(["en"]), json!(["traktor"])),
        ("sv", "äng", json!(null), json!(["Ängö"])),
        ("sv", "ang", json!(null), json!([])),
        ("sv", "", json!(null), json!(["traktor", "trä", "Ängö"])),
        ("ja", "进击", json!(["cmn"]), json!([])),
        ("ja", "进击", json!(["jpn"]), json!(["进击的巨人"])),
        ("ja", "进击", json!(null), json!(["进击的巨人"])),
    ] {
        assert_eq!(found(facet, query, locales.clone()), expected, "{facet} {query} {locales}");
    }
    change(&server, index, json!({"faceting": {"sortFacetValuesBy": {"sv": "count"}}}));
    assert_eq!(found("sv", "tra", json!(null)), json!(["traktor"]));
}
