//! Rejected filters and their messages; `tests/it/values` compares the matching documents with a naive
//! evaluation.

use std::sync::Arc;
use std::sync::LazyLock;

use filter::Filter;
use index::{Index, Snapshot};
use model::Cancel;
use segment::MemoryDirectory;
use serde_json::{Value, json};
use time::OffsetDateTime;

use super::matching;
use crate::error::SearchError;

static NOT_CANCELLED: LazyLock<Cancel> = LazyLock::new(Cancel::default);

fn index(settings: Value, documents: &[Value]) -> Arc<Snapshot> {
    let now = OffsetDateTime::UNIX_EPOCH;
    let index = Index::create(Arc::new(MemoryDirectory::new()), now).unwrap();
    let mut writer = index.writer().unwrap();
    writer.set_settings(settings);
    for (number, document) in documents.iter().enumerate() {
        let names = document.as_object().unwrap().keys().map(String::as_str);
        writer.upsert(&number.to_string(), &document.to_string(), names).unwrap();
    }
    writer.commit(b"", now).unwrap()
}

fn filter(text: &str) -> Filter {
    Filter::from_json(&json!(text)).unwrap().unwrap()
}

fn message(result: Result<roaring::RoaringBitmap, SearchError>) -> String {
    match result {
        Err(SearchError::Filter(message) | SearchError::Operator(message)) => message,
        other => panic!("{other:?}"),
    }
}

fn refused(snapshot: &Snapshot, text: &str) -> String {
    message(matching(snapshot, &filter(text), &NOT_CANCELLED))
}

fn found(snapshot: &Snapshot, text: &str) -> Vec<u32> {
    matching(snapshot, &filter(text), &NOT_CANCELLED).unwrap().iter().collect()
}

#[test]
fn the_last_attribute_that_is_not_filterable_is_named() {
    let nothing = index(json!({}), &[]);
    assert_eq!(
        refused(&nothing, "aa = 1 AND (bb = 2 OR NOT cc > 3)"),
        "Attribute `cc` is not filterable. This index does not have configured filterable \
         attributes.\n27:29 aa = 1 AND (bb = 2 OR NOT cc > 3)"
    );
    let some = index(json!({ "filterableAttributes": ["price", "aa"] }), &[]);
    assert_eq!(
        refused(&some, "bb = 1 AND aa = 2"),
        "Attribute `bb` is not filterable. Available filterable attribute patterns are: `aa`, \
         `price`.\n1:3 bb = 1 AND aa = 2"
    );
    assert_eq!(
        message(matching(&some, &filter("aa = 1 AND bb != 2").canonical(), &NOT_CANCELLED)),
        "Attribute `bb` is not filterable. Available filterable attribute patterns are: `aa`, \
         `price`.\n20:22 (\"aa\" = \"1\") AND (\"bb\" != \"2\")"
    );
}

#[test]
fn operators_need_their_feature() {
    let rule = |pattern: &str, equality: bool, comparison: bool| {
        json!({ "attributePatterns": [pattern], "features": { "facetSearch": false,
            "filter": { "equality": equality, "comparison": comparison } } })
    };
    let rules = [rule("e", true, false), rule("c", false, true), rule("none", false, false)];
    let snapshot = index(json!({ "filterableAttributes": rules }), &[]);
    assert_eq!(
        refused(&snapshot, "e = 1 OR e 1 TO 2"),
        "Filter operator `TO` is not allowed for the attribute `e`.\n  \
         - Note: allowed operators: OR, AND, NOT, =, !=, IN, IS EMPTY, IS NULL, EXISTS.\n  \
         - Note: field `e` matched rule #0 in `filterableAttributes`\n  \
         - Hint: enable comparison in rule #0 by modifying the features.filter object\n  \
         - Hint: prepend another rule matching `e` with appropriate filter features before rule #0"
    );
    assert!(refused(&snapshot, "c IN [1]").starts_with("Filter operator `=` is not allowed"));
    for allowed in ["e = 1", "e IN []", "c > 1", "c IN []", "c EXISTS", "e STARTS WITH a"] {
        assert!(found(&snapshot, allowed).is_empty(), "{allowed}");
    }
    assert!(refused(&snapshot, "none EXISTS").starts_with(
        "Attribute `none` is not filterable. Available filterable attribute patterns are: `c`, `e`."
    ));
}

#[test]
fn places_must_be_on_earth_and_filterable() {
    let without = index(json!({ "filterableAttributes": ["_geo*", "a"] }), &[]);
    for (text, expected) in [
        (
            "_geoRadius(1, 2, 3)",
            "`_geo/_geojson` is not filterable. Available filterable \
            attribute patterns are: `_geo*`, `a`.\n12:13 _geoRadius(1, 2, 3)",
        ),
        (
            "_geoPolygon([1,2],[3,4],[5,6])",
            "`_geojson` is not filterable. Available filterable \
            attribute patterns are: `_geo*`, `a`.\n14:15 _geoPolygon([1,2],[3,4],[5,6])",
        ),
    ] {
        assert_eq!(refused(&without, text), format!("Attribute {expected}"));
    }
    let with = index(json!({ "filterableAttributes": ["_geo"] }), &[]);
    for (text, expected) in [
        (
            "_geoRadius(91, 2, 3)",
            "Bad latitude `91`. Latitude must be contained between -90 and \
            90 degrees.\n12:14 _geoRadius(91, 2, 3)",
        ),
        (
            "_geoRadius(1, -541, 3)",
            "Bad longitude `-541`. Longitude must be contained between \
            -180 and 180 degrees. Hint: try using `179` instead.\n15:19 _geoRadius(1, -541, 3)",
        ),
        (
            "_geoRadius(1,2,3,2)",
            "Invalid resolution `2`. Resolution must be between 3 and 1000.\n\
            18:19 _geoRadius(1,2,3,2)",
        ),
        (
            "_geoBoundingBox([45, 4], [46, 5])",
            "The top latitude `45` is below the bottom latitude \
            `46`.\n31:32 _geoBoundingBox([45, 4], [46, 5])",
        ),
    ] {
        assert_eq!(refused(&with, text), expected);
    }
}

