//! Why a batch stopped growing, and its wording: the `batchStrategy` of a batch.

use std::fmt;

use crate::task::ids::TaskUid;
use crate::task::task_type::TaskType;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Stop {
    NoMoreTasks,
    NoMoreTasksOfIndex(String),
    CannotBeBatched { uid: TaskUid, task_type: TaskType },
    OnlySameType(TaskType),
    NextDoesNotFit { uid: TaskUid, task_type: TaskType },
    IndexDeleted { uid: TaskUid },
    NextMayCreateIndex { uid: TaskUid },
    PrimaryKeyOfIndex { uid: TaskUid, index: String, task: String },
    PrimaryKeyOfBatch { uid: TaskUid, batch: Option<String>, task: String },
    TaskLimit(usize),
    SizeLimit(u64),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::NoMoreTasks => write!(f, "batched all enqueued tasks"),
            Stop::NoMoreTasksOfIndex(index_uid) => {
                write!(f, "batched all enqueued tasks for index `{index_uid}`")
            }
            Stop::CannotBeBatched { uid, task_type } => write!(
                f,
                "created batch containing only task with id {uid} of type `{task_type}` that \
                 cannot be batched with any other task."
            ),
            Stop::OnlySameType(task_type) => write!(
                f,
                "stopped after the last task of type `{task_type}` because they cannot be batched \
                 with tasks of any other type."
            ),
            Stop::NextDoesNotFit { uid, task_type } => write!(
                f,
                "stopped before task with id {uid} of type `{task_type}` because it cannot be \
                 batched with the tasks before it."
            ),
            Stop::IndexDeleted { uid } => {
                write!(f, "stopped after task with id {uid} because it deletes the index")
            }
            Stop::NextMayCreateIndex { uid } => write!(
                f,
                "stopped before task with id {uid} because it may create the index and the tasks \
                 before it may not"
            ),
            Stop::PrimaryKeyOfIndex { uid, index, task } => write!(
                f,
                "stopped at task with id {uid} because its primary key `{task}` is not the \
                 primary key `{index}` of the index"
            ),
            Stop::PrimaryKeyOfBatch { uid, batch: Some(batch), task } => write!(
                f,
                "stopped before task with id {uid} because its primary key `{task}` is not the \
                 primary key `{batch}` of the tasks before it"
            ),
            Stop::PrimaryKeyOfBatch { uid, batch: None, task } => write!(
                f,
                "stopped before task with id {uid} because it gives the primary key `{task}` and \
                 the tasks before it give none"
            ),
            Stop::TaskLimit(limit) => {
                write!(f, "stopped after reaching the limit of {limit} tasks in a batch")
            }
            Stop::SizeLimit(limit) => {
                write!(f, "stopped before exceeding the limit of {limit} bytes in a batch")
            }
        }
    }
}
