//! Types of the members of embedders. `check` validates which members a source has, and their
//! values.

use serde_json::{Value, json};

use super::SourceKind;
use crate::error::{JsonPath, SettingError};
use crate::shape::{CheckResult, Member, Shape, members_of};

/// Embedders by name; null removes one.
pub(crate) const EMBEDDERS: Shape = Shape::Dictionary(&Shape::OrNull(&EMBEDDER));

const EMBEDDER: Shape = Shape::Component(
    "Embedder",
    &Shape::Object(&[
        Member::resettable("source", SOURCE),
        Member::resettable("model", Shape::Text),
        Member::resettable("revision", Shape::Text),
        Member::resettable("pooling", POOLING),
        Member::resettable("apiKey", Shape::Text),
        Member::resettable("dimensions", Shape::Integer),
        Member::resettable("binaryQuantized", Shape::Flag),
        Member::resettable("documentTemplate", Shape::Text),
        Member::resettable("documentTemplateMaxBytes", Shape::Integer),
        Member::resettable("url", Shape::Text),
        Member::resettable("indexingFragments", FRAGMENTS),
        Member::resettable("searchFragments", FRAGMENTS),
        Member::resettable("request", Shape::Anything),
        Member::resettable("response", Shape::Anything),
        Member::resettable("headers", HEADERS),
        Member::resettable("searchEmbedder", NESTED_EMBEDDER),
        Member::resettable("indexingEmbedder", NESTED_EMBEDDER),
        Member::resettable("distribution", Shape::custom(distribution)),
    ]),
);

/// A nested embedder. The last four members are never allowed; they are listed for a better error
/// message.
const NESTED_EMBEDDER: Shape = Shape::Object(&[
    Member::resettable("source", SOURCE),
    Member::resettable("model", Shape::Text),
    Member::resettable("revision", Shape::Text),
    Member::resettable("pooling", POOLING),
    Member::resettable("apiKey", Shape::Text),
    Member::resettable("dimensions", Shape::Integer),
    Member::resettable("documentTemplate", Shape::Text),
    Member::resettable("documentTemplateMaxBytes", Shape::Integer),
    Member::resettable("url", Shape::Text),
    Member::resettable("indexingFragments", FRAGMENTS),
    Member::resettable("searchFragments", FRAGMENTS),
    Member::resettable("request", Shape::Anything),
    Member::resettable("response", Shape::Anything),
    Member::resettable("headers", HEADERS),
    Member::resettable("distribution", Shape::Anything),
    Member::resettable("binaryQuantized", Shape::Anything),
    Member::resettable("searchEmbedder", Shape::Anything),
    Member::resettable("indexingEmbedder", Shape::Anything),
]);

const SOURCE: Shape = Shape::Word(&SourceKind::NAMES);
const POOLING: Shape = Shape::Word(&["useModel", "forceCls", "forceMean"]);
pub(crate) const HEADERS: Shape = Shape::Dictionary(&Shape::Text);
const FRAGMENTS: Shape = Shape::Dictionary(&Shape::OrNull(&Shape::custom(fragment)));

/// Checks a fragment. Other members than `value` are ignored.
fn fragment(value: Value, at: JsonPath<'_>) -> CheckResult {
    let mut members = members_of(value, at)?;
    match members.shift_remove("value") {
        Some(value) => Ok(json!({ "value": value })),
        None => Err(SettingError::missing("value", at)),
    }
}

fn distribution(value: Value, at: JsonPath<'_>) -> CheckResult {
    const MEMBERS: &[Member] =
        &[Member::mandatory("mean", Shape::Number), Member::mandatory("sigma", Shape::Number)];
    let distribution = Shape::Object(MEMBERS).check(value, at)?;
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
