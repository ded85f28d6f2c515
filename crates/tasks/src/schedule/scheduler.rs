//! Runs batches: picks one, runs it, writes the outcome. With threads, lanes run side by side;
//! stepped, everything happens on the caller's thread, one batch after the other.

use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use model::{ServiceError, timestamp};
use parking_lot::Mutex;

use super::batch_start::StartedBatch;
use super::dispatch::{Dispatcher, Pick};
use super::duty::Duty;
use super::log_line::LogLine;
use crate::memory::core::Core;
use crate::memory::events::Event;
use crate::queue::Queue;
use crate::queue::batch_end::{self, BatchEnd};
use crate::queue::committer::Finish;
use crate::queue::new_task::NewTask;
use crate::task::batch::Work;
use crate::task::content::Content;
use crate::task::error::QueueError;
use crate::task::ids::BatchUid;
use crate::task::run_stats::RunStats;
use crate::task::runner::{Outcome, RunError, Runner, TaskOutcome, crash_error};
use crate::task::task_type::{Status, TaskType};

pub struct Scheduler {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

struct Shared {
    queue: Queue,
    runner: Arc<dyn Runner>,
    closing: AtomicBool,
    halted: Mutex<Option<String>>,
    /// One step, and one automatic clean-up, at a time.
    stepping: Mutex<()>,
}

/// Number of threads for light work: even a small batch may wait, say for an embedding provider,
/// while others go on.
const LIGHT_THREADS: usize = 4;

impl Scheduler {
    pub fn new(queue: Queue, runner: Arc<dyn Runner>) -> Self {
        let shared = Shared {
            queue,
            runner,
            closing: AtomicBool::new(false),
            halted: Mutex::new(None),
            stepping: Mutex::new(()),
        };
        Self { shared: Arc::new(shared), threads: Mutex::default() }
    }

    /// Works on up to `lanes` indexes at a time. Light batches, global work, and cancelations
    /// and deletions have threads of their own beside them, so that no import keeps them waiting.
    pub fn start(&self, lanes: usize) -> Result<(), QueueError> {
        let mut duties = vec![Duty::Housekeeping, Duty::Global];
        duties.extend(std::iter::repeat_n(Duty::Light, LIGHT_THREADS));
        duties.extend(std::iter::repeat_n(Duty::Lanes, lanes.max(1)));
        let mut threads = self.threads.lock();
        for duty in duties {
            let shared = self.shared.clone();
            let thread = thread::Builder::new()
                .name("task-lane".to_owned())
                .spawn(move || shared.work(duty))
                .map_err(|source| QueueError::Storage(Box::new(redb::Error::Io(source))))?;
            threads.push(thread);
        }
        Ok(())
    }

    /// Runs the next batch on this thread; none when nothing can run. Do not mix with `start`.
    pub fn step(&self) -> Option<BatchUid> {
        let _one_at_a_time = self.shared.stepping.lock();
        self.shared.clean_up();
        match self.shared.run_next(Duty::All) {
            NextRun::Ran(uid) => Some(uid),
            NextRun::Idle(_) => None,
        }
    }

    /// Asks running batches to give up at their next safe point, and waits for them. Their tasks
    /// are enqueued again.
    pub fn shutdown(&self) {
        self.shared.closing.store(true, Ordering::Release);
        self.shared.core().options.disk_space.close();
        for batch in self.shared.core().state.read().running.iter() {
            batch.cancel.cancel();
        }
        self.shared.core().signal.raise();
        for thread in self.threads.lock().drain(..) {
            if thread.join().is_err() {
                tracing::error!("a thread of the task scheduler had panicked");
            }
        }
    }

    /// Returns why processing halted, if it did.
    pub fn halted(&self) -> Option<String> {
        self.shared.halted.lock().clone()
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        self.shutdown();
    }
}

enum NextRun {
    Ran(BatchUid),
    /// Nothing to do until then, or until something changes.
    Idle(Option<std::time::Instant>),
}

impl Shared {
    fn core(&self) -> &Arc<Core> {
        self.queue.core()
    }

