//! Waits for tasks and reads their results.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use crate::error::CliError;
use crate::server::Server;

/// Number of uids per request; a query string must stay short.
const TOGETHER: usize = 500;
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// Answer to a request that enqueues a task.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EnqueuedTask {
    pub(crate) task_uid: u64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Task {
    pub(crate) uid: u64,
    pub(crate) status: String,
    pub(crate) error: Option<TaskError>,
    #[serde(default)]
    pub(crate) details: Value,
}

#[derive(Debug, Deserialize)]
pub(crate) struct TaskError {
    pub(crate) message: String,
    pub(crate) code: String,
}

impl Task {
    /// Returns why the task did not succeed.
    pub(crate) fn failure(&self) -> String {
        match &self.error {
            Some(error) => format!("{} ({})", error.message, error.code),
            None => format!("it was {}", self.status),
        }
    }
}

#[derive(Debug, Deserialize)]
struct Page {
    results: Vec<Task>,
    total: u64,
}

/// Waits until all tasks have finished and returns those that did not succeed, in order. `notice`
/// is called with the number left.
pub(crate) fn wait_for_all(
    server: &Server,
    uids: &[u64],
    mut on_progress: impl FnMut(u64),
) -> Result<Vec<Task>, CliError> {
    let mut failed = Vec::new();
    let mut waiting: u64 = uids.len() as u64;
    for group in uids.chunks(TOGETHER) {
        let list = group.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        let later = waiting - group.len() as u64;
        let mut pause = FIRST_PAUSE;
        loop {
            let path = format!("/tasks?uids={list}&statuses=enqueued,processing&limit=1");
            let unfinished: Page = server.get(&path)?;
            on_progress(later + unfinished.total);
            if unfinished.total == 0 {
                break;
            }
            server.wait(pause)?;
            pause = (pause * 3 / 2).min(LONGEST_PAUSE);
        }
        let limit = group.len();
        let path =
            format!("/tasks?uids={list}&statuses=failed,canceled&limit={limit}&reverse=true");
        failed.extend(server.get::<Page>(&path)?.results);
        waiting = later;
    }
    Ok(failed)
}

/// Waits for one task; returns an error if it did not succeed.
pub(crate) fn wait_for(server: &Server, task: &EnqueuedTask) -> Result<Task, CliError> {
    let uid = task.task_uid;
    wait_for_all(server, &[uid], |_| {})?;
    let task: Task = server.get(&format!("/tasks/{uid}"))?;
    if task.status == "succeeded" {
        return Ok(task);
    }
    Err(CliError::Failed(format!("task {uid}: {}", task.failure())))
}
