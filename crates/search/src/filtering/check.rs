//! Checks a filter against the settings of the index. First every attribute must be filterable (an
//! error names the last one in the text); then, in the order of the text, the operators must be
//! allowed for their attributes and coordinates must be on Earth.

use filter::{Condition, FOREIGN_REFUSED, Operator, Token, VectorCondition, VectorKind};
use settings::{FilterFeatures, Fragments, Settings};

use super::geo;
use crate::error::SearchError;

pub(super) fn check(settings: &Settings, condition: &Condition) -> Result<(), SearchError> {
    if let Some(attribute) = last_not_filterable(settings, condition) {
        return Err(not_filterable(settings, attribute, attribute.value()));
    }
    check_each(settings, condition)
}

fn last_not_filterable<'f>(settings: &Settings, condition: &'f Condition) -> Option<&'f Token> {
    match condition {
        Condition::And(members) | Condition::Or(members) => {
            members.iter().rev().find_map(|member| last_not_filterable(settings, member))
        }
        Condition::Not(inner) => last_not_filterable(settings, inner),
        Condition::Compare { attribute, .. }
        | Condition::In { attribute, .. }
        | Condition::Foreign { attribute, ids: Some(_), .. } => {
            let rule = settings.filterable_rule(attribute.value());
            let is_filterable = rule.is_some_and(|(_, rule)| rule.features().filters());
            (!is_filterable).then_some(attribute)
        }
        _ => None,
    }
}

fn check_each(settings: &Settings, condition: &Condition) -> Result<(), SearchError> {
    match condition {
        Condition::And(members) | Condition::Or(members) => {
            members.iter().try_for_each(|member| check_each(settings, member))
        }
        Condition::Not(inner) => check_each(settings, inner),
        Condition::Compare { attribute, operator } => {
            check_operator(settings, attribute.value(), operator)
        }
        Condition::In { attribute, values }
        | Condition::Foreign { attribute, ids: Some(values), .. } => match values.first() {
            // Each value counts as an equation.
            Some(value) => {
                check_operator(settings, attribute.value(), &Operator::Equal(value.clone()))
            }
            None => Ok(()),
        },
        Condition::GeoRadius { latitude, longitude, radius, resolution } => {
            let allowed = settings.filters_by_points() || settings.indexes_shapes();
            check_geo_allowed(settings, allowed, latitude, "_geo/_geojson")?;
            geo::circle([latitude, longitude], radius, resolution.as_ref()).map(drop)
        }
        Condition::GeoBox { top_right, bottom_left } => {
            let allowed = settings.filters_by_points() || settings.indexes_shapes();
            check_geo_allowed(settings, allowed, &top_right[0], "_geo/_geojson")?;
            geo::corners(top_right, bottom_left).map(drop)
        }
        Condition::GeoPolygon { points } => {
            if let Some([latitude, _]) = points.first() {
                check_geo_allowed(settings, settings.indexes_shapes(), latitude, "_geojson")?;
            }
            geo::polygon(points).map(drop)
        }
        Condition::Vectors(vectors) => check_vectors(settings, vectors),
        // Only one index is known here; the ids of others were filled in before.
        Condition::Foreign { attribute, ids: None, .. } => {
            Err(SearchError::Filter(attribute.error(FOREIGN_REFUSED)))
        }
        Condition::Shard(shard) if shard.documents.is_some() => Ok(()),
        Condition::Shard(shard) => {
            let message = "This instance does not shard its documents, so none is in a shard.";
            Err(SearchError::Filter(shard.keyword.error(message)))
        }
    }
}

