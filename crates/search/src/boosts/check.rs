//! Checks that the settings let boosts and weights of attributes take effect.

use std::collections::BTreeMap;

use settings::boosts::Effect;
use settings::{GEO_FIELD, RankingRule, Settings};

use super::Boosting;
use crate::error::SearchError;

/// Checks that the boosts of a request have values to read and a rule to act on. Those of the
/// settings may wait for a rule that uses them.
pub(crate) fn check(
    settings: &Settings,
    boosting: Option<&Boosting>,
    attribute_weights: Option<&BTreeMap<String, f64>>,
    is_semantic: bool,
) -> Result<(), SearchError> {
    let has = |rule: RankingRule| settings.ranking_rules.contains(&rule);
    let asked = boosting.filter(|boosting| boosting.is_from_request && !boosting.boosts.is_empty());
    if let Some(boosting) = asked {
        for boost in &boosting.boosts {
            check_values(settings, &boost.boost.effect)?;
        }
        if !has(RankingRule::Boost) && !has(RankingRule::Bm25) && !is_semantic {
            return Err(SearchError::Boosts(
                "`boosts` have an effect only with the ranking rule `boost` or `bm25`, and in a \
                 search with `hybrid`. Add `boost` to the setting `rankingRules`."
                    .to_owned(),
            ));
        }
    }
    let weights = attribute_weights.is_some_and(|weights| !weights.is_empty());
    if weights && !has(RankingRule::Bm25) {
        return Err(SearchError::AttributeWeights(
            "`attributeWeights` have an effect only with the ranking rule `bm25`. Add it to the \
             setting `rankingRules`."
                .to_owned(),
        ));
    }
    Ok(())
}

fn check_values(settings: &Settings, effect: &Effect) -> Result<(), SearchError> {
    let missing = match effect {
        Effect::Filter(_) => None,
        Effect::Near { .. } => (!settings.indexes_points()).then_some(GEO_FIELD),
        Effect::Decay { attribute, .. } | Effect::Value { attribute, .. } => {
            (!settings.needs_column(attribute)).then_some(attribute.as_str())
        }
    };
    match missing {
        Some(attribute) => Err(SearchError::Boosts(format!(
            "Attribute `{attribute}` of a boost is neither filterable nor sortable. Add it to \
             `filterableAttributes` or `sortableAttributes`."
        ))),
        None => Ok(()),
    }
}
