//! Reads and lists documents, each answer from one snapshot.

use std::borrow::Cow;
use std::sync::Arc;

use document::{FieldSelection, VECTORS_FIELD};
use filter::Filter;
use index::{DocId, Snapshot};
use model::{Cancel, Code, ServiceError};
use roaring::RoaringBitmap;
use search::federation::SortKey;
use serde_json::Value;

use super::filters::{parse_filter, parse_sort, resolved};
use super::foreign::{ForeignAccess, Snapshots};
use crate::common::documents_failure;
use crate::common::failure::index_failure;
use crate::common::page::Page;
use crate::indexes::Indexes;
use crate::models::embedding::{ShownData, add_vectors};
use crate::storage::feature_store::FeatureStore;

/// Fields of a document to show.
#[derive(Debug, Clone, Default)]
pub struct DocumentView {
    /// All fields if absent.
    pub fields: Option<Vec<String>>,
    pub retrieve_vectors: bool,
}

#[derive(Debug, Clone, Default)]
pub struct ListDocuments {
    pub offset: usize,
    pub limit: usize,
    /// Ids to list; unknown ones are skipped.
    pub ids: Option<Vec<String>>,
    /// Filter in one of its JSON forms.
    pub filter: Option<Value>,
    /// Sort expressions; without any, the index's own order.
    pub sort: Vec<String>,
    pub view: DocumentView,
    /// Foreign documents the caller may use in filters.
    pub foreign: ForeignAccess,
}

/// Listed documents, with their sort values.
#[derive(Debug)]
pub struct ListedDocuments {
    pub documents: Vec<ListedDocument>,
    /// Total, including those not listed.
    pub total: u64,
}

#[derive(Debug)]
pub struct ListedDocument {
    /// Sort values; empty if the list is not sorted.
    pub parts: Vec<SortKey>,
    /// Number in the index's own order.
    pub number: u32,
    pub json: String,
}

impl DocumentView {
    fn selection(&self) -> FieldSelection {
        match &self.fields {
            Some(names) => FieldSelection::names(names.clone()),
            None => FieldSelection::all(),
        }
    }

    /// Returns the shown part of a stored document.
    fn show(
        &self,
        selection: &FieldSelection,
        snapshot: &Snapshot,
        doc_id: DocId,
        json: &str,
    ) -> Result<String, ServiceError> {
        let mut shown = selection.project(json, &|name| snapshot.knows_field(name));
        if self.retrieve_vectors {
            let names = self.fields.as_ref();
            let data = match names.is_none_or(|names| names.iter().any(|n| n == VECTORS_FIELD)) {
                true => ShownData::Shown,
                false => ShownData::LeftOut,
            };
            add_vectors(snapshot, doc_id, json, data, &mut shown)?;
        }
        Ok(shown)
    }
}

/// Reads documents of indexes.
#[derive(Debug)]
pub struct DocumentReader {
    pub(crate) indexes: Arc<Indexes>,
    pub(crate) features: Arc<FeatureStore>,
}

impl DocumentReader {
    /// Returns one document as JSON.
    pub fn get(&self, uid: &str, id: &str, view: &DocumentView) -> Result<String, ServiceError> {
        let mut snapshots = Snapshots::new(&self.indexes);
        let snapshot = snapshots.of(uid)?;
        snapshots.answered(shown_document(&snapshot, id, view))
    }

    /// Returns a page of documents as JSON. It is cancelled when the client is gone.
    pub fn list(
        &self,
        uid: &str,
        request: &ListDocuments,
        cancel: &Cancel,
    ) -> Result<Page<String>, ServiceError> {
        let ListDocuments { offset, limit, .. } = *request;
        let listed = self.listed(uid, request, Listing::Shown, cancel)?;
        let results = listed.documents.into_iter().map(|document| document.json).collect();
        Ok(Page { results, offset, limit, total: listed.total as usize })
    }

    /// Like `list`, with the sort values of each document, to merge lists of several instances.
    pub fn list_compared(
        &self,
        uid: &str,
        request: &ListDocuments,
        cancel: &Cancel,
    ) -> Result<ListedDocuments, ServiceError> {
        self.listed(uid, request, Listing::Compared, cancel)
    }

