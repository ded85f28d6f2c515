//! Expected values and where an answer differs from them.
//!
//! An expected value is compared as it is: objects member by member in any order, arrays in order,
//! numbers within a hundred-thousandth. Placeholders stand for what a run decides: as a whole text
//! for a value of a type, inside a text for a part of it. The member `<others>` allows members that
//! are not named, the last element `<others>` allows more elements.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::support::shown::short;

const TOLERANCE: f64 = 1e-5;
const OTHERS: &str = "<others>";

/// Placeholder → what its text looks like.
const TEXTS: [(&str, &str); 8] = [
    ("any", "(?s:.*)"),
    ("text", "(?s:.+)"),
    ("time", r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z"),
    ("duration", r"P(\d+D)?T\d+(\.(\d{3}|\d{6}|\d{9}))?S"),
    ("uuid", "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    ("key", "[0-9a-f]{64}"),
    ("url", "https?://[^\\s`\"<>]+"),
    ("product", "(Meilisearch|Sonde)"),
];

static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
    let names: Vec<&str> = TEXTS.iter().map(|(name, _)| *name).collect();
    Regex::new(&format!("<({})>", names.join("|"))).expect("a pattern of ours")
});

/// Compares, counting what is compared.
#[derive(Debug, Default)]
pub struct Comparison {
    pub fields: usize,
    pub differences: Vec<String>,
}

impl Comparison {
    pub fn compare(&mut self, expected: &Value, got: &Value, place: &str) {
        match (expected, got) {
            (Value::Object(wanted), Value::Object(found)) => {
                let is_open = wanted.contains_key(OTHERS);
                for (name, value) in wanted.iter().filter(|(name, _)| *name != OTHERS) {
                    let place = format!("{place}.{name}");
                    match found.get(name) {
                        Some(found) => self.compare(value, found, &place),
                        None => self.note(&place, "missing, expected", value),
                    }
                }
                for (name, value) in found.iter().filter(|(name, _)| !wanted.contains_key(*name)) {
                    if !is_open {
                        self.note(&format!("{place}.{name}"), "not expected, got", value);
                    }
                }
            }
            (Value::Array(wanted), Value::Array(found)) => {
                let is_open = wanted.last().is_some_and(|last| last == OTHERS);
                let wanted = if is_open { &wanted[..wanted.len() - 1] } else { wanted };
                let fits = wanted.len() == found.len() || is_open && wanted.len() < found.len();
                if !fits {
                    let what = format!("expected {} elements, got {}:", wanted.len(), found.len());
                    self.note(place, &what, got);
                }
                self.fields += 1;
                for (number, (wanted, found)) in wanted.iter().zip(found).enumerate() {
                    self.compare(wanted, found, &format!("{place}[{number}]"));
                }
            }
            _ => {
                self.fields += 1;
                if !is_like(expected, got) {
                    let what = format!("expected {}, got", short(expected));
                    self.note(place, &what, got);
                }
            }
        }
    }

    fn note(&mut self, place: &str, what: &str, value: &Value) {
        let place = if place.is_empty() { "answer" } else { place };
        self.differences.push(format!("{place}: {what} {}", short(value)));
    }
}

fn is_like(expected: &Value, got: &Value) -> bool {
    match (expected, got) {
        (Value::String(expected), _) if expected == "<any>" => true,
        (Value::String(expected), Value::Number(got)) => match expected.as_str() {
            "<uid>" => got.is_u64(),
            "<number>" => true,
            _ => false,
        },
        (Value::String(expected), Value::Object(_)) => expected == "<object>",
        (Value::String(expected), Value::String(got)) => is_text_like(expected, got),
        (Value::Number(expected), Value::Number(got)) => {
            let (expected, got) = (expected.as_f64(), got.as_f64());
            let (expected, got) = (expected.unwrap_or(f64::NAN), got.unwrap_or(f64::NAN));
            (expected - got).abs() <= TOLERANCE * expected.abs().max(1.0)
        }
        _ => expected == got,
    }
}

pub fn is_text_like(expected: &str, got: &str) -> bool {
    let mut pattern = String::from("^");
    let mut end = 0;
    for found in PLACEHOLDER.captures_iter(expected) {
        let (whole, name) = (found.get(0).expect("the whole match"), &found[1]);
        pattern += &regex::escape(&expected[end..whole.start()]);
        let known = TEXTS.iter().find(|(known, _)| *known == name);
        pattern += known.map_or("", |(_, text)| *text);
        end = whole.end();
    }
    if end == 0 {
        return expected == got;
    }
    pattern += &regex::escape(&expected[end..]);
    pattern.push('$');
    Regex::new(&pattern).is_ok_and(|pattern| pattern.is_match(got))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn differences(expected: &Value, got: &Value) -> Vec<String> {
        let mut comparison = Comparison::default();
        comparison.compare(expected, got, "");
        comparison.differences
    }

    #[test]
    fn placeholders_stand_for_values_of_their_type() {
        for (expected, got) in [
            (json!("<uid>"), json!(7)),
            (json!("<any>"), json!(null)),
            (json!("<time>"), json!("2026-01-02T03:04:05.678Z")),
            (json!("<duration>"), json!("PT0.012S")),
            (json!("<product> listens at <url>."), json!("Sonde listens at http://a.example/b.")),
            (json!({"a": 1, "<others>": true}), json!({"b": 2, "a": 1.000_001})),
            (json!([1, "<others>"]), json!([1, 2, 3])),
        ] {
            assert_eq!(differences(&expected, &got), Vec::<String>::new(), "{expected}");
        }
        for (expected, got) in [
            (json!("<uid>"), json!("7")),
            (json!("<uid>"), json!(-1)),
            (json!("<time>"), json!("2026-01-02")),
            (json!("<uuid>"), json!("x")),
            (json!({"a": 1}), json!({"a": 1, "b": 2})),
            (json!({"a": null}), json!({})),
            (json!([1]), json!([1, 2])),
            (json!([1, 2, "<others>"]), json!([1])),
            (json!("a.c"), json!("abc")),
        ] {
            assert_eq!(differences(&expected, &got).len(), 1, "{expected}");
        }
    }
}
