//! Properties of the grammar on random input.

use filter::{Filter, parse_sort};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

fn parse(expression: &str) -> Option<Filter> {
    Filter::from_json(&json!(expression)).ok().flatten()
}

/// A name or a value: bare, or anything between quotes.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zé0-9_.-]{1,4}",
        "\\PC{0,4}".prop_map(|text| format!("{text:?}")),
        "[ \"\\\\a\n]{0,4}"
            .prop_map(|text| { format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")) }),
    ]
}

fn condition() -> impl Strategy<Value = String> {
    let number = "[+-]?[0-9]{1,2}([.][0-9]?)?(e[0-9])?";
    let operator = prop_oneof![
        prop_oneof!["=", "!=", "<", "<=", ">", ">=", " CONTAINS ", " NOT CONTAINS "],
        prop_oneof![" STARTS WITH ", " NOT STARTS WITH "],
    ];
    prop_oneof![
        (value(), operator, value()).prop_map(|(a, operator, v)| format!("{a}{operator}{v}")),
        (value(), value(), value()).prop_map(|(a, from, to)| format!("{a} {from} TO {to}")),
        (value(), vec(value(), 0..4)).prop_map(|(a, list)| format!("{a} IN [{}]", list.join(","))),
        (value(), prop_oneof!["EXISTS", "NOT EXISTS", "IS NULL", "IS NOT NULL", "IS NOT EMPTY"])
            .prop_map(|(a, operator)| format!("{a} {operator}")),
        vec(number, 3..5).prop_map(|list| format!("_geoRadius({})", list.join(" , "))),
        vec((number, number), 3..5).prop_map(|points| {
            let points: Vec<String> =
                points.iter().map(|(lat, lng)| format!("[{lat},{lng}]")).collect();
            format!("_geoPolygon({})", points.join(","))
        }),
        "[a-z]{1,3}".prop_map(|name| format!("_vectors.{name}.fragments.'{name}' NOT EXISTS")),
        value().prop_map(|shard| format!("_shard != {shard}")),
    ]
}

fn expression() -> impl Strategy<Value = String> {
    condition().prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 2..4).prop_map(|members| members.join(" AND ")),
            vec(inner.clone(), 2..4).prop_map(|members| members.join(" OR ")),
            inner.clone().prop_map(|inner| format!("NOT {inner}")),
            inner.prop_map(|inner| format!("({inner})")),
        ]
    })
}

/// Pieces of the language in any order: close enough to filters to reach every branch.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop_oneof!["AND", "OR", "NOT", "IN", "TO", "IS", "NULL", "EMPTY", "EXISTS", "CONTAINS"],
        prop_oneof!["STARTS WITH", "=", "!=", "<", ">", ",", "[(]", "[)]", "\\[", "\\]", "\"", "'"],
        prop_oneof!["_geo", "_geoPoint", "_geoRadius", "_geoBoundingBox", "_geoPolygon"],
        prop_oneof!["_vectors", "[.]", "[.]fragments", "[.]regenerate", "_foreign[(]", "_shard"],
        prop_oneof!["a", "1", "-1e5", "é", "🍋", " ", "\n", "\u{a0}", "\\\\", "\\\\u", "\\\\x4"],
    ];
    vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// Parses and uses an expression: nothing may panic, and rejections have a message.
fn exercise(expression: &str) {
    match Filter::from_json(&json!(expression)) {
        Ok(None) => assert!(expression.trim().is_empty()),
        Ok(Some(filter)) => {
            assert_eq!(filter.canonical().to_string(), filter.to_string());
            let again = parse(&filter.to_string()).expect("the canonical form is well formed");
            assert_eq!(again.to_string(), filter.to_string());
        }
        Err(error) => {
            let message = error.to_string();
            assert!(message.ends_with(&format!(" {expression}")), "{message}");
        }
    }
}

proptest! {
    #[test]
    fn the_canonical_form_reads_back_as_itself(expression in expression()) {
        let filter = parse(&expression).expect("well formed");
        let canonical = filter.canonical();
        let again = parse(&canonical.to_string()).expect("the canonical form is well formed");
        // Debug shows values with their places, so those must be right, too.
        prop_assert_eq!(format!("{:?}", again), format!("{:?}", canonical));
        prop_assert_eq!(again.to_string(), filter.to_string());
    }

    #[test]
    fn no_text_makes_the_parser_panic(expression in "\\PC{0,40}") {
        exercise(&expression);
    }

    #[test]
    fn no_bytes_make_the_parser_panic(bytes in vec(any::<u8>(), 0..60)) {
        exercise(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn no_pieces_of_the_language_make_the_parser_panic(expression in soup()) {
        exercise(&expression);
    }

    #[test]
    fn no_text_makes_the_sort_parser_panic(
        item in prop_oneof!["\\PC{0,20}:asc", "_geoPoint[(]\\PC{0,20}[)]:desc", "\\PC{0,20}"]
    ) {
        let _ = parse_sort(&[item]);
    }
}
