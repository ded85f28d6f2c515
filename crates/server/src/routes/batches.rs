//! `/batches`: groups of tasks that ran together, with their statistics.

use ::tasks::{BatchView, ProgressView, Stats};
use model::timestamp::{iso8601_duration, rfc3339};
use model::{Code, ServiceError};
use serde::Serialize;
use serde_json::{Map, Value};

use super::tasks::filter::ListParameters;
use super::tasks::wire::TaskPage;
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;

/// The JSON form of a batch.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BatchObject<'a> {
    uid: u32,
    progress: Option<&'a ProgressView>,
    details: &'a Map<String, Value>,
    stats: &'a Stats,
    duration: Option<String>,
    started_at: String,
    finished_at: Option<String>,
    batch_strategy: &'a str,
}

impl<'a> From<&'a BatchView> for BatchObject<'a> {
    fn from(batch: &'a BatchView) -> Self {
        Self {
            uid: batch.uid,
            progress: batch.progress.as_ref(),
            details: &batch.details,
            stats: &batch.stats,
            duration: batch.duration().map(iso8601_duration),
            started_at: rfc3339(batch.started_at),
            finished_at: batch.finished_at.map(rfc3339),
            batch_strategy: &batch.strategy,
        }
    }
}

pub async fn list(app: App, call: Call) -> Answer {
    let query = call.parameters::<ListParameters>()?.query();
    let access = call.access;
    let page = app.blocking(move |engine| engine.batches(&access, &query)).await?;
    Ok(answer::ok(&TaskPage {
        results: page.results.iter().map(BatchObject::from).collect(),
        total: page.total,
        limit: page.limit,
        from: page.from,
        next: page.next,
    }))
}

pub async fn get(app: App, call: Call) -> Answer {
    let text = call.param("uid");
    let uid: u32 = text.parse().map_err(|_| invalid_uid(text))?;
    let access = call.access;
    let batch = app.blocking(move |engine| engine.batch(&access, uid)).await?;
    Ok(answer::ok(&BatchObject::from(&batch)))
}

pub(crate) fn invalid_uid(text: &str) -> ServiceError {
    ServiceError::new(
        Code::InvalidBatchUids,
        format!("Batch uid `{text}` is invalid. It should only contain numeric characters."),
    )
}
