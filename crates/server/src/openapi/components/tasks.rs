//! Tasks and batches, and the error that both can have.

use model::Code;
use tasks::{Status, TaskType};

use super::Named;
use crate::openapi::schema::{
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
        always("message", text(), "What is wrong, for people."),
        always("code", one_of(&codes), "What is wrong, for programs. It never changes."),
        always(
            "type",
            one_of(&["invalid_request", "internal", "auth", "system"]),
            "Whose fault it is.",
        ),
        always("link", text(), "Where the code is explained."),
    ])
}

pub fn enqueued_members() -> [Member; 6] {
    [
        always("taskUid", integer(), "Number of the task, for `GET /tasks/{uid}`."),
        always("indexUid", text().or_null(), "Null for tasks of the whole instance."),
        always("status", named("TaskStatus"), ""),
        always("type", named("TaskType"), ""),
        always("enqueuedAt", date(), ""),
        maybe("customMetadata", text(), "As the request gave it."),
    ]
}

fn task() -> super::Schema {
    let remote_task = object([
        maybe("taskUid", integer(), "Number of the task over there, once it is taken."),
        always("error", named("Error").or_null(), "Why it is not taken."),
    ]);
    let origin = object([
        always("remoteName", text(), "The leader."),
        always("taskUid", integer(), "Number of the task at the leader."),
        always("networkVersion", text(), "Version of the network that the task was sent for."),
    ]);
    object([
        always("uid", integer(), ""),
        always("batchUid", integer().or_null(), "Null while it waits."),
        always("indexUid", text().or_null(), "Null for tasks of the whole instance."),
        always("status", named("TaskStatus"), ""),
        always("type", named("TaskType"), ""),
        always("canceledBy", integer().or_null(), "The task that canceled it."),
        maybe("details", open(), "What it was to do and what it did, by its type."),
        always("error", named("Error").or_null(), "Why it failed."),
        always("duration", text().or_null(), "ISO 8601, from start to end."),
        always("enqueuedAt", date(), ""),
        always("startedAt", date().or_null(), ""),
        always("finishedAt", date().or_null(), ""),
        maybe(
            "network",
            object([
                maybe("origin", origin, "At members: where the task came from."),
                maybe("remote_tasks", map(remote_task), "At the leader: who has it."),
                maybe("network_version", text(), "At the leader: the version it was sent for."),
            ]),
            "Only in a network with a leader.",
        ),
        maybe("customMetadata", text(), "As the request gave it."),
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
        always("steps", list(step), "The outermost first."),
        always("percentage", number(), "Of the whole, 0 to 100."),
    ]);
    let stats = object([
        always("totalNbTasks", integer(), ""),
        counts("status", "Tasks by status."),
        counts("types", "Tasks by type."),
        counts("indexUids", "Tasks by index."),
        maybe("progressTrace", map(text()), "Time of each step."),
        maybe(
            "writeChannelCongestion",
            map(anything()),
            "Attempts to write to the index, and those that had to wait for a merge.",
        ),
        maybe("internalDatabaseSizes", map(text()), "Sizes that changed, by kind of file."),
        maybe("embedderRequests", map(anything()), "Calls of embedders: total, failed, lastError."),
    ]);
    object([
        always("uid", integer(), ""),
        always("progress", progress.or_null(), "Null once it has finished."),
        always("details", open(), "Those of its tasks, merged."),
        always("stats", stats, ""),
        always("duration", text().or_null(), "ISO 8601."),
        always("startedAt", date(), ""),
        always("finishedAt", date().or_null(), ""),
        always("batchStrategy", text(), "Why it did not take more tasks."),
    ])
}

/// A page of a list that is walked by uid.
pub fn list_of(items: super::Schema) -> super::Schema {
    object([
        always("results", list(items), ""),
        always("total", integer(), "How many there are, whatever the page."),
        always("limit", integer(), ""),
        always("from", integer().or_null(), "Uid of the first."),
        always("next", integer().or_null(), "What to pass as `from` for the next page."),
    ])
}
