//! The filter and sort of document routes.
//!
//! Their shape is checked here. What they select is not: filters and sorting are not built yet,
//! so one that is given and not empty is refused. When they are, `refuse_filter` and
//! `refuse_sort` give way to the parsed expressions.

use model::{Code, ServiceError};
use serde_json::Value;

/// A filter in a query string: JSON if it reads as JSON, else an expression.
pub fn filter_parameter(text: String) -> Value {
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

/// Whether the filter selects at all. Fails when it is neither text nor lists of text.
pub fn is_filtering(filter: &Value) -> Result<bool, ServiceError> {
    match filter {
        Value::String(expression) => Ok(!expression.trim().is_empty()),
        Value::Array(all) => {
            let mut filtering = false;
            for item in all {
                filtering |= is_filtering_item(item)?;
            }
            Ok(filtering)
        }
        other => Err(wrong_shape("String, Array", other)),
    }
}

fn is_filtering_item(item: &Value) -> Result<bool, ServiceError> {
    match item {
        Value::String(expression) => Ok(!expression.trim().is_empty()),
        Value::Array(any) => {
            let mut filtering = false;
            for item in any {
                let Value::String(expression) = item else {
                    return Err(wrong_shape("String", item));
                };
                filtering |= !expression.trim().is_empty();
            }
            Ok(filtering)
        }
        other => Err(wrong_shape("String, [String]", other)),
    }
}

fn wrong_shape(expected: &str, found: &Value) -> ServiceError {
    ServiceError::new(
        Code::InvalidDocumentFilter,
        format!("Invalid syntax for the filter parameter: `expected {expected}, found: {found}`."),
    )
}

pub fn empty_filter() -> ServiceError {
    ServiceError::new(Code::InvalidDocumentFilter, "Sending an empty filter is forbidden.")
}

pub fn refuse_filter() -> ServiceError {
    ServiceError::new(
        Code::InvalidDocumentFilter,
        "Filtering documents is not available in this version yet.",
    )
}

/// The items of a sort parameter; the comma inside `_geoPoint(1,2)` separates nothing.
pub fn sort_parameter(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let mut items = vec![String::new()];
    for letter in text.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                items.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(item) = items.last_mut() {
            item.push(letter);
        }
    }
    items
}

pub fn refuse_sort(sort: &[String]) -> Result<(), ServiceError> {
    for item in sort {
        if !item.ends_with(":asc") && !item.ends_with(":desc") {
            return Err(ServiceError::new(
                Code::InvalidDocumentSort,
                format!(
                    "Invalid syntax for the sort parameter: expected expression ending by \
                     `:asc` or `:desc`, found `{item}`."
                ),
            ));
        }
    }
    if sort.is_empty() {
        return Ok(());
    }
    Err(ServiceError::new(
        Code::InvalidDocumentSort,
        "Sorting documents is not available in this version yet.",
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn filters_are_text_or_lists_of_text() {
        for empty in [json!(""), json!("  "), json!([]), json!([[]]), json!(["", [" "]])] {
            assert_eq!(is_filtering(&empty), Ok(false), "{empty}");
        }
        for full in [json!("a = 1"), json!(["", "a = 1"]), json!([["a", "b"], "c"])] {
            assert_eq!(is_filtering(&full), Ok(true), "{full}");
        }
        for (bad, expected) in [
            (json!(true), "String, Array, found: true"),
            (json!(null), "String, Array, found: null"),
            (json!({"a": 1}), "String, Array, found: {\"a\":1}"),
            (json!([1]), "String, [String], found: 1"),
            (json!([["a", 2]]), "String, found: 2"),
            (json!([["a"], [["x"]]]), "String, found: [\"x\"]"),
        ] {
            assert_eq!(
                is_filtering(&bad).unwrap_err().message,
                format!("Invalid syntax for the filter parameter: `expected {expected}`.")
            );
        }
    }

    #[test]
    fn a_filter_parameter_is_json_if_it_can_be() {
        assert_eq!(filter_parameter("[\"a\"]".into()), json!(["a"]));
        assert_eq!(filter_parameter("12".into()), json!(12));
        assert_eq!(filter_parameter("a = 12".into()), json!("a = 12"));
    }

    #[test]
    fn commas_inside_parentheses_stay() {
        assert_eq!(sort_parameter("a:asc,_geoPoint(1,2):desc"), ["a:asc", "_geoPoint(1,2):desc"]);
        assert_eq!(sort_parameter(""), [""]);
    }
}
