//! Filters and sort expressions with the answers they got from the reference server.

use filter::{
    Condition, Filter, FilterError, Operator, ShardOperator, Token, VectorKind, parse_sort,
};
use model::features::Features;
use serde_json::Value;

fn recorded(section: &str) -> Vec<Value> {
    let table: Value = serde_json::from_str(include_str!("recorded.json")).expect("the table");
    table[section].as_array().expect("a section").clone()
}

/// The entries of a section as input and message.
fn answered(section: &str) -> impl Iterator<Item = (Value, String)> {
    recorded(section)
        .into_iter()
        .map(|entry| (entry[0].clone(), entry[1].as_str().expect("a message").to_owned()))
}

#[test]
fn malformed_filters_are_refused_with_the_recorded_message() {
    for (filter, message) in answered("refused") {
        let refusal = Filter::from_json(&filter).expect_err(&message);
        assert_eq!(refusal, FilterError::Syntax(message), "{filter}");
    }
}

#[test]
fn recorded_filters_are_accepted() {
    for filter in recorded("accepted") {
        if let Err(error) = Filter::from_json(&filter) {
            panic!("{filter}: {error}");
        }
    }
}

#[test]
fn filters_of_disabled_features_are_rejected() {
    for (json, message) in answered("features") {
        let filter = Filter::from_json(&json).expect("well formed").expect("a filter");
        let refusal = filter.check_features(&Features::default()).expect_err(&message);
        assert!(matches!(refusal, FilterError::Feature(_)));
        let refusal = hide_address(&refusal.to_string());
        assert_eq!(refusal, message, "{json}");
        let mut features = Features::default();
        for feature in model::features::Feature::ALL {
            features.set(*feature, true);
        }
        assert_eq!(filter.check_features(&features), Ok(()));
    }
}

/// The table has `<url>` where messages have an address.
fn hide_address(message: &str) -> String {
    let (before, rest) = message.split_once("https://").expect("an address");
    let (_, after) = rest.split_once('\n').expect("a second line");
    format!("{before}<url>\n{after}")
}

/// Evaluation is not done here, but the canonical text and the places of its tokens are.
#[test]
fn messages_of_evaluation_can_point_where_they_did() {
    for (json, expected) in answered("evaluated") {
        let (message, _) = expected.split_once('\n').expect("a second line");
        let filter = Filter::from_json(&json).expect("well formed").expect("a filter");
        let canonical = filter.canonical();
        let mut places = Vec::new();
        for filter in [&filter, &canonical] {
            for_each_token(filter.condition(), &mut |token| places.push(token.error(message)));
        }
        assert!(places.contains(&expected), "{expected}\nis none of\n{}", places.join("\n"));
    }
}

#[test]
fn sort_expressions_are_refused_with_the_recorded_message() {
    for (items, message) in answered("sort") {
        let items: Vec<String> = serde_json::from_value(items).expect("strings");
        let refusal = parse_sort(&items).expect_err(&message);
        assert_eq!(refusal.to_string(), message);
    }
}

fn for_each_token(condition: &Condition, visit: &mut impl FnMut(&Token)) {
    match condition {
        Condition::And(members) | Condition::Or(members) => {
            members.iter().for_each(|member| for_each_token(member, visit));
        }
        Condition::Not(inner) => for_each_token(inner, visit),
        Condition::Compare { attribute, operator } => {
            visit(attribute);
            match operator {
                Operator::Equal(value)
                | Operator::NotEqual(value)
                | Operator::Greater(value)
                | Operator::GreaterOrEqual(value)
                | Operator::Less(value)
                | Operator::LessOrEqual(value) => visit(value),
                Operator::Between { from, to } => [from, to].into_iter().for_each(visit),
                Operator::Contains { keyword, value } | Operator::StartsWith { keyword, value } => {
                    [keyword, value].into_iter().for_each(visit);
                }
                Operator::Exists | Operator::Null | Operator::Empty => {}
            }
        }
        Condition::In { attribute, values } => {
            visit(attribute);
            values.iter().for_each(visit);
        }
        Condition::GeoRadius { latitude, longitude, radius, resolution } => {
            [latitude, longitude, radius].into_iter().chain(resolution).for_each(visit);
        }
        Condition::GeoBox { top_right, bottom_left } => {
            top_right.iter().chain(bottom_left).for_each(visit);
        }
        Condition::GeoPolygon { points } => points.iter().flatten().for_each(visit),
        Condition::Vectors(vectors) => {
            visit(&vectors.keyword);
            vectors.embedder.iter().for_each(&mut *visit);
            if let VectorKind::Fragment(name) = &vectors.kind {
                visit(name);
            }
        }
        Condition::Foreign { attribute, condition, .. } => {
            visit(attribute);
            for_each_token(condition, visit);
        }
        Condition::Shard(shard) => {
            visit(&shard.keyword);
            match &shard.operator {
                ShardOperator::Equal(value) | ShardOperator::NotEqual(value) => visit(value),
                ShardOperator::In(values) => values.iter().for_each(visit),
            }
        }
    }
}
