//! The types that members of rerankers may have. `combine` looks at which members a source takes.

use serde_json::Value;

use super::SourceKind;
use crate::embedder::{anything, headers};
use crate::refusal::Place;
use crate::shape::{Checked, Member, dictionary, integer, object, text, word};

pub(crate) fn check_types(value: Value, at: Place<'_>) -> Checked {
    dictionary(value, at, |value, at| match value {
        Value::Null => Ok(Value::Null),
        value => reranker(value, at),
    })
}

fn reranker(value: Value, at: Place<'_>) -> Checked {
    const MEMBERS: &[Member] = &[
        Member::resettable("source", source),
        Member::resettable("model", text),
        Member::resettable("revision", text),
        Member::resettable("apiKey", text),
        Member::resettable("url", text),
        Member::resettable("headers", headers),
        Member::resettable("request", anything),
        Member::resettable("response", anything),
        Member::resettable("documentTemplate", text),
        Member::resettable("documentTemplateMaxBytes", integer),
        Member::resettable("timeoutMs", integer),
    ];
    object(value, at, MEMBERS)
}

fn source(value: Value, at: Place<'_>) -> Checked {
    word(value, at, &SourceKind::NAMES)
}
