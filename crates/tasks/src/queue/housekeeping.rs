//! Cancels and deletes tasks, the work the queue does itself. Runs inside the committer, in a
//! transaction of its own, so the state in memory is exactly what is on disk.

use roaring::RoaringBitmap;

use super::batch_end::{self, BatchEnd};
use super::transaction::Tables;
use crate::memory::core::Core;
use crate::task::Task;
use crate::task::batch::Batch;
use crate::task::details::Details;
use crate::task::error::QueueError;
use crate::task::ids::TaskUid;
use crate::task::runner::TaskOutcome;
use crate::task::task_type::Status;

pub(crate) fn perform(
    core: &Core,
    batch: Batch,
    end: BatchEnd,
    tables: &mut Tables<'_>,
) -> Result<(), QueueError> {
    let mut done = Vec::new();
    let mut gone = RoaringBitmap::new();
    for mut task in batch.tasks {
        let targets = task.content.targets().cloned().unwrap_or_default();
        match &mut task.details {
            Details::TaskCancelation { canceled_tasks, .. } => {
                let mut canceled = cancel(core, task.uid, &targets, &end, tables)?;
                *canceled_tasks = Some(canceled.len() as u64);
                done.append(&mut canceled);
            }
            Details::TaskDeletion { deleted_tasks, .. } => {
                *deleted_tasks = Some(delete(core, &targets, &mut gone, tables)?);
            }
            _ => return Err(QueueError::damaged("a task with details of another type")),
        }
        let details = task.details.clone();
        done.push(batch_end::finished(task, TaskOutcome::Succeeded(details), &end));
    }
    done.sort_by_key(|task| task.uid);
    let record = batch_end::batch_record(&done, end);
    tables.finish(done)?;
    tables.store_batch(record)
}

fn cancel(
    core: &Core,
    canceler: TaskUid,
    targets: &RoaringBitmap,
    end: &BatchEnd,
    tables: &Tables<'_>,
) -> Result<Vec<Task>, QueueError> {
    let concerned = {
        let state = core.state.read();
        (targets & state.tasks.with_status(Status::Enqueued)) - state.running.tasks()
    };
    let mut canceled = Vec::new();
    for uid in &concerned {
        canceled.push(batch_end::canceled(tables.read_task(uid)?, canceler, end));
    }
    Ok(canceled)
}

/// Removes the finished targets, and the batches that end up empty.
fn delete(
    core: &Core,
    targets: &RoaringBitmap,
    gone: &mut RoaringBitmap,
    tables: &mut Tables<'_>,
) -> Result<u64, QueueError> {
    let (concerned, all) = {
        let state = core.state.read();
        let concerned = targets & state.tasks.finished();
        (concerned - state.running.tasks() - &*gone, state.tasks.all().clone())
    };
    *gone |= &concerned;
    let remaining = all - &*gone;
    let mut batches = RoaringBitmap::new();
    for uid in &concerned {
        batches.extend(tables.delete_task(uid)?.batch_uid);
    }
    for uid in &batches {
        tables.delete_empty_batch(uid, &remaining)?;
    }
    Ok(concerned.len())
}
