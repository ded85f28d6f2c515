//! Types of the members of rerankers. `combine` checks which members a source takes.

use serde_json::Value;

use super::SourceKind;
use crate::embedder::{anything, headers};
use crate::error::JsonPath;
use crate::shape::{CheckResult, Member, dictionary, integer, object, text, word};

pub(crate) fn check_types(value: Value, at: JsonPath<'_>) -> CheckResult {
    dictionary(value, at, |value, at| match value {
        Value::Null => Ok(Value::Null),
        value => reranker(value, at),
    })
}

fn reranker(value: Value, at: JsonPath<'_>) -> CheckResult {
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

fn source(value: Value, at: JsonPath<'_>) -> CheckResult {
    word(value, at, &SourceKind::NAMES)
}
