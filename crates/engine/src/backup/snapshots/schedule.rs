//! Enqueues snapshots periodically, as ordinary tasks.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use tasks::{Content, NewTask, Queue};

/// Longest period: a hundred years.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 86_400);

#[derive(Debug)]
pub(crate) struct Schedule {
    timer: Arc<Timer>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug, Default)]
struct Timer {
    stopped: Mutex<bool>,
    changed: Condvar,
}

impl Schedule {
    /// Starts the schedule. The first snapshot comes after one period.
    pub fn start(period: Option<Duration>, queue: Queue) -> std::io::Result<Self> {
        let timer = Arc::new(Timer::default());
        let Some(period) = period else {
            return Ok(Self { timer, thread: Mutex::default() });
        };
        let own = Arc::clone(&timer);
        let thread = std::thread::Builder::new()
            .name("snapshot-schedule".to_owned())
            .spawn(move || own.serve(period, &queue))?;
        Ok(Self { timer, thread: Mutex::new(Some(thread)) })
    }

    pub fn stop(&self) {
        *self.timer.stopped.lock() = true;
        self.timer.changed.notify_all();
        if let Some(thread) = self.thread.lock().take() {
            // A panic of the thread was reported when it happened.
            let _ = thread.join();
        }
    }
}

impl Timer {
    fn serve(&self, period: Duration, queue: &Queue) {
        // The clock of some platforms ends before that.
        let period = period.min(LONGEST);
        let mut next = Instant::now() + period;
        while !self.sleep_until(next) {
            if let Err(error) = queue.enqueue(NewTask::new(Content::SnapshotCreation)) {
                tracing::warn!(%error, "a scheduled snapshot could not be enqueued");
            }
            // Missed periods are not made up for.
            next = (next + period).max(Instant::now());
        }
    }

    /// Sleeps, and returns true if the schedule was stopped.
    fn sleep_until(&self, then: Instant) -> bool {
        let mut stopped = self.stopped.lock();
        while !*stopped && Instant::now() < then {
            self.changed.wait_until(&mut stopped, then);
        }
        *stopped
    }
}
