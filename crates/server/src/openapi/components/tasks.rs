//! Schemas of tasks, batches and errors.

use model::Code;
use tasks::{Status, TaskType};

use super::Named;
use crate::schema::{
    Member, always, anything, date, integer, list, map, maybe, named, number, object, one_of, open,
    text,
};

pub fn all() -> Vec<Named> {
    vec![
        ("Error", error()),
        ("EnqueuedTask", object(enqueued_members())),
        ("Task", task()),
        ("Batch", batch()),
        ("TaskStatus", one_of(&statuses())),
        ("TaskType", one_of(&types())),
    ]
}

fn statuses() -> Vec<&'static str> {
    Status::ALL.iter().map(|status| status.name()).collect()
}

fn types() -> Vec<&'static str> {
    TaskType::ALL.iter().map(|kind| kind.name()).collect()
}

fn error() -> super::Schema {
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    object([
        always("message", text(), "Human-readable description of the error."),
        always("code", one_of(&codes), "Machine-readable error code, which is stable."),
        always("type", one_of(&["invalid_request", "internal", "auth", "system"]), "Error type."),
        always("link", text(), "Link to the documentation of the code."),
    ])
}

pub fn enqueued_members() -> [Member; 6] {
    [
        always("taskUid", integer(), "Uid of the task, for `GET /tasks/{uid}`."),
        always("indexUid", text().or_null(), "Null for tasks of the whole instance."),
        always("status", named("TaskStatus"), ""),
        always("type", named("TaskType"), ""),
        always("enqueuedAt", date(), ""),
        maybe("customMetadata", text(), "Metadata of the request."),
    ]
}

fn task() -> super::Schema {
    let remote_task = object([
        maybe("taskUid", integer(), "Uid of the task on the remote, once it is accepted."),
        always("error", named("Error").or_null(), "Why the remote did not accept the task."),
    ]);
    let origin = object([
        always("remoteName", text(), "Name of the leader."),
        always("taskUid", integer(), "Uid of the task on the leader."),
        always("networkVersion", text(), "Version of the network for which the task was sent."),
    ]);
    object([
        always("uid", integer(), ""),
        always("batchUid", integer().or_null(), "Null while the task is enqueued."),
        always("indexUid", text().or_null(), "Null for tasks of the whole instance."),
        always("status", named("TaskStatus"), ""),
        always("type", named("TaskType"), ""),
        always("canceledBy", integer().or_null(), "The task that canceled it."),
        maybe("details", open(), "Input and results of the task, depending on its type."),
        always("error", named("Error").or_null(), "Error of a failed task."),
        always("duration", text().or_null(), "Duration from start to end, in ISO 8601."),
        always("enqueuedAt", date(), ""),
        always("startedAt", date().or_null(), ""),
        always("finishedAt", date().or_null(), ""),
        maybe(
            "network",
            object([
                maybe("origin", origin, "On members: origin of the task."),
                maybe("remote_tasks", map(remote_task), "On the leader: the tasks of the members."),
                maybe("network_version", text(), "On the leader: version of the task's network."),
            ]),
            "Only in a network with a leader.",
        ),
        maybe("customMetadata", text(), "Metadata of the request."),
    ])
}

fn counts(name: &'static str, about: &'static str) -> Member {
    always(name, map(integer()), about)
}

fn batch() -> super::Schema {
    let step = object([
        always("currentStep", text(), ""),
        always("finished", integer(), ""),
        always("total", integer(), ""),
    ]);
    let progress = object([
        always("steps", list(step), "Steps, outermost first."),
        always("percentage", number(), "Overall progress from 0 to 100."),
    ]);
    let stats = object([
        always("totalNbTasks", integer(), ""),
        counts("status", "Number of tasks by status."),
        counts("types", "Number of tasks by type."),
        counts("indexUids", "Number of tasks by index."),
        maybe("progressTrace", map(text()), "Duration of each step."),
        maybe(
            "writeChannelCongestion",
            map(anything()),
            "Number of writes to the index, and of those that waited for a merge.",
        ),
        maybe("internalDatabaseSizes", map(text()), "Changed sizes by file type."),
        maybe("embedderRequests", map(anything()), "Calls of embedders: total, failed, lastError."),
    ]);
    object([
        always("uid", integer(), ""),
        always("progress", progress.or_null(), "Null once the batch has finished."),
        always("details", open(), "Merged details of the tasks of the batch."),
        always("stats", stats, ""),
        always("duration", text().or_null(), "Duration from start to end, in ISO 8601."),
        always("startedAt", date(), ""),
        always("finishedAt", date().or_null(), ""),
        always("batchStrategy", text(), "Why the batch does not contain more tasks."),
    ])
}

/// The schema of a page of a list that is paged by uid.
pub fn list_of(items: super::Schema) -> super::Schema {
    object([
        always("results", list(items), ""),
        always("total", integer(), "Total number of entries."),
        always("limit", integer(), ""),
        always("from", integer().or_null(), "Uid of the first entry of the page."),
        always("next", integer().or_null(), "Value of `from` for the next page."),
    ])
}
