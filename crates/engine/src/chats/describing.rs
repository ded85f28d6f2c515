//! Descriptions of indexes for a model: the words of their owner, and the values that their
//! documents can be filtered by.

use std::borrow::Cow;
use std::sync::Arc;

use chat::IndexDescription;
use model::{Cancel, Code, ServiceError};
use roaring::RoaringBitmap;
use search::SearchError;
use serde_json::Value;

use crate::common::search_access::{IndexAccess, SearchAccess};
use crate::common::search_failure;
use crate::documents::filters::{parse_filter, resolved};
use crate::documents::foreign::{ForeignAccess, Snapshots};
use crate::search::Searcher;

/// Number of values shown of an attribute, most frequent first.
const SHOWN_VALUES: usize = 10;
/// Longer values are no choices, and the model bills by the word.
const SHOWN_VALUE_BYTES: usize = 100;

/// Describes the indexes that a conversation may search, in byte order.
pub(super) fn describe_indexes(
    searcher: &Searcher,
    access: &Arc<dyn SearchAccess>,
    cancel: &Cancel,
) -> Result<Vec<IndexDescription>, ServiceError> {
    let foreign = ForeignAccess::of_conversation(access);
    let mut described = Vec::new();
    for (uid, _) in searcher.indexes().registry.all() {
        let filter = match access.to_index(&uid) {
            IndexAccess::Denied => continue,
            IndexAccess::Full => None,
            IndexAccess::Filtered(filter) => Some(filter),
        };
        match describe(searcher, &uid, filter.as_ref(), &foreign, cancel) {
            Ok(description) => described.push(description),
            // Deleted since it was listed.
            Err(error) if error.code == Code::IndexNotFound => {}
            Err(error) if cancel.is_cancelled() => return Err(error),
            // The others can be searched all the same.
            Err(error) => searcher.indexes().damage.skip_damaged(&uid, error)?,
        }
    }
    Ok(described)
}

fn describe(
    searcher: &Searcher,
    uid: &str,
    filter: Option<&Value>,
    foreign: &ForeignAccess,
    cancel: &Cancel,
) -> Result<IndexDescription, ServiceError> {
    let mut snapshots = Snapshots::for_caller(searcher.indexes(), foreign);
    let snapshot = snapshots.of(uid)?;
    let seen: Cow<'_, RoaringBitmap> = match filter {
        None => Cow::Borrowed(snapshot.live()),
        // Where the caller's filter cannot be applied, no values are shown.
        Some(filter) => {
            Cow::Owned(passing(searcher, uid, filter, &mut snapshots, cancel).unwrap_or_default())
        }
    };
    let values = search::facets::frequent(&snapshot, &seen, SHOWN_VALUES, cancel);
    let values = values.map_err(search_failure)?;
    let shown = |values: Vec<String>| {
        values.into_iter().filter(|value| value.len() <= SHOWN_VALUE_BYTES).collect()
    };
    Ok(IndexDescription {
        uid: uid.to_owned(),
        description: snapshot.typed_settings().chat.description.clone(),
        filters: values.into_iter().map(|(name, values)| (name, shown(values))).collect(),
    })
}

fn passing(
    searcher: &Searcher,
    uid: &str,
    filter: &Value,
    snapshots: &mut Snapshots<'_>,
    cancel: &Cancel,
) -> Result<RoaringBitmap, ServiceError> {
    let snapshot = snapshots.of(uid)?;
    let filter =
        parse_filter(Some(filter), &searcher.features.current(), Code::InvalidSearchFilter)?;
    let Some(filter) = filter else { return Ok(snapshot.live().clone()) };
    let filter = resolved(filter, uid, snapshots, cancel)?;
    let passing: Result<_, SearchError> = search::filtering::matching(&snapshot, &filter, cancel);
    passing.map_err(search_failure)
}
