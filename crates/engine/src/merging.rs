//! Background merging: one thread that, after commits, merges the segments of the indexes that
//! were written. It takes the writer of an index only to publish a result.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;

use index::Index;
use parking_lot::{Condvar, Mutex};

/// Clones speak to the same thread.
#[derive(Debug, Clone)]
pub(crate) struct Merging {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Weak<Index>>,
    stopped: bool,
    thread: Option<JoinHandle<()>>,
}

impl Merging {
    pub fn start() -> std::io::Result<Self> {
        let merging = Self { shared: Arc::default() };
        let worker = Arc::clone(&merging.shared);
        let thread =
            std::thread::Builder::new().name("merging".into()).spawn(move || worker.work())?;
        merging.shared.state.lock().thread = Some(thread);
        Ok(merging)
    }

    /// Looks, soon, whether segments of this index are worth merging.
    pub fn consider(&self, index: &Arc<Index>) {
        let mut state = self.shared.state.lock();
        let index = Arc::downgrade(index);
        if !state.waiting.iter().any(|waiting| waiting.ptr_eq(&index)) {
            state.waiting.push_back(index);
            self.shared.wake.notify_one();
        }
    }

    /// Gives up a running merge at its next step and ends the thread.
    pub fn stop(&self) {
        let thread = {
            let mut state = self.shared.state.lock();
            state.stopped = true;
            self.shared.wake.notify_all();
            state.thread.take()
        };
        if let Some(thread) = thread {
            // A panic of the thread was reported when it happened.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn work(&self) {
        while let Some(index) = self.next() {
            if let Some(index) = index.upgrade() {
                self.merge(&index);
            }
        }
    }

    fn next(&self) -> Option<Weak<Index>> {
        let mut state = self.state.lock();
        loop {
            if state.stopped {
                return None;
            }
            if let Some(index) = state.waiting.pop_front() {
                return Some(index);
            }
            self.wake.wait(&mut state);
        }
    }

    fn merge(&self, index: &Index) {
        let should_stop = || self.state.lock().stopped;
        while let Some(plan) = index.next_merge() {
            match index.run_merge(plan, &should_stop) {
                Ok(_) => {}
                Err(error) if error.is_stopped_on_request() => return,
                Err(error) => {
                    // The segments stay as they are and are considered again at the next commit.
                    tracing::warn!(%error, "a merge was given up");
                    return;
                }
            }
        }
    }
}
