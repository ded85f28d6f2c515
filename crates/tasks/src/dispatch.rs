//! Chooses what runs next and marks it as running. Nothing here does any work: it turns waiting
//! tasks into a batch, or says when to look again.
//!
//! The order is that of the contract: cancelations, upgrades, topology changes, deletions,
//! compactions, exports, snapshots, dumps, then the oldest other task with its index. Where
//! lanes do not touch each other they run side by side.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::time::Instant;

use roaring::RoaringBitmap;

use crate::autobatch::{self, Limits, Plan, Stop};
use crate::batch::{Batch, BatchView, Work};
use crate::core::Core;
use crate::error::QueueError;
use crate::events::Event;
use crate::finishing;
use crate::lanes::{Urgency, pattern_matches};
use crate::merged_details::merge;
use crate::progress::Progress;
use crate::runner::{IndexState, Runner, StopFlag};
use crate::running::{Run, RunningBatch};
use crate::state::State;
use crate::task::{Task, TaskUid};
use crate::task_type::TaskType;

/// A batch that was marked as running.
#[derive(Debug)]
pub(crate) struct Started {
    pub batch: Batch,
    pub progress: Progress,
    pub stop: StopFlag,
}

#[derive(Debug)]
pub(crate) enum Pick {
    Started(Box<Started>),
    /// Nothing can start until something changes.
    Nothing,
    /// Something could start then, if nothing changes before.
    Later(Instant),
}

/// What a thread takes care of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Duty {
    /// Everything, one batch after the other.
    All,
    Lanes,
    Global,
    Housekeeping,
}

/// Where batches come from.
#[derive(Debug, Clone, Copy)]
enum Source {
    Cancelation,
    /// Upgrades and topology changes.
    Exclusive,
    Deletions,
    Compaction,
    Export,
    Snapshots,
    Dump,
    Lane,
}

/// Where a thread looks, first to last.
fn sources(duty: Duty) -> &'static [Source] {
    match duty {
        Duty::All => &[
            Source::Cancelation,
            Source::Exclusive,
            Source::Deletions,
            Source::Compaction,
            Source::Export,
            Source::Snapshots,
            Source::Dump,
            Source::Lane,
        ],
        Duty::Lanes => &[Source::Lane],
        Duty::Global => &[Source::Exclusive, Source::Export, Source::Snapshots, Source::Dump],
        Duty::Housekeeping => &[Source::Cancelation, Source::Deletions],
    }
}

pub(crate) struct Dispatcher<'a> {
    pub core: &'a Arc<Core>,
    pub runner: &'a dyn Runner,
}

/// Which lanes may start: all, or only to compact.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LaneChoice {
    CompactionsOnly,
    Any,
}

