//! Sorting and de-duplicating search results: the order of hits, distances, and every complaint.

use std::sync::Arc;

use serde_json::{Value, json};

use super::harness::TestServer;

const POINT: &str = "expected expression formated like `_geoPoint(latitude, longitude)` and \
    ending by `:asc` or `:desc`";

fn server(index: &str, settings: Value) -> Arc<TestServer> {
    let server = TestServer::shared();
    server.with_documents(
        index,
        json!([
            {"id": 1, "stars": 4, "chain": "a", "_geo": {"lat": 0, "lng": 1}},
            {"id": 2, "stars": "five", "chain": "b", "_geo": {"lat": "0", "lng": "0"}},
            {"id": 3, "chain": "A"},
            {"id": 4, "stars": [1, 9], "_geo": {"lat": 0, "lng": 2}},
        ]),
    );
    let task = server.call_json(&format!("PATCH /indexes/{index}/settings"), settings);
    assert_eq!(task.task(&server)["status"], "succeeded");
    server
}

fn hits(server: &TestServer, index: &str, mut body: Value) -> Value {
    body["attributesToRetrieve"] = json!(["id"]);
    let answer = server.call_json(&format!("POST /indexes/{index}/search"), body);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let hits = answer.json()["hits"].clone();
    hits.as_array().expect("hits").iter().map(|hit| hit["id"].clone()).collect()
}

#[test]
fn hits_are_sorted_by_values_and_by_distance() {
    let server = server("sort_hits", json!({"sortableAttributes": ["stars", "_geo"]}));
    for (sort, expected) in [
        (json!([]), json!([1, 2, 3, 4])),
        (json!(["stars:asc"]), json!([4, 1, 2, 3])),
        (json!(["stars:desc"]), json!([4, 1, 2, 3])),
        (json!(["_geoPoint(0, 0):asc"]), json!([2, 1, 4, 3])),
        (json!(["_geoPoint(0, 0):desc"]), json!([4, 1, 2, 3])),
        (json!(["stars:asc", "_geoPoint(0, 0):desc", "stars:desc"]), json!([4, 1, 2, 3])),
    ] {
        assert_eq!(hits(&server, "sort_hits", json!({"sort": sort})), expected, "{sort}");
    }
    let page = json!({"sort": ["stars:asc"], "offset": 1, "limit": 2});
    assert_eq!(hits(&server, "sort_hits", page), json!([1, 2]));
}

#[test]
fn distances_are_told_where_the_place_is_shown() {
    let server = server("sort_distance", json!({"sortableAttributes": ["_geo"]}));
    let search = |body| server.call_json("POST /indexes/sort_distance/search", body).json();
    let degree = 111_195;
    let body = json!({"sort": ["_geoPoint(0, 0):asc", "_geoPoint(9, 9):asc"],
        "attributesToRetrieve": ["id", "_geo"], "showRankingScore": true});
    assert_eq!(
        search(body)["hits"],
        json!([
            {"id": 2, "_geo": {"lat": "0", "lng": "0"}, "_geoDistance": 0, "_rankingScore": 1.0},
            {"id": 1, "_geo": {"lat": 0, "lng": 1}, "_geoDistance": degree, "_rankingScore": 1.0},
            {"id": 4, "_geo": {"lat": 0, "lng": 2}, "_geoDistance": 2 * degree, "_rankingScore": 1.0},
            {"id": 3, "_rankingScore": 1.0},
        ])
    );
    let without =
        json!({"sort": ["_geoPoint(0, 0):asc"], "attributesToRetrieve": ["id"], "limit": 1});
    assert_eq!(search(without)["hits"], json!([{"id": 2}]));
    let unsorted = json!({"attributesToRetrieve": ["_geo"], "limit": 1});
    assert_eq!(search(unsorted)["hits"], json!([{"_geo": {"lat": 0, "lng": 1}}]));
}

