//! Figures of writes and reads of documents.

use axum::http::{HeaderMap, header};
use engine::{DocumentView, ListDocuments};
use telemetry::name;

use super::filter;

/// Which documents a request deletes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeletionScope {
    One,
    Batch,
    Filter,
    All,
}

telemetry::figures! {
    addition(headers: &HeaderMap, primary_key: Option<&str>, creates_index: bool) {
        "payload_type", "The different values of `Content-Type`, also those that were refused.",
            Names, content_type(headers).map(name);
        ..primary_key(primary_key);
        "index_creation", "Whether an index was made by that.", Any, creates_index;
    }

    primary_key(primary_key: Option<&str>) {
        "primary_key", "The different names of primary keys that requests set.", Names, primary_key.map(name);
    }

    edition(has_filter: bool, creates_index: bool) {
        "per_filter", "Whether a filter chose the documents.", Any, has_filter;
        "index_creation", "Whether there was no such index.", Any, creates_index;
    }

    deletion(scope: DeletionScope) {
        "per_document_id", "Whether one was deleted by its id.", Any, scope == DeletionScope::One;
        "per_batch", "Whether a list of them was.", Any, scope == DeletionScope::Batch;
        "per_filter", "Whether those of a filter were.", Any, scope == DeletionScope::Filter;
        "clear_all", "Whether all were.", Any, scope == DeletionScope::All;
    }

    fetch(view: &DocumentView, page: Option<&ListDocuments>) {
        "per_document_id", "Whether one was read by its id.", Any, page.is_none_or(|page| page.ids.is_some());
        "per_filter", "Whether a filter was used.", Any, page.is_some_and(|page| page.filter.is_some());
        "with_vector_filter", "Whether it filters by `_vectors`.", Any,
            page.is_some_and(|page| filter::names(page.filter.as_ref(), "_vectors"));
        "vector.retrieve_vectors", "Whether `retrieveVectors` was used.", Any, view.retrieve_vectors;
        "pagination.max_limit", "The most documents asked for at once.", Largest, page.map(|page| page.limit);
        "pagination.max_offset", "The most documents that were skipped.", Largest, page.map(|page| page.offset);
    }
}

/// Returns the content type as text.
fn content_type(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::CONTENT_TYPE)?.to_str().ok()
}
