//! Invalid filters of tasks and batches, which take the same parameters.

use crate::harness::{INVALID_UID, TestServer};

const LISTS: [&str; 2] = ["GET /tasks", "GET /batches"];
const CHANGES: [&str; 2] = ["POST /tasks/cancel", "DELETE /tasks"];

const LIST_NAMES: &str = "`limit`, `from`, `reverse`, `batchUids`, `uids`, `canceledBy`, `types`, \
     `statuses`, `indexUids`, `afterEnqueuedAt`, `beforeEnqueuedAt`, `afterStartedAt`, \
     `beforeStartedAt`, `afterFinishedAt`, `beforeFinishedAt`";
const FILTER_NAMES: &str = "`uids`, `batchUids`, `canceledBy`, `types`, `statuses`, `indexUids`, \
     `afterEnqueuedAt`, `beforeEnqueuedAt`, `afterStartedAt`, `beforeStartedAt`, \
     `afterFinishedAt`, `beforeFinishedAt`";

fn everywhere() -> impl Iterator<Item = &'static str> {
    LISTS.into_iter().chain(CHANGES)
}

#[test]
fn numbers_are_positive_and_small() {
    let server = TestServer::shared();
    let reason = |value: &str| format!("could not parse `{value}` as a positive integer");
    for line in LISTS {
        for (name, code) in [("limit", "invalid_task_limit"), ("from", "invalid_task_from")] {
            for value in ["-1", "a", "", "4294967296", "1.0", "*"] {
                server.call(&format!("{line}?{name}={value}")).is_error(
                    400,
                    code,
                    &format!("Invalid value in parameter `{name}`: {}", reason(value)),
                );
            }
        }
        for value in ["1", "TRUE", "", "*"] {
            server.call(&format!("{line}?reverse={value}")).is_error(
                400,
                "invalid_task_reverse",
                &format!("Invalid value in parameter `reverse`: could not parse `{value}` as a boolean, expected either `true` or `false`"),
            );
        }
    }
    for line in everywhere() {
        for (name, code) in [
            ("uids", "invalid_task_uids"),
            ("batchUids", "invalid_batch_uids"),
            ("canceledBy", "invalid_task_canceled_by"),
        ] {
            for value in ["a", "-1", "4294967296", "1.0"] {
                server.call(&format!("{line}?{name}={value}")).is_error(
                    400,
                    code,
                    &format!("Invalid value in parameter `{name}`: {}", reason(value)),
                );
                server.call(&format!("{line}?{name}=*,{value}")).is_error(
                    400,
                    code,
                    &format!("Invalid value in parameter `{name}[1]`: {}", reason(value)),
                );
            }
        }
    }
}

#[test]
fn types_statuses_and_indexes_have_names() {
    let server = TestServer::shared();
    const TYPES: &str = "Available types are `documentAdditionOrUpdate`, `documentEdition`, \
         `documentDeletion`, `settingsUpdate`, `indexCreation`, `indexDeletion`, `indexUpdate`, \
         `indexSwap`, `taskCancelation`, `taskDeletion`, `dumpCreation`, `snapshotCreation`, \
         `export`, `upgradeDatabase`, `indexCompaction`, `networkTopologyChange`, `dsrUpdate`, \
         `dsrClear`.";
    const STATUSES: &str =
        "Available statuses are `enqueued`, `processing`, `succeeded`, `failed`, `canceled`.";
    for line in everywhere() {
        server.call(&format!("{line}?types=nope")).is_error(
            400,
            "invalid_task_types",
            &format!(
                "Invalid value in parameter `types`: `nope` is not a valid task type. {TYPES}"
            ),
        );
        server.call(&format!("{line}?types=indexCreation,nope")).is_error(
            400,
            "invalid_task_types",
            &format!(
                "Invalid value in parameter `types[1]`: `nope` is not a valid task type. {TYPES}"
            ),
        );
        server.call(&format!("{line}?statuses=failed,gone")).is_error(
            400,
            "invalid_task_statuses",
            &format!("Invalid value in parameter `statuses[1]`: `gone` is not a valid task status. {STATUSES}"),
        );
        server.call(&format!("{line}?indexUids=bad%20name")).is_error(
            400,
            "invalid_index_uid",
            &format!("Invalid value in parameter `indexUids`: `bad name` {INVALID_UID}"),
        );
    }
}

#[test]
fn dates_are_days_or_instants() {
    let server = TestServer::shared();
    for line in everywhere() {
        for (name, code) in [
            ("beforeEnqueuedAt", "invalid_task_before_enqueued_at"),
            ("afterEnqueuedAt", "invalid_task_after_enqueued_at"),
            ("beforeStartedAt", "invalid_task_before_started_at"),
            ("afterStartedAt", "invalid_task_after_started_at"),
            ("beforeFinishedAt", "invalid_task_before_finished_at"),
            ("afterFinishedAt", "invalid_task_after_finished_at"),
        ] {
            for value in ["yesterday", "2024-13-01", "2024-01-01T00:00:00", ""] {
                server.call(&format!("{line}?{name}={value}")).is_error(
                    400,
                    code,
                    &format!("Invalid value in parameter `{name}`: `{value}` is an invalid date-time. It should follow the YYYY-MM-DD or RFC 3339 date-time format."),
                );
            }
        }
    }
}

#[test]
fn unknown_parameters_are_refused() {
    let server = TestServer::shared();
    for (lines, names) in [(LISTS, LIST_NAMES), (CHANGES, FILTER_NAMES)] {
        for line in lines {
            for (name, hint) in [
                ("foo", ""),
                ("statuse", "did you mean `statuses`? "),
                ("uid", ""),
                ("index_uids", "did you mean `indexUids`? "),
            ] {
                server.call(&format!("{line}?{name}=1")).is_error(
                    400,
                    "bad_request",
                    &format!("Unknown parameter `{name}`: {hint}expected one of {names}"),
                );
            }
        }
    }
    for line in CHANGES {
        for name in ["limit", "from", "reverse"] {
            server.call(&format!("{line}?uids=1&{name}=1")).is_error(
                400,
                "bad_request",
                &format!("Unknown parameter `{name}`: expected one of {FILTER_NAMES}"),
            );
        }
    }
    // The first sent is the one told.
    server.call("GET /tasks?uids=b&limit=a").is_error_like(400, "invalid_task_uids", "`b`");
    server.call("GET /tasks?limit=a&uids=b").is_error_like(400, "invalid_task_limit", "`a`");
}

#[test]
fn a_change_without_a_filter_is_refused() {
    let server = TestServer::shared();
    for (line, verb) in [("POST /tasks/cancel", "cancel"), ("DELETE /tasks", "delete")] {
        server.call(line).is_error(
            400,
            "missing_task_filters",
            &format!("Query parameters to filter the tasks to {verb} are missing. Available query parameters are: `uids`, `indexUids`, `statuses`, `types`, `canceledBy`, `beforeEnqueuedAt`, `afterEnqueuedAt`, `beforeStartedAt`, `afterStartedAt`, `beforeFinishedAt`, `afterFinishedAt`."),
        );
    }
}
