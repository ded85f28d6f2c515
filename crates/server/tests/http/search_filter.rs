//! Filters of searches: what they select, which mistakes are told, and in which order.

use std::sync::Arc;

use serde_json::{Value, json};

use super::harness::{TestServer, change_settings};

const EXPECTED: &str = "Was expecting an operation `=`, `!=`, `>=`, `>`, `<=`, `<`, `IN`, \
    `NOT IN`, `TO`, `EXISTS`, `NOT EXISTS`, `IS NULL`, `IS NOT NULL`, `IS EMPTY`, `IS NOT EMPTY`, \
    `CONTAINS`, `NOT CONTAINS`, `STARTS WITH`, `NOT STARTS WITH`, `_geoRadius`, `_geoBoundingBox` \
    or `_geoPolygon`";

fn server(index: &str) -> Arc<TestServer> {
    let server = TestServer::shared();
    server.with_documents(
        index,
        json!([
            {"id": 1, "kind": "Lamp", "price": 12, "_geo": {"lat": 45.0, "lng": 5.0}},
            {"id": 2, "kind": "lamp", "price": 30, "tags": []},
            {"id": 3, "kind": ["Chair", "lamp"], "price": null},
        ]),
    );
    let off = json!({"facetSearch": true, "filter": {"equality": false, "comparison": false}});
    let equality = json!({"facetSearch": true, "filter": {"equality": true, "comparison": false}});
    let settings = json!({"filterableAttributes": [
        "kind", "price", "tags", "_geo",
        {"attributePatterns": ["secret"], "features": off},
        {"attributePatterns": ["code"], "features": equality},
    ]});
    let task = server.call_json(&format!("PATCH /indexes/{index}/settings"), settings);
    assert_eq!(task.task(&server)["status"], "succeeded");
    server
}

fn ids(server: &TestServer, index: &str, filter: &Value) -> Vec<u64> {
    let body = json!({"filter": filter, "attributesToRetrieve": ["id"]});
    let answer = server.call_json(&format!("POST /indexes/{index}/search"), body);
    assert_eq!(answer.status, 200, "{filter}: {}", answer.text());
    let answer = answer.json();
    let hits = answer["hits"].as_array().expect("hits");
    assert_eq!(answer["estimatedTotalHits"], hits.len(), "{filter}");
    hits.iter().map(|hit| hit["id"].as_u64().expect("an id")).collect()
}

#[test]
fn a_filter_restricts_hits_and_their_total() {
    let server = server("filter_hits");
    for (filter, expected) in [
        (json!("kind = LAMP"), &[1, 2, 3][..]),
        (json!("kind = chair AND price IS NULL"), &[3]),
        (json!(["kind = lamp", ["price < 20", "price > 40"]]), &[1]),
        (json!("NOT kind = chair"), &[1, 2]),
        (json!("kind IN [chair, table,]"), &[3]),
        (json!("price 10 TO 30"), &[1, 2]),
        (json!("tags IS EMPTY"), &[2]),
        (json!("price EXISTS"), &[1, 2, 3]),
        (json!("kind STARTS WITH ch"), &[3]),
        (json!("_geoRadius(45, 5, 10)"), &[1]),
        (json!("_geoBoundingBox([46, 6], [44, 4])"), &[1]),
        (json!(""), &[1, 2, 3]),
        (json!(" \n"), &[1, 2, 3]),
        (json!([]), &[1, 2, 3]),
        (json!([[], " ", ["", " "]]), &[1, 2, 3]),
        (json!(null), &[1, 2, 3]),
    ] {
        assert_eq!(ids(&server, "filter_hits", &filter), expected, "{filter}");
    }
}

