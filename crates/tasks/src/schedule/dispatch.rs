//! Chooses what runs next and marks it as running. Nothing here does any work: it turns waiting
//! tasks into a batch, or says when to look again.
//!
//! The order is that of the contract: cancelations, upgrades, topology changes, deletions,
//! compactions, exports, snapshots, dumps, then the oldest other task with its index. Where
//! lanes do not touch each other they run side by side. A topology change lets older writes go
//! first.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::time::Instant;

use super::batch_start::{StartedBatch, start};
use super::duty::Duty;
use super::lane_choice::{Barrier, Choice, LaneChoice, barrier, choose_lane, waiting_exclusive};
use crate::memory::autobatch::{self, Candidate, Limits, Plan};
use crate::memory::core::Core;
use crate::memory::lanes::LIGHT_BYTES;
use crate::memory::strategy::Stop;
use crate::task::batch::Work;
use crate::task::error::QueueError;
use crate::task::ids::TaskUid;
use crate::task::runner::{IndexState, Runner};
use crate::task::task_type::TaskType;

#[derive(Debug)]
pub(crate) enum Pick {
    Started(Box<StartedBatch>),
    /// Nothing can start until something changes.
    Nothing,
    /// Something could start then, if nothing changes before.
    Later(Instant),
}

/// Sources of batches.
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

/// Returns the sources a thread checks, first to last.
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
        Duty::Lanes | Duty::Light => &[Source::Lane],
        Duty::Global => &[Source::Exclusive, Source::Export, Source::Snapshots, Source::Dump],
        Duty::Housekeeping => &[Source::Cancelation, Source::Deletions],
    }
}

