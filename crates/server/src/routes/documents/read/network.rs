//! Reads documents of several instances: the answers between instances, and those to clients.

use engine::{DocumentView, ListDocuments, ListedDocuments, Page};
use model::{Code, IndexUid, ServiceError};
use remote_search::{FanOut, merge_documents};
use serde_json::json;

use super::{envelope, queued};
use crate::app::App;
use crate::http::error::Links;
use crate::routes::on_network;

/// Answers another instance with the documents of this one and their sort keys.
pub async fn part(
    app: &App,
    uid: IndexUid,
    request: ListDocuments,
) -> Result<String, ServiceError> {
    let ListDocuments { offset, limit, .. } = request;
    let listed = listed(app, uid, request).await?;
    let mut order = Vec::with_capacity(listed.documents.len());
    let mut results = Vec::with_capacity(listed.documents.len());
    for document in listed.documents {
        order.push(json!({"parts": document.parts, "number": document.number}));
        results.push(document.json);
    }
    let page = Page { results, offset, limit, total: listed.total as usize };
    Ok(envelope(&page, &format!(",\"order\":{}", json!(order))))
}

pub async fn page(
    app: &App,
    links: &Links,
    uid: IndexUid,
    request: ListDocuments,
    fan_out: FanOut,
) -> Result<String, ServiceError> {
    let asked = app.remotes.ask_documents(&fan_out, &uid, &request);
    let own = own_part(app, uid.clone(), &request, &fan_out).await?;
    let ask = |others: &FanOut| app.remotes.ask_documents(others, &uid, &request);
    let (remotes, errors) = app.remotes.gather(&fan_out, asked, ask).await;
    let page = merge_documents(&fan_out, &request, own, remotes);
    let errors = match errors.is_empty() {
        true => String::new(),
        false => format!(",\"remoteErrors\":{}", json!(on_network::shown(&errors, links))),
    };
    Ok(envelope(&page, &errors))
}

/// Finds a document on any instance. If none has it and one did not answer, it is unknown whether
/// the document exists.
pub async fn one(
    app: &App,
    uid: IndexUid,
    id: String,
    view: DocumentView,
    fan_out: FanOut,
) -> Result<String, ServiceError> {
    let not_found =
        ServiceError::new(Code::DocumentNotFound, format!("Document `{id}` not found."));
    if document::document_id(&json!(id)).is_err() {
        return Err(not_found);
    }
    let request = ListDocuments { limit: 1, ids: Some(vec![id]), view, ..ListDocuments::default() };
    let own = own_part(app, uid.clone(), &request, &fan_out).await?;
    let found = own.and_then(|own| own.documents.into_iter().next());
    if let Some(document) = found {
        return Ok(document.json);
    }
    let ask = |others: &FanOut| app.remotes.ask_documents(others, &uid, &request);
    let (remotes, errors) = app.remotes.gather(&fan_out, ask(&fan_out), ask).await;
    let page = merge_documents(&fan_out, &request, None, remotes);
    match page.results.into_iter().next() {
        Some(document) => Ok(document),
        None => Err(errors.into_values().next().unwrap_or(not_found)),
    }
}

/// Returns the page of this instance, from its first document on; empty if it is not asked.
async fn own_part(
    app: &App,
    uid: IndexUid,
    request: &ListDocuments,
    fan_out: &FanOut,
) -> Result<Option<ListedDocuments>, ServiceError> {
    let Some(share) = &fan_out.here else { return Ok(None) };
    let part = ListDocuments {
        offset: 0,
        limit: request.offset.saturating_add(request.limit),
        filter: share.narrowed(request.filter.clone()),
        ..request.clone()
    };
    match listed(app, uid.clone(), part).await {
        // Worded for the filter that the client sent.
        Err(error) if error.code == Code::InvalidDocumentFilter => {
            Err(listed(app, uid, request.clone()).await.err().unwrap_or(error))
        }
        own => own.map(Some),
    }
}

async fn listed(
    app: &App,
    uid: IndexUid,
    request: ListDocuments,
) -> Result<ListedDocuments, ServiceError> {
    queued(app, move |engine, cancel| engine.documents().list_compared(&uid, &request, cancel))
        .await
}