/// Of the points and shapes of `_geojson`, a box finds those that have a point in common with it, its
/// border included, and no others.
#[test]
fn boxes_over_shapes_are_exact() {
    let server = TestServer::shared();
    let index = "filter_shapes";
    let point = |lat: f64, lng: f64| json!({"type": "Point", "coordinates": [lng, lat]});
    let square = |low: f64, high: f64| {
        json!({"type": "Polygon", "coordinates":
            [[[low, low], [high, low], [high, high], [low, high], [low, low]]]})
    };
    let shapes = [
        point(5.0, 5.0),
        point(10.0, 10.0),
        point(10.001, 5.0),
        point(5.0, -0.001),
        // Inside, around, and beside the box, and with one corner in it.
        square(4.0, 6.0),
        square(-20.0, 20.0),
        square(10.001, 12.0),
        square(9.999, 12.0),
        // Its bounds overlap the box, the line itself passes the corner.
        json!({"type": "LineString", "coordinates": [[-2.0, 1.0], [1.0, -2.0]]}),
        json!({"type": "LineString", "coordinates": [[-5.0, 5.0], [15.0, 5.0]]}),
        point(5.0, 179.9),
        point(5.0, -179.9),
    ];
    let documents: Vec<Value> = (0..)
        .zip(&shapes)
        .map(|(id, shape): (usize, &Value)| json!({"id": id, "_geojson": shape}))
        .collect();
    server.with_documents(index, json!(documents));
    change_settings(&server, index, json!({"filterableAttributes": ["_geojson"]}));
    for (filter, expected) in [
        ("_geoBoundingBox([10, 10], [0, 0])", &[0, 1, 4, 5, 7, 9][..]),
        ("NOT _geoBoundingBox([10, 10], [0, 0])", &[2, 3, 6, 8, 10, 11]),
        ("_geoPolygon([0, 0], [0, 10], [10, 10], [10, 0])", &[0, 1, 4, 5, 7, 9]),
        // A box without an inside, and one across the antimeridian.
        ("_geoBoundingBox([5, 5], [5, 5])", &[0, 4, 5, 9]),
        ("_geoBoundingBox([10, -179], [0, 179])", &[10, 11]),
        ("_geoBoundingBox([60, 60], [50, 50])", &[]),
    ] {
        assert_eq!(ids(&server, index, &json!(filter)), expected, "{filter}");
    }
}

