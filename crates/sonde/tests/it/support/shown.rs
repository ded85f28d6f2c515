//! Values as messages of tests show them.

use serde_json::Value;

/// Longer ones are cut here.
const SHOWN_BYTES: usize = 300;

pub fn short(value: &Value) -> String {
    let mut text = value.to_string();
    if text.len() > SHOWN_BYTES {
        let end = (0..=SHOWN_BYTES).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}