    fn listed(
        &self,
        uid: &str,
        request: &ListDocuments,
        listing: Listing,
        cancel: &Cancel,
    ) -> Result<ListedDocuments, ServiceError> {
        let mut snapshots = Snapshots::for_caller(&self.indexes, &request.foreign);
        let listed = self.list_in(&mut snapshots, uid, request, listing, cancel);
        snapshots.answered(listed)
    }

    fn list_in(
        &self,
        snapshots: &mut Snapshots<'_>,
        uid: &str,
        request: &ListDocuments,
        listing: Listing,
        cancel: &Cancel,
    ) -> Result<ListedDocuments, ServiceError> {
        let window = (request.offset, request.limit);
        let sort = parse_sort(&request.sort, Code::InvalidDocumentSort)?;
        let snapshot = snapshots.of(uid)?;
        let matching = self.matching(uid, &snapshot, snapshots, request, cancel)?;
        let bare = |doc_id| (doc_id, Vec::new());
        let page: Vec<(DocId, Vec<SortKey>)> = match (sort.as_slice(), listing) {
            ([], _) => windowed(&matching, window).map(bare).collect(),
            (sort, Listing::Shown) => {
                let sorted = search::sort::order(&snapshot, &matching, sort, window, cancel);
                sorted.map_err(documents_failure)?.into_iter().map(bare).collect()
            }
            (sort, Listing::Compared) => {
                search::sort::order_with_sort_keys(&snapshot, &matching, sort, window, cancel)
                    .map_err(documents_failure)?
            }
        };
        let selection = request.view.selection();
        let mut documents = Vec::new();
        for (doc_id, parts) in page {
            if let Some(json) = snapshot.document(doc_id).map_err(index_failure)? {
                let json = request.view.show(&selection, &snapshot, doc_id, &json)?;
                documents.push(ListedDocument { parts, number: doc_id, json });
            }
        }
        Ok(ListedDocuments { documents, total: matching.len() })
    }

    /// Returns the documents that a page is cut from.
    fn matching<'s>(
        &self,
        uid: &str,
        snapshot: &'s Snapshot,
        snapshots: &mut Snapshots<'_>,
        request: &ListDocuments,
        cancel: &Cancel,
    ) -> Result<Cow<'s, RoaringBitmap>, ServiceError> {
        let code = Code::InvalidDocumentFilter;
        let filter = parse_filter(request.filter.as_ref(), &self.features.current(), code)?;
        let pass = |filter: Filter| {
            let filter = resolved(filter, uid, snapshots, cancel)?;
            search::filtering::matching(snapshot, &filter, cancel).map_err(documents_failure)
        };
        let passing = filter.map(pass).transpose()?;
        let wanted = match &request.ids {
            Some(ids) => Some(find_all(snapshot, ids)?),
            None => None,
        };
        Ok(match (passing, wanted) {
            (Some(passing), Some(wanted)) => Cow::Owned(passing & wanted),
            (Some(one), None) | (None, Some(one)) => Cow::Owned(one),
            (None, None) => Cow::Borrowed(snapshot.live()),
        })
    }
}

fn shown_document(
    snapshot: &Snapshot,
    id: &str,
    view: &DocumentView,
) -> Result<String, ServiceError> {
    let not_found =
        || ServiceError::new(Code::DocumentNotFound, format!("Document `{id}` not found."));
    let doc_id = snapshot.doc_id(id).map_err(index_failure)?.ok_or_else(not_found)?;
    let json = snapshot.document(doc_id).map_err(index_failure)?.ok_or_else(not_found)?;
    view.show(&view.selection(), snapshot, doc_id, &json)
}

fn find_all(snapshot: &Snapshot, ids: &[String]) -> Result<RoaringBitmap, ServiceError> {
    let mut found = RoaringBitmap::new();
    for id in ids {
        if let Some(doc_id) = snapshot.doc_id(id).map_err(index_failure)? {
            found.insert(doc_id);
        }
    }
    Ok(found)
}

/// Purpose of a list.
#[derive(Debug, Clone, Copy)]
enum Listing {
    Shown,
    /// To be merged with lists of other instances.
    Compared,
}

/// Returns a window, jumping to the offset instead of counting up to it.
fn windowed(
    matching: &RoaringBitmap,
    (offset, limit): (usize, usize),
) -> impl Iterator<Item = DocId> + '_ {
    let first = u32::try_from(offset).ok().and_then(|offset| matching.select(offset));
    first.into_iter().flat_map(|first| matching.range(first..)).take(limit)
}
