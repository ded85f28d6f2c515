//! Validates `filterableAttributes`: names, and rules for patterns of names with their features.

use deserr::ValueKind;
use serde_json::{Value, json};

use crate::error::{JsonPath, SettingError};
use crate::shape::{CheckResult, Member, flag, list, object, texts};

pub(crate) fn filterable_attributes(value: Value, at: JsonPath<'_>) -> CheckResult {
    list(value, at, rule)
}

fn rule(value: Value, at: JsonPath<'_>) -> CheckResult {
    const MEMBERS: &[Member] = &[
        Member::mandatory("attributePatterns", texts),
        Member::or_default("features", features, default_features),
    ];
    match value {
        Value::String(_) => Ok(value),
        Value::Object(_) => object(value, at, MEMBERS),
        other => Err(SettingError::wrong_kind(other, &[ValueKind::String], at)),
    }
}

fn features(value: Value, at: JsonPath<'_>) -> CheckResult {
    const MEMBERS: &[Member] = &[
        Member::or_default("facetSearch", flag, || Value::Bool(false)),
        Member::or_default("filter", operators, default_operators),
    ];
    object(value, at, MEMBERS)
}

fn operators(value: Value, at: JsonPath<'_>) -> CheckResult {
    const MEMBERS: &[Member] = &[
        Member::or_default("equality", flag, || Value::Bool(true)),
        Member::or_default("comparison", flag, || Value::Bool(false)),
    ];
    object(value, at, MEMBERS)
}

fn default_features() -> Value {
    json!({"facetSearch": false, "filter": default_operators()})
}

fn default_operators() -> Value {
    json!({"equality": true, "comparison": false})
}
