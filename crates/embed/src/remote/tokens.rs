//! Cuts texts that are too long for OpenAI's models. Only done after a refusal: most texts are
//! short, and loading the vocabulary takes a while.

use serde_json::Value;

const MAX_TOKENS: usize = 8191;

/// Cuts the inputs; returns whether any was too long.
pub(super) fn cut(inputs: &mut [Value]) -> bool {
    let mut any = false;
    for input in inputs {
        // No token is shorter than a byte.
        if let Value::String(text) = input
            && text.len() > MAX_TOKENS
            && let Some(shorter) = cut_text(text)
        {
            *text = shorter;
            any = true;
        }
    }
    any
}

/// Returns the cut text; none if it is short enough.
fn cut_text(text: &str) -> Option<String> {
    let vocabulary = tiktoken_rs::cl100k_base_singleton();
    let mut tokens = vocabulary.encode_ordinary(text);
    if tokens.len() <= MAX_TOKENS {
        return None;
    }
    tokens.truncate(MAX_TOKENS);
    // A token may end inside of a character.
    while !tokens.is_empty() {
        if let Ok(text) = vocabulary.decode(&tokens) {
            return Some(text);
        }
        tokens.pop();
    }
    None
}
