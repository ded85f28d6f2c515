//! Asking for a snapshot. Whatever is sent along says nothing.

use ::tasks::Content;
use axum::http::StatusCode;
use engine::WriteContext;
use telemetry::Event;
use telemetry::events::Happened;

use super::tasks::wire::enqueued;
use crate::app::App;
use crate::call::{Answer, Call};

pub async fn create(app: App, call: Call) -> Answer {
    app.record(&call.headers, || Event::SnapshotCreated(Happened));
    // Of this instance only, whoever leads.
    let enqueue =
        app.blocking(|engine| engine.enqueue(Content::SnapshotCreation, WriteContext::default()));
    Ok(enqueued(StatusCode::ACCEPTED, &enqueue.await?))
}
