//! Pages through tasks and batches. The contract fixes the order of steps: filters, the total, the
//! page and one more entry, and only then are entries that concern no index removed for callers
//! that filter by index. Entries hidden from the caller are removed before anything is counted.

use parking_lot::RwLock;
use roaring::RoaringBitmap;

use super::running_batch::{Run, RunningBatch};
use super::state::QueueState;
use crate::store::record;
use crate::task::Task;
use crate::task::batch::BatchView;
use crate::task::error::QueueError;
use crate::task::ids::TaskUid;
use crate::task::query::{Page, Query, Visibility};
use crate::task::task_type::{Status, TaskType};

pub(crate) fn tasks(
    state: &RwLock<QueueState>,
    query: &Query,
    visible: Visibility<'_>,
) -> Result<Page<Task>, QueueError> {
    let state = state.read();
    let mut found = select_tasks(&state, query)?;
    if visible.is_some() {
        state.tasks.hide(&mut found, query, visible);
    }
    let mut page = one_more_than_the_page(&found, query);
    state.tasks.hide(&mut page, query, None);
    let (uids, mut answer) = cut(&page, found.len(), query);
    let running: Vec<Option<Run>> =
        uids.iter().map(|&uid| state.running.holding(uid).map(RunningBatch::run)).collect();
    let view = state.view.clone();
    // Reading many tasks takes time: do not hold the lock.
    drop(state);
    for (uid, run) in uids.into_iter().zip(running) {
        let mut task = view.known_task(uid)?;
        if let Some(run) = run {
            run.show_in(&mut task);
        }
        answer.results.push(task);
    }
    Ok(answer)
}

pub(crate) fn batches(
    state: &RwLock<QueueState>,
    query: &Query,
    visible: Visibility<'_>,
) -> Result<Page<BatchView>, QueueError> {
    let state = state.read();
    let of_tasks = match &query.uids {
        Some(uids) => Some(batches_of_tasks(&state, uids, |_| true)?),
        None => None,
    };
    let of_cancelers = match &query.canceled_by {
        Some(uids) => Some(batches_of_tasks(&state, uids, |task| {
            task.task_type() == TaskType::TaskCancelation && task.status == Status::Succeeded
        })?),
        None => None,
    };
    let mut found =
        state.batches.select(query, of_tasks.as_ref(), of_cancelers.as_ref(), &state.running);
    if visible.is_some() {
        state.batches.hide(&mut found, query, visible, &state.running);
    }
    let mut page = one_more_than_the_page(&found, query);
    state.batches.hide(&mut page, query, None, &state.running);
    let (uids, mut answer) = cut(&page, found.len(), query);
    let running: Vec<Option<BatchView>> =
        uids.iter().map(|&uid| state.running.get(uid).map(RunningBatch::view)).collect();
    let view = state.view.clone();
    drop(state);
    for (uid, running) in uids.into_iter().zip(running) {
        answer.results.push(match running {
            Some(running) => running,
            None => view.known_batch(uid)?.view,
        });
    }
    Ok(answer)
}

/// Returns the tasks that a cancelation or deletion with this query concerns.
pub(crate) fn matching_tasks(
    state: &QueueState,
    query: &Query,
    visible: Visibility<'_>,
) -> Result<RoaringBitmap, QueueError> {
    let mut found = select_tasks(state, query)?;
    state.tasks.hide(&mut found, query, visible);
    Ok(found)
}

fn select_tasks(state: &QueueState, query: &Query) -> Result<RoaringBitmap, QueueError> {
    let Some(batch_uids) = &query.batch_uids else {
        return Ok(state.tasks.select(query, None, &state.running));
    };
    let mut of_batches = RoaringBitmap::new();
    for &uid in batch_uids {
        if let Some(batch) = state.running.get(uid) {
            of_batches |= &batch.tasks;
        } else if let Some(bytes) = state.view.batches.get(uid)? {
            of_batches |= record::read_batch_tasks(uid, bytes.value())?;
        }
    }
    Ok(state.tasks.select(query, Some(&of_batches), &state.running))
}

fn batches_of_tasks(
    state: &QueueState,
    uids: &[TaskUid],
    wanted: impl Fn(&Task) -> bool,
) -> Result<RoaringBitmap, QueueError> {
    let mut batches = RoaringBitmap::new();
    for &uid in uids {
        let Some(mut task) = state.view.task(uid)? else { continue };
        if let Some(batch) = state.running.holding(uid) {
            batch.run().show_in(&mut task);
        }
        if wanted(&task) {
            batches.extend(task.batch_uid);
        }
    }
    Ok(batches)
}

/// Returns the uids of the page, and the next one, which tells where the next page starts.
fn one_more_than_the_page(found: &RoaringBitmap, query: &Query) -> RoaringBitmap {
    let mut rest = found.clone();
    if let Some(from) = query.from {
        if query.reverse {
            rest.remove_range(..from);
        } else if let Some(above) = from.checked_add(1) {
            rest.remove_range(above..);
        }
    }
    let Some(limit) = query.limit else { return rest };
    let count = limit as usize + 1;
    if query.reverse {
        rest.iter().take(count).collect()
    } else {
        rest.iter().rev().take(count).collect()
    }
}

/// Cuts the uids to the page, whose results are still to be read.
fn cut<T>(page: &RoaringBitmap, total: u64, query: &Query) -> (Vec<u32>, Page<T>) {
    let mut uids: Vec<u32> =
        if query.reverse { page.iter().collect() } else { page.iter().rev().collect() };
    let limit = query.limit.unwrap_or(u32::MAX);
    let next = if uids.len() > limit as usize { uids.pop() } else { None };
    let from = uids.first().copied();
    (uids, Page { results: Vec::new(), total, limit, from, next })
}