pub(crate) struct Dispatcher<'a> {
    pub core: &'a Arc<Core>,
    pub runner: &'a dyn Runner,
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
            Source::Deletions => self.deletions(duty),
            Source::Compaction => self.start_lane(duty, LaneChoice::CompactionsOnly),
            Source::Export => self.export(),
            Source::Snapshots => self.snapshots(),
            Source::Dump => self.dump(),
            Source::Lane => self.start_lane(duty, LaneChoice::Any),
        }
    }

    /// Picks the newest cancelation, once the batches it interrupts have given up.
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

    /// Picks the deletions that need not wait for a running batch. The others block neither these
    /// nor any lane: the end of the batch they wait for wakes this thread.
    fn deletions(&self, duty: Duty) -> Result<Pick, QueueError> {
        let waiting = self.core.state.read().waiting_deletions();
        if waiting.is_empty() {
            return Ok(Pick::Nothing);
        }
        let later = self.begin_deletions(&waiting, duty);
        let ready: Vec<TaskUid> = {
            let state = self.core.state.read();
            waiting.into_iter().filter(|uid| state.awaited.is_ready(*uid)).collect()
        };
        match self.start_all(Work::TaskDeletion, TaskType::TaskDeletion, ready)? {
            Pick::Nothing => Ok(later.map_or(Pick::Nothing, Pick::Later)),
            pick => Ok(pick),
        }
    }

    /// Fixes the batches that each deletion waits for; returns until when one lets a target start
    /// first.
    fn begin_deletions(&self, waiting: &[TaskUid], duty: Duty) -> Option<Instant> {
        if self.core.state.read().awaited.have_all_begun(waiting) {
            return None;
        }
        // A lane is marked as running while this lock is held, so no batch is half started.
        let _nothing_starts = self.core.choosing.lock();
        let mut state = self.core.state.write();
        let mut later = None;
        for uid in waiting {
            // A single thread: no other could start a target.
            match state.target_may_start_until(*uid).filter(|_| duty != Duty::All) {
                Some(until) => later = later.max(Some(until)),
                None => state.begin_deletion(*uid),
            }
        }
        later
    }

    /// Picks an upgrade or topology change, which runs alone.
    fn exclusive(&self) -> Result<Pick, QueueError> {
        let (uid, task_type) = {
            let state = self.core.state.read();
            let Some(chosen) = waiting_exclusive(&state) else { return Ok(Pick::Nothing) };
            chosen
        };
        let work = match task_type {
            TaskType::UpgradeDatabase => Work::Upgrade,
            _ => Work::NetworkTopologyChange,
        };
        self.start_alone(work, uid, task_type)
    }

    /// Picks the oldest export, once no batch runs on the indexes it reads.
    fn export(&self) -> Result<Pick, QueueError> {
        let uid = {
            let state = self.core.state.read();
            // One that waits holds the lanes it reads, so a topology change may wait for it.
            if barrier(&state) == Some(Barrier::Everything) {
                return Ok(Pick::Nothing);
            }
            let Some(uid) = state.lanes.of_type(TaskType::Export).next() else {
                return Ok(Pick::Nothing);
            };
            uid
        };
        self.start_alone(Work::Export, uid, TaskType::Export)
    }

    fn snapshots(&self) -> Result<Pick, QueueError> {
        let tasks: Vec<TaskUid> = {
            let state = self.core.state.read();
            if barrier(&state).is_some() {
                return Ok(Pick::Nothing);
            }
            let to_be_canceled = state.to_be_canceled();
            let waiting = state.lanes.of_type(TaskType::SnapshotCreation);
            waiting.filter(|uid| !to_be_canceled.contains(*uid)).collect()
        };
        self.start_all(Work::Snapshot, TaskType::SnapshotCreation, tasks)
    }

    fn dump(&self) -> Result<Pick, QueueError> {
        let uid = {
            let state = self.core.state.read();
            if barrier(&state).is_some() {
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
        let _one_at_a_time = self.core.choosing.lock();
        // A single thread has no other to let go first.
        let lane_wait = (duty != Duty::All).then_some(self.core.options.lane_wait);
        loop {
            let (name, lanes) = {
                let mut state = self.core.state.write();
                match choose_lane(&state, duty, choice, lane_wait) {
                    Choice::Lane { name, lanes } => {
                        state.lanes.occupy(&lanes);
                        (name, lanes)
                    }
                    Choice::Hold(until) => return Ok(Pick::Later(until)),
                    Choice::Nothing => return Ok(Pick::Nothing),
                }
            };
            let started = match self.plan_lane(duty, &name, &lanes) {
                Some(plan) => start(self.core, plan, lanes.clone(), Some(&name)),
                None => Ok(None),
            };
            if let Ok(Some(started)) = started {
                return Ok(Pick::Started(started));
            }
            // Its tasks changed meanwhile; other work may have waited for the lane.
            self.core.state.write().lanes.release(&lanes);
            self.core.signal.raise();
            started?;
        }
    }

    /// Plans a batch from the head of an occupied lane and the tasks behind it.
    fn plan_lane(&self, duty: Duty, name: &str, lanes: &[Arc<str>]) -> Option<Plan> {
        let index = self.index_state(name);
        let limits = Limits {
            tasks: self.core.options.max_batched_tasks,
            payload_bytes: match duty {
                Duty::Light => self.core.options.max_batched_bytes.min(LIGHT_BYTES),
                _ => self.core.options.max_batched_bytes,
            },
        };
        let state = self.core.state.read();
        let barrier = barrier(&state);
        let may_join = |(position, candidate): &(usize, Candidate<'_>)| {
            *position == 0 || barrier.is_none_or(|barrier| !barrier.holds(candidate.uid))
        };
        let candidates = state.lanes.candidates(name).enumerate().take_while(may_join);
        let candidates = candidates.map(|(_, candidate)| candidate);
        let mut plan = autobatch::plan(candidates, name, &index, limits)?;
        let is_everything = plan.tasks.len() == state.lanes.waiting_tasks();
        if is_everything && matches!(plan.stop, Stop::NoMoreTasksOfIndex(_)) {
            plan.stop = Stop::NoMoreTasks;
        }
        // The head may have changed into one that needs more lanes than were occupied.
        let covered = plan.tasks.first().is_some_and(|&head| {
            state.lanes.lanes_of(head).iter().all(|needed| lanes.contains(needed))
        });
        covered.then_some(plan)
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
        let started = start(self.core, Plan { work, tasks: vec![uid], stop }, Vec::new(), None)?;
        Ok(started.map_or(Pick::Nothing, Pick::Started))
    }

    /// Starts tasks of one type that run together, whichever others wait.
    fn start_all(
        &self,
        work: Work,
        task_type: TaskType,
        tasks: Vec<TaskUid>,
    ) -> Result<Pick, QueueError> {
        if tasks.is_empty() {
            return Ok(Pick::Nothing);
        }
        let plan = Plan { work, tasks, stop: Stop::OnlySameType(task_type) };
        let started = start(self.core, plan, Vec::new(), None)?;
        Ok(started.map_or(Pick::Nothing, Pick::Started))
    }
}
