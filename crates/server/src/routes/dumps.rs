//! Enqueues a dump. The body of the request is ignored.

use ::tasks::Content;
use axum::http::StatusCode;
use engine::WriteContext;

use super::tasks::wire::enqueued;
use crate::app::App;
use crate::call::{Answer, Call};
use crate::routes::usage;

pub async fn create(app: App, call: Call) -> Answer {
    app.record(&call.headers, usage::dump_created);
    // Concerns this instance only, whichever member leads the network.
    let content = Content::DumpCreation { instance_uid: None };
    let task = app.blocking(|engine| engine.enqueue(content, WriteContext::default())).await?;
    Ok(enqueued(StatusCode::ACCEPTED, &task))
}
