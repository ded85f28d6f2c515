//! Types of the members of embedders. `check` validates which members a source has, and their
//! values.

use serde_json::{Value, json};

use super::SourceKind;
use crate::error::{JsonPath, SettingError, take};
use crate::shape::{
    CheckResult, Member, dictionary, flag, integer, members_of, object, text, word,
};

pub(crate) fn check_types(value: Value, at: JsonPath<'_>) -> CheckResult {
    dictionary(value, at, |value, at| match value {
        Value::Null => Ok(Value::Null),
        value => embedder(value, at),
    })
}

fn embedder(value: Value, at: JsonPath<'_>) -> CheckResult {
    const MEMBERS: &[Member] = &[
        Member::resettable("source", source),
        Member::resettable("model", text),
        Member::resettable("revision", text),
        Member::resettable("pooling", pooling),
        Member::resettable("apiKey", text),
        Member::resettable("dimensions", integer),
        Member::resettable("binaryQuantized", flag),
        Member::resettable("documentTemplate", text),
        Member::resettable("documentTemplateMaxBytes", integer),
        Member::resettable("url", text),
        Member::resettable("indexingFragments", fragments),
        Member::resettable("searchFragments", fragments),
        Member::resettable("request", anything),
        Member::resettable("response", anything),
        Member::resettable("headers", headers),
        Member::resettable("searchEmbedder", nested_embedder),
        Member::resettable("indexingEmbedder", nested_embedder),
        Member::resettable("distribution", distribution),
    ];
    object(value, at, MEMBERS)
}

/// Checks a nested embedder. The last four members are never allowed; they are listed for a better
/// error message.
fn nested_embedder(value: Value, at: JsonPath<'_>) -> CheckResult {
    const MEMBERS: &[Member] = &[
        Member::resettable("source", source),
        Member::resettable("model", text),
        Member::resettable("revision", text),
        Member::resettable("pooling", pooling),
        Member::resettable("apiKey", text),
        Member::resettable("dimensions", integer),
        Member::resettable("documentTemplate", text),
        Member::resettable("documentTemplateMaxBytes", integer),
        Member::resettable("url", text),
        Member::resettable("indexingFragments", fragments),
        Member::resettable("searchFragments", fragments),
        Member::resettable("request", anything),
        Member::resettable("response", anything),
        Member::resettable("headers", headers),
        Member::resettable("distribution", anything),
        Member::resettable("binaryQuantized", anything),
        Member::resettable("searchEmbedder", anything),
        Member::resettable("indexingEmbedder", anything),
    ];
    object(value, at, MEMBERS)
}

fn source(value: Value, at: JsonPath<'_>) -> CheckResult {
    word(value, at, &SourceKind::NAMES)
}

fn pooling(value: Value, at: JsonPath<'_>) -> CheckResult {
    word(value, at, &["useModel", "forceCls", "forceMean"])
}

pub(crate) fn headers(value: Value, at: JsonPath<'_>) -> CheckResult {
    dictionary(value, at, text)
}

fn fragments(value: Value, at: JsonPath<'_>) -> CheckResult {
    dictionary(value, at, |value, at| match value {
        Value::Null => Ok(Value::Null),
        value => fragment(value, at),
    })
}

/// Checks a fragment. Other members than `value` are ignored.
fn fragment(value: Value, at: JsonPath<'_>) -> CheckResult {
    let mut members = members_of(value, at)?;
    match members.shift_remove("value") {
        Some(value) => Ok(json!({ "value": value })),
        None => Err(SettingError::missing("value", at)),
    }
}

pub(crate) fn anything(value: Value, _at: JsonPath<'_>) -> CheckResult {
    Ok(value)
}

fn distribution(value: Value, at: JsonPath<'_>) -> CheckResult {
    const MEMBERS: &[Member] =
        &[Member::mandatory("mean", number), Member::mandatory("sigma", number)];
    let distribution = object(value, at, MEMBERS)?;
    let member = |name: &str| distribution.get(name).and_then(Value::as_f64).unwrap_or_default();
    let (mean, sigma) = (member("mean"), member("sigma"));
    if !(0.0..=1.0).contains(&mean) {
        let reason = format!("the distribution mean must be in the range [0, 1], got {mean}");
        return Err(SettingError::value(reason, at));
    }
    if sigma <= 0.0 || sigma > 1.0 {
        let reason = format!("the distribution sigma must be in the range ]0, 1], got {sigma}");
        return Err(SettingError::value(reason, at));
    }
    Ok(distribution)
}

fn number(value: Value, at: JsonPath<'_>) -> CheckResult {
    take::<f64>(value, at).map(Value::from)
}
