//! The shape of `chat`: how an index presents itself to conversations.

use serde_json::Value;

use crate::error::{JsonPath, SettingError, take};
use crate::shape::{CheckResult, Member, Shape, TEXTS};
use crate::values::{DEFAULT_SEMANTIC_RATIO, MatchingStrategy};

pub(crate) const CHAT: Shape = Shape::Object(&[
    Member::resettable("description", Shape::Text)
        .help("Description by which the model chooses the index."),
    Member::resettable("documentTemplate", Shape::Text)
        .help("Liquid template of text for the model."),
    Member::resettable("documentTemplateMaxBytes", Shape::Integer),
    Member::resettable("searchParameters", SEARCH_PARAMETERS),
]);

const SEARCH_PARAMETERS: Shape = Shape::OpenObject(&[
    Member::resettable("hybrid", HYBRID),
    Member::resettable("limit", Shape::Integer),
    Member::resettable("sort", TEXTS),
    Member::resettable("distinct", Shape::Text),
    Member::resettable(
        "matchingStrategy",
        Shape::Checked(&Shape::Text, |value, at| {
            Shape::Word(MatchingStrategy::NAMES).check(value, at)
        }),
    ),
    Member::resettable("attributesToSearchOn", TEXTS),
    Member::resettable(
        "rankingScoreThreshold",
        Shape::Checked(&Shape::Number, |value, at| share(value, at, "rankingScoreThreshold")),
    ),
]);

const HYBRID: Shape = Shape::Object(&[
    Member::or_default(
        "semanticRatio",
        Shape::Checked(&Shape::NumberBetween(0, 1), |value, at| share(value, at, "semanticRatio")),
        || Value::from(DEFAULT_SEMANTIC_RATIO),
    ),
    Member::mandatory("embedder", Shape::Text),
]);

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
