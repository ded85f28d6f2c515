//! Detects the languages of documents from a sample.

use index::Segment;
use serde_json::Value;
use text::{StemLanguage, stem_language_of_text};

/// Number of documents read from a segment, spread over all of it.
const SAMPLE: u64 = 32;
/// A language counts if at least one of this many documents is in it.
const LEAST_SHARE: usize = 8;
/// Shorter texts are likely names and codes.
const LEAST_CHARS: usize = 20;
/// The beginning of a text that is used to detect its language.
const MOST_CHARS: usize = 1000;

pub(super) fn languages(segment: &Segment) -> Vec<StemLanguage> {
    let doc_ids = segment.documents().doc_ids();
    let step = doc_ids.len().div_ceil(SAMPLE).max(1) as usize;
    let mut found = Vec::new();
    for doc_id in doc_ids.iter().step_by(step) {
        // A damaged file is reported when the document is needed.
        if let Ok(Some(document)) = segment.documents().get(doc_id)
            && let Ok(document) = serde_json::from_str(&document)
        {
            let mut text = String::new();
            gather(&document, &mut text);
            found.extend(stem_language_of_text(&text));
        }
    }
    let votes = |language: StemLanguage| found.iter().filter(|other| **other == language).count();
    let mut languages = found.clone();
    languages.sort_unstable();
    languages.dedup();
    languages.retain(|language| votes(*language) * LEAST_SHARE >= found.len());
    languages
}

fn gather(value: &Value, text: &mut String) {
    match value {
        Value::String(part) if part.chars().nth(LEAST_CHARS).is_some() => {
            text.extend(part.chars().take(MOST_CHARS));
            text.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, text)),
        Value::Object(members) => members.values().for_each(|member| gather(member, text)),
        _ => {}
    }
}
