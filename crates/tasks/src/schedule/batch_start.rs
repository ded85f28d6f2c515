//! Turns a plan into a running batch, under the lock that readers use, after a last check that it
//! may still start.

use std::sync::Arc;
use std::time::Instant;

use model::Cancel;
use roaring::RoaringBitmap;

use super::lane_choice::{Barrier, barrier, is_exclusive};
use crate::memory::autobatch::Plan;
use crate::memory::core::Core;
use crate::memory::events::Event;
use crate::memory::running_batch::{Run, RunningBatch};
use crate::memory::state::QueueState;
use crate::queue::batch_end;
use crate::task::Task;
use crate::task::batch::{Batch, BatchView, Work};
use crate::task::error::QueueError;
use crate::task::ids::BatchUid;
use crate::task::merged_details::merge;
use crate::task::progress::Progress;

/// A batch that was marked as running.
#[derive(Debug)]
pub(crate) struct StartedBatch {
    pub batch: Batch,
    pub progress: Progress,
    pub cancel: Cancel,
}

/// Reads the tasks and marks them as running; none if they may not start any more.
pub(crate) fn start(
    core: &Arc<Core>,
    plan: Plan,
    lanes: Vec<Arc<str>>,
    index_uid: Option<&str>,
) -> Result<Option<Box<StartedBatch>>, QueueError> {
    let view = core.state.read().view.clone();
    let mut tasks = Vec::with_capacity(plan.tasks.len());
    for &uid in &plan.tasks {
        match view.task(uid)? {
            Some(task) => tasks.push(task),
            None => return Ok(None),
        }
    }
    let index_uid = index_uid.filter(|_| plan.work != Work::IndexSwap);
    // A clock that was set back lets no batch start before its tasks were enqueued.
    let enqueued = tasks.iter().map(|task| task.enqueued_at);
    let started_at = enqueued.fold(model::timestamp::now(), Ord::max);
    let mut batch = Batch {
        uid: 0,
        work: plan.work,
        index_uid: index_uid.map(str::to_owned),
        tasks,
        started_at,
        strategy: plan.stop.to_string(),
    };
    let Some((progress, cancel)) = mark(core, &mut batch, lanes) else { return Ok(None) };
    announce_start(core, &batch);
    Ok(Some(Box::new(StartedBatch { batch, progress, cancel })))
}

fn mark(core: &Arc<Core>, batch: &mut Batch, lanes: Vec<Arc<str>>) -> Option<(Progress, Cancel)> {
    let index_uids = batch_end::index_uids(&batch.tasks);
    let dates = batch_end::enqueued_dates(&batch.tasks, batch.started_at);
    let uids: RoaringBitmap = batch.tasks.iter().map(|task| task.uid).collect();
    let cancel = Cancel::new();
    let mut state = core.state.write();
    if !may_start(&state, batch.work, &uids) {
        return None;
    }
    batch.uid = state.free_batch_uid();
    let run = Run { batch_uid: batch.uid, started_at: batch.started_at };
    for task in &mut batch.tasks {
        run.show_in(task);
    }
    let progress = announcing_progress(core, batch.uid);
    let taken = uids.iter().filter_map(|uid| Some((uid, state.lanes.remove(uid)?))).collect();
    state.running.insert(RunningBatch {
        work: batch.work,
        tasks: uids,
        view: view_at_start(batch),
        dates,
        index_uids,
        lanes,
        taken,
        progress: progress.clone(),
        cancel: cancel.clone(),
        since: Instant::now(),
    });
    Some((progress, cancel))
}

/// Creates the progress of the batch, whose steps are broadcast to listeners.
fn announcing_progress(core: &Arc<Core>, uid: BatchUid) -> Progress {
    let core = Arc::downgrade(core);
    Progress::announcing(Some(Box::new(move || {
        let Some(core) = core.upgrade() else { return };
        if !core.announcer.has_listeners() {
            return;
        }
        let view = core.state.read().running.get(uid).map(RunningBatch::view);
        if let Some(view) = view {
            core.announcer.send(&Event::Batch(Arc::new(view)));
        }
    })))
}

fn announce_start(core: &Core, batch: &Batch) {
    if !core.announcer.has_listeners() {
        return;
    }
    for task in &batch.tasks {
        core.announcer.send(&Event::Task(Arc::new(task.clone())));
    }
    core.announcer.send(&Event::Batch(Arc::new(view_at_start(batch))));
}

fn view_at_start(batch: &Batch) -> BatchView {
    let tasks: &[Task] = &batch.tasks;
    BatchView {
        uid: batch.uid,
        progress: None,
        details: merge(tasks.iter().map(|task| &task.details)),
        stats: batch_end::stats_of(tasks),
        started_at: batch.started_at,
        finished_at: None,
        strategy: batch.strategy.clone(),
    }
}

/// Returns whether the batch may still start; much can have changed since it was chosen.
fn may_start(state: &QueueState, work: Work, tasks: &RoaringBitmap) -> bool {
    if !tasks.iter().all(|uid| state.lanes.get(uid).is_some()) {
        return false;
    }
    let free = match work {
        Work::TaskCancelation => return true,
        Work::TaskDeletion => true,
        work if is_exclusive(work) => {
            let older_wait = work == Work::NetworkTopologyChange
                && tasks.min().is_some_and(|uid| state.lanes.has_writes_before(uid));
            state.running.is_empty() && !state.lanes.is_busy(|_| true) && !older_wait
        }
        Work::Export => {
            let busy = tasks.iter().any(|uid| state.lanes.is_read_busy(uid));
            !busy && barrier(state) != Some(Barrier::Everything)
        }
        // Work that a topology change lets go first was chosen knowing it; a later change is
        // younger.
        _ => barrier(state) != Some(Barrier::Everything),
    };
    free && state.to_be_canceled().is_disjoint(tasks)
}
