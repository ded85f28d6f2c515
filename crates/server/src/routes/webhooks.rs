//! `/webhooks`: URLs to call when tasks have finished.

use std::collections::BTreeMap;

use ::tasks::Task;
use axum::http::StatusCode;
use deserr::{Deserr, ValuePointerRef};
use engine::webhooks::{LAUNCH_WEBHOOK, Webhook, WebhookChange};
use model::{Code, Patch, Secret, ServiceError};
use serde::Serialize;
use uuid::Uuid;

use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::http::error::Links;
use crate::http::field_error::{FieldError, body_code};
use crate::http::json::BodyError;
use crate::routes::tasks::wire::TaskObject;
use crate::routes::usage;

pub async fn list(app: App, _call: Call) -> Answer {
    let webhooks = app.engine.webhooks().list();
    let results = webhooks.iter().map(|(uuid, webhook)| WebhookObject::new(*uuid, webhook));
    Ok(answer::ok(&WebhookList { results: results.collect() }))
}

pub async fn get(app: App, call: Call) -> Answer {
    let uuid = uuid(&call)?;
    let webhook = app.engine.webhooks().get(uuid)?;
    Ok(answer::ok(&WebhookObject::new(uuid, &webhook)))
}

pub async fn create(app: App, mut call: Call) -> Answer {
    let body: WebhookBody = call.json().await?;
    let change = body.into_change(true);
    app.record(&call.headers, usage::webhook_created);
    let (uuid, webhook) = app.blocking(move |engine| engine.webhooks().create(change)).await?;
    Ok(answer::json(StatusCode::CREATED, &WebhookObject::new(uuid, &webhook)))
}

pub async fn update(app: App, mut call: Call) -> Answer {
    let body: WebhookBody = call.json().await?;
    let uuid = uuid(&call)?;
    let change = body.into_change(false);
    app.record(&call.headers, usage::webhook_updated);
    let webhook = app.blocking(move |engine| engine.webhooks().change(uuid, change)).await?;
    Ok(answer::ok(&WebhookObject::new(uuid, &webhook)))
}

pub async fn delete(app: App, call: Call) -> Answer {
    let uuid = uuid(&call)?;
    app.record(&call.headers, usage::webhook_updated);
    app.blocking(move |engine| engine.webhooks().delete(uuid)).await?;
    Ok(answer::empty(StatusCode::NO_CONTENT))
}

fn uuid(call: &Call) -> Result<Uuid, ServiceError> {
    let refused = |cause: uuid::Error| {
        ServiceError::new(Code::InvalidWebhookUuid, format!("Invalid UUID: {cause}"))
    };
    Uuid::parse_str(call.param("uuid")).map_err(refused)
}

#[derive(Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields = unknown_in_webhook)]
struct WebhookBody {
    #[deserr(default, error = body_code!(InvalidWebhookUrl))]
    url: Patch<String>,
    #[deserr(default, error = body_code!(InvalidWebhookHeaders))]
    headers: Patch<BTreeMap<String, Option<String>>>,
}

fn unknown_in_webhook(field: &str, accepted: &[&str], at: ValuePointerRef<'_>) -> BodyError {
    match field {
        "uuid" => FieldError::immutable(field, accepted, Code::ImmutableWebhookUuid),
        "isEditable" => FieldError::immutable(field, accepted, Code::ImmutableWebhookIsEditable),
        _ => FieldError::unknown(field, accepted, at),
    }
}

impl WebhookBody {
    fn into_change(self, is_new: bool) -> WebhookChange {
        let secret = |headers: BTreeMap<String, Option<String>>| {
            headers.into_iter().map(|(name, value)| (name, value.map(Secret::new))).collect()
        };
        WebhookChange { url: self.url, headers: self.headers.map(secret), is_new }
    }
}

#[derive(Serialize)]
struct WebhookList<'a> {
    results: Vec<WebhookObject<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WebhookObject<'a> {
    uuid: Uuid,
    is_editable: bool,
    url: String,
    headers: BTreeMap<&'a str, String>,
}

impl<'a> WebhookObject<'a> {
    fn new(uuid: Uuid, webhook: &'a Webhook) -> Self {
        Self {
            uuid,
            is_editable: uuid != LAUNCH_WEBHOOK,
            url: webhook.shown_url(),
            headers: webhook.shown_headers(),
        }
    }
}

/// Writes a task for webhooks, as one line of JSON.
pub fn write_task(task: &Task, line: &mut Vec<u8>) {
    // There is no request, so there is no host name that the receiver surely can resolve.
    let links = Links::new(Default::default(), None);
    // Serialising fails only on keys that are not strings, and wire types have none.
    if let Err(error) = serde_json::to_writer(&mut *line, &TaskObject::new(task, &links)) {
        tracing::error!("a task could not be written: {error}");
    }
    line.push(b'\n');
}
