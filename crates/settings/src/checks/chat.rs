//! Validates `chat`: how an index presents itself to conversations.

use serde_json::Value;

use crate::error::{JsonPath, SettingError, take};
use crate::shape::{CheckResult, Member, integer, object, text, texts, word};

pub(crate) fn chat(value: Value, at: JsonPath<'_>) -> CheckResult {
    const MEMBERS: &[Member] = &[
        Member::resettable("description", text),
        Member::resettable("documentTemplate", text),
        Member::resettable("documentTemplateMaxBytes", integer),
        Member::resettable("searchParameters", search_parameters),
    ];
    object(value, at, MEMBERS)
}

fn search_parameters(value: Value, at: JsonPath<'_>) -> CheckResult {
    const MEMBERS: &[Member] = &[
        Member::resettable("hybrid", hybrid),
        Member::resettable("limit", integer),
        Member::resettable("sort", texts),
        Member::resettable("distinct", text),
        Member::resettable("matchingStrategy", |value, at| {
            word(value, at, &["last", "all", "frequency"])
        }),
        Member::resettable("attributesToSearchOn", texts),
        Member::resettable("rankingScoreThreshold", |value, at| {
            share(value, at, "rankingScoreThreshold")
        }),
    ];
    object(value, at, MEMBERS)
}

fn hybrid(value: Value, at: JsonPath<'_>) -> CheckResult {
    const MEMBERS: &[Member] = &[
        Member::or_default(
            "semanticRatio",
            |value, at| share(value, at, "semanticRatio"),
            || Value::from(0.5),
        ),
        Member::mandatory("embedder", text),
    ];
    object(value, at, MEMBERS)
}

/// Checks for a number from 0 to 1.
fn share(value: Value, at: JsonPath<'_>, name: &str) -> CheckResult {
    let share = take::<f64>(value, at)?;
    if (0.0..=1.0).contains(&share) {
        return Ok(Value::from(share));
    }
    let reason =
        format!("the value of `{name}` is invalid, expected a float between `0.0` and `1.0`.");
    Err(SettingError::value(reason, at))
}