/// Told of the filter as it was sent, and although there is no such index.
#[test]
fn syntax_is_checked_before_the_index_is_looked_for() {
    let server = TestServer::shared();
    let shape = |what: &str| format!("Invalid syntax for the filter parameter: `expected {what}`.");
    let reserved = |name: &str| {
        format!(
            "`{name}` is a reserved keyword and thus can't be used as a filter expression. Use \
             the `_geoRadius(latitude, longitude, distance)` or `_geoBoundingBox([latitude, \
             longitude], [latitude, longitude])` built-in rules to filter on `_geo` coordinates."
        )
    };
    for (filter, message) in [
        (json!(true), shape("String, Array, found: true")),
        (json!(2), shape("String, Array, found: 2")),
        (json!({"a": 1}), shape("String, Array, found: {\"a\":1}")),
        (json!(["a = 1", 5]), shape("String, [String], found: 5")),
        (json!([["a = 1", null]]), shape("String, found: null")),
        (json!([[["a = 1"]]]), shape("String, found: [\"a = 1\"]")),
        (json!("kind"), format!("{EXPECTED} at `kind`.\n1:5 kind")),
        (json!("a = 1 AND"), format!("{EXPECTED} but instead got nothing.\n10:10 a = 1 AND")),
        (json!("a ="), "Was expecting a value but instead got nothing.\n4:4 a =".into()),
        (json!(["a = 1", "b >"]), "Was expecting a value but instead got nothing.\n4:4 b >".into()),
        (json!("_geo = 1"), format!("{}\n1:9 _geo = 1", reserved("_geo"))),
        (json!("_geoDistance < 1"), format!("{}\n1:17 _geoDistance < 1", reserved("_geoDistance"))),
        (
            json!("_geoRadius(1)"),
            "Was expecting 3 or 4 arguments for `_geoRadius`, but instead found 1.\n\
             14:14 _geoRadius(1)"
                .into(),
        ),
    ] {
        let line = "POST /indexes/filter_nowhere/search";
        server.call_json(line, json!({"filter": filter})).is_error(
            400,
            "invalid_search_filter",
            &message,
        );
        let line = "POST /indexes/filter_nowhere/facet-search";
        server.call_json(line, json!({"facetName": "a", "filter": filter})).is_error(
            400,
            "invalid_search_filter",
            &message,
        );
    }
    for (filter, part) in [
        (
            "a = 1 b = 2",
            "Found unexpected characters at the end of the filter: `b = 2`. You probably forgot an `OR` or an `AND` rule.",
        ),
        ("(a = 1", "Expression `(a = 1` is missing the following closing delimiter: `)`."),
        ("a = 'x", "Expression `\\'x` is missing the following closing delimiter: `'`."),
        ("a IN 1", "Expected `[` after `IN` keyword."),
        ("a IN [1", "Expected matching `]` after the list of field names given to `IN[`"),
        (
            "a IN [1 2]",
            "Expected only comma-separated field names inside `IN[..]` but instead found `2]`.",
        ),
        ("a = AND", "Was expecting a value but instead got `AND`, which is a reserved keyword."),
        (
            "_geoRadius",
            "The `_geoRadius` filter must be in the form: `_geoRadius(latitude, longitude, radius",
        ),
        ("_geoBoundingBox(1)", "The `_geoBoundingBox` filter expects two pairs of arguments: "),
        ("_geoBoundingBox([1], [2, 3])", "Was expecting 2 coordinates but instead found 1."),
        (
            "_geoPolygon(1)",
            "The `_geoPolygon` filter doesn't match the expected format: `_geoPolygon([latitude, longitude], [latitude, longitude])`.",
        ),
        (
            "_geoPolygon([1, 2], [3, 4])",
            "The `_geoPolygon` filter expects at least 3 points but only 2 were specified",
        ),
        (
            "a = _geoRadius(1, 2, 3)",
            "The `_geoRadius` filter is an operation and can't be used as a value.",
        ),
    ] {
        server
            .call_json("POST /indexes/filter_nowhere/search", json!({"filter": filter}))
            .is_error_like(400, "invalid_search_filter", part);
    }
    let deep = format!("{}a = 1{}", "(".repeat(500), ")".repeat(500));
    server.call_json("POST /indexes/filter_nowhere/search", json!({"filter": deep})).is_error_like(
        400,
        "invalid_search_filter",
        "The filter exceeded the maximum depth limit.",
    );
}

/// Told of the canonical form, and named after the index.
#[test]
fn attributes_are_checked_last() {
    let server = server("filter_rules");
    let patterns =
        "Available filterable attribute patterns are: `_geo`, `code`, `kind`, `price`, `tags`.";
    for (filter, message) in [
        (
            json!("size = 1"),
            format!("Attribute `size` is not filterable. {patterns}\n2:6 \"size\" = \"1\""),
        ),
        (
            json!(["price > 1", "size = \"a b\""]),
            format!(
                "Attribute `size` is not filterable. {patterns}\n\
                 23:27 (\"price\" > \"1\") AND (\"size\" = \"a b\")"
            ),
        ),
        (
            json!("NOT NOT secret EXISTS"),
            format!("Attribute `secret` is not filterable. {patterns}\n2:8 \"secret\" EXISTS"),
        ),
        (
            json!("code > 1"),
            "Filter operator `>` is not allowed for the attribute `code`.\n  \
             - Note: allowed operators: OR, AND, NOT, =, !=, IN, IS EMPTY, IS NULL, EXISTS.\n  \
             - Note: field `code` matched rule #5 in `filterableAttributes`\n  \
             - Hint: enable comparison in rule #5 by modifying the features.filter object\n  \
             - Hint: prepend another rule matching `code` with appropriate filter features before \
             rule #5"
                .to_owned(),
        ),
        (
            json!("_geoPolygon([1, 2], [3, 4], [5, 6])"),
            format!(
                "Attribute `_geojson` is not filterable. {patterns}\n\
                 14:15 _geoPolygon([1, 2], [3, 4], [5, 6])"
            ),
        ),
        (
            json!("_geoRadius(91,2,3)"),
            "Bad latitude `91`. Latitude must be contained between -90 and 90 degrees.\n\
             12:14 _geoRadius(91, 2, 3)"
                .to_owned(),
        ),
        (
            json!("_geoRadius(1,2,3,2)"),
            "Invalid resolution `2`. Resolution must be between 3 and 1000.\n\
             21:22 _geoRadius(1, 2, 3, 2)"
                .to_owned(),
        ),
    ] {
        server.call_json("POST /indexes/filter_rules/search", json!({"filter": filter})).is_error(
            400,
            "invalid_search_filter",
            &format!("Index `filter_rules`: {message}"),
        );
    }
    server.call_json("POST /indexes/filter_ghost/search", json!({"filter": "size = 1"})).is_error(
        404,
        "index_not_found",
        "Index `filter_ghost` not found.",
    );
}

