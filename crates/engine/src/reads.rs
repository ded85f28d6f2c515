//! Answers about documents, from one snapshot each.

use std::borrow::Cow;
use std::sync::atomic::AtomicBool;

use document::FieldSelection;
use filter::Filter;
use index::{DocId, Snapshot};
use model::{Code, ServiceError};
use roaring::RoaringBitmap;
use serde_json::Value;

use crate::failure::index_failure;
use crate::filters::{parse_filter, parse_sort};
use crate::search::documents_failure;
use crate::{Engine, Page};

/// Which fields of a document are shown.
#[derive(Debug, Clone, Default)]
pub struct DocumentView {
    /// All of them when absent.
    pub fields: Option<Vec<String>>,
    pub retrieve_vectors: bool,
}

#[derive(Debug, Clone, Default)]
pub struct ListDocuments {
    pub offset: usize,
    pub limit: usize,
    /// Only these; unknown ones are skipped.
    pub ids: Option<Vec<String>>,
    /// Only those that pass, in one of the JSON forms of a filter.
    pub filter: Option<Value>,
    /// None: the index's own order.
    pub sort: Vec<String>,
    pub view: DocumentView,
}

impl DocumentView {
    fn selection(&self) -> FieldSelection {
        let selection = match &self.fields {
            Some(names) => FieldSelection::names(names.clone()),
            None => FieldSelection::all(),
        };
        selection.with_vectors(self.retrieve_vectors)
    }
}

impl Engine {
    /// One document as JSON.
    pub fn document(
        &self,
        uid: &str,
        id: &str,
        view: &DocumentView,
    ) -> Result<String, ServiceError> {
        let snapshot = self.instance.index(uid)?.snapshot();
        let failed = |error| index_failure(&error);
        let found = match snapshot.doc_id(id).map_err(failed)? {
            Some(doc_id) => snapshot.document(doc_id).map_err(failed)?,
            None => None,
        };
        let json = found.ok_or_else(|| {
            ServiceError::new(Code::DocumentNotFound, format!("Document `{id}` not found."))
        })?;
        Ok(view.selection().project(&json, &|name| snapshot.knows_field(name)))
    }

    /// A page of documents as JSON. `cancelled` is set when nobody waits for it.
    pub fn documents(
        &self,
        uid: &str,
        request: &ListDocuments,
        cancelled: &AtomicBool,
    ) -> Result<Page<String>, ServiceError> {
        let ListDocuments { offset, limit, .. } = *request;
        let sort = parse_sort(&request.sort, Code::InvalidDocumentSort)?;
        let snapshot = self.instance.index(uid)?.snapshot();
        let matching = self.matching(&snapshot, request, cancelled)?;
        let page = match sort.as_slice() {
            [] => window(&matching, offset, limit).collect(),
            sort => search::sort::order(&snapshot, &matching, sort, (offset, limit), cancelled)
                .map_err(documents_failure)?,
        };
        let selection = request.view.selection();
        let mut results = Vec::new();
        for doc_id in page {
            if let Some(json) = snapshot.document(doc_id).map_err(|e| index_failure(&e))? {
                results.push(selection.project(&json, &|name| snapshot.knows_field(name)));
            }
        }
        Ok(Page { results, offset, limit, total: matching.len() as usize })
    }

    /// The documents that a page is cut from.
    fn matching<'s>(
        &self,
        snapshot: &'s Snapshot,
        request: &ListDocuments,
        cancelled: &AtomicBool,
    ) -> Result<Cow<'s, RoaringBitmap>, ServiceError> {
        let code = Code::InvalidDocumentFilter;
        let filter = parse_filter(request.filter.as_ref(), &self.features(), code)?;
        let pass = |filter: Filter| search::filtering::matching(snapshot, &filter, cancelled);
        let passing = filter.map(pass).transpose().map_err(documents_failure)?;
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

fn find_all(snapshot: &Snapshot, ids: &[String]) -> Result<RoaringBitmap, ServiceError> {
    let mut found = RoaringBitmap::new();
    for id in ids {
        if let Some(doc_id) = snapshot.doc_id(id).map_err(|error| index_failure(&error))? {
            found.insert(doc_id);
        }
    }
    Ok(found)
}

/// Jumps to the offset instead of counting up to it.
fn window(
    matching: &RoaringBitmap,
    offset: usize,
    limit: usize,
) -> impl Iterator<Item = DocId> + '_ {
    let first = u32::try_from(offset).ok().and_then(|offset| matching.select(offset));
    first.into_iter().flat_map(|first| matching.range(first..)).take(limit)
}