fn check_operator(
    settings: &Settings,
    attribute: &str,
    operator: &Operator,
) -> Result<(), SearchError> {
    let Some((place, rule)) = settings.filterable_rule(attribute) else { return Ok(()) };
    let features = rule.features();
    let (operator, feature) = match operator {
        Operator::Equal(_) if !features.equality => ("=", "equality"),
        Operator::NotEqual(_) if !features.equality => ("!=", "equality"),
        Operator::Greater(_) if !features.comparison => (">", "comparison"),
        Operator::GreaterOrEqual(_) if !features.comparison => (">=", "comparison"),
        Operator::Less(_) if !features.comparison => ("<", "comparison"),
        Operator::LessOrEqual(_) if !features.comparison => ("<=", "comparison"),
        Operator::Between { .. } if !features.comparison => ("TO", "comparison"),
        _ => return Ok(()),
    };
    Err(SearchError::Operator(format!(
        "Filter operator `{operator}` is not allowed for the attribute `{attribute}`.\n  \
         - Note: allowed operators: {}.\n  \
         - Note: field `{attribute}` matched rule #{place} in `filterableAttributes`\n  \
         - Hint: enable {feature} in rule #{place} by modifying the features.filter object\n  \
         - Hint: prepend another rule matching `{attribute}` with appropriate filter features \
         before rule #{place}",
        allowed_operators(features),
    )))
}

fn allowed_operators(features: FilterFeatures) -> String {
    let mut operators = "OR, AND, NOT".to_owned();
    if features.equality {
        operators.push_str(", =, !=, IN");
    }
    if features.comparison {
        operators.push_str(", <, >, <=, >=, TO");
    }
    operators.push_str(", IS EMPTY, IS NULL, EXISTS");
    operators
}

fn check_geo_allowed(
    settings: &Settings,
    allowed: bool,
    at: &Token,
    shown: &str,
) -> Result<(), SearchError> {
    if allowed { Ok(()) } else { Err(not_filterable(settings, at, shown)) }
}

fn not_filterable(settings: &Settings, at: &Token, attribute: &str) -> SearchError {
    let patterns = settings.filterable_patterns(FilterFeatures::filters);
    let available = if patterns.is_empty() {
        "This index does not have configured filterable attributes.".to_owned()
    } else {
        let list: Vec<String> = patterns.iter().map(|pattern| format!("`{pattern}`")).collect();
        format!("Available filterable attribute patterns are: {}.", list.join(", "))
    };
    let message = format!("Attribute `{attribute}` is not filterable. {available}");
    SearchError::Filter(at.error(message))
}

fn check_vectors(settings: &Settings, vectors: &VectorCondition) -> Result<(), SearchError> {
    let Some(name) = &vectors.embedder else { return Ok(()) };
    let Some(embedder) = settings.embedders.get(name.value()) else {
        let names: Vec<&str> = settings.embedders.keys().map(String::as_str).collect();
        let available = match names.is_empty() {
            true => "This index does not have any configured embedders.".to_owned(),
            false => format!(
                "Available embedders are: {}.{}",
                quoted(&names),
                suggestion(name.value(), &names)
            ),
        };
        let message = format!("The embedder `{}` does not exist. {available}", name.value());
        return Err(SearchError::Filter(name.error(message)));
    };
    let VectorKind::Fragment(fragment) = &vectors.kind else { return Ok(()) };
    let fragments = embedder.source.indexing_fragments();
    if fragments.is_some_and(|fragments| fragments.get(fragment.value()).is_some()) {
        return Ok(());
    }
    let names = fragments.map(Fragments::sorted_names).unwrap_or_default();
    let available = match names.is_empty() {
        true => "This embedder does not have any configured fragments.".to_owned(),
        false => format!(
            "Available fragments on this embedder are: {}.{}",
            quoted(&names),
            suggestion(fragment.value(), &names)
        ),
    };
    let message = format!(
        "The fragment `{}` does not exist on embedder `{}`. {available}",
        fragment.value(),
        name.value()
    );
    Err(SearchError::Filter(fragment.error(message)))
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn suggestion(name: &str, available: &[&str]) -> String {
    let meant = text::closest(name, available.iter().copied());
    meant.map_or_else(String::new, |meant| format!(" Did you mean `{meant}`?"))
}
