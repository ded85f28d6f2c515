//! Parses filters and sort expressions before any document is read, with errors under the code of
//! the route.

use filter::{Filter, FilterError, SortItem};
use index::Snapshot;
use model::{Cancel, Code, Features, ServiceError};
use network::Placements;
use roaring::RoaringBitmap;
use serde_json::Value;

use super::foreign::{Snapshots, with_foreign_ids};
use crate::common::documents_failure;

/// Parses a filter; none if it is absent or empty.
pub(crate) fn parse_filter(
    filter: Option<&Value>,
    features: &Features,
    code: Code,
) -> Result<Option<Filter>, ServiceError> {
    let Some(filter) = filter else { return Ok(None) };
    let refused = |error: FilterError| {
        let code = match error {
            FilterError::Syntax(_) => code,
            FilterError::Feature(_) => Code::FeatureNotEnabled,
        };
        ServiceError::new(code, error.to_string())
    };
    let filter = Filter::from_json(filter).map_err(refused)?;
    if let Some(filter) = &filter {
        filter.check_features(features).map_err(refused)?;
    }
    Ok(filter)
}

/// Resolves conditions of a filter that need other data: the documents of shards, the ids of
/// foreign documents.
pub(crate) fn resolved(
    filter: Filter,
    uid: &str,
    snapshots: &mut Snapshots<'_>,
    cancel: &Cancel,
) -> Result<Filter, ServiceError> {
    let filter = match filter.names_shards() {
        true => {
            let snapshot = snapshots.of(uid)?;
            snapshots.placements().resolved(filter, &snapshot)?
        }
        false => filter,
    };
    with_foreign_ids(filter, uid, snapshots, cancel)
}

pub(crate) fn parse_sort(items: &[String], code: Code) -> Result<Vec<SortItem>, ServiceError> {
    filter::parse_sort(items).map_err(|error| ServiceError::new(code, error.to_string()))
}

/// Returns the documents that pass a filter which was accepted when its task was enqueued. Features
/// switched off since do not matter. It is cancelled with its task.
pub(crate) fn matching(
    placements: &Placements,
    snapshot: &Snapshot,
    filter: &Value,
    cancel: &Cancel,
) -> Result<RoaringBitmap, ServiceError> {
    let refused =
        |error: FilterError| ServiceError::new(Code::InvalidDocumentFilter, error.to_string());
    match Filter::from_json(filter).map_err(refused)? {
        Some(filter) => {
            let filter = placements.resolved(filter, snapshot)?;
            search::filtering::matching(snapshot, &filter, cancel).map_err(documents_failure)
        }
        None => Ok(snapshot.live().clone()),
    }
}

/// Returns whether a filter over documents to change selects anything at all, as far as it can be
/// told without an index. Fails if it is invalid or depends on another index, whose state at the
/// time of the task is unknown.
pub(crate) fn is_filtering(filter: &Value, features: &Features) -> Result<bool, ServiceError> {
    let code = Code::InvalidDocumentFilter;
    let Some(filter) = parse_filter(Some(filter), features, code)? else {
        return Ok(false);
    };
    refuse_foreign(&filter)?;
    Ok(true)
}

/// Refuses foreign conditions in the filter of an export. The rest is checked when the task runs.
pub(crate) fn check_export_filter(filter: &Value) -> Result<(), ServiceError> {
    match Filter::from_json(filter) {
        Ok(Some(filter)) => refuse_foreign(&filter),
        _ => Ok(()),
    }
}

/// Refuses foreign conditions, with an error that names their place.
pub(crate) fn refuse_foreign(filter: &Filter) -> Result<(), ServiceError> {
    match filter.foreign().first() {
        Some(foreign) => Err(ServiceError::new(
            Code::InvalidDocumentFilter,
            foreign.attribute.error(filter::FOREIGN_REFUSED),
        )),
        None => Ok(()),
    }
}
