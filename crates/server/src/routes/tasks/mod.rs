//! Tasks: list, read, cancel, delete, their documents, and the compaction of their store.

pub mod filter;
pub mod stream;
pub mod wire;

use axum::http::StatusCode;
use engine::Engine;
use model::features::Feature;
use model::{Code, ServiceError, size};
use serde_json::json;

use self::filter::{ListParameters, TaskFilter};
use self::wire::{TaskObject, TaskPage, enqueued};
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::routes::usage;

pub async fn list(app: App, call: Call) -> Answer {
    let query = call.parameters::<ListParameters>()?.query();
    let access = call.access;
    let page = app.blocking(move |engine| engine.tasks(&access, &query)).await?;
    Ok(answer::ok(&TaskPage::of_tasks(&page, &call.links)))
}

pub async fn get(app: App, call: Call) -> Answer {
    let uid = task_uid(&call)?;
    let access = call.access;
    let task = app.blocking(move |engine| engine.task(&access, uid)).await?;
    Ok(answer::ok(&TaskObject::new(&task, &call.links)))
}

fn task_uid(call: &Call) -> Result<u32, ServiceError> {
    let text = call.param("uid");
    text.parse().map_err(|_| {
        ServiceError::new(
            Code::InvalidTaskUids,
            format!("Task uid `{text}` is invalid. It should only contain numeric characters."),
        )
    })
}

pub async fn documents(app: App, call: Call) -> Answer {
    app.engine
        .features()
        .check(Feature::get_task_documents_route, "Getting the documents of an enqueued task")?;
    let uid = task_uid(&call)?;
    let access = call.access;
    let ndjson = app.blocking(move |engine| engine.task_documents(&access, uid)).await?;
    Ok(answer::with_type(StatusCode::OK, answer::NDJSON, ndjson))
}

pub async fn cancel(app: App, call: Call) -> Answer {
    let filter: TaskFilter = call.parameters()?;
    filter.check_selects("cancel")?;
    app.record(&call.headers, || usage::tasks_canceled(&filter));
    let sent = sent_filter(&call);
    let access = call.access;
    let task =
        app.blocking(move |engine| engine.cancel_tasks(&access, filter.query(), sent)).await?;
    Ok(enqueued(StatusCode::OK, &task))
}

pub async fn delete(app: App, call: Call) -> Answer {
    let filter: TaskFilter = call.parameters()?;
    filter.check_selects("delete")?;
    app.record(&call.headers, || usage::tasks_deleted(&filter));
    let sent = sent_filter(&call);
    let access = call.access;
    let task =
        app.blocking(move |engine| engine.delete_tasks(&access, filter.query(), sent)).await?;
    Ok(enqueued(StatusCode::OK, &task))
}

/// Returns the filter as the task's details show it.
fn sent_filter(call: &Call) -> String {
    format!("?{}", call.query.as_deref().unwrap_or_default())
}

pub async fn compact(app: App, _call: Call) -> Answer {
    app.engine
        .features()
        .check(Feature::task_queue_compaction_route, "Using the /tasks/compact route")?;
    let (before, after) = match app.blocking(Engine::compact_tasks).await {
        Ok(sizes) => sizes,
        Err(error) => {
            tracing::error!("the task store could not be compacted: {}", error.message);
            let body = json!({ "status": "failed", "errorMessage": error.message });
            return Ok(answer::json(StatusCode::INTERNAL_SERVER_ERROR, &body));
        }
    };
    let body = json!({
        "preSize": size::human_binary(before),
        "postSize": size::human_binary(after),
        "status": "succeeded",
        "actionRequired": "you must restart your instance",
    });
    Ok(answer::ok(&body))
}
