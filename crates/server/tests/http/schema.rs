//! As much of JSON Schema as the document uses, and a complaint about every word it does not know.

use serde_json::Value;

/// Returns the errors of a value, each with its location.
pub fn faults(document: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    let Some(rules) = schema.as_object() else { return vec![format!("{at}: no schema")] };
    let mut found = Vec::new();
    for (word, rule) in rules {
        found.extend(match word.as_str() {
            "$ref" => {
                let target = rule.as_str().unwrap_or_default().trim_start_matches('#');
                match document.pointer(target) {
                    Some(schema) => faults(document, schema, value, at),
                    None => vec![format!("{at}: {target} is nowhere")],
                }
            }
            "allOf" => each(rule).flat_map(|part| faults(document, part, value, at)).collect(),
            "anyOf" => any_of(document, rule, value, at),
            "type" => told(is_of_type(rule, value), at, || format!("{value} is no {rule}")),
            "enum" => {
                told(each(rule).any(|one| one == value), at, || format!("{value} is not told of"))
            }
            "minimum" => told(value.as_f64() >= rule.as_f64() || !value.is_number(), at, || {
                format!("{value} is below {rule}")
            }),
            "maximum" => told(value.as_f64() <= rule.as_f64() || !value.is_number(), at, || {
                format!("{value} is above {rule}")
            }),
            "items" => items(document, rule, value, at),
            "properties" => properties(document, rule, value, at),
            "required" => required(rule, value, at),
            "additionalProperties" => others(document, schema, rule, value, at),
            "format" => told(has_format(rule, value), at, || format!("{value} is no {rule}")),
            "description" | "default" | "x-list" => Vec::new(),
            _ => vec![format!("{at}: `{word}` is not understood")],
        });
    }
    found
}

fn each(rule: &Value) -> impl Iterator<Item = &Value> {
    rule.as_array().into_iter().flatten()
}

fn told(is_good: bool, at: &str, fault: impl Fn() -> String) -> Vec<String> {
    if is_good { Vec::new() } else { vec![format!("{at}: {}", fault())] }
}

/// The faults of the form that comes nearest.
fn any_of(document: &Value, rule: &Value, value: &Value, at: &str) -> Vec<String> {
    let tried = each(rule).map(|part| faults(document, part, value, at));
    tried.min_by_key(Vec::len).unwrap_or_default()
}

fn is_of_type(rule: &Value, value: &Value) -> bool {
    match rule.as_str() {
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_u64() || value.is_i64(),
        Some("number") => value.is_number(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        Some("null") => value.is_null(),
        _ => false,
    }
}

fn has_format(rule: &Value, value: &Value) -> bool {
    let Some(text) = value.as_str() else { return true };
    match rule.as_str() {
        Some("date-time") => text.len() >= 20 && text.as_bytes()[10] == b'T',
        Some("uuid") => text.len() == 36 && text.split('-').count() == 5,
        _ => false,
    }
}

fn items(document: &Value, rule: &Value, value: &Value, at: &str) -> Vec<String> {
    let members = value.as_array().into_iter().flatten().enumerate();
    members.flat_map(|(i, one)| faults(document, rule, one, &format!("{at}[{i}]"))).collect()
}

fn properties(document: &Value, rule: &Value, value: &Value, at: &str) -> Vec<String> {
    let described = rule.as_object().into_iter().flatten();
    let present = described.filter_map(|(name, schema)| Some((name, schema, value.get(name)?)));
    present
        .flat_map(|(name, schema, member)| {
            faults(document, schema, member, &format!("{at}.{name}"))
        })
        .collect()
}

fn required(rule: &Value, value: &Value, at: &str) -> Vec<String> {
    let Some(members) = value.as_object() else { return Vec::new() };
    let names = each(rule).filter_map(Value::as_str);
    let missing = names.filter(|name| !members.contains_key(*name));
    missing.map(|name| format!("{at}: `{name}` is missing")).collect()
}

fn others(document: &Value, schema: &Value, rule: &Value, value: &Value, at: &str) -> Vec<String> {
    let members = value.as_object().into_iter().flatten();
    let unlisted = members.filter(|(name, _)| schema["properties"].get(name.as_str()).is_none());
    let faults_of = |(name, member): (&String, &Value)| match rule {
        Value::Bool(false) => vec![format!("{at}: `{name}` is not told of")],
        _ => faults(document, rule, member, &format!("{at}.{name}")),
    };
    unlisted.flat_map(faults_of).collect()
}

#[test]
fn a_value_that_does_not_fit_is_found() {
    let document = serde_json::json!({"one": {"type": "integer", "minimum": 1}});
    let schema = serde_json::json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/one"}, "b": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
        "required": ["a"],
        "additionalProperties": false,
    });
    let check = |value| faults(&document, &schema, &value, "").len();
    assert_eq!(check(serde_json::json!({"a": 1, "b": null})), 0);
    assert_eq!(check(serde_json::json!({"a": 0})), 1);
    assert_eq!(check(serde_json::json!({"a": 1, "b": 2})), 1);
    assert_eq!(check(serde_json::json!({"a": 1, "c": 2})), 1);
    assert_eq!(check(serde_json::json!({})), 1);
    assert_eq!(check(serde_json::json!([])), 1);
}
