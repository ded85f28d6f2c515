//! Shows embedders: complete, and without secrets.

use model::{is_redacted, redacted, shown_url};
use serde_json::{Map, Value};

use super::Prompt;
use super::fields::{Members, Role, SourceKind, is_available};
use super::read::{
    DEFAULT_HUGGING_FACE_MODEL, DEFAULT_HUGGING_FACE_REVISION, DEFAULT_OPENAI_MODEL,
};
use super::types::EMBEDDERS;
use crate::error::JsonPath;

/// Converts stored embedders to the form that is shown.
pub(crate) fn show(mut embedders: Value) -> Value {
    for embedder in embedders.as_object_mut().into_iter().flat_map(Map::values_mut) {
        if let Value::Object(members) = embedder {
            complete(members, Role::Everything);
        }
    }
    hide_secrets(&mut embedders);
    // Restores the order of the members; damaged settings are shown unchanged.
    EMBEDDERS.check(embedders.clone(), JsonPath::Origin).unwrap_or(embedders)
}

fn complete(members: &mut Members, role: Role) {
    let source = SourceKind::of(members).unwrap_or(SourceKind::OpenAi);
    let uses_fragments = ["indexingFragments", "searchFragments"].iter().any(|name| {
        members.get(*name).and_then(Value::as_object).is_some_and(|fragments| !fragments.is_empty())
    });
    if uses_fragments {
        members.retain(|name, _| !name.starts_with("documentTemplate"));
    } else {
        members.retain(|name, _| !name.ends_with("Fragments"));
    }
    if source == SourceKind::HuggingFace && !members.contains_key("model") {
        set(members, "revision", || Value::from(DEFAULT_HUGGING_FACE_REVISION));
    }
    let mut fill = |name: &str, default: fn() -> Value| {
        if is_available(name, source, role) {
            set(members, name, default);
        }
    };
    fill("source", || Value::from(SourceKind::OpenAi.name()));
    match source {
        SourceKind::OpenAi => fill("model", || Value::from(DEFAULT_OPENAI_MODEL)),
        SourceKind::HuggingFace => fill("model", || Value::from(DEFAULT_HUGGING_FACE_MODEL)),
        _ => {}
    }
    fill("pooling", || Value::from("useModel"));
    fill("headers", || Value::Object(Map::new()));
    if !uses_fragments {
        fill("documentTemplate", || Value::from(Prompt::default().template));
        fill("documentTemplateMaxBytes", || Value::from(Prompt::default().max_bytes));
    }
    for (name, role) in Role::NESTED {
        if let Some(Value::Object(nested)) = members.get_mut(name) {
            complete(nested, role);
        }
    }
}

fn set(members: &mut Members, name: &str, default: fn() -> Value) {
    members.entry(name).or_insert_with(default);
}

/// Masks secrets, leaving enough to recognise each. Accepts embedders in any form: stored, or a
/// change.
pub(crate) fn hide_secrets(embedders: &mut Value) {
    for embedder in embedders.as_object_mut().into_iter().flat_map(Map::values_mut) {
        hide_in(embedder);
    }
}

fn hide_in(embedder: &mut Value) {
    for (name, value) in embedder.as_object_mut().into_iter().flatten() {
        match (name.as_str(), value) {
            ("apiKey", Value::String(key)) => *key = redacted(key),
            ("url", Value::String(url)) => *url = shown_url(url),
            ("headers", Value::Object(headers)) => {
                for (name, value) in headers {
                    if let Value::String(text) = value {
                        *text = shown_header(name, text);
                    }
                }
            }
            ("searchEmbedder" | "indexingEmbedder", nested) => hide_in(nested),
            _ => {}
        }
    }
}

const SCHEME: &str = "Bearer ";

/// Recognises headers with secrets by their names, such as `Authorization`, `X-Api-Key` or
/// `Auth_Token`.
fn is_secret_header(name: &str) -> bool {
    const ENDINGS: [&str; 7] =
        ["authorization", "auth", "key", "token", "secret", "cookie", "password"];
    let name = name.to_ascii_lowercase();
    name.split(['-', '_']).any(|word| ENDINGS.iter().any(|ending| word.ends_with(ending)))
}

/// Returns whether the value of a header is the mask of a secret.
pub(super) fn is_mask_of_header(name: &str, value: &str) -> bool {
    is_secret_header(name) && is_redacted(value.strip_prefix(SCHEME).unwrap_or(value))
}

/// Returns the value of a header as it is shown.
pub(super) fn shown_header(name: &str, value: &str) -> String {
    if !is_secret_header(name) {
        return value.to_owned();
    }
    match value.strip_prefix(SCHEME) {
        Some(token) => format!("{SCHEME}{}", redacted(token)),
        None => redacted(value),
    }
}
