//! Encodes tasks and batches; FORMAT.md describes the bytes. A fixed head has everything the
//! in-memory index is rebuilt from, so that opening a queue of a million tasks parses no JSON.

use model::ServiceError;
use roaring::RoaringBitmap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use time::OffsetDateTime;

use super::record_bytes::{
    RECORD_VERSION, Reader, Record, put_date, put_json, put_names, put_set, put_uid, seal,
};
use crate::task::Task;
use crate::task::batch::{BatchView, Stats};
use crate::task::content::Content;
use crate::task::details::Details;
use crate::task::error::QueueError;
use crate::task::ids::{BatchUid, TaskUid};
use crate::task::network::TaskNetwork;
use crate::task::task_type::{Status, TaskType};

/// Flag of a task that other instances have too.
const SHARED: u8 = 1;

/// The fields of a task in the in-memory index.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TaskHead {
    pub uid: TaskUid,
    pub status: Status,
    pub task_type: TaskType,
    /// True if other instances have it too.
    pub is_shared: bool,
    pub batch_uid: Option<BatchUid>,
    pub canceled_by: Option<TaskUid>,
    pub enqueued_at: OffsetDateTime,
    pub started_at: Option<OffsetDateTime>,
    pub finished_at: Option<OffsetDateTime>,
    pub index_uids: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TaskBodyRef<'a> {
    content: &'a Content,
    details: &'a Details,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: &'a Option<ServiceError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    custom_metadata: &'a Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    network: &'a Option<TaskNetwork>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TaskBody {
    content: Content,
    details: Details,
    #[serde(default)]
    error: Option<ServiceError>,
    #[serde(default)]
    custom_metadata: Option<String>,
    #[serde(default)]
    network: Option<TaskNetwork>,
}

impl TaskHead {
    pub fn of(task: &Task) -> Self {
        Self {
            uid: task.uid,
            status: task.status,
            task_type: task.task_type(),
            is_shared: task.network.is_some(),
            batch_uid: task.batch_uid,
            canceled_by: task.canceled_by,
            enqueued_at: task.enqueued_at,
            started_at: task.started_at,
            finished_at: task.finished_at,
            index_uids: task.content.index_uids().into_iter().map(str::to_owned).collect(),
        }
    }

    pub fn read(uid: TaskUid, record: &[u8]) -> Result<Self, QueueError> {
        read_task_head(uid, &mut Reader::open(record, Record::Task(uid))?)
    }
}

pub(crate) fn write_task(task: &Task) -> Result<Vec<u8>, QueueError> {
    let mut bytes = Vec::with_capacity(512);
    let flags = if task.network.is_some() { SHARED } else { 0 };
    bytes.extend([RECORD_VERSION, task.status.code(), task.task_type().code(), flags]);
    put_uid(&mut bytes, task.batch_uid);
    put_uid(&mut bytes, task.canceled_by);
    put_date(&mut bytes, Some(task.enqueued_at));
    put_date(&mut bytes, task.started_at);
    put_date(&mut bytes, task.finished_at);
    put_names(&mut bytes, task.content.index_uids().iter().copied())?;
    let body = TaskBodyRef {
        content: &task.content,
        details: &task.details,
        error: &task.error,
        custom_metadata: &task.custom_metadata,
        network: &task.network,
    };
    put_json(&mut bytes, &body)?;
    Ok(seal(bytes, Record::Task(task.uid)))
}

pub(crate) fn read_task(uid: TaskUid, record: &[u8]) -> Result<Task, QueueError> {
    let mut reader = Reader::open(record, Record::Task(uid))?;
    let head = read_task_head(uid, &mut reader)?;
    let body: TaskBody = reader.json()?;
    if body.content.task_type() != head.task_type {
        return Err(reader.damaged("its type differs from its content"));
    }
    Ok(Task {
        uid,
        batch_uid: head.batch_uid,
        status: head.status,
        content: body.content,
        details: body.details,
        error: body.error,
        canceled_by: head.canceled_by,
        enqueued_at: head.enqueued_at,
        started_at: head.started_at,
        finished_at: head.finished_at,
        custom_metadata: body.custom_metadata,
        network: body.network,
    })
}

fn read_task_head(uid: TaskUid, reader: &mut Reader<'_>) -> Result<TaskHead, QueueError> {
    reader.version()?;
    let status = Status::from_code(reader.byte()?);
    let task_type = TaskType::from_code(reader.byte()?);
    let flags = reader.byte()?;
    let batch_uid = reader.uid()?;
    let canceled_by = reader.uid()?;
    let enqueued_at = reader.date()?;
    let started_at = reader.date()?;
    let finished_at = reader.date()?;
    let index_uids = reader.names()?;
    Ok(TaskHead {
        uid,
        status: status.ok_or_else(|| reader.damaged("unknown status"))?,
        task_type: task_type.ok_or_else(|| reader.damaged("unknown type"))?,
        is_shared: flags & SHARED != 0,
        batch_uid,
        canceled_by,
        enqueued_at: enqueued_at.ok_or_else(|| reader.damaged("no date of enqueueing"))?,
        started_at,
        finished_at,
        index_uids,
    })
}

