//! The external id of a document: an integer or a short word, compared as text.

use model::ServiceError;
use model::limits::DOCUMENT_ID_MAX_BYTES;
use serde_json::Value;

use crate::DocumentError;

/// Returns whether `id` is a valid document id.
pub fn check_document_id(id: &str) -> bool {
    (1..=DOCUMENT_ID_MAX_BYTES).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

/// Returns the document id for a value in a request.
pub fn document_id(value: &Value) -> Result<String, ServiceError> {
    let id = match value {
        Value::String(text) if check_document_id(text) => Some(text.clone()),
        Value::Number(number) if number.is_i64() || number.is_u64() => Some(number.to_string()),
        _ => None,
    };
    id.ok_or_else(|| invalid_document_id(value))
}

/// Returns the error for a value that is not an id. Callers that know its path prepend `` In
/// `.ids[1]`: ``.
pub fn invalid_document_id(value: &Value) -> ServiceError {
    DocumentError::InvalidId { value: value.to_string() }.into()
}

/// Returns the document id for the JSON of a value.
pub(crate) fn id_in(json: &str) -> Result<String, DocumentError> {
    if let Some(digits) = integer(json) {
        return Ok(digits.to_owned());
    }
    let plain = json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    if let Some(text) = plain.filter(|text| check_document_id(text)) {
        return Ok(text.to_owned());
    }
    // The string may contain escapes, and messages show the decoded value.
    match serde_json::from_str::<Value>(json) {
        Ok(Value::String(text)) if check_document_id(&text) => Ok(text),
        Ok(value) => Err(DocumentError::InvalidId { value: value.to_string() }),
        Err(_) => Err(DocumentError::InvalidId { value: json.to_owned() }),
    }
}

/// Returns the text if it is an integer: JSON has one way to write each, so the text is the id.
/// `-0` is a float.
fn integer(json: &str) -> Option<&str> {
    let fits = json.parse::<i64>().is_ok() || json.parse::<u64>().is_ok();
    (fits && json != "-0").then_some(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_words_are_ids() {
        for (json, id) in [
            ("0", "0"),
            ("-7", "-7"),
            ("18446744073709551615", "18446744073709551615"),
            ("-9223372036854775808", "-9223372036854775808"),
            (r#""007""#, "007"),
            (r#""A-b_C-9""#, "A-b_C-9"),
            (r#""\u0061b""#, "ab"),
        ] {
            assert_eq!(id_in(json).as_deref(), Ok(id));
            let value = serde_json::from_str(json).unwrap();
            assert_eq!(document_id(&value).as_deref(), Ok(id));
        }
        assert!(check_document_id(&"x".repeat(511)));
        assert!(!check_document_id(&"x".repeat(512)));
    }

    #[test]
    fn other_values_are_shown_as_they_read() {
        for (json, shown) in [
            ("1.5", "1.5"),
            ("1.0", "1.0"),
            ("1e3", "1000.0"),
            ("-0", "-0.0"),
            ("18446744073709551616", "1.8446744073709552e+19"),
            ("-9223372036854775809", "-9.223372036854776e+18"),
            (r#""""#, r#""""#),
            (r#"" a""#, r#"" a""#),
            (r#""\u00e9""#, r#""é""#),
            (r#""tab\there""#, r#""tab\there""#),
            (r#""quote\"d""#, r#""quote\"d""#),
            ("null", "null"),
            (r#"{"x":1}"#, r#"{"x":1}"#),
        ] {
            let error = id_in(json).unwrap_err();
            assert_eq!(error, DocumentError::InvalidId { value: shown.to_owned() });
            let value = serde_json::from_str(json).unwrap();
            assert_eq!(document_id(&value).unwrap_err(), error.into());
        }
    }
}
