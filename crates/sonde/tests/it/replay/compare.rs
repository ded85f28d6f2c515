//! The comparison of answers. What differs from run to run (dates, durations, sizes, uuids) is
//! replaced by placeholders in the answer that was got; recorded answers hold them already.
//! Key order does not count, numbers may differ by a hundred-thousandth.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::support::shown::short;

/// Members whose value says nothing about the contract, and what stands for them.
const PLACEHOLDERS: &[(&str, &str)] = &[
    ("processingTimeMs", "<number>"),
    ("requestUid", "<uuid>"),
    ("databaseSize", "<number>"),
    ("usedDatabaseSize", "<number>"),
    ("rawDocumentDbSize", "<number>"),
    ("avgDocumentSize", "<number>"),
    ("indexSize", "<number>"),
    ("usedIndexSize", "<number>"),
    ("pkgVersion", "<string>"),
    ("commitSha", "<string>"),
    ("commitDate", "<string>"),
    ("progress", "<any>"),
    ("progressTrace", "<any>"),
    ("dumpUid", "<string>"),
    ("internalDatabaseSizes", "<any>"),
    ("writeChannelCongestion", "<any>"),
    ("embedderRequests", "<any>"),
    ("batchStrategy", "<string>"),
    ("performanceDetails", "<any>"),
];

/// Details of one kind of storage, which another engine need not have.
const OPTIONAL: &[&str] =
    &["writeChannelCongestion", "internalDatabaseSizes", "progressTrace", "embedderRequests"];

const TOLERANCE: f64 = 1e-5;

static DATE: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$"));
static DURATION: LazyLock<Regex> = LazyLock::new(|| regex(r"^P(\d+D)?T[\d.]+S$"));
static UUID: LazyLock<Regex> =
    LazyLock::new(|| regex("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"));
static HEX: LazyLock<Regex> = LazyLock::new(|| regex("^[0-9a-f]{64}$"));
static URL: LazyLock<Regex> = LazyLock::new(|| regex("https?://[^\\s`\"<>]+"));
static PRODUCT: LazyLock<Regex> = LazyLock::new(|| regex("Meilisearch|Sonde"));

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern of ours")
}

/// The answer with placeholders; `key` is the member it stands under.
pub fn normalized(value: &Value, key: Option<&str>) -> Value {
    if key == Some("link")
        && let Value::String(link) = value
    {
        let code = link.rsplit('#').next().unwrap_or_default();
        return Value::String(format!("<link>#{code}"));
    }
    let placeholder = PLACEHOLDERS.iter().find(|(name, _)| Some(*name) == key);
    if let Some((_, placeholder)) = placeholder
        && !value.is_null()
    {
        return Value::String((*placeholder).to_owned());
    }
    match value {
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(name, value)| (name.clone(), normalized(value, Some(name))))
                .collect(),
        ),
        Value::Array(items) => items.iter().map(|item| normalized(item, None)).collect(),
        Value::String(text) => Value::String(normalized_text(text, key)),
        other => other.clone(),
    }
}

fn normalized_text(text: &str, key: Option<&str>) -> String {
    let mut text = text.to_owned();
    if key == Some("message") {
        text = PRODUCT.replace_all(&text, "<product>").into_owned();
        text = URL.replace_all(&text, "<url>").into_owned();
    }
    for (pattern, placeholder) in [(&DATE, "<date>"), (&DURATION, "<duration>"), (&HEX, "<hex64>")]
    {
        if pattern.is_match(&text) {
            return placeholder.to_owned();
        }
    }
    UUID.replace_all(&text, "<uuid>").into_owned()
}

/// Lists the differences between two answers, one line each.
pub fn differences(expected: &Value, got: &Value, place: &str) -> Vec<String> {
    let here = if place.is_empty() { "." } else { place };
    let unlike = || vec![format!("{here}: expected {}, got {}", short(expected), short(got))];
    match (expected, got) {
        (Value::String(any), _) if any == "<any>" => Vec::new(),
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap_or(f64::NAN), b.as_f64().unwrap_or(f64::NAN));
            if (a - b).abs() <= TOLERANCE * a.abs().max(1.0) { Vec::new() } else { unlike() }
        }
        (Value::Object(a), Value::Object(b)) => {
            let names: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            let names = names.into_iter().filter(|name| !OPTIONAL.contains(&name.as_str()));
            names
                .flat_map(|name| match (a.get(name), b.get(name)) {
                    (Some(a), Some(b)) => differences(a, b, &format!("{place}.{name}")),
                    (Some(a), None) => {
                        vec![format!("{place}.{name}: missing, expected {}", short(a))]
                    }
                    (None, Some(b)) => {
                        vec![format!("{place}.{name}: not expected, got {}", short(b))]
                    }
                    (None, None) => Vec::new(),
                })
                .collect()
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let pairs = a.iter().zip(b).enumerate();
            pairs.flat_map(|(i, (a, b))| differences(a, b, &format!("{place}[{i}]"))).collect()
        }
        (Value::Array(a), Value::Array(b)) => {
            vec![format!("{here}: expected {} items, got {}: {}", a.len(), b.len(), short(got))]
        }
        _ if expected == got => Vec::new(),
        _ => unlike(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_that_change_between_runs_are_replaced() {
        let got = json!({
            "enqueuedAt": "2026-01-02T03:04:05.678Z", "duration": "PT0.01S", "databaseSize": 17,
            "message": "Sonde says: see https://a.example/b#c.", "link": "http://h/docs#some_code",
            "id": "x 01234567-89ab-cdef-0123-456789abcdef", "details": {"progress": null},
        });
        let expected = json!({
            "enqueuedAt": "<date>", "duration": "<duration>", "databaseSize": "<number>",
            "message": "<product> says: see <url>", "link": "<link>#some_code",
            "id": "x <uuid>", "details": {"progress": null},
        });
        assert_eq!(normalized(&got, None), expected);
    }

    #[test]
    fn differences_are_found_and_placed() {
        let same = |a: Value, b: Value| differences(&a, &b, "").is_empty();
        assert!(same(json!({"a": 1, "b": [1.0]}), json!({"b": [1.000_001], "a": 1.0})));
        assert!(same(json!("<any>"), json!(null)));
        assert!(same(json!({}), json!({"progressTrace": {}})));
        assert!(!same(json!(1), json!("1")));
        assert!(!same(json!(null), json!(false)));
        assert!(!same(json!([1, 2]), json!([2, 1])));
        let found = differences(&json!({"a": [{"b": 1}], "c": 1}), &json!({"a": [{"b": 2}]}), "");
        assert_eq!(found, [".a[0].b: expected 1, got 2", ".c: missing, expected 1"]);
    }
}