impl Dispatcher<'_> {
    pub fn pick(&self, duty: Duty) -> Result<Pick, QueueError> {
        if self.core.options.max_batched_tasks == 0 || self.core.state.read().stopped.is_some() {
            return Ok(Pick::Nothing);
        }
        let mut later = None;
        for source in sources(duty) {
            match self.pick_from(*source, duty)? {
                Pick::Started(started) => return Ok(Pick::Started(started)),
                Pick::Later(when) => later = Some(when),
                Pick::Nothing => {}
            }
        }
        Ok(later.map_or(Pick::Nothing, Pick::Later))
    }

    fn pick_from(&self, source: Source, duty: Duty) -> Result<Pick, QueueError> {
        match source {
            Source::Cancelation => self.cancelation(),
            Source::Exclusive => self.exclusive(),
            Source::Deletions => self.start_all(Work::TaskDeletion, TaskType::TaskDeletion),
            Source::Compaction => self.start_lane(duty, LaneChoice::CompactionsOnly),
            Source::Export => self.export(),
            Source::Snapshots => self.snapshots(),
            Source::Dump => self.dump(),
            Source::Lane => self.start_lane(duty, LaneChoice::Any),
        }
    }

    /// The newest cancelation, once the batches it interrupts have given up.
    fn cancelation(&self) -> Result<Pick, QueueError> {
        let uid = {
            let state = self.core.state.read();
            let Some(uid) = state.lanes.of_type(TaskType::TaskCancelation).next_back() else {
                return Ok(Pick::Nothing);
            };
            let targets = state.lanes.get(uid).and_then(|waiting| waiting.targets());
            if targets.is_some_and(|targets| !targets.is_disjoint(state.running.tasks())) {
                return Ok(Pick::Nothing);
            }
            uid
        };
        self.start_alone(Work::TaskCancelation, uid, TaskType::TaskCancelation)
    }

    /// Nothing else runs beside these.
    fn exclusive(&self) -> Result<Pick, QueueError> {
        let (uid, task_type) = {
            let state = self.core.state.read();
            let Some(chosen) = exclusive_task(&state) else { return Ok(Pick::Nothing) };
            if !state.running.is_empty() {
                return Ok(Pick::Nothing);
            }
            chosen
        };
        let work = match task_type {
            TaskType::UpgradeDatabase => Work::Upgrade,
            _ => Work::NetworkTopologyChange,
        };
        self.start_alone(work, uid, task_type)
    }

    /// The oldest export, once nobody works on the indexes it reads.
    fn export(&self) -> Result<Pick, QueueError> {
        let uid = {
            let state = self.core.state.read();
            if exclusive_task(&state).is_some() {
                return Ok(Pick::Nothing);
            }
            let Some(uid) = state.lanes.of_type(TaskType::Export).next() else {
                return Ok(Pick::Nothing);
            };
            let patterns = state.lanes.export_patterns(uid);
            let reads = |name: &str| patterns.iter().any(|pattern| pattern_matches(pattern, name));
            if state.lanes.is_busy(reads) {
                return Ok(Pick::Nothing);
            }
            uid
        };
        self.start_alone(Work::Export, uid, TaskType::Export)
    }

    fn snapshots(&self) -> Result<Pick, QueueError> {
        if exclusive_task(&self.core.state.read()).is_some() {
            return Ok(Pick::Nothing);
        }
        self.start_all(Work::Snapshot, TaskType::SnapshotCreation)
    }

    fn dump(&self) -> Result<Pick, QueueError> {
        let uid = {
            let state = self.core.state.read();
            if exclusive_task(&state).is_some() {
                return Ok(Pick::Nothing);
            }
            let Some(uid) = state.lanes.of_type(TaskType::DumpCreation).next() else {
                return Ok(Pick::Nothing);
            };
            uid
        };
        self.start_alone(Work::Dump, uid, TaskType::DumpCreation)
    }

    fn start_lane(&self, duty: Duty, choice: LaneChoice) -> Result<Pick, QueueError> {
        loop {
            let (name, lanes) = {
                let mut state = self.core.state.write();
                match self.choose_lane(&state, duty, choice) {
                    Choice::Lane { name, lanes } => {
                        state.lanes.occupy(&lanes);
                        (name, lanes)
                    }
                    Choice::Hold(until) => return Ok(Pick::Later(until)),
                    Choice::Nothing => return Ok(Pick::Nothing),
                }
            };
            let started = self.plan_lane(&name, &lanes).and_then(|plan| match plan {
                Some(plan) => self.start(plan, lanes.clone(), Some(&name)),
                None => Ok(None),
            });
            match started {
                Ok(Some(started)) => return Ok(Pick::Started(started)),
                // What was waiting there is gone meanwhile; look again.
                Ok(None) => self.core.state.write().lanes.release(&lanes),
                Err(error) => {
                    self.core.state.write().lanes.release(&lanes);
                    return Err(error);
                }
            }
        }
    }

    fn choose_lane(&self, state: &State, duty: Duty, choice: LaneChoice) -> Choice {
        if exclusive_task(state).is_some() {
            return Choice::Nothing;
        }
        let doomed = state.doomed();
        for (urgency, head, name) in state.lanes.startable() {
            if choice == LaneChoice::CompactionsOnly && urgency != Urgency::Compaction {
                return Choice::Nothing;
            }
            if doomed.contains(head) {
                continue;
            }
            let lanes = state.lanes.lanes_of(head);
            if lanes.iter().any(|name| held_by_export(state, name, urgency)) {
                continue;
            }
            if duty == Duty::Lanes
                && let Some(until) = self.patience_ends(state, head)
            {
                return Choice::Hold(until);
            }
            return Choice::Lane { name: name.clone(), lanes };
        }
        Choice::Nothing
    }

    /// Until when a lane lets a busy one, whose next task is older, go first.
    fn patience_ends(&self, state: &State, head: TaskUid) -> Option<Instant> {
        let patience = self.core.options.patience;
        let waiting_since = state.lanes.get(head)?.since.max(state.barrier_lifted);
        let now = Instant::now();
        let mut ends = None;
        for batch in state.running.iter() {
            let older_waits =
                batch.lanes.iter().filter_map(|name| state.lanes.next_in(name)).any(|n| n < head);
            let until = (batch.since.min(waiting_since)) + patience;
            if older_waits && now < until {
                ends = ends.max(Some(until));
            }
        }
        ends
    }

    /// What the head of an occupied lane and those behind it amount to.
    fn plan_lane(&self, name: &str, lanes: &[Arc<str>]) -> Result<Option<Plan>, QueueError> {
        let index = self.index_state(name);
        let limits = Limits {
            tasks: self.core.options.max_batched_tasks,
            payload_bytes: self.core.options.max_batched_bytes,
        };
        let state = self.core.state.read();
        let doomed = state.doomed();
        let candidates =
            state.lanes.candidates(name).take_while(|next| !doomed.contains(next.uid));
        let Some(plan) = autobatch::plan(candidates, name, &index, limits) else {
            return Ok(None);
        };
        // The head may have changed into one that needs more lanes than were occupied.
        let covered = plan.tasks.first().is_some_and(|&head| {
            state.lanes.lanes_of(head).iter().all(|needed| lanes.contains(needed))
        });
        Ok(covered.then_some(plan))
    }

    fn index_state(&self, name: &str) -> IndexState {
        let asked = panic::catch_unwind(AssertUnwindSafe(|| self.runner.index_state(name)));
        asked.unwrap_or_default()
    }

    fn start_alone(
        &self,
        work: Work,
        uid: TaskUid,
        task_type: TaskType,
    ) -> Result<Pick, QueueError> {
        let stop = Stop::CannotBeBatched { uid, task_type };
        let started = self.start(Plan { work, tasks: vec![uid], stop }, Vec::new(), None)?;
        Ok(started.map_or(Pick::Nothing, Pick::Started))
    }

    fn start_all(&self, work: Work, task_type: TaskType) -> Result<Pick, QueueError> {
        let tasks: Vec<TaskUid> = {
            let state = self.core.state.read();
            let doomed = state.doomed();
            state.lanes.of_type(task_type).filter(|uid| !doomed.contains(*uid)).collect()
        };
        if tasks.is_empty() {
            return Ok(Pick::Nothing);
        }
        let started =
            self.start(Plan { work, tasks, stop: Stop::NoMoreTasks }, Vec::new(), None)?;
        Ok(started.map_or(Pick::Nothing, Pick::Started))
    }

    /// Reads the tasks and marks them as running; none if one of them stopped waiting meanwhile.
    fn start(
        &self,
        plan: Plan,
        lanes: Vec<Arc<str>>,
        index_uid: Option<&str>,
    ) -> Result<Option<Box<Started>>, QueueError> {
        let view = self.core.state.read().view.clone();
        let mut tasks = Vec::with_capacity(plan.tasks.len());
        for &uid in &plan.tasks {
            match view.task(uid)? {
                Some(task) => tasks.push(task),
                None => return Ok(None),
            }
        }
        let index_uid = index_uid.filter(|_| plan.work != Work::IndexSwap);
        let mut batch = Batch {
            uid: 0,
            work: plan.work,
            index_uid: index_uid.map(str::to_owned),
            tasks,
            started_at: model::timestamp::now(),
            strategy: plan.stop.to_string(),
        };
        let Some((progress, stop)) = self.mark(&mut batch, lanes) else { return Ok(None) };
        self.announce_start(&batch);
        Ok(Some(Box::new(Started { batch, progress, stop })))
    }

    fn mark(&self, batch: &mut Batch, lanes: Vec<Arc<str>>) -> Option<(Progress, StopFlag)> {
        let index_uids = finishing::index_uids(&batch.tasks);
        let dates = finishing::enqueued_dates(&batch.tasks, batch.started_at);
        let uids: RoaringBitmap = batch.tasks.iter().map(|task| task.uid).collect();
        let stop = StopFlag::new();
        let mut state = self.core.state.write();
        let doomed = state.doomed();
        let still_waiting = |uid| state.lanes.get(uid).is_some();
        if !uids.is_disjoint(&doomed) && batch.work != Work::TaskCancelation
            || !uids.iter().all(still_waiting)
        {
            return None;
        }
        batch.uid = state.free_batch_uid();
        let run = Run { batch_uid: batch.uid, started_at: batch.started_at };
        for task in &mut batch.tasks {
            run.show_in(task);
        }
        let progress = self.announcing_progress(batch.uid);
        let taken =
            uids.iter().filter_map(|uid| Some((uid, state.lanes.remove(uid)?))).collect();
        state.running.insert(RunningBatch {
            work: batch.work,
            tasks: uids,
            view: view_at_start(batch),
            dates,
            index_uids,
            lanes,
            taken,
            progress: progress.clone(),
            stop: stop.clone(),
            since: Instant::now(),
        });
        Some((progress, stop))
    }

    /// Steps of the batch are told to whoever listens.
    fn announcing_progress(&self, uid: u32) -> Progress {
        let core = Arc::downgrade(self.core);
        Progress::announcing(Some(Box::new(move || {
            let Some(core) = core.upgrade() else { return };
            if !core.announcer.has_listeners() {
                return;
            }
            let view = core.state.read().running.get(uid).map(RunningBatch::view);
            if let Some(view) = view {
                core.announcer.tell(&Event::Batch(Arc::new(view)));
            }
        })))
    }

    fn announce_start(&self, batch: &Batch) {
        if !self.core.announcer.has_listeners() {
            return;
        }
        for task in &batch.tasks {
            self.core.announcer.tell(&Event::Task(Arc::new(task.clone())));
        }
        self.core.announcer.tell(&Event::Batch(Arc::new(view_at_start(batch))));
    }
}

enum Choice {
    Lane { name: Arc<str>, lanes: Vec<Arc<str>> },
    Hold(Instant),
    Nothing,
}

fn exclusive_task(state: &State) -> Option<(TaskUid, TaskType)> {
    [TaskType::UpgradeDatabase, TaskType::NetworkTopologyChange]
        .into_iter()
        .find_map(|task_type| Some((state.lanes.of_type(task_type).next()?, task_type)))
}

/// An export reads its indexes in peace; only a compaction goes before one that still waits.
fn held_by_export(state: &State, name: &str, urgency: Urgency) -> bool {
    let mut exports = state.lanes.exports_of(name);
    match urgency {
        Urgency::Usual => exports.next().is_some(),
        Urgency::Compaction => exports.any(|uid| state.running.tasks().contains(uid)),
    }
}

fn view_at_start(batch: &Batch) -> BatchView {
    let tasks: &[Task] = &batch.tasks;
    BatchView {
        uid: batch.uid,
        progress: None,
        details: merge(tasks.iter().map(|task| &task.details)),
        stats: finishing::stats_of(tasks),
        started_at: batch.started_at,
        finished_at: None,
        strategy: batch.strategy.clone(),
    }
}
