//! The shape of `filterableAttributes`: names, and rules for patterns of names with their features.

use deserr::ValueKind;
use serde_json::{Value, json};

use crate::error::SettingError;
use crate::shape::{Member, Shape, TEXTS};
use crate::values::FilterFeatures;

pub(crate) const FILTERABLE_ATTRIBUTES: Shape = Shape::List(&Shape::Checked(
    &Shape::Either(&Shape::Text, &Shape::Component("FilterableRule", &FILTERABLE_RULE)),
    |value, at| match value {
        Value::String(_) => Ok(value),
        Value::Object(_) => FILTERABLE_RULE.check(value, at),
        other => Err(SettingError::wrong_kind(other, &[ValueKind::String], at)),
    },
));

/// A rule with patterns. The OpenAPI document describes it under a name of its own.
pub const FILTERABLE_RULE: Shape = Shape::Object(&[
    Member::mandatory("attributePatterns", TEXTS),
    Member::or_default("features", FEATURES, || {
        let facet_search = FilterFeatures::default().facet_search;
        json!({"facetSearch": facet_search, "filter": default_operators()})
    }),
]);

const FEATURES: Shape = Shape::Object(&[
    Member::or_default("facetSearch", Shape::Flag, || {
        FilterFeatures::default().facet_search.into()
    }),
    Member::or_default("filter", OPERATORS, default_operators),
]);

const OPERATORS: Shape = Shape::Object(&[
    Member::or_default("equality", Shape::Flag, || FilterFeatures::default().equality.into()),
    Member::or_default("comparison", Shape::Flag, || FilterFeatures::default().comparison.into()),
]);

fn default_operators() -> Value {
    let FilterFeatures { equality, comparison, .. } = FilterFeatures::default();
    json!({"equality": equality, "comparison": comparison})
}
