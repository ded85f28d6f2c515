//! Parses filters and sort expressions in query strings, of searches and of lists of documents.

use serde_json::Value;

/// Parses a filter: as JSON if it is valid JSON, otherwise as an expression. A blank one is `None`.
pub fn filter_parameter(text: String) -> Option<Value> {
    if text.trim().is_empty() {
        return None;
    }
    Some(serde_json::from_str(&text).unwrap_or(Value::String(text)))
}

/// Splits a sort parameter. Quotes around the whole and spaces around items are dropped; the comma
/// inside `_geoPoint(1,2)` does not separate.
pub fn sort_parameter(text: &str) -> Vec<String> {
    let text = text.trim_matches('"');
    let mut items = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (place, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                items.push(text[start..place].trim().to_owned());
                start = place + 1;
            }
            _ => {}
        }
    }
    items.push(text[start..].trim().to_owned());
    items
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_filter_parameter_is_json_if_it_can_be() {
        for (text, expected) in [
            ("", None),
            (" ", None),
            ("[\"a\"]", Some(json!(["a"]))),
            ("12", Some(json!(12))),
            ("null", Some(json!(null))),
            ("a = 12", Some(json!("a = 12"))),
        ] {
            assert_eq!(filter_parameter(text.to_owned()), expected, "{text}");
        }
    }

    #[test]
    fn sort_items_are_trimmed_and_points_stay_whole() {
        for (text, expected) in [
            ("", &[""][..]),
            ("a:asc", &["a:asc"]),
            ("\"a:asc\"", &["a:asc"]),
            (" a:asc , b:desc ", &["a:asc", "b:desc"]),
            ("a:asc,", &["a:asc", ""]),
            ("_geoPoint(1, 2):asc,b:desc", &["_geoPoint(1, 2):asc", "b:desc"]),
            ("a:asc,_geoPoint(1,2):asc", &["a:asc", "_geoPoint(1,2):asc"]),
        ] {
            assert_eq!(sort_parameter(text), expected, "{text}");
        }
    }
}
