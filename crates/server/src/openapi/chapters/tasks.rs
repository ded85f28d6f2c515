//! Tasks and batches.

use model::Code;
use model::features::Feature;
use serde_json::json;

use crate::openapi::components::tasks::list_of;
use crate::openapi::operation::{EVENTS, NDJSON, Operation, delete, get, post};
use crate::schema::{
    Member, always, any_of, boolean, integer, list, maybe, named, object, one_of, text,
};

pub fn all() -> Vec<Operation> {
    vec![
        get("/tasks", "List tasks")
            .about("Lists tasks, newest first.")
            .query(page())
            .query(choice())
            .answers(200, list_of(named("Task"))),
        delete("/tasks", "Delete finished tasks")
            .about("Needs at least one filter.")
            .query(choice())
            .codes(&[Code::MissingTaskFilters])
            .enqueues_as(200),
        post("/tasks/cancel", "Cancel tasks")
            .about("Needs at least one filter. Finished tasks are not affected.")
            .query(choice())
            .codes(&[Code::MissingTaskFilters])
            .enqueues_as(200),
        post("/tasks/compact", "Compact the task store")
            .about("Writes wait meanwhile. Afterwards the instance must be restarted.")
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
            .answers_as(500, "The compaction failed.", "application/json", {
                let failed = object([
                    always("status", one_of(&["failed"]), ""),
                    always("errorMessage", text(), ""),
                ]);
                any_of([failed, named("Error")])
            }),
        get("/tasks/stream", "Stream task changes")
            .about("Sends one event per change. Needs `Accept: text/event-stream`.")
            .codes(&[Code::InvalidTaskUids])
            .answers_as(200, "Stream of events, each with a task.", EVENTS, text()),
        get("/tasks/{uid}", "Get a task")
            .codes(&[Code::InvalidTaskUids, Code::TaskNotFound])
            .answers(200, named("Task")),
        get("/tasks/{uid}/documents", "Get the documents of an enqueued task")
            .needs(Feature::get_task_documents_route)
            .codes(&[Code::InvalidTaskUids, Code::TaskNotFound, Code::TaskFileNotFound])
            .answers_as(200, "Documents of the task.", NDJSON, text()),
        get("/batches", "List batches")
            .about("Lists batches, newest first. `from` and `next` are batch uids.")
            .query(page())
            .query(choice())
            .answers(200, list_of(named("Batch"))),
        get("/batches/stream", "Stream batch changes")
            .about("Sends one event per change. Needs `Accept: text/event-stream`.")
            .codes(&[Code::InvalidBatchUids])
            .answers_as(200, "Stream of events, each with a batch.", EVENTS, text()),
        get("/batches/{uid}", "Get a batch")
            .codes(&[Code::InvalidBatchUids, Code::BatchNotFound])
            .answers(200, named("Batch")),
    ]
}

fn page() -> [Member; 3] {
    [
        maybe("limit", integer().default(json!(20)), "Maximum number of entries to return.")
            .code(Code::InvalidTaskLimit),
        maybe("from", integer(), "Uid of the first entry to return.").code(Code::InvalidTaskFrom),
        maybe("reverse", boolean().default(json!(false)), "Returns the oldest entries first.")
            .code(Code::InvalidTaskReverse),
    ]
}

/// Filter parameters. Values of one parameter are alternatives, `*` matches all, and several
/// parameters must all match.
fn choice() -> [Member; 12] {
    let numbers = || list(integer());
    let bound = |name, about, code| maybe(name, text(), about).code(code);
    [
        maybe("batchUids", numbers(), "Filter by batch uid.").code(Code::InvalidBatchUids),
        maybe("uids", numbers(), "Filter by task uid.").code(Code::InvalidTaskUids),
        maybe("canceledBy", numbers(), "Filter by the uid of the task that canceled them.")
            .code(Code::InvalidTaskCanceledBy),
        maybe("types", list(text()), "Filter by type.").code(Code::InvalidTaskTypes),
        maybe("statuses", list(text()), "Filter by status.").code(Code::InvalidTaskStatuses),
        maybe("indexUids", list(text()), "Filter by index name.").code(Code::InvalidIndexUid),
        bound("afterEnqueuedAt", "Enqueued after this time.", Code::InvalidTaskAfterEnqueuedAt),
        bound("beforeEnqueuedAt", "Enqueued before this time.", Code::InvalidTaskBeforeEnqueuedAt),
        bound("afterStartedAt", "Started after this time.", Code::InvalidTaskAfterStartedAt),
        bound("beforeStartedAt", "Started before this time.", Code::InvalidTaskBeforeStartedAt),
        bound("afterFinishedAt", "Finished after this time.", Code::InvalidTaskAfterFinishedAt),
        bound("beforeFinishedAt", "Finished before this time.", Code::InvalidTaskBeforeFinishedAt),
    ]
}