#[test]
fn missing_embedders_and_shards_are_reported() {
    let snapshot = index(json!({ "filterableAttributes": ["by"] }), &[json!({ "by": 1 })]);
    assert!(found(&snapshot, "_vectors EXISTS").is_empty());
    assert_eq!(found(&snapshot, "_vectors NOT EXISTS"), [0]);
    assert!(refused(&snapshot, "_vectors.mini EXISTS").starts_with("The embedder `mini`"));
    assert!(refused(&snapshot, "_shard = a").contains("does not shard"));
}

#[test]
fn another_index_is_not_known() {
    let snapshot = index(json!({ "filterableAttributes": ["by"] }), &[json!({ "by": 1 })]);
    assert_eq!(
        refused(&snapshot, "by = 1 AND NOT _foreign(by, a = 1)"),
        "Filter condition `_foreign` is not supported for this endpoint.\n\
         25:27 by = 1 AND NOT _foreign(by, a = 1)"
    );
}

#[test]
fn many_values_are_found_at_once() {
    let documents: Vec<Value> = (0..50).map(|number| json!({ "n": number })).collect();
    let snapshot = index(json!({ "filterableAttributes": ["n"] }), &documents);
    let list: Vec<String> = (0..10_000).step_by(7).map(|number| number.to_string()).collect();
    let expected: Vec<u32> = (0..50).step_by(7).collect();
    assert_eq!(found(&snapshot, &format!("n IN [{}]", list.join(","))), expected);
    let equations: Vec<String> = list.iter().map(|value| format!("n = {value}")).collect();
    assert_eq!(found(&snapshot, &equations.join(" OR ")), expected);
}

#[test]
fn a_shape_exists_without_having_values() {
    let shape = json!({ "type": "Point", "coordinates": [2, 1] });
    let documents = [json!({ "_geojson": shape }), json!({ "a": 1 })];
    let snapshot = index(json!({ "filterableAttributes": ["_geojson"] }), &documents);
    assert_eq!(found(&snapshot, "_geojson EXISTS"), [0]);
    assert!(found(&snapshot, "_geojson = 1 OR _geojson.type = Point").is_empty());
    assert_eq!(found(&snapshot, "_geoRadius(1, 2, 10)"), [0]);
}

#[test]
fn negated_members_are_subtracted_at_once() {
    let documents: Vec<Value> = (0..40).map(|number| json!({ "n": number, "m": "x" })).collect();
    let settings = json!({ "filterableAttributes": ["n", "m", "ghost"] });
    let snapshot = index(settings, &documents);
    let unequal: Vec<String> = (3..10_000).map(|number| format!("n != {number}")).collect();
    assert_eq!(found(&snapshot, &unequal.join(" AND ")), [0, 1, 2]);
    assert_eq!(found(&snapshot, "NOT n = 0 AND NOT n > 2 AND m = x"), [1, 2]);
    assert_eq!(found(&snapshot, "NOT n > 2 AND NOT ghost = 1"), [0, 1, 2]);
    assert!(found(&snapshot, "NOT n > 2 AND ghost != 1").is_empty());
}

#[test]
fn cancelled_filter_returns_an_error() {
    let snapshot = index(json!({ "filterableAttributes": ["n"] }), &[json!({ "n": 1 })]);
    let outcome = matching(&snapshot, &filter("n = 1"), &Cancel::default().or_when(|| true));
    assert!(matches!(outcome, Err(SearchError::Cancelled)));
}

/// Many parts are looked for in one pass, wherever they stand in the filter.
#[test]
fn contains_scans_every_text_once_for_all_parts() {
    let documents: Vec<Value> =
        (0..500).map(|number| json!({ "t": format!("Title {number} end") })).collect();
    let snapshot = index(json!({ "filterableAttributes": ["t"] }), &documents);
    let any: Vec<String> = (0..900).map(|number| format!("t CONTAINS \"le {number}\"")).collect();
    let texts = [
        (any.join(" OR "), (0..500).collect::<Vec<u32>>()),
        (format!("NOT ({})", any[..1].join(" OR ")), (1..500).collect()),
        (
            "t CONTAINS 49 AND t CONTAINS end AND NOT t CONTAINS \"9 e\"".to_owned(),
            (490..499).collect(),
        ),
        ("t CONTAINS 49 AND (t CONTAINS 499 OR t CONTAINS nothing)".to_owned(), vec![499]),
        ("t CONTAINS \"\"".to_owned(), (0..500).collect()),
    ];
    for (text, expected) in texts {
        let filter = filter(&text);
        let evaluation = super::Evaluation::new(&snapshot, filter.condition(), &NOT_CANCELLED);
        let found: Vec<u32> = evaluation.all_documents().unwrap().iter().collect();
        assert_eq!(evaluation.texts_looked_through(), 500, "{text}");
        assert_eq!(found, expected, "{text}");
    }
}
