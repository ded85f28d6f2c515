//! Filters that ask for too much: refused in little time, with a message that does not send them
//! back; and those that are only large, which are read.

use std::time::Duration;

use filter::{Condition, Filter};
use serde_json::{Value, json};
use testkit::takes_at_most;

const TOO_LONG: &str = "The filter is too long: it may have at most 16777216 bytes.";
const TOO_MUCH: &str = "The filter has too many conditions and values: it may have about 1000000 \
    values in all. Every condition counts as 10 of them, `CONTAINS` and `_foreign` as 1000, and a \
    number of a place as 50.";

fn refusal(filter: &Value) -> String {
    takes_at_most(Duration::from_secs(10), || Filter::from_json(filter))
        .expect_err("too large")
        .to_string()
}

fn parse(filter: &Value) -> Filter {
    takes_at_most(Duration::from_secs(10), || Filter::from_json(filter))
        .expect("well formed")
        .expect("a filter")
}

#[test]
fn the_text_is_bounded() {
    assert_eq!(refusal(&json!(format!("a = '{}'", "x".repeat(16 << 20)))), TOO_LONG);
    assert_eq!(refusal(&json!(" ".repeat((16 << 20) + 1))), TOO_LONG);
    // As a whole, in however many pieces it comes.
    let piece = format!("a = '{}'", "x".repeat(1 << 20));
    assert_eq!(refusal(&json!(vec![piece.clone(); 17])), TOO_LONG);
    assert_eq!(refusal(&json!([vec![piece.clone(); 9], vec![piece.clone(); 8]])), TOO_LONG);
    parse(&json!(vec![piece; 15]));
}

#[test]
fn values_are_bounded() {
    let list = |count: usize| format!("a IN [{}]", "1,".repeat(count));
    let filter = parse(&json!(list(900_000)));
    let Condition::In { values, .. } = filter.condition() else { panic!("a membership") };
    assert_eq!(values.len(), 900_000);
    assert_eq!(refusal(&json!(list(1_000_000))), TOO_MUCH);
    assert_eq!(refusal(&json!([list(500_000), list(500_000)])), TOO_MUCH);
    assert_eq!(refusal(&json!(format!("_shard IN [{}]", "s,".repeat(1_000_000)))), TOO_MUCH);
}

#[test]
fn conditions_are_bounded() {
    for joining in [" AND ", " OR ", " AND NOT "] {
        for condition in ["a = 1", "a > 1", "a EXISTS", "a 1 TO 2", "_vectors EXISTS"] {
            let chain = |count| json!(vec![condition; count].join(joining));
            parse(&chain(50_000));
            assert_eq!(refusal(&chain(100_000)), TOO_MUCH, "{condition}");
        }
    }
    assert_eq!(refusal(&json!(vec!["a = 1"; 100_000])), TOO_MUCH);
    assert_eq!(refusal(&json!([vec!["a = 1"; 100_000]])), TOO_MUCH);
    // What asks for nothing weighs nothing.
    parse(&json!([vec![""; 100_000], vec!["a = 1"]]));
}

#[test]
fn dear_conditions_are_bounded_sooner() {
    for condition in ["a CONTAINS b", "a NOT CONTAINS b", "_foreign(a, b = 1)"] {
        parse(&json!(vec![condition; 900]));
        assert_eq!(refusal(&json!(vec![condition; 1000])), TOO_MUCH, "{condition}");
    }
    let polygon = |corners: usize| format!("_geoPolygon([1, 1]{})", ",[0, 0]".repeat(corners - 1));
    parse(&json!(polygon(9_000)));
    assert_eq!(refusal(&json!(polygon(10_001))), TOO_MUCH);
    assert_eq!(refusal(&json!(format!("_geoRadius({}1)", "1,".repeat(30_000)))), TOO_MUCH);
    assert_eq!(refusal(&json!(vec!["_geoBoundingBox([1,1],[0,0])"; 6_000])), TOO_MUCH);
}