    fn is_over(&self) -> bool {
        self.closing.load(Ordering::Acquire) || self.halted.lock().is_some()
    }

    fn halt(&self, why: impl Into<String>) {
        let why = why.into();
        tracing::error!("tasks are no longer processed: {why}");
        self.halted.lock().get_or_insert(why);
        self.core().signal.raise();
    }

    fn work(&self, duty: Duty) {
        while !self.is_over() {
            let generation = self.core().signal.generation();
            if duty == Duty::Housekeeping {
                self.clean_up();
            }
            if let NextRun::Idle(until) = self.run_next(duty)
                && !self.is_over()
            {
                self.core().signal.wait(generation, until);
            }
        }
    }

    fn run_next(&self, duty: Duty) -> NextRun {
        if self.is_over() {
            return NextRun::Idle(None);
        }
        let dispatcher = Dispatcher { core: self.core(), runner: self.runner.as_ref() };
        match dispatcher.pick(duty) {
            Ok(Pick::Started(started)) => {
                let uid = started.batch.uid;
                // A shutdown that came between choosing and marking did not see this batch.
                if self.closing.load(Ordering::Acquire) {
                    started.cancel.cancel();
                }
                self.run(*started);
                NextRun::Ran(uid)
            }
            Ok(Pick::Nothing) => NextRun::Idle(None),
            Ok(Pick::Later(when)) => NextRun::Idle(Some(when)),
            Err(error) => {
                self.halt(error.to_string());
                NextRun::Idle(None)
            }
        }
    }

    fn run(&self, started: StartedBatch) {
        let uid = started.batch.uid;
        let result = match started.batch.work {
            Work::TaskCancelation | Work::TaskDeletion => self.housekeep(started),
            _ => self.run_work(started),
        };
        if let Err(error) = result {
            self.halt(error.to_string());
            // A result that was not written is not shown either.
            self.abandon(uid);
        }
    }

