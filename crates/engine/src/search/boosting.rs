//! Boosts of a search with parsed filters: those of the request, or else of the index settings.

use std::borrow::Cow;

use filter::Filter;
use index::Snapshot;
use model::{Cancel, Code, Features, ServiceError};
use search::FilteredBoost;
use serde_json::Value;
use settings::Settings;
use settings::boosts::{Boost, Effect, boosts_from};
use time::OffsetDateTime;

pub(super) use search::Boosting;

use super::request::SearchRequest;
use crate::documents::filters::{parse_filter, resolved};
use crate::documents::foreign::Snapshots;
use crate::search::Searcher;

impl Searcher {
    /// Returns the boosts; none for a search without any.
    pub(super) fn boosting(
        &self,
        uid: &str,
        request: &SearchRequest,
        snapshot: &Snapshot,
        snapshots: &mut Snapshots<'_>,
        cancel: &Cancel,
    ) -> Result<Option<Boosting>, ServiceError> {
        let boosts = match &request.boosts {
            Some(asked) => Cow::Owned(boosts_from(asked)),
            None => Cow::Borrowed(&snapshot.typed_settings().boosts),
        };
        if boosts.is_empty() {
            return Ok(None);
        }
        let features = self.features.current();
        let mut filtered = Vec::with_capacity(boosts.len());
        for boost in boosts.iter() {
            let filter = match &boost.effect {
                Effect::Filter(sent) => {
                    let filter = filter_of_boost(sent, &features, Code::InvalidSearchBoosts)?;
                    Some(resolved(filter, uid, snapshots, cancel)?)
                }
                _ => None,
            };
            filtered.push(FilteredBoost { boost: boost.clone(), filter });
        }
        // Whole seconds: queries of one request rarely see different times.
        let now = OffsetDateTime::now_utc().unix_timestamp() as f64;
        Ok(Some(Boosting { boosts: filtered, is_from_request: request.boosts.is_some(), now }))
    }
}

/// Checks filters of boosts as far as possible without an index.
pub(crate) fn check_filters_of_boosts(
    boosts: &Value,
    features: &Features,
) -> Result<(), ServiceError> {
    for Boost { effect, .. } in boosts_from(boosts) {
        if let Effect::Filter(sent) = effect {
            filter_of_boost(&sent, features, Code::InvalidSettingsBoosts)?;
        }
    }
    Ok(())
}

fn filter_of_boost(sent: &Value, features: &Features, code: Code) -> Result<Filter, ServiceError> {
    parse_filter(Some(sent), features, code)?.ok_or_else(|| {
        ServiceError::new(
            code,
            "The filter of a boost is empty. Write a condition, or leave the boost out.",
        )
    })
}

/// Checks whether settings to be stored allow their own boosts. The filter was accepted when its
/// task was enqueued, so features are not checked again.
pub(crate) fn check_stored_boosts(stored: &Value) -> Result<(), ServiceError> {
    if stored.get("boosts").is_none() {
        return Ok(());
    }
    let settings = Settings::from_stored(stored);
    for Boost { effect, .. } in &settings.boosts {
        let Effect::Filter(sent) = effect else { continue };
        let refused = |reason: String| {
            let message = format!("The filter of a boost cannot be used: {reason}");
            ServiceError::new(Code::InvalidSettingsBoosts, message)
        };
        let filter = Filter::from_json(sent).map_err(|error| refused(error.to_string()))?;
        if let Some(filter) = filter {
            search::filtering::check(&settings, &filter)
                .map_err(|error| refused(error.to_string()))?;
        }
    }
    Ok(())
}
