//! Converts tasks of a dump. Finished ones are history: unknown parts are left out. Of waiting ones
//! nothing may be lost.

use document::Format;
use dump::v6::{self, Members};
use model::{Code, ServiceError};
use roaring::RoaringBitmap;
use serde_json::{Map, Value};
use settings::Change;
use tasks::{Content, Details, Method, PayloadId, Status, Swap, Task};

use super::settings::known;
use crate::backup::dumps::error::ImportError;

/// Converts a task; none if it is left out.
pub(super) fn task(task: v6::Task) -> Result<Option<Task>, ImportError> {
    let (kind, _) = task.kind();
    let refused = |why: &str| ImportError(format!("the task {} of type `{kind}` {why}", task.uid));
    let status = match task.status.to_ascii_lowercase().as_str() {
        "succeeded" => Status::Succeeded,
        "failed" => Status::Failed,
        "canceled" => Status::Canceled,
        "enqueued" | "processing" => Status::Enqueued,
        _ => return Err(refused("has an unknown status")),
    };
    let Some(content) = content(&task, status) else {
        if status == Status::Enqueued && !concerns_only_its_program(kind) {
            return Err(refused("waits and cannot be run here; let it run or cancel it first"));
        }
        tracing::info!("the task {} of type `{kind}` is left out", task.uid);
        return Ok(None);
    };
    let mut details = Details::of(&content);
    if status != Status::Enqueued {
        if status != Status::Succeeded {
            details = details.into_failed();
        }
        details = shown_details(&task, details);
    }
    let error = task.error.as_ref().filter(|error| !error.is_null()).map(error);
    Ok(Some(Task {
        uid: task.uid,
        batch_uid: task.batch_uid.filter(|_| status != Status::Enqueued),
        status,
        content,
        details,
        error,
        canceled_by: task.canceled_by,
        enqueued_at: task.enqueued_at,
        started_at: task.started_at.filter(|_| status != Status::Enqueued),
        finished_at: task.finished_at,
        custom_metadata: task.custom_metadata,
        network: None,
    }))
}

/// Returns whether a task concerns only the database or the network of the other program.
fn concerns_only_its_program(kind: &str) -> bool {
    matches!(kind, "upgradeDatabase" | "networkTopologyChange")
}

fn content(task: &v6::Task, status: Status) -> Option<Content> {
    let (kind, of) = task.kind();
    let index_uid = || task.index_uid.clone();
    Some(match kind {
        "documentImport" | "documentAdditionOrUpdate" => Content::DocumentAdditionOrUpdate {
            index_uid: index_uid()?,
            primary_key: of.text("primary_key"),
            method: match of.text("method")?.as_str() {
                "UpdateDocuments" | "updateDocuments" => Method::Update,
                _ => Method::Replace,
            },
            format: Format::Ndjson,
            payload: PayloadId::empty(),
            documents: of.number("documents_count")?,
            may_create_index: of.flag("allow_index_creation").unwrap_or(true),
            skip_creation: false,
        },
        "documentDeletion" => {
            Content::DocumentDeletion { index_uid: index_uid()?, ids: texts(of, "documents_ids") }
        }
        "documentDeletionByFilter" => Content::DocumentDeletionByFilter {
            index_uid: index_uid()?,
            filter: of.get("filter").or_else(|| of.get("filter_expr"))?.clone(),
        },
        "documentClear" => Content::DocumentClear { index_uid: index_uid()? },
        "documentEdition" => Content::DocumentEdition {
            index_uid: index_uid()?,
            filter: of.get("filter").or_else(|| of.get("filter_expr")).cloned(),
            context: of.get("context").and_then(Value::as_object).cloned(),
            function: of.text("function")?,
        },
        "settings" | "settingsUpdate" => settings_update(&index_uid()?, of, status)?,
        "indexDeletion" => Content::IndexDeletion { index_uid: index_uid()? },
        "indexCreation" => {
            let primary_key = of.text("primary_key");
            Content::IndexCreation { index_uid: index_uid()?, primary_key }
        }
        "indexUpdate" => Content::IndexUpdate {
            index_uid: index_uid()?,
            primary_key: of.text("primary_key"),
            new_uid: of.text("new_index_uid").or_else(|| of.text("uid")),
        },
        "indexSwap" => Content::IndexSwap { swaps: swaps(of)? },
        "taskCancelation" => {
            Content::TaskCancelation { query: of.text("query")?, tasks: uids(of)? }
        }
        "tasksDeletion" | "taskDeletion" => {
            Content::TaskDeletion { query: of.text("query")?, tasks: uids(of)? }
        }
        "dumpCreation" => Content::DumpCreation { instance_uid: None },
        "snapshotCreation" => Content::SnapshotCreation,
        "indexCompaction" => Content::IndexCompaction { index_uid: index_uid()? },
        "export" => export(of)?,
        _ => return None,
    })
}

