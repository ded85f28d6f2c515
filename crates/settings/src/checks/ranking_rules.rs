//! The shape of `rankingRules`: names of rules, and attributes with a direction.

use serde_json::Value;

use crate::error::{JsonPath, SettingError, take};
use crate::ranking_rule::RankingRule;
use crate::shape::{CheckResult, Shape};

pub(crate) const RANKING_RULES: Shape = Shape::List(&Shape::Checked(&Shape::Text, rule));

fn rule(value: Value, at: JsonPath<'_>) -> CheckResult {
    let name = take::<String>(value, at)?;
    let reason = match RankingRule::parse(&name) {
        None => Some(format!(
            "`{name}` ranking rule is invalid. Valid ranking rules are words, typo, sort, \
             proximity, attribute, exactness and custom ranking rules."
        )),
        Some(RankingRule::Asc(attribute) | RankingRule::Desc(attribute)) => reserved(&attribute),
        Some(_) => None,
    };
    match reason {
        Some(reason) => Err(SettingError::value(reason, at)),
        None => Ok(Value::String(name)),
    }
}

/// Returns the error for a reserved name, which cannot be an attribute.
fn reserved(attribute: &str) -> Option<String> {
    let is_call_of = |function: &str| {
        let arguments = attribute.strip_prefix(function);
        arguments.is_some_and(|arguments| arguments.is_empty() || arguments.starts_with('('))
    };
    let taken = |name: &str| {
        format!("`{name}` is a reserved keyword and thus can't be used as a ranking rule")
    };
    let used_for = |name: &str, purpose: &str| {
        format!("{}. `{name}` can only be used for {purpose} at search time", taken(name))
    };
    if attribute == "_geo" || attribute == "_geoDistance" {
        return Some(taken(attribute));
    }
    if attribute == "_geoPoint" || (is_call_of("_geoPoint") && attribute.ends_with(')')) {
        return Some(used_for("_geoPoint", "sorting"));
    }
    let filter = ["_geoRadius", "_geoBoundingBox"].into_iter().find(|name| is_call_of(name))?;
    Some(used_for(filter, "filtering"))
}

/// Refuses `attribute` together with attributeRank or wordPosition, which are its parts.
pub(crate) fn check_attribute_rules(rules: &Value) -> Result<(), &'static str> {
    let rules = rules.as_array().map(Vec::as_slice).unwrap_or_default();
    let has = |name: &str| rules.iter().any(|rule| rule == name);
    if has("attribute") && (has("attributeRank") || has("wordPosition")) {
        return Err(
            "Mixed usage of the attribute, attributeRank, and wordPosition ranking rules. \
             You must either use the attribute ranking rule alone or the attributeRank and \
             wordPosition ranking rules.",
        );
    }
    Ok(())
}
