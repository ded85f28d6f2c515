//! Checks for conditions that belong to experimental features.

use model::features::{Feature, Features};

use crate::{Condition, FilterError, Operator, Token};

/// Rejects the first condition in the text whose feature is disabled.
pub(crate) fn check(condition: &Condition, features: &Features) -> Result<(), FilterError> {
    match condition {
        Condition::And(members) | Condition::Or(members) => {
            members.iter().try_for_each(|member| check(member, features))
        }
        Condition::Not(inner) => check(inner, features),
        Condition::Compare { operator: Operator::Contains { keyword, .. }, .. } => {
            require(features, Feature::contains_filter, "Using `CONTAINS` in a filter", keyword)
        }
        Condition::Vectors(vectors) => {
            require(features, Feature::multimodal, "using a vector filter", &vectors.keyword)
        }
        Condition::Foreign { attribute, condition, .. } => {
            require(features, Feature::foreign_keys, "using a foreign filter", attribute)?;
            check(condition, features)
        }
        Condition::Shard(shard) => {
            require(features, Feature::network, "using a shard filter", &shard.keyword)
        }
        _ => Ok(()),
    }
}

fn require(
    features: &Features,
    feature: Feature,
    tried: &str,
    at: &Token,
) -> Result<(), FilterError> {
    features
        .check(feature, tried)
        .map_err(|refusal| FilterError::Feature(at.error(refusal.message)))
}