#[test]
fn some_conditions_need_a_feature() {
    let server = TestServer::shared();
    for (filter, tried, words, discussion, columns) in [
        ("a CONTAINS b", "Using `CONTAINS` in a filter", "contains filter", 763, "3:11"),
        ("NOT a NOT CONTAINS b", "Using `CONTAINS` in a filter", "contains filter", 763, "11:19"),
        ("_vectors EXISTS", "using a vector filter", "multimodal", 846, "1:9"),
        ("_foreign(a, b = 1)", "using a foreign filter", "foreign_keys", 873, "10:11"),
        ("_shard = a", "using a shard filter", "network", 805, "1:7"),
    ] {
        let message = format!(
            "{tried} requires enabling the `{words}` experimental feature. See \
             https://github.com/orgs/meilisearch/discussions/{discussion}\n{columns} {filter}"
        );
        for line in [
            "POST /indexes/feature_ghost/search",
            "POST /indexes/feature_ghost/facet-search",
            "POST /indexes/feature_ghost/documents/delete",
        ] {
            let body = match line.ends_with("facet-search") {
                true => json!({"facetName": "a", "filter": filter}),
                false => json!({"filter": filter}),
            };
            server.call_json(line, body).is_error(400, "feature_not_enabled", &message);
        }
    }
}

#[test]
fn a_query_string_holds_an_expression_or_json() {
    let server = server("filter_get");
    let get = |filter: &str| {
        server.call(&format!(
            "GET /indexes/filter_get/search?attributesToRetrieve=id&filter={filter}"
        ))
    };
    for (filter, hits) in [
        ("kind%20=%20chair", json!([{"id": 3}])),
        ("%22kind%20=%20chair%22", json!([{"id": 3}])),
        ("%22kind%22%20=%20%22chair%22", json!([{"id": 3}])),
        ("[%22kind=lamp%22,[%22price=12%22]]", json!([{"id": 1}])),
        ("%20", json!([{"id": 1}, {"id": 2}, {"id": 3}])),
    ] {
        assert_eq!(get(filter).json()["hits"], hits, "{filter}");
    }
    for (filter, found) in [("true", "true"), ("3", "3"), ("null", "null"), ("{}", "{}")] {
        get(filter).is_error(
            400,
            "invalid_search_filter",
            &format!(
                "Invalid syntax for the filter parameter: `expected String, Array, found: {found}`."
            ),
        );
    }
}

#[test]
fn ten_thousand_conditions_are_no_trouble() {
    let server = server("filter_many");
    let many: Vec<String> = (0..10_000).map(|number| format!("price = {number}")).collect();
    assert_eq!(ids(&server, "filter_many", &json!([many])), [1, 2]);
    assert_eq!(ids(&server, "filter_many", &json!(many.join(" OR "))), [1, 2]);
    let values: Vec<String> = (20..10_020).map(|number| number.to_string()).collect();
    let filter = format!("price IN [{}]", values.join(","));
    assert_eq!(ids(&server, "filter_many", &json!(filter)), [2]);
}
