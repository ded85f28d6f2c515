//! Rights of a limited caller as sent to other instances, which answer with the key of the network
//! and could usually see everything.

use std::collections::BTreeMap;

use super::{ForeignAccess, ForeignRights};
use crate::indexes::Indexes;

/// Returns the rights to the foreign indexes of these indexes, as JSON; none for a caller who may
/// see all indexes. An index that is not listed is denied.
pub fn foreign_rights_json<'q>(
    indexes: &Indexes,
    asked: impl Iterator<Item = (&'q str, &'q ForeignAccess)>,
) -> Option<String> {
    let mut told: Option<BTreeMap<String, ForeignRights>> = None;
    for (uid, caller) in asked.filter(|(_, caller)| caller.is_limited()) {
        let told = told.get_or_insert_default();
        let Ok(index) = indexes.index(uid) else { continue };
        for key in &index.snapshot().typed_settings().foreign_keys {
            let foreign_uid = &key.foreign_index_uid;
            told.insert(foreign_uid.clone(), caller.to_index(foreign_uid));
        }
    }
    serde_json::to_string(&told?).ok()
}