/// Told without the name of the index, but after it was looked for.
#[test]
fn syntax_is_checked_after_the_index_is_looked_for() {
    let server = server("sort_syntax", json!({"sortableAttributes": ["stars"]}));
    let direction = |item: &str| {
        format!(
            "Invalid syntax for the sort parameter: expected expression ending by `:asc` or \
             `:desc`, found `{item}`."
        )
    };
    let reserved = |name: &str| {
        format!("`{name}` is a reserved keyword and thus can't be used as a sort expression.")
    };
    let hint =
        "Use the _geoPoint(latitude, longitude) built-in rule to sort on _geo field coordinates.";
    for (item, message) in [
        ("", direction("")),
        ("stars", direction("stars")),
        ("stars:ASC", direction("stars:ASC")),
        ("_geoPoint(1,2)", direction("_geoPoint(1,2)")),
        ("_geo:asc", format!("{} {hint}", reserved("_geo"))),
        ("_geoDistance:desc", reserved("_geoDistance")),
        ("_geoRadius(1,2,3):asc", format!("{} {hint}", reserved("_geoRadius"))),
        ("_geoBoundingBox([1,2],[3,4]):asc", format!("{} {hint}", reserved("_geoBoundingBox"))),
        (
            "_geoPoint:asc",
            format!("Invalid syntax for the geo parameter: {POINT}, found `_geoPoint`."),
        ),
        (
            "_geoPoint(1):asc",
            format!("Invalid syntax for the geo parameter: {POINT}, found `_geoPoint(1)`."),
        ),
        (
            "_geoPoint(1,x):asc",
            format!("Invalid syntax for the geo parameter: {POINT}, found `_geoPoint(1,x)`."),
        ),
        (
            "_geoPoint(-91,0):asc",
            "Bad latitude `-91`. Latitude must be contained between -90 and 90 degrees.".to_owned(),
        ),
        (
            "_geoPoint(0,181):asc",
            "Bad longitude `181`. Longitude must be contained between -180 and 180 degrees. Hint: \
             try using `-179` instead."
                .to_owned(),
        ),
    ] {
        let body = json!({"sort": ["stars:asc", item], "filter": "unknown = 1"});
        server.call_json("POST /indexes/sort_syntax/search", body.clone()).is_error(
            400,
            "invalid_search_sort",
            &message,
        );
        server.call_json("POST /indexes/sort_ghost/search", body).is_error(
            404,
            "index_not_found",
            "Index `sort_ghost` not found.",
        );
    }
}

#[test]
fn attributes_must_be_sortable_and_sort_a_ranking_rule() {
    let server = server("sort_none", json!({}));
    let refused = |sort: Value, message: &str| {
        server.call_json("POST /indexes/sort_none/search", json!({"sort": sort})).is_error(
            400,
            "invalid_search_sort",
            &format!("Index `sort_none`: {message}"),
        );
    };
    let change = |settings: Value| {
        let task = server.call_json("PATCH /indexes/sort_none/settings", settings).task(&server);
        assert_eq!(task["status"], "succeeded", "{task}");
    };
    let none = "This index does not have configured sortable attributes.";
    refused(json!(["stars:asc"]), &format!("Attribute `stars` is not sortable. {none}"));
    refused(json!(["_geoPoint(1,2):asc"]), &format!("Attribute `_geo` is not sortable. {none}"));
    change(json!({"sortableAttributes": ["stars", "chain", "id"],
        "displayedAttributes": ["chain", "stars"]}));
    let some = "Available sortable attributes are: `chain, stars, <..hidden-attributes>`.";
    refused(json!(["size:asc"]), &format!("Attribute `size` is not sortable. {some}"));
    refused(json!(["stars:asc", ":asc"]), &format!("Attribute `` is not sortable. {some}"));
    change(json!({"rankingRules": ["words", "typo"]}));
    refused(
        json!(["stars:asc"]),
        "You must specify where `sort` is listed in the rankingRules setting to use the sort \
         parameter at search time.",
    );
}

#[test]
fn of_equal_documents_one_is_shown() {
    let settings = json!({"filterableAttributes": ["chain",
        {"attributePatterns": ["st*"], "features":
            {"facetSearch": true, "filter": {"equality": false, "comparison": false}}}]});
    let server = server("distinct_hits", settings);
    let distinct = |value: Value| hits(&server, "distinct_hits", json!({"distinct": value}));
    assert_eq!(distinct(json!("chain")), json!([1, 2, 4]));
    assert_eq!(distinct(json!(null)), json!([1, 2, 3, 4]));
    let refused = |name: &str, message: &str| {
        server.call_json("POST /indexes/distinct_hits/search", json!({"distinct": name})).is_error(
            400,
            "invalid_search_distinct",
            &format!(
                "Index `distinct_hits`: Attribute `{name}` is not filterable and thus, cannot be \
                 used as distinct attribute. {message}"
            ),
        );
    };
    for name in ["", "id", "ch*"] {
        refused(name, "Available filterable attributes patterns are: `chain`.");
    }
    refused(
        "stars",
        "Note: this attribute matches rule #1 in filterableAttributes, but this rule does not \
         enable filtering.\nHint: enable filtering in rule #1 by adding appropriate filter \
         features.\nHint: prepend another rule matching stars with filter features before rule #1",
    );
    let body = json!({"distinctAttribute": "chain"});
    let task = server.call_json("PATCH /indexes/distinct_hits/settings", body).task(&server);
    assert_eq!(task["status"], "succeeded");
    assert_eq!(distinct(json!(null)), json!([1, 2, 4]));
    let page = json!({"page": 1, "hitsPerPage": 2});
    let answer = server.call_json("POST /indexes/distinct_hits/search", page).json();
    assert_eq!((&answer["totalHits"], &answer["totalPages"]), (&json!(3), &json!(2)));
}
