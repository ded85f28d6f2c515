//! `_foreign(attribute, filter)`: the documents whose attribute holds the id of a foreign document
//! that passes the filter. The foreign index is asked first, then its ids stand in the filter like
//! any other list.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use document::{Document, PrimaryKey};
use filter::{Filter, Foreign};
use index::Snapshot;
use model::{Code, ServiceError};
use roaring::RoaringBitmap;
use segment::SegmentError;

use super::Snapshots;
use crate::failure::index_failure;
use crate::search::documents_failure;

/// Documents of one foreign index that the conditions of a filter may find together.
const MAX_DOCUMENTS: u64 = 100;

/// The filter of the index `uid` with ids in the place of its foreign conditions.
pub(crate) fn with_foreign_ids(
    filter: Filter,
    uid: &str,
    snapshots: &mut Snapshots<'_>,
    cancelled: &AtomicBool,
) -> Result<Filter, ServiceError> {
    let conditions = filter.foreign();
    if conditions.is_empty() {
        return Ok(filter);
    }
    // What is wrong with the conditions themselves is told before any other index is looked at.
    let own = snapshots.of(uid)?;
    let keys = &own.typed_settings().foreign_keys;
    let mut foreign_uids = Vec::with_capacity(conditions.len());
    for condition in &conditions {
        let name = condition.attribute.value();
        let key = keys.iter().find(|key| key.field_name == name);
        let key =
            key.ok_or_else(|| refused(uid, format!("Field `{name}` is not a foreign key")))?;
        if condition.is_nested() {
            return Err(refused(uid, "Nested foreign filters are not supported"));
        }
        foreign_uids.push(key.foreign_index_uid.as_str());
    }

    let mut lists = Vec::with_capacity(conditions.len());
    let mut found_in: HashMap<&str, RoaringBitmap> = HashMap::new();
    for (condition, foreign_uid) in conditions.iter().zip(foreign_uids) {
        let foreign = snapshots.of(foreign_uid)?;
        let documents = matching(&foreign, condition, foreign_uid, cancelled)?;
        let together = found_in.entry(foreign_uid).or_default();
        *together |= &documents;
        if together.len() > MAX_DOCUMENTS {
            let message = format!(
                "Foreign filter is retrieving too many documents, foreign filters can't retrieve \
                 more than {MAX_DOCUMENTS} documents per index"
            );
            return Err(refused(foreign_uid, message));
        }
        lists.push(ids_of(&foreign, &documents).map_err(|error| error.in_index(foreign_uid))?);
    }
    Ok(filter.with_ids(lists))
}

fn refused(uid: &str, message: impl Into<String>) -> ServiceError {
    ServiceError::new(Code::InvalidSearchFilter, message.into()).in_index(uid)
}

/// Mistakes are told of the foreign index, with the code that filters over documents have.
fn matching(
    foreign: &Snapshot,
    condition: &Foreign<'_>,
    uid: &str,
    cancelled: &AtomicBool,
) -> Result<RoaringBitmap, ServiceError> {
    search::filtering::matching(foreign, &condition.filter, cancelled)
        .map_err(|error| documents_failure(error).in_index(uid))
}

fn ids_of(snapshot: &Snapshot, documents: &RoaringBitmap) -> Result<Vec<String>, ServiceError> {
    let mut texts = Vec::with_capacity(documents.len() as usize);
    snapshot
        .for_each_document(documents, |_, json| {
            texts.push(json.to_owned());
            Ok::<(), SegmentError>(())
        })
        .map_err(|error| index_failure(&error.into()))?;
    let Some(key) = snapshot.primary_key().map(PrimaryKey::new) else { return Ok(Vec::new()) };
    texts.iter().map(|json| Ok(key.id_of(&Document::parse(json)?)?)).collect()
}
