//! Cases beyond the recorded answers: the shape of the tree, limits, escapes, joining.

use std::time::Duration;

use filter::{Condition, Filter, Operator, Order, ShardOperator, SortItem, VectorKind, parse_sort};
use serde_json::{Value, json};
use testkit::takes_at_most;

fn parse(expression: &str) -> Filter {
    from_json(&json!(expression))
}

fn from_json(json: &Value) -> Filter {
    match Filter::from_json(json) {
        Ok(filter) => filter.expect("not blank"),
        Err(error) => panic!("{error}"),
    }
}

fn refusal(expression: &str) -> String {
    Filter::from_json(&json!(expression)).expect_err(expression).to_string()
}

#[track_caller]
fn check_canonical(expression: &str, canonical: &str) {
    assert_eq!(parse(expression).to_string(), canonical);
}

#[track_caller]
fn check_refusal(expression: &str, message: &str, columns: &str) {
    assert_eq!(refusal(expression), format!("{message}\n{columns} {expression}"));
}

#[track_caller]
fn check_value(expression: &str, value: &str) {
    match parse(expression).condition() {
        Condition::Compare { operator: Operator::Equal(token), .. } => {
            assert_eq!(token.value(), value);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn not_binds_before_and_before_or() {
    check_canonical(
        "NOT a = 1 AND b = 2 OR c = 3",
        r#"((NOT ("a" = "1")) AND ("b" = "2")) OR ("c" = "3")"#,
    );
    check_canonical(
        "a = 1 AND (b = 2 OR c = 3) AND d = 4",
        r#"("a" = "1") AND (("b" = "2") OR ("c" = "3")) AND ("d" = "4")"#,
    );
    check_canonical(
        "(a = 1 AND b = 2) AND c = 3",
        r#"(("a" = "1") AND ("b" = "2")) AND ("c" = "3")"#,
    );
}

#[test]
fn negations_cancel_each_other() {
    check_canonical("NOT NOT a = 1", r#""a" = "1""#);
    check_canonical("NOT (NOT a = 1)", r#""a" = "1""#);
    check_canonical("NOT a NOT EXISTS", r#""a" EXISTS"#);
    check_canonical("NOT a IS NOT NULL", r#""a" IS NULL"#);
    check_canonical("NOT a NOT CONTAINS b", r#""a" CONTAINS "b""#);
    check_canonical("NOT a NOT STARTS WITH b", r#""a" STARTS WITH "b""#);
    check_canonical("NOT a != 1", r#"NOT ("a" != "1")"#);
}

#[test]
fn every_operator_has_a_canonical_form() {
    for same in [
        r#""a" = "1""#,
        r#""a" != "1""#,
        r#""a" > "1""#,
        r#""a" >= "1""#,
        r#""a" < "1""#,
        r#""a" <= "1""#,
        r#""a" "1" TO "2""#,
        r#""a" IN ["1", "2"]"#,
        r#""a" IN []"#,
        r#""a" EXISTS"#,
        r#""a" IS NULL"#,
        r#""a" IS EMPTY"#,
        r#""a" CONTAINS "b""#,
        r#""a" STARTS WITH "b""#,
        r#"NOT ("a" IN ["1"])"#,
        "_geoRadius(1, -2, +3e4)",
        "_geoRadius(1., .2, 3, 4)",
        "_geoBoundingBox([1, 2], [3, 4])",
        "_geoPolygon([1, 2], [3, 4], [5, 6])",
        "_vectors EXISTS",
        r#"_vectors."e" EXISTS"#,
        r#"_vectors."e".userProvided EXISTS"#,
        r#"_vectors."e".documentTemplate EXISTS"#,
        r#"_vectors."e".regenerate EXISTS"#,
        r#"_vectors."e".fragments."f" EXISTS"#,
        r#"_foreign("a", ("b" = "1") OR ("c" = "2"))"#,
        r#"_shard = "s""#,
        r#"_shard != "s""#,
        r#"_shard IN ["s", "t"]"#,
    ] {
        check_canonical(same, same);
    }
}

#[test]
fn tokens_of_the_canonical_filter_stand_in_it() {
    let filter = parse("a = 'say \"hi\"' AND é.b 1 TO 2").canonical();
    let Condition::And(members) = filter.condition() else { panic!("{filter:?}") };
    let Condition::Compare { attribute, operator: Operator::Between { from, to } } = &members[1]
    else {
        panic!("{filter:?}")
    };
    let text = r#"("a" = "say \"hi\"") AND ("é.b" "1" TO "2")"#;
    assert_eq!(attribute.error("x"), format!("x\n28:31 {text}"));
    assert_eq!(from.error("x"), format!("x\n34:35 {text}"));
    assert_eq!(to.error("x"), format!("x\n41:42 {text}"));
}

#[test]
fn the_condition_on_a_foreign_index_keeps_its_text() {
    let filter = parse("_foreign(by, age = 1)").canonical();
    let Condition::Foreign { attribute, condition, .. } = filter.condition() else {
        panic!("{filter:?}")
    };
    assert_eq!(attribute.error("x"), "x\n11:13 _foreign(\"by\", \"age\" = \"1\")");
    let Condition::Compare { attribute, .. } = &**condition else { panic!("{filter:?}") };
    assert_eq!(attribute.error("x"), "x\n14:17 _foreign(by, age = 1)");
}

#[test]
fn escapes_are_resolved() {
    check_value(r#"a = "\"\'\\""#, "\"'\\");
    check_value(r"a = '\b\f\n\r\t'", "\u{8}\u{c}\n\r\t");
    check_value(r"a = '\x41\xe9'", "Aé");
    check_value(r"a = '\u00e9\u{1F34B}'", "é🍋");
    check_value(r"a = '\0\101\4777'", "\0A'77");
    check_value(r"a = 'é\'é'", "é'é");
    for malformed in [r"\s", r"\x4", r"\u12", r"\u{}", r"\u{110000}", r"\ud800", r"\8"] {
        let shown = malformed.escape_debug();
        let end = 6 + malformed.chars().count();
        check_refusal(
            &format!("a = '{malformed}'"),
            &format!("Malformed value: `{shown}`."),
            &format!("6:{end}"),
        );
    }
    check_refusal(r"a = 'b\", r"Malformed value: `b\\`.", "6:8");
}

#[test]
fn a_canonical_value_is_escaped_so_that_it_can_be_read_again() {
    check_canonical("a = 'b\"c\\\\d\\n'", "\"a\" = \"b\\\"c\\\\d\n\"");
    check_value(&parse(r#"a = 'b"c\\d\n'"#).to_string(), "b\"c\\d\n");
}

#[test]
fn columns_are_counted_within_the_line() {
    let Condition::And(members) = parse("é = 1\nAND ü = 2").condition().clone() else { panic!() };
    let Condition::Compare { attribute, .. } = &members[1] else { panic!() };
    assert_eq!(attribute.error("x"), "x\n5:6 é = 1\nAND ü = 2");
    check_refusal("a = 1\nAND b = ", "Was expecting a value but instead got nothing.", "9:9");
    check_refusal(
        "a = 1\nb\nc",
        "Found unexpected characters at the end of the filter: `b\\nc`. \
         You probably forgot an `OR` or an `AND` rule.",
        "1:4",
    );
}

/// Blanks behind a value belong to it; behind other conditions they must lead to something.
#[test]
fn blanks_at_the_end_belong_to_values_only() {
    let trailing = "Found unexpected characters at the end of the filter: ` `. \
        You probably forgot an `OR` or an `AND` rule.";
    check_canonical("a = 1 ", r#""a" = "1""#);
    check_canonical("a IN [1] ", r#""a" IN ["1"]"#);
    check_canonical("(a EXISTS ) ", r#""a" EXISTS"#);
    check_refusal("a EXISTS ", trailing, "9:10");
    check_refusal("_geoRadius(1,2,3) ", trailing, "18:19");
}

#[test]
fn nesting_is_limited() {
    const MESSAGE: &str = "The filter exceeded the maximum depth limit. \
        Try rewriting the filter so that it contains fewer nested conditions.";
    let nested = |count| format!("{}a = 1{}", "(".repeat(count), ")".repeat(count));
    check_canonical(&nested(36), r#""a" = "1""#);
    check_refusal(&nested(37), MESSAGE, "38:80");

    let negated = |count| format!("{}a = 1", "NOT ".repeat(count));
    check_canonical(&negated(147), r#"NOT ("a" = "1")"#);
    check_refusal(&negated(148), MESSAGE, "593:598");
    check_refusal(&negated(200), MESSAGE, "597:806");

    let foreign = |count| format!("{}a = 1{}", "_foreign(b, ".repeat(count), ")".repeat(count));
    parse(&foreign(36));
    assert!(refusal(&foreign(37)).starts_with(MESSAGE));
}

#[test]
fn the_canonical_form_may_be_deeper_than_a_filter() {
    let levels = 29;
    let deep = format!("{}a = 1{}", "NOT (a = 1 OR ".repeat(levels), ")".repeat(levels));
    let canonical = parse(&deep).canonical();
    assert!(Filter::from_json(&json!(canonical.to_string())).is_err());
    assert_eq!(canonical.canonical().to_string(), canonical.to_string());
}

#[test]
fn absurd_nesting_is_refused_without_exhausting_the_stack() {
    for opening in ["(", "NOT ", "((NOT ", "_foreign(a, "] {
        refusal(&opening.repeat(200_000));
    }
}

#[test]
fn long_chains_are_read_in_little_time() {
    takes_at_most(Duration::from_secs(10), read_long_chains);
}

fn read_long_chains() {
    let clauses: Vec<String> = (0..10_000).map(|n| format!("a = 'value \\' {n}'")).collect();
    for separator in [" OR ", " AND ", " AND NOT "] {
        let filter = parse(&clauses.join(separator));
        let (Condition::Or(members) | Condition::And(members)) = filter.condition() else {
            panic!("one flat list");
        };
        assert_eq!(members.len(), 10_000);
        drop(filter.canonical());
    }
    let values: Vec<String> = (0..10_000).map(|n| n.to_string()).collect();
    let filter = parse(&format!("a IN [{}]", values.join(", ")));
    let Condition::In { values, .. } = filter.condition() else { panic!("a membership") };
    assert_eq!(values.len(), 10_000);
}

#[test]
fn vectors_are_named_by_embedder_and_kind() {
    let vectors = |expression| match parse(expression).condition() {
        Condition::Vectors(vectors) => vectors.clone(),
        other => panic!("{other:?}"),
    };
    assert!(vectors("_vectors EXISTS").embedder.is_none());
    assert!(matches!(vectors("_vectors.e.userProvided EXISTS").kind, VectorKind::UserProvided));
    assert!(matches!(vectors("_vectors.e.regenerate EXISTS").kind, VectorKind::Regenerate));
    let quoted = vectors("_vectors.'an \"e.f\"'.fragments.\"g h\" EXISTS");
    assert_eq!(quoted.embedder.expect("an embedder").value(), "an \"e.f\"");
    let VectorKind::Fragment(fragment) = quoted.kind else { panic!("{:?}", quoted.kind) };
    assert_eq!(fragment.value(), "g h");
    check_canonical("_vectors.e  NOT  EXISTS", r#"NOT (_vectors."e" EXISTS)"#);
}

#[test]
fn vectors_with_another_operator_are_an_attribute() {
    check_canonical("_vectors.e.nope = 1", r#""_vectors.e.nope" = "1""#);
    check_canonical("_vectors.e 1 TO 2", r#""_vectors.e" "1" TO "2""#);
    check_canonical("_vectors.e NOT IN [1]", r#"NOT ("_vectors.e" IN ["1"])"#);
    check_canonical("_vectors_of_mine EXISTS", r#""_vectors_of_mine" EXISTS"#);
    check_canonical("'_vectors' EXISTS", r#""_vectors" EXISTS"#);
}

#[test]
fn malformed_vector_names_are_refused() {
    let none_of = "Was expecting one of `fragments`, `userProvided`, `documentTemplate`, \
        `regenerate` or nothing, but instead found";
    check_refusal("_vectors.e. EXISTS", &format!("{none_of} `.`."), "11:12");
    check_refusal(
        "_vectors.e.'regenerate' EXISTS",
        &format!("{none_of} `\\'regenerate\\'`."),
        "12:24",
    );
    check_refusal(
        "_vectors.e.fragments.f.g EXISTS",
        "Vector filter can only accept one of `fragments`, `userProvided`, `documentTemplate` \
         or `regenerate`, but found both `fragments` and `g`.",
        "24:25",
    );
    check_refusal(
        "_vectors.'e EXISTS",
        "The quotes in one of the values are inconsistent.",
        "10:19",
    );
    check_refusal("_vectors.$ EXISTS", "The vector filter's embedder name is invalid.", "10:18");
    check_refusal(
        "_vectors.e.fragments. EXISTS",
        "The vector filter's fragment name is invalid.",
        "22:29",
    );
}

#[test]
fn shards_are_compared_by_name() {
    let filter = parse("NOT _shard NOT IN [a, b]");
    let Condition::Shard(shard) = filter.condition() else { panic!("{filter:?}") };
    assert!(matches!(&shard.operator, ShardOperator::In(shards) if shards.len() == 2));
    check_canonical("_shard > a", r#""_shard" > "a""#);
    check_canonical("'_shard' = a", r#""_shard" = "a""#);
}

#[test]
fn a_foreign_filter_needs_a_field_and_a_condition() {
    let found = |text: &str| {
        format!(
            "Was expecting a field name and an condition inside `_foreign(..)` filter \
             but instead found `{text}`."
        )
    };
    check_refusal("_foreign()", &found(")"), "10:11");
    check_refusal("_foreign(a b = 1)", &found("b = 1)"), "12:18");
    check_refusal("_foreign(a, b = 1, c)", &found(", c)"), "18:22");
    check_refusal("_foreign(a, b = )", "Was expecting a value but instead got nothing.", "17:17");
    check_refusal(
        "_foreign(a, b = 1",
        "Expression `_foreign(a, b = 1` is missing the following closing delimiter: `)`.",
        "1:18",
    );
    check_canonical("_foreign = 1", r#""_foreign" = "1""#);
}

#[test]
fn numbers_are_finite() {
    let number = |expression| match parse(expression).condition() {
        Condition::Compare { operator: Operator::Equal(token), .. } => token.number(),
        other => panic!("{other:?}"),
    };
    assert_eq!(number("a = -1.5e3"), Some(-1500.0));
    assert_eq!(number("a = '+.5'"), Some(0.5));
    for text in ["a = NaN", "a = inf", "a = 1e999", "a = ' 1'", "a = ''", "a = 1-2"] {
        assert_eq!(number(text), None, "{text}");
    }
}

#[test]
fn arrays_are_joined_and_expressions_are_not_taken_apart() {
    let rule = parse("r = 1");
    let joined = |json: Value| from_json(&json).and(rule.clone()).to_string();
    assert_eq!(joined(json!("a = 1")), r#"("a" = "1") AND ("r" = "1")"#);
    assert_eq!(joined(json!(["a = 1", "b = 2"])), r#"("a" = "1") AND ("b" = "2") AND ("r" = "1")"#);
    let nested = r#"(("a" = "1") AND ("b" = "2")) AND ("r" = "1")"#;
    assert_eq!(joined(json!("a = 1 AND b = 2")), nested);
    assert_eq!(joined(json!(["a = 1 AND b = 2"])), nested);
}

#[test]
fn null_is_no_filter_that_can_be_read() {
    let refusal = Filter::from_json(&Value::Null).expect_err("null");
    assert_eq!(
        refusal.to_string(),
        "Invalid syntax for the filter parameter: `expected String, Array, found: null`."
    );
    assert!(Filter::from_json(&json!([[], "", [" "]])).expect("no filter").is_none());
}

#[test]
fn sort_expressions_are_split_at_the_last_colon() {
    let parse = |item: &str| parse_sort(&[item.to_owned()]).expect(item).remove(0);
    let attribute = |name: &str, order| SortItem::Attribute { name: name.to_owned(), order };
    assert_eq!(parse("a:b:asc"), attribute("a:b", Order::Asc));
    assert_eq!(parse(" a.b:desc"), attribute(" a.b", Order::Desc));
    assert_eq!(parse("_geoPoint 1,2:asc"), attribute("_geoPoint 1,2", Order::Asc));
    assert_eq!(parse("_geojson:asc"), attribute("_geojson", Order::Asc));
    assert_eq!(
        parse("_geoPoint( +1e1 ,-.5):desc"),
        SortItem::Point { latitude: 10.0, longitude: -0.5, order: Order::Desc }
    );
    let refusal = |item: &str| parse_sort(&[item.to_owned()]).expect_err(item).to_string();
    assert!(refusal("_geoPoint(NaN, 1):asc").starts_with("Bad latitude `NaN`."));
    assert!(refusal("_geoPoint(0, -200):asc").ends_with("Hint: try using `160` instead."));
}