    fn run_work(&self, started: StartedBatch) -> Result<(), QueueError> {
        let StartedBatch { batch, progress, cancel } = &started;
        let step = progress.enter("processing tasks", 2);
        let run = || self.runner.run(batch, progress, cancel);
        let outcome = match panic::catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(RunError::Stopped)) if cancel.is_cancelled() => {
                drop(step);
                self.abandon(batch.uid);
                return Ok(());
            }
            Ok(Err(RunError::Stopped)) => {
                all_failed(&started, &ServiceError::internal("the run stopped without reason"))
            }
            Ok(Err(RunError::Failed(error))) => all_failed(&started, &error),
            Err(crash) => all_failed(&started, &crash_error(crash.as_ref())),
        };
        drop(step);
        self.finish(started, outcome)
    }

    fn finish(&self, started: StartedBatch, outcome: Outcome) -> Result<(), QueueError> {
        let StartedBatch { batch, progress, .. } = &started;
        // The last of the two outermost steps; its own time is not known when it is written.
        let writing = progress.enter("writing tasks to disk", 2);
        writing.set(1);
        let outcomes = batch_end::checked_outcomes(batch, outcome.tasks);
        let failed_upgrade = batch.work == Work::Upgrade
            && outcomes.iter().any(|outcome| matches!(outcome, TaskOutcome::Failed(_)));
        let had_registry = outcome.registry.is_some();
        let written = self.write(&started, Outcome { tasks: outcomes, ..outcome });
        drop(writing);
        match written {
            // The work was done but its registry entry was refused: the tasks fail.
            Err(QueueError::Refused(error)) if had_registry && self.queue.stopped().is_none() => {
                self.write(&started, all_failed(&started, &error))?;
            }
            other => other?,
        }
        if failed_upgrade {
            self.halt("the upgrade of the database failed");
        }
        Ok(())
    }

    fn write(&self, started: &StartedBatch, outcome: Outcome) -> Result<(), QueueError> {
        let end = batch_end(started, outcome.stats);
        let finished = started.batch.tasks.iter().cloned().zip(outcome.tasks);
        let tasks: Vec<_> =
            finished.map(|(task, outcome)| batch_end::finished(task, outcome, &end)).collect();
        let failed = tasks.iter().filter(|task| task.status == Status::Failed).count();
        let line = LogLine::of(&started.batch, &end, failed);
        let record = batch_end::batch_record(&tasks, end);
        let (renames, registry) = (outcome.renames, outcome.registry);
        let finish = Finish { tasks, record, renames, registry };
        self.queue.committer().finish(finish)?;
        line.write();
        Ok(())
    }

    /// Runs a cancelation or deletion, the queue's own work.
    fn housekeep(&self, started: StartedBatch) -> Result<(), QueueError> {
        let step = started.progress.enter("processing tasks", 1);
        drop(step);
        let end = batch_end(&started, RunStats::default());
        let line = LogLine::of(&started.batch, &end, 0);
        self.queue.committer().housekeep(started.batch, end)?;
        line.write();
        Ok(())
    }

    fn abandon(&self, uid: BatchUid) {
        let core = self.core();
        {
            let mut state = core.state.write();
            let Some(batch) = state.abandon(uid) else { return };
            if core.announcer.has_listeners() {
                for task in batch.tasks.iter().filter_map(|uid| state.view.task(uid).ok().flatten())
                {
                    core.announcer.send(&Event::Task(Arc::new(task)));
                }
            }
        }
        core.signal.raise();
    }

    /// Keeps the queue below its limit by deleting the oldest finished tasks.
    fn clean_up(&self) {
        let options = &self.core().options;
        let too_old = {
            let state = self.core().state.read();
            // A deletion that waits for a batch may wait long, and frees nothing until then.
            let mut deletions = state.lanes.of_type(TaskType::TaskDeletion);
            let busy = deletions.any(|uid| !state.awaited.is_waiting(uid))
                || state.running.iter().any(|batch| batch.work == Work::TaskDeletion);
            if state.tasks.all().len() < options.max_tasks
                || busy
                || options.max_batched_tasks == 0
                || state.stopped.is_some()
            {
                return;
            }
            let finished = state.tasks.finished();
            finished.iter().take(options.cleanup_count as usize).collect::<roaring::RoaringBitmap>()
        };
        // A single task could be the record of the last clean-up, over and over.
        if too_old.len() < 2 {
            tracing::warn!("the task queue is full of tasks that have not run");
            return;
        }
        let now = timestamp::rfc3339(timestamp::now());
        let query = format!("?beforeEnqueuedAt={now}&statuses=succeeded,failed,canceled");
        let deletion = NewTask::new(Content::TaskDeletion { query, tasks: too_old });
        if let Err(error) = self.queue.enqueue(deletion) {
            tracing::error!("old tasks cannot be cleaned away: {error}");
        }
    }
}

fn batch_end(started: &StartedBatch, run: RunStats) -> BatchEnd {
    let StartedBatch { batch, progress, .. } = started;
    BatchEnd {
        uid: batch.uid,
        started_at: batch.started_at,
        finished_at: timestamp::now().max(batch.started_at),
        strategy: batch.strategy.clone(),
        run,
        progress_trace: progress.trace(),
    }
}

fn all_failed(started: &StartedBatch, error: &ServiceError) -> Outcome {
    let tasks = started.batch.tasks.iter().map(|_| TaskOutcome::Failed(error.clone())).collect();
    Outcome { tasks, stats: started.progress.measured(), ..Outcome::default() }
}

impl fmt::Debug for Scheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scheduler")
            .field("queue", &self.shared.queue)
            .field("halted", &self.halted())
            .finish_non_exhaustive()
    }
}
