//! Tasks and batches.

use model::Code;
use model::features::Feature;
use serde_json::json;

use crate::openapi::components::tasks::list_of;
use crate::openapi::operation::{EVENTS, NDJSON, Operation, delete, get, post};
use crate::openapi::schema::{
    Member, always, any_of, boolean, integer, list, maybe, named, object, one_of, text,
};

pub fn all() -> Vec<Operation> {
    vec![
        get("/tasks", "List tasks")
            .tells("The newest first.")
            .query(page())
            .query(choice())
            .answers(200, list_of(named("Task"))),
        delete("/tasks", "Delete finished tasks")
            .tells("At least one parameter must say which.")
            .query(choice())
            .codes(&[Code::MissingTaskFilters])
            .enqueues_as(200),
        post("/tasks/cancel", "Cancel tasks")
            .tells("At least one parameter must say which. Finished ones stay as they are.")
            .query(choice())
            .codes(&[Code::MissingTaskFilters])
            .enqueues_as(200),
        post("/tasks/compact", "Write the store of tasks anew")
            .tells("Writes wait meanwhile. Afterwards `/health` asks for a restart.")
            .needs(Feature::task_queue_compaction_route)
            .answers(
                200,
                object([
                    always("preSize", text(), ""),
                    always("postSize", text(), ""),
                    always("status", one_of(&["succeeded"]), ""),
                    always("actionRequired", text(), ""),
                ]),
            )
            .answers_as(500, "It failed.", "application/json", {
                let failed = object([
                    always("status", one_of(&["failed"]), ""),
                    always("errorMessage", text(), ""),
                ]);
                any_of([failed, named("Error")])
            }),
        get("/tasks/stream", "Changes of tasks as they happen")
            .tells("For clients that accept `text/event-stream`; one event for each change.")
            .codes(&[Code::InvalidTaskUids])
            .answers_as(200, "Events, each a task.", EVENTS, text()),
        get("/tasks/{uid}", "Read a task")
            .codes(&[Code::InvalidTaskUids, Code::TaskNotFound])
            .answers(200, named("Task")),
        get("/tasks/{uid}/documents", "The documents of a task that waits")
            .needs(Feature::get_task_documents_route)
            .codes(&[Code::InvalidTaskUids, Code::TaskNotFound, Code::TaskFileNotFound])
            .answers_as(200, "The documents.", NDJSON, text()),
        get("/batches", "List batches")
            .tells("The newest first. `from` and `next` are numbers of batches.")
            .query(page())
            .query(choice())
            .answers(200, list_of(named("Batch"))),
        get("/batches/stream", "Changes of batches as they happen")
            .tells("For clients that accept `text/event-stream`.")
            .codes(&[Code::InvalidBatchUids])
            .answers_as(200, "Events, each a batch.", EVENTS, text()),
        get("/batches/{uid}", "Read a batch")
            .codes(&[Code::InvalidBatchUids, Code::BatchNotFound])
            .answers(200, named("Batch")),
    ]
}

fn page() -> [Member; 3] {
    [
        maybe("limit", integer().default(json!(20)), "How many at most.")
            .code(Code::InvalidTaskLimit),
        maybe("from", integer(), "The uid to begin with.").code(Code::InvalidTaskFrom),
        maybe("reverse", boolean().default(json!(false)), "The oldest first.")
            .code(Code::InvalidTaskReverse),
    ]
}

/// Values of one parameter are alternatives; a star is any. Several parameters must all fit.
fn choice() -> [Member; 12] {
    let numbers = || list(integer());
    let bound = |name, about, code| maybe(name, text(), about).code(code);
    [
        maybe("batchUids", numbers(), "Numbers of batches.").code(Code::InvalidBatchUids),
        maybe("uids", numbers(), "Numbers of tasks.").code(Code::InvalidTaskUids),
        maybe("canceledBy", numbers(), "Tasks that canceled them.")
            .code(Code::InvalidTaskCanceledBy),
        maybe("types", list(text()), "Types of tasks.").code(Code::InvalidTaskTypes),
        maybe("statuses", list(text()), "Statuses.").code(Code::InvalidTaskStatuses),
        maybe("indexUids", list(text()), "Indexes.").code(Code::InvalidIndexUid),
        bound(
            "afterEnqueuedAt",
            "Enqueued after this day or time.",
            Code::InvalidTaskAfterEnqueuedAt,
        ),
        bound("beforeEnqueuedAt", "Enqueued before it.", Code::InvalidTaskBeforeEnqueuedAt),
        bound("afterStartedAt", "Started after it.", Code::InvalidTaskAfterStartedAt),
        bound("beforeStartedAt", "Started before it.", Code::InvalidTaskBeforeStartedAt),
        bound("afterFinishedAt", "Finished after it.", Code::InvalidTaskAfterFinishedAt),
        bound("beforeFinishedAt", "Finished before it.", Code::InvalidTaskBeforeFinishedAt),
    ]
}
