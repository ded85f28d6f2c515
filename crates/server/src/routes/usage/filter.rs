//! Figures of filters: their form, and which rarer conditions they have.

use serde_json::Value;

telemetry::figures! {
    conditions(filter: Option<&Value>) {
        "filter.with_geoRadius", "Whether `_geoRadius` was used.", Any, names(filter, "_geoRadius");
        "filter.with_geoBoundingBox", "Whether `_geoBoundingBox` was used.", Any, names(filter, "_geoBoundingBox");
        "filter.on_vectors", "Whether `_vectors` was filtered by.", Any, names(filter, "_vectors");
        "filter.most_used_syntax", "The form that most filters had: `string`, `array`, or `mixed` for arrays in an array.",
            MostUsed(&["string", "array", "mixed"]), filter.and_then(form);
    }
}

/// Returns whether the text of a condition contains `word`.
pub fn names(filter: Option<&Value>, word: &str) -> bool {
    match filter {
        Some(Value::String(text)) => text.contains(word),
        Some(Value::Array(items)) => items.iter().any(|item| names(Some(item), word)),
        _ => false,
    }
}

/// Returns the position of the form in the list of forms.
fn form(filter: &Value) -> Option<usize> {
    match filter {
        Value::Null => None,
        Value::Array(items) if items.iter().any(Value::is_array) => Some(2),
        Value::Array(_) => Some(1),
        _ => Some(0),
    }
}
