//! Replaces ids in hits by the documents of other indexes. The hits are JSON text: ids are found in
//! it, documents are read index by index, and both are joined.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use document::{FieldSelection, Reference, references};
use index::{DocId, Snapshot};
use model::{Cancel, ServiceError};
use roaring::RoaringBitmap;
use search::SearchError;
use settings::ForeignKey;

use super::filters::seen;
use super::{ForeignRights, Snapshots};
use crate::common::search_failure;

/// Maximum of ids replaced per page; those after it stay as they are. A few hits can hold any
/// number of ids, and each stands for a whole document.
const MAX_IDS: usize = 100_000;

/// Shown for an id without a document.
const MISSING_DOCUMENT: &str = "{}";

/// Returns the JSON array of hits with the documents that `keys` lead to. An index is only opened
/// if hits hold ids of it. Ids stay as they are if the caller may not search their index; documents
/// that a token hides are shown like missing ones.
pub(crate) fn with_foreign_documents(
    hits: String,
    keys: &[ForeignKey],
    snapshots: &mut Snapshots<'_>,
    cancel: &Cancel,
) -> Result<String, ServiceError> {
    if keys.is_empty() {
        return Ok(hits);
    }
    let found = references(&hits, &paths(keys))?;
    let found = found.get(..MAX_IDS).unwrap_or(&found);
    let mut wanted: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for reference in found {
        if let Some(uid) = foreign_uid(keys, reference) {
            wanted.entry(uid).or_default().insert(&reference.id);
        }
    }
    let mut documents = HashMap::with_capacity(wanted.len());
    for (uid, ids) in wanted {
        let rights = snapshots.rights_to(uid);
        if rights == ForeignRights::Denied {
            continue;
        }
        let foreign = snapshots.of(uid)?;
        let seen = seen(&foreign, uid, &rights, snapshots, cancel)?;
        let read = read(&foreign, &ids, seen.as_ref(), cancel);
        documents.insert(uid, read.map_err(|error| search_failure(error).in_index(uid))?);
    }
    Ok(spliced(&hits, found, |reference| {
        let document = documents.get(foreign_uid(keys, reference)?)?.get(reference.id.as_str());
        Some(document.map_or(MISSING_DOCUMENT, String::as_str))
    }))
}

/// Returns the paths of each key in a hit and in `_formatted`, which shows the same fields.
fn paths(keys: &[ForeignKey]) -> Vec<String> {
    keys.iter()
        .flat_map(|key| [key.field_name.clone(), format!("_formatted.{}", key.field_name)])
        .collect()
}

fn foreign_uid<'k>(keys: &'k [ForeignKey], reference: &Reference) -> Option<&'k str> {
    keys.get(reference.path / 2).map(|key| key.foreign_index_uid.as_str())
}

/// Reads the displayed part of the documents with these ids, by id. `seen` are the documents that
/// the caller may see, if not all.
fn read<'i>(
    snapshot: &Snapshot,
    ids: &BTreeSet<&'i str>,
    seen: Option<&RoaringBitmap>,
    cancel: &Cancel,
) -> Result<HashMap<&'i str, String>, SearchError> {
    let mut id_of: HashMap<DocId, &str> = HashMap::with_capacity(ids.len());
    for id in ids {
        let found = snapshot.doc_id(id)?;
        if let Some(doc_id) = found.filter(|id| seen.is_none_or(|seen| seen.contains(*id))) {
            id_of.insert(doc_id, id);
        }
    }
    let selection = match &snapshot.typed_settings().displayed_attributes {
        Some(names) => FieldSelection::names(names.clone()),
        None => FieldSelection::all(),
    };
    let wanted: RoaringBitmap = id_of.keys().copied().collect();
    let mut documents = HashMap::with_capacity(id_of.len());
    snapshot.for_each_document(&wanted, |doc_id, json| {
        cancel.check()?;
        if let Some(id) = id_of.get(&doc_id) {
            let shown = selection.project(json, &|name| snapshot.knows_field(name));
            documents.insert(*id, shown);
        }
        Ok::<_, SearchError>(())
    })?;
    Ok(documents)
}

/// Replaces the references in the text by the result of `replacement`.
fn spliced<'r>(
    text: &str,
    found: &[Reference],
    replacement: impl Fn(&Reference) -> Option<&'r str>,
) -> String {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for reference in found {
        if let Some(replacement) = replacement(reference) {
            out.push_str(text.get(copied..reference.place.start).unwrap_or_default());
            out.push_str(replacement);
            copied = reference.place.end;
        }
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_around_replaced_ids_stays() {
        let keys = [("by", "people"), ("of.whom", "others"), ("by", "never")].map(|(name, uid)| {
            ForeignKey { foreign_index_uid: uid.into(), field_name: name.into() }
        });
        let hits = concat!(
            r#"[{"n":1.50,"by":["a",null,"b"],"of":{"whom":3}},"#,
            r#"{"by":7,"_formatted":{"by":"<em>7</em>","of":{"whom":"3"}}}]"#
        );
        let found = references(hits, &paths(&keys)).unwrap();
        let shown = spliced(hits, &found, |reference| match foreign_uid(&keys, reference)? {
            "people" => Some(MISSING_DOCUMENT),
            "others" => Some(r#"{"x":"é"}"#),
            _ => None,
        });
        let expected = concat!(
            r#"[{"n":1.50,"by":[{},null,{}],"of":{"whom":{"x":"é"}}},"#,
            r#"{"by":{},"_formatted":{"by":"<em>7</em>","of":{"whom":{"x":"é"}}}}]"#
        );
        assert_eq!(shown, expected);
        // References without a replacement stay.
        assert_eq!(spliced(hits, &found, |_| None), hits);
    }
}
