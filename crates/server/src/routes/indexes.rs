//! Indexes: list, create, read, change, delete, compact.

use ::tasks::Content;
use axum::http::StatusCode;
use deserr::{Deserr, ValuePointerRef};
use engine::{IndexInfo, WriteContext};
use model::{Code, IndexUid, timestamp};
use serde::Serialize;

use super::damaged::name_damaged;
use super::paging::{PageParameters, PageReply};
use super::tasks::wire::enqueued;
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::http::field_error::{FieldError, body_code};
use crate::http::json::BodyError;
use crate::http::query::Param;
use crate::routes::usage;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct IndexObject {
    uid: String,
    created_at: String,
    updated_at: String,
    primary_key: Option<String>,
}

impl From<IndexInfo> for IndexObject {
    fn from(index: IndexInfo) -> Self {
        Self {
            uid: index.uid,
            created_at: timestamp::rfc3339(index.created_at),
            updated_at: timestamp::rfc3339(index.updated_at),
            primary_key: index.primary_key,
        }
    }
}

pub async fn list(app: App, call: Call) -> Answer {
    let PageParameters { offset: Param(offset), limit: Param(limit) } = call.parameters()?;
    let access = call.access;
    let list = app.blocking(move |engine| engine.indexes(&access, offset, limit)).await?;
    let mut response = answer::ok(&PageReply::<IndexObject> {
        results: list.results.into_iter().map(Into::into).collect(),
        offset,
        limit,
        total: list.total,
    });
    name_damaged(&mut response, &list.damaged);
    Ok(response)
}

#[derive(Debug, Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields)]
struct NewIndex {
    #[deserr(error = body_code!(InvalidIndexUid), missing_field_error = missing_uid)]
    uid: IndexUid,
    #[deserr(default, error = body_code!(InvalidIndexPrimaryKey))]
    primary_key: Option<String>,
}

fn missing_uid(field: &str, at: ValuePointerRef<'_>) -> body_code!(MissingIndexUid) {
    FieldError::missing(field, at)
}

pub async fn create(app: App, mut call: Call) -> Answer {
    let NewIndex { uid, primary_key } = call.json().await?;
    app.record(&call.headers, || usage::index_created(primary_key.as_deref()));
    call.access.check_index(&uid)?;
    let content = Content::IndexCreation { index_uid: uid.into_string(), primary_key };
    enqueue(&app, content, call.sent(&app.engine, None)?).await
}

pub async fn get(app: App, call: Call) -> Answer {
    let uid = call.index_uid()?;
    let index = app.blocking(move |engine| engine.index(&uid)).await?;
    Ok(answer::ok(&IndexObject::from(index)))
}

#[derive(Debug, Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields = unknown_in_change)]
struct IndexChange {
    #[deserr(default, error = body_code!(InvalidIndexPrimaryKey))]
    primary_key: Option<String>,
    // Read as text, because its error is worded without the location in the body.
    #[deserr(default, error = body_code!(InvalidIndexUid))]
    uid: Option<String>,
}

fn unknown_in_change(field: &str, accepted: &[&str], at: ValuePointerRef<'_>) -> BodyError {
    match field {
        "createdAt" => FieldError::immutable(field, accepted, Code::ImmutableIndexCreatedAt),
        "updatedAt" => FieldError::immutable(field, accepted, Code::ImmutableIndexUpdatedAt),
        _ => FieldError::unknown(field, accepted, at),
    }
}

pub async fn update(app: App, mut call: Call) -> Answer {
    let IndexChange { primary_key, uid: new_uid } = call.json().await?;
    let uid = call.index_uid()?;
    let new_uid = new_uid.map(IndexUid::new).transpose()?;
    app.record(&call.headers, || usage::index_updated(primary_key.as_deref()));
    if let Some(new_uid) = &new_uid {
        // A key must not rename an index to a name that it could not create.
        call.access.check_index(new_uid)?;
    }
    let content = Content::IndexUpdate {
        index_uid: uid.into_string(),
        primary_key,
        new_uid: new_uid.map(IndexUid::into_string),
    };
    enqueue(&app, content, call.sent(&app.engine, None)?).await
}

pub async fn delete(app: App, call: Call) -> Answer {
    let index_uid = call.index_uid()?.into_string();
    enqueue(&app, Content::IndexDeletion { index_uid }, call.sent(&app.engine, None)?).await
}

pub async fn compact(app: App, call: Call) -> Answer {
    let index_uid = call.index_uid()?.into_string();
    app.record(&call.headers, usage::index_compacted);
    // Concerns this instance only, whichever member leads the network.
    enqueue(&app, Content::IndexCompaction { index_uid }, WriteContext::default()).await
}

async fn enqueue(app: &App, content: Content, sent: WriteContext) -> Answer {
    let task = app.blocking(move |engine| engine.enqueue(content, sent)).await?;
    Ok(enqueued(StatusCode::ACCEPTED, &task))
}