fn settings_update(uid: &str, of: Members<'_>, status: Status) -> Option<Content> {
    let change = match of.flag("is_deletion") {
        Some(true) => Change::reset_all(),
        _ => {
            let settings = of.get("settings").or_else(|| of.get("new_settings"));
            let known = known(uid, settings.cloned().unwrap_or_default());
            match Change::of_many(Value::Object(known.clone())) {
                Ok(change) => change,
                // Finished tasks are shown whether they would be accepted or not.
                Err(_) if status != Status::Enqueued => Change::from_value(&Value::Object(known)),
                Err(_) => return None,
            }
        }
    };
    Some(Content::SettingsUpdate {
        index_uid: uid.to_owned(),
        details: change.details(),
        settings: change.into_value(),
        may_create_index: of.flag("allow_index_creation").unwrap_or(true),
    })
}

fn export(of: Members<'_>) -> Option<Content> {
    let mut indexes = Map::new();
    for (pattern, settings) in of.get("indexes").and_then(Value::as_object)? {
        let settings = Members(settings);
        let mut entry = Map::new();
        entry.insert("filter".to_owned(), settings.get("filter").cloned().unwrap_or_default());
        let overrides = settings.flag("override_settings").unwrap_or(false);
        entry.insert("overrideSettings".to_owned(), Value::Bool(overrides));
        indexes.insert(pattern.clone(), Value::Object(entry));
    }
    let payload_size = of.get("payload_size").and_then(|size| match size {
        Value::String(text) => model::size::parse(text).ok(),
        size => size.as_u64(),
    });
    Some(Content::Export {
        url: of.text("url")?,
        api_key: of.text("api_key"),
        payload_size,
        indexes,
    })
}

fn texts(of: Members<'_>, name: &str) -> Vec<String> {
    let texts = of.get(name).and_then(Value::as_array).into_iter().flatten();
    texts.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn swaps(of: Members<'_>) -> Option<Vec<Swap>> {
    let swap = |swap: &Value| {
        let [left, right] = swap.get("indexes")?.as_array()?.as_slice() else { return None };
        let indexes = (left.as_str()?.to_owned(), right.as_str()?.to_owned());
        Some(Swap { indexes, rename: Members(swap).flag("rename").unwrap_or(false) })
    };
    of.get("swaps")?.as_array()?.iter().map(swap).collect()
}

/// Reads a set of uids from the bytes of a roaring bitmap.
fn uids(of: Members<'_>) -> Option<RoaringBitmap> {
    let bytes = of.get("tasks")?.as_array()?.iter();
    let bytes: Option<Vec<u8>> =
        bytes.map(|byte| byte.as_u64().and_then(|byte| u8::try_from(byte).ok())).collect();
    RoaringBitmap::deserialize_from(bytes?.as_slice()).ok()
}

fn error(stored: &Value) -> ServiceError {
    let members = Members(stored);
    let code = members.get("code").cloned().unwrap_or_default();
    let code = serde_json::from_value(code).unwrap_or(Code::Internal);
    ServiceError::new(code, members.text("message").unwrap_or_default())
}

/// Returns the details of a task, completed by its stored details.
fn shown_details(task: &v6::Task, details: Details) -> Details {
    let Some((_, said)) = task.details() else { return details };
    match details {
        Details::DocumentAdditionOrUpdate { received_documents, indexed_documents } => {
            Details::DocumentAdditionOrUpdate {
                received_documents,
                indexed_documents: said.number("indexed_documents").or(indexed_documents),
            }
        }
        Details::DocumentEdition {
            context,
            function,
            original_filter,
            edited_documents,
            deleted_documents,
        } => Details::DocumentEdition {
            edited_documents: said.number("edited_documents").or(edited_documents),
            deleted_documents: said.number("deleted_documents").or(deleted_documents),
            context,
            function,
            original_filter,
        },
        Details::DocumentDeletion { provided_ids, deleted_documents, original_filter } => {
            Details::DocumentDeletion {
                // The ids themselves may be missing from the task.
                provided_ids: said.number("provided_ids").unwrap_or(provided_ids),
                deleted_documents: said.number("deleted_documents").or(deleted_documents),
                original_filter,
            }
        }
        Details::ClearAll { deleted_documents } => Details::ClearAll {
            deleted_documents: said.number("deleted_documents").or(deleted_documents),
        },
        Details::TaskCancelation { matched_tasks, canceled_tasks, original_filter } => {
            Details::TaskCancelation {
                matched_tasks: said.number("matched_tasks").unwrap_or(matched_tasks),
                canceled_tasks: said.number("canceled_tasks").or(canceled_tasks),
                original_filter,
            }
        }
        Details::TaskDeletion { matched_tasks, deleted_tasks, original_filter } => {
            Details::TaskDeletion {
                matched_tasks: said.number("matched_tasks").unwrap_or(matched_tasks),
                deleted_tasks: said.number("deleted_tasks").or(deleted_tasks),
                original_filter,
            }
        }
        Details::DumpCreation { .. } => Details::DumpCreation { dump_uid: said.text("dump_uid") },
        other => other,
    }
}
