//! `_foreign(attribute, filter)`: selects documents whose attribute holds the id of a foreign
//! document that passes the filter. The foreign index is searched first; its ids then replace the
//! condition like any other list.

use std::collections::HashMap;

use document::{Document, PrimaryKey};
use filter::{Filter, Foreign};
use index::Snapshot;
use model::{Cancel, Code, ServiceError};
use roaring::RoaringBitmap;
use segment::SegmentError;

use super::displayed::{HiddenAttribute, hidden};
use super::{ForeignRights, Snapshots};
use crate::common::failure::index_failure;
use crate::common::{documents_failure, search_failure};

/// Maximum of documents of one foreign index that a filter's conditions may match together.
const MAX_DOCUMENTS: u64 = 100;

/// Replaces the foreign conditions of a filter of index `uid` by ids.
pub(crate) fn with_foreign_ids(
    filter: Filter,
    uid: &str,
    snapshots: &mut Snapshots<'_>,
    cancel: &Cancel,
) -> Result<Filter, ServiceError> {
    let conditions = filter.foreign();
    if conditions.is_empty() {
        return Ok(filter);
    }
    // Errors of the conditions themselves come before errors of other indexes.
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
        let rights = snapshots.rights_to(foreign_uid);
        if rights == ForeignRights::Denied {
            // The message names neither the index nor its attributes.
            let message = format!(
                "The provided API key may not search the index that the foreign key `{}` leads to.",
                condition.attribute.value()
            );
            return Err(ServiceError::new(Code::InvalidApiKey, message));
        }
        let foreign = snapshots.of(foreign_uid)?;
        let mut documents = matching(&foreign, condition, foreign_uid, &rights, cancel)?;
        if let Some(seen) = seen(&foreign, foreign_uid, &rights, snapshots, cancel)? {
            documents &= seen;
        }
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

/// Returns the matches in the foreign index. Errors name that index, with the code of document
/// filters.
fn matching(
    foreign: &Snapshot,
    condition: &Foreign<'_>,
    uid: &str,
    rights: &ForeignRights,
    cancel: &Cancel,
) -> Result<RoaringBitmap, ServiceError> {
    if *rights != ForeignRights::Whole
        && let Some(HiddenAttribute { name, place }) =
            hidden(foreign.typed_settings(), condition.filter.condition())
    {
        let message = format!(
            "Attribute `{name}` is not one of the `displayedAttributes`, so `_foreign` cannot use it."
        );
        let error = ServiceError::new(Code::InvalidDocumentFilter, place.error(message));
        return Err(error.in_index(uid));
    }
    search::filtering::matching(foreign, &condition.filter, cancel)
        .map_err(|error| documents_failure(error).in_index(uid))
}

/// Returns the documents that a token lets its holder see; none if all. A rule about a third index
/// could lead back to this one, so it shows nothing.
pub(super) fn seen(
    foreign: &Snapshot,
    uid: &str,
    rights: &ForeignRights,
    snapshots: &Snapshots<'_>,
    cancel: &Cancel,
) -> Result<Option<RoaringBitmap>, ServiceError> {
    let ForeignRights::Displayed { filter: Some(rule) } = rights else { return Ok(None) };
    let rule = Filter::from_json(rule)
        .map_err(|error| ServiceError::new(Code::InvalidSearchFilter, error.to_string()))?;
    let Some(rule) = rule else { return Ok(None) };
    if !rule.foreign().is_empty() {
        return Ok(Some(RoaringBitmap::new()));
    }
    let rule = match rule.names_shards() {
        true => snapshots.placements().resolved(rule, foreign)?,
        false => rule,
    };
    search::filtering::matching(foreign, &rule, cancel)
        .map(Some)
        .map_err(|error| search_failure(error).in_index(uid))
}

fn ids_of(snapshot: &Snapshot, documents: &RoaringBitmap) -> Result<Vec<String>, ServiceError> {
    let mut texts = Vec::with_capacity(documents.len() as usize);
    snapshot
        .for_each_document(documents, |_, json| {
            texts.push(json.to_owned());
            Ok::<(), SegmentError>(())
        })
        .map_err(index_failure)?;
    let Some(key) = snapshot.primary_key().map(PrimaryKey::new) else { return Ok(Vec::new()) };
    texts.iter().map(|json| Ok(key.id_of(&Document::parse(json)?)?)).collect()
}
