//! Deletes documents: one, a list, by filter, all. Each request only enqueues a task.

use ::tasks::Content;
use axum::http::StatusCode;
use deserr::{Deserr, ValuePointerRef};
use engine::WriteContext;
use serde_json::Value;

use super::{Metadata, empty_filter};
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::field_error::{FieldError, body_code};
use crate::http::json::BodyError;
use crate::routes::tasks::wire::enqueued;
use crate::routes::usage::{self, DeletionScope};

pub async fn one(app: App, call: Call) -> Answer {
    let metadata: Metadata = call.parameters()?;
    let index_uid = call.index_uid()?.into_string();
    let ids = vec![call.param("id").to_owned()];
    app.record(&call.headers, || usage::documents_deleted(DeletionScope::One));
    let sent = call.sent(&app.engine, metadata.custom_metadata)?;
    enqueue(&app, Content::DocumentDeletion { index_uid, ids }, sent).await
}

pub async fn batch(app: App, mut call: Call) -> Answer {
    let metadata: Metadata = call.parameters()?;
    let values: Vec<Value> = call.typed_json().await?;
    let index_uid = call.index_uid()?.into_string();
    let ids = values.into_iter().map(id_text).collect();
    app.record(&call.headers, || usage::documents_deleted(DeletionScope::Batch));
    let sent = call.sent(&app.engine, metadata.custom_metadata)?;
    enqueue(&app, Content::DocumentDeletion { index_uid, ids }, sent).await
}

/// Returns an id as text; ids that are not strings are written as JSON.
fn id_text(value: Value) -> String {
    match value {
        Value::String(id) => id,
        other => other.to_string(),
    }
}

#[derive(Debug, Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields)]
struct ByFilter {
    #[deserr(error = body_code!(InvalidDocumentFilter), missing_field_error = missing_filter)]
    filter: Value,
}

fn missing_filter(field: &str, at: ValuePointerRef<'_>) -> body_code!(MissingDocumentFilter) {
    FieldError::missing(field, at)
}

pub async fn by_filter(app: App, mut call: Call) -> Answer {
    let metadata: Metadata = call.parameters()?;
    let ByFilter { filter } = call.json().await?;
    let index_uid = call.index_uid()?.into_string();
    app.record(&call.headers, || usage::documents_deleted(DeletionScope::Filter));
    let sent = call.sent(&app.engine, metadata.custom_metadata)?;
    let task = app
        .blocking(move |engine| {
            if !engine.is_filtering(&filter)? {
                return Err(empty_filter());
            }
            let content = Content::DocumentDeletionByFilter { index_uid, filter };
            engine.enqueue(content, sent)
        })
        .await?;
    Ok(enqueued(StatusCode::ACCEPTED, &task))
}

pub async fn all(app: App, call: Call) -> Answer {
    let metadata: Metadata = call.parameters()?;
    let index_uid = call.index_uid()?.into_string();
    app.record(&call.headers, || usage::documents_deleted(DeletionScope::All));
    let sent = call.sent(&app.engine, metadata.custom_metadata)?;
    enqueue(&app, Content::DocumentClear { index_uid }, sent).await
}

async fn enqueue(app: &App, content: Content, sent: WriteContext) -> Answer {
    let task = app.blocking(move |engine| engine.enqueue(content, sent)).await?;
    Ok(enqueued(StatusCode::ACCEPTED, &task))
}
