//! The JSON form of tasks. The order of members is part of the contract.

use std::collections::BTreeMap;

use ::tasks::{Page, Task, TaskNetwork};
use axum::http::StatusCode;
use axum::response::Response;
use model::timestamp::{iso8601_duration, rfc3339};
use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::http::answer;
use crate::http::error::{ErrorObject, Links};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TaskObject<'a> {
    uid: u32,
    batch_uid: Option<u32>,
    index_uid: Option<&'a str>,
    status: &'static str,
    r#type: &'static str,
    canceled_by: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Map<String, Value>>,
    error: Option<ErrorObject<'a>>,
    duration: Option<String>,
    enqueued_at: String,
    started_at: Option<String>,
    finished_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    network: Option<NetworkObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    custom_metadata: Option<&'a str>,
}

/// Where else in the network the task is.
// The names of the second form have underscores in the contract.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum NetworkObject<'a> {
    Origin { origin: OriginObject<'a> },
    Remotes { remote_tasks: BTreeMap<&'a str, RemoteTaskObject<'a>>, network_version: Uuid },
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct OriginObject<'a> {
    remote_name: &'a str,
    task_uid: u32,
    network_version: Uuid,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RemoteTaskObject<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    task_uid: Option<u32>,
    error: Option<ErrorObject<'a>>,
}

impl<'a> NetworkObject<'a> {
    fn new(network: &'a TaskNetwork, links: &Links) -> Self {
        match network {
            TaskNetwork::Origin(origin) => Self::Origin {
                origin: OriginObject {
                    remote_name: &origin.remote,
                    task_uid: origin.task_uid,
                    network_version: origin.network_version,
                },
            },
            TaskNetwork::Remotes { remote_tasks, network_version } => {
                let shown = remote_tasks.iter().map(|(name, task)| {
                    let error = task.error.as_ref().map(|error| ErrorObject::new(error, links));
                    (name.as_str(), RemoteTaskObject { task_uid: task.task_uid, error })
                });
                let (remote_tasks, network_version) = (shown.collect(), *network_version);
                Self::Remotes { remote_tasks, network_version }
            }
        }
    }
}

impl<'a> TaskObject<'a> {
    pub fn new(task: &'a Task, links: &Links) -> Self {
        Self {
            uid: task.uid,
            batch_uid: task.batch_uid,
            index_uid: task.index_uid(),
            status: task.status.name(),
            r#type: task.task_type().name(),
            canceled_by: task.canceled_by,
            details: task.details.to_json(),
            error: task.error.as_ref().map(|error| ErrorObject::new(error, links)),
            duration: task.duration().map(iso8601_duration),
            enqueued_at: rfc3339(task.enqueued_at),
            started_at: task.started_at.map(rfc3339),
            finished_at: task.finished_at.map(rfc3339),
            network: task.network.as_ref().map(|network| NetworkObject::new(network, links)),
            custom_metadata: task.custom_metadata.as_deref(),
        }
    }
}

/// The envelope of lists that are paged by uid.
#[derive(Debug, Serialize)]
pub(crate) struct TaskPage<T> {
    pub results: Vec<T>,
    pub total: u64,
    pub limit: u32,
    pub from: Option<u32>,
    pub next: Option<u32>,
}

impl<'a> TaskPage<TaskObject<'a>> {
    pub fn of_tasks(page: &'a Page<Task>, links: &Links) -> Self {
        Self {
            results: page.results.iter().map(|task| TaskObject::new(task, links)).collect(),
            total: page.total,
            limit: page.limit,
            from: page.from,
            next: page.next,
        }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EnqueuedTask<'a> {
    task_uid: u32,
    index_uid: Option<&'a str>,
    status: &'static str,
    r#type: &'static str,
    enqueued_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    custom_metadata: Option<&'a str>,
}

impl<'a> EnqueuedTask<'a> {
    pub fn new(task: &'a Task) -> Self {
        Self {
            task_uid: task.uid,
            index_uid: task.index_uid(),
            status: task.status.name(),
            r#type: task.task_type().name(),
            enqueued_at: rfc3339(task.enqueued_at),
            custom_metadata: task.custom_metadata.as_deref(),
        }
    }
}

/// Answers a request that enqueued a task.
pub(crate) fn enqueued(status: StatusCode, task: &Task) -> Response {
    answer::json(status, &EnqueuedTask::new(task))
}
