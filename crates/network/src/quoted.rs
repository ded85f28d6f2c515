//! Quotes the answer of a remote in an error that a client sees: short, and without the key that
//! the remote was called with.

use model::Secret;
use serde_json::Value;

/// Characters of a remote's answer that are quoted.
const MAX_CHARACTERS: usize = 300;

/// Returns `: ` and the message of our kind of error, or whatever else the body holds; empty for an
/// empty body.
pub fn quoted(body: &[u8], key: Option<&Secret>) -> String {
    let text = match serde_json::from_slice::<Value>(body) {
        Ok(Value::Object(mut error)) => match error.remove("message") {
            Some(Value::String(message)) => message,
            _ => beginning(body),
        },
        _ => beginning(body),
    };
    let text = match key.map(Secret::expose) {
        Some(key) if !key.is_empty() => text.replace(key, "…"),
        _ => text,
    };
    let mut characters = text.trim().chars();
    let cut: String = characters.by_ref().take(MAX_CHARACTERS).collect();
    let more = if characters.next().is_some() { "…" } else { "" };
    if cut.is_empty() { String::new() } else { format!(": {cut}{more}") }
}

/// Returns the start of the body as text, in one line.
fn beginning(body: &[u8]) -> String {
    // A character has at most four bytes, and the key must not be cut before it is masked.
    const ENOUGH: usize = 4 * MAX_CHARACTERS + 4096;
    let text = String::from_utf8_lossy(&body[..body.len().min(ENOUGH)]);
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|w| !w.is_empty())
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_is_quoted_and_else_the_body() {
        let quoted = |body: &str| quoted(body.as_bytes(), None);
        assert_eq!(quoted(r#"{"message": "no", "code": "x"}"#), ": no");
        assert_eq!(quoted("<html>\r\n  <b>502\u{1b}</b>\n"), ": <html> <b>502 </b>");
        assert_eq!(quoted(r#"{"message": 3}"#), r#": {"message": 3}"#);
        assert_eq!(quoted("[1]"), ": [1]");
        assert_eq!(quoted(" \n"), "");
        assert_eq!(quoted(""), "");
        assert_eq!(super::quoted(b"\xff\x00ok", None), ": \u{fffd} ok");
    }

    #[test]
    fn long_answers_are_cut_and_keys_masked() {
        let long = json!({"message": "é".repeat(1000)}).to_string();
        assert_eq!(quoted(long.as_bytes(), None).chars().count(), 2 + 300 + 1);
        let key = Secret::new("sesame");
        let echo = json!({"message": "bad key `sesame`"}).to_string();
        assert_eq!(quoted(echo.as_bytes(), Some(&key)), ": bad key `…`");
        assert_eq!(quoted(b"<p>sesame</p>", Some(&key)), ": <p>…</p>");
        assert_eq!(quoted(b"sesame", Some(&Secret::new(""))), ": sesame");
        let at_the_cut = format!("{}sesame", "x".repeat(297));
        let shown = quoted(at_the_cut.as_bytes(), Some(&key));
        assert!(!shown.contains("ses"), "{shown}");
    }
}