/// A finished batch with the fields needed to find it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BatchRecord {
    pub view: BatchView,
    pub tasks: RoaringBitmap,
    pub dates: EnqueuedDates,
    /// Index names under which it is found: those of its tasks when it ran, swaps included.
    pub index_uids: Vec<String>,
}

/// When the first and the last of a batch's tasks were enqueued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EnqueuedDates {
    pub earliest: OffsetDateTime,
    pub latest: OffsetDateTime,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BatchHead {
    pub uid: BatchUid,
    pub statuses: Vec<Status>,
    pub types: Vec<TaskType>,
    pub started_at: OffsetDateTime,
    pub finished_at: OffsetDateTime,
    pub dates: EnqueuedDates,
    pub index_uids: Vec<String>,
}

#[derive(Serialize)]
struct BatchBodyRef<'a> {
    details: &'a Map<String, Value>,
    stats: &'a Stats,
    strategy: &'a str,
}

#[derive(Deserialize)]
struct BatchBody {
    details: Map<String, Value>,
    stats: Stats,
    strategy: String,
}

impl BatchHead {
    pub fn of(record: &BatchRecord) -> Self {
        let view = &record.view;
        Self {
            uid: view.uid,
            statuses: view.stats.status.keys().copied().collect(),
            types: view.stats.types.keys().copied().collect(),
            started_at: view.started_at,
            finished_at: view.finished_at.unwrap_or(view.started_at),
            dates: record.dates,
            index_uids: record.index_uids.clone(),
        }
    }

    pub fn read(uid: BatchUid, record: &[u8]) -> Result<Self, QueueError> {
        read_batch_head(uid, &mut Reader::open(record, Record::Batch(uid))?)
    }
}

pub(crate) fn write_batch(record: &BatchRecord) -> Result<Vec<u8>, QueueError> {
    let view = &record.view;
    let mut bytes = Vec::with_capacity(512);
    let statuses = view.stats.status.keys().fold(0_u8, |set, status| set | 1 << status.code());
    let types = view.stats.types.keys().fold(0_u32, |set, kind| set | 1 << kind.code());
    bytes.extend([RECORD_VERSION, statuses, 0, 0]);
    bytes.extend(types.to_le_bytes());
    put_date(&mut bytes, Some(view.started_at));
    put_date(&mut bytes, view.finished_at.or(Some(view.started_at)));
    put_date(&mut bytes, Some(record.dates.earliest));
    put_date(&mut bytes, Some(record.dates.latest));
    put_names(&mut bytes, record.index_uids.iter().map(String::as_str))?;
    put_set(&mut bytes, &record.tasks)?;
    let body =
        BatchBodyRef { details: &view.details, stats: &view.stats, strategy: &view.strategy };
    put_json(&mut bytes, &body)?;
    Ok(seal(bytes, Record::Batch(view.uid)))
}

pub(crate) fn read_batch(uid: BatchUid, record: &[u8]) -> Result<BatchRecord, QueueError> {
    let mut reader = Reader::open(record, Record::Batch(uid))?;
    let head = read_batch_head(uid, &mut reader)?;
    let tasks = reader.set()?;
    let body: BatchBody = reader.json()?;
    Ok(BatchRecord {
        view: BatchView {
            uid,
            progress: None,
            details: body.details,
            stats: body.stats,
            started_at: head.started_at,
            finished_at: Some(head.finished_at),
            strategy: body.strategy,
        },
        tasks,
        dates: head.dates,
        index_uids: head.index_uids,
    })
}

/// Reads only the tasks of a batch, without its JSON.
pub(crate) fn read_batch_tasks(uid: BatchUid, record: &[u8]) -> Result<RoaringBitmap, QueueError> {
    let mut reader = Reader::open(record, Record::Batch(uid))?;
    read_batch_head(uid, &mut reader)?;
    reader.set()
}

fn read_batch_head(uid: BatchUid, reader: &mut Reader<'_>) -> Result<BatchHead, QueueError> {
    reader.version()?;
    let statuses = reader.byte()?;
    reader.take(2)?;
    let types = u32::from_le_bytes(reader.array()?);
    let dates = [reader.date()?, reader.date()?, reader.date()?, reader.date()?];
    let [Some(started_at), Some(finished_at), Some(earliest), Some(latest)] = dates else {
        return Err(reader.damaged("a date is missing"));
    };
    let status_set = Status::ALL.iter().filter(|status| statuses >> status.code() & 1 == 1);
    let type_set = TaskType::ALL.iter().filter(|kind| types >> kind.code() & 1 == 1);
    Ok(BatchHead {
        uid,
        statuses: status_set.copied().collect(),
        types: type_set.copied().collect(),
        started_at,
        finished_at,
        dates: EnqueuedDates { earliest, latest },
        index_uids: reader.names()?,
    })
}

#[cfg(test)]
#[path = "record_golden_tests.rs"]
mod golden_tests;
