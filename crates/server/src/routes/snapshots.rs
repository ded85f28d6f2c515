//! Enqueues a snapshot. The body of the request is ignored.

use ::tasks::Content;
use axum::http::StatusCode;
use engine::WriteContext;

use super::tasks::wire::enqueued;
use crate::app::App;
use crate::call::{Answer, Call};
use crate::routes::usage;

pub async fn create(app: App, call: Call) -> Answer {
    app.record(&call.headers, usage::snapshot_created);
    // Concerns this instance only, whichever member leads the network.
    let enqueue =
        app.blocking(|engine| engine.enqueue(Content::SnapshotCreation, WriteContext::default()));
    Ok(enqueued(StatusCode::ACCEPTED, &enqueue.await?))
}
