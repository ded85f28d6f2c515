//! Filters and the values that they ask for, as tables.

use serde_json::json;

use super::*;

#[track_caller]
fn check(filter: Value, attribute: &str, value: Value, expected: bool) {
    let parsed = Filter::from_json(&filter).unwrap();
    let wanted = RuleValue::new(attribute, &value).unwrap();
    let asked = FilterValues::of(parsed.as_ref(), RuleLimits::default());
    assert_eq!(asked.contain_all(&[wanted]), expected, "{filter} {attribute} {value}");
}

#[test]
fn one_alternative_must_ask_for_all_values() {
    let wanted = [("kind", json!("care")), ("price", json!(5))]
        .map(|(attribute, value)| RuleValue::new(attribute, &value).unwrap());
    for (filter, expected) in [
        // Both at once.
        (json!("kind = care AND price = 5"), true),
        (json!(["kind = care", "price = 5"]), true),
        (json!("kind IN [boot, care] AND price IN [4, 5]"), true),
        (json!("(kind = care AND price = 5) OR (kind = boot AND price = 4)"), true),
        (json!("price = 4 OR price = 5 AND kind = care"), true),
        (json!("(kind = care OR kind = boot) AND (price = 5 OR price = 4)"), true),
        (json!("(kind = care OR price = 5) AND (kind = care OR price = 5)"), true),
        (json!([["kind = boot", "kind = care"], ["price = 4", "price = 5"]]), true),
        (json!([["kind = care AND price = 5", "sold = true"]]), true),
        (json!("kind = care AND (sold = true OR price = 5)"), true),
        (json!("kind = care AND price = 5 AND NOT sold = true"), true),
        // Negations that ask for both.
        (json!("NOT (kind != care OR price != 5)"), true),
        (json!("NOT kind != care AND NOT price != 5"), true),
        (json!("NOT (NOT (kind = care AND price = 5))"), true),
        (json!("NOT (NOT kind = care OR NOT price IN [5])"), true),
        // One or the other.
        (json!("kind = care OR price = 5"), false),
        (json!([["kind = care", "price = 5"]]), false),
        (json!("kind IN [care] OR price IN [5]"), false),
        (json!("(kind = care OR price = 5) AND sold = true"), false),
        (json!("(kind = care AND price = 4) OR (kind = boot AND price = 5)"), false),
        (json!([["kind = care", "price = 5"], "sold = true"]), false),
        (json!("NOT (kind != care AND price != 5)"), false),
        (json!("NOT kind != care OR NOT price != 5"), false),
        (json!("NOT (NOT (kind = care OR price = 5))"), false),
        // A negated value is not asked for.
        (json!("kind = care AND price != 5"), false),
        (json!("kind = care AND NOT price = 5"), false),
        (json!("kind = care AND price NOT IN [5]"), false),
        (json!("kind NOT IN [care] AND price NOT IN [5]"), false),
        (json!("NOT (kind = care OR price = 5)"), false),
        (json!("NOT (kind = care AND price = 5)"), false),
        (json!("NOT kind IN [care] AND price = 5"), false),
        (json!("kind = care AND price > 4"), false),
        (json!("kind = care"), false),
    ] {
        let parsed = Filter::from_json(&filter).unwrap();
        let asked = FilterValues::of(parsed.as_ref(), RuleLimits::default());
        assert_eq!(asked.contain_all(&wanted), expected, "{filter}");
    }
}

#[test]
fn alternatives_of_many_values_are_bounded() {
    let wanted: Vec<RuleValue> =
        (0..40).map(|number| RuleValue::new(&format!("a{number}"), &json!(1)).unwrap()).collect();
    let either: Vec<String> =
        (0..40).map(|number| format!("(a{number} = 1 OR a{} = 1)", (number + 1) % 40)).collect();
    let found = |filter: String| {
        let parsed = Filter::from_json(&json!(filter)).unwrap();
        FilterValues::of(parsed.as_ref(), RuleLimits::default()).contain_all(&wanted)
    };
    // Written out, these would be a trillion alternatives.
    found(either.join(" AND "));
    let all: Vec<String> = (0..40).map(|number| format!("a{number} = 1")).collect();
    assert!(found(all.join(" AND ")));
    assert!(found(format!("({}) OR ({})", either.join(" AND "), all.join(" AND "))));
}

#[test]
fn conditions_that_require_a_value() {
    for filter in [
        json!("kind = care"),
        json!("kind = 'CARE'"),
        json!("kind IN [boot, care]"),
        json!("kind = care AND price > 3"),
        json!("kind = boot OR kind = care"),
        json!("kind = care OR price = 3"),
        json!("NOT kind != care"),
        json!("NOT (price > 3 AND NOT (kind = care))"),
        json!(["price > 3", ["kind = boot", "kind = care"]]),
    ] {
        check(filter, "kind", json!("Care"), true);
    }
}

#[test]
fn conditions_that_require_no_value() {
    for filter in [
        json!("kind = boot"),
        json!("kind != care"),
        json!("kind NOT IN [care]"),
        json!("NOT kind = care"),
        json!("NOT (kind = care OR price = 3)"),
        json!("kind EXISTS"),
        json!("kind IN []"),
        json!("other = care"),
        json!("kind STARTS WITH care"),
        json!([]),
    ] {
        check(filter, "kind", json!("care"), false);
    }
    let wanted = RuleValue::new("kind", &json!("care")).unwrap();
    assert!(!FilterValues::of(None, RuleLimits::default()).contain_all(&[wanted]));
}

#[test]
fn numbers_and_booleans_compare_as_in_filters() {
    check(json!("price = 40"), "price", json!(40), true);
    check(json!("price = 40.0"), "price", json!(40), true);
    check(json!("price = 4e1"), "price", json!("40"), true);
    check(json!("price = -0"), "price", json!(0), true);
    check(json!("price = 41"), "price", json!(40), false);
    check(json!("sold = TRUE"), "sold", json!(true), true);
    check(json!("sold = false"), "sold", json!(true), false);
    assert_eq!(RuleValue::new("a", &json!(null)), None);
    assert_eq!(RuleValue::new("a", &json!([1])), None);
}

#[test]
fn so_many_values_are_looked_at() {
    let numbers: Vec<String> = (0..5000).map(|number| number.to_string()).collect();
    let filter = json!(format!("price IN [{}]", numbers.join(",")));
    check(filter.clone(), "price", json!(4095), true);
    check(filter, "price", json!(4096), false);
}

#[test]
fn so_many_members_and_levels_are_looked_at() {
    for operator in [" AND ", " OR "] {
        let members: Vec<String> = (0..101).map(|number| format!("a{number} = 1")).collect();
        let filter = json!(members.join(operator));
        check(filter.clone(), "a99", json!(1), true);
        check(filter, "a100", json!(1), false);
    }
    let nested = |levels: usize| {
        let level = |inner: String, _| format!("b = 2 AND (c = 3 OR ({inner}))");
        json!((0..levels).fold("a = 1".to_owned(), level))
    };
    check(nested(12), "a", json!(1), true);
    check(nested(13), "a", json!(1), false);
}
