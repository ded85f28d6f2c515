//! Queue of searches for a few threads of their own.
//!
//! Searches are CPU-bound, so a fixed number of threads runs them and the threads that drive
//! connections stay free. The queue is bounded: once it is full, a new search evicts a random one,
//! so that a burst costs everyone the same chance instead of making every answer late. The queue
//! knows nothing of what a search is.

use std::collections::VecDeque;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use model::{Cancel, Code, ServiceError};
use parking_lot::{Condvar, Mutex};

/// Maximum of threads that replace blocked ones.
const MOST_SUBSTITUTES: usize = 64;

#[derive(Debug, Clone, Copy)]
pub struct QueueOptions {
    /// Number of searches that run at the same time.
    pub threads: usize,
    /// Number that may wait. With 0 a search is refused while all threads are busy.
    pub capacity: usize,
    /// Longest wait before a search is refused.
    pub max_wait: Duration,
}

impl Default for QueueOptions {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        Self { threads, capacity: 1000, max_wait: Duration::from_secs(60) }
    }
}

/// Handle to the queue, cheap to clone.
#[derive(Debug, Clone)]
pub struct SearchQueue {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    options: QueueOptions,
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Arc<Search>>,
    running: Vec<Arc<Search>>,
    /// Threads with nothing to do, including those about to take a waiting search.
    idle: usize,
    /// Threads that take searches, including blocked ones.
    workers: usize,
    /// Searches that are blocked.
    blocked: usize,
    stopped: bool,
    threads: Vec<JoinHandle<()>>,
}

/// A search from its arrival to its end.
struct Search {
    arrived: Instant,
    cancel: Cancel,
    /// Taken by the thread that runs or refuses it.
    job: Mutex<Option<Job>>,
}

type Job = Box<dyn FnOnce(Result<Turn<'_>, ServiceError>) + Send>;

impl std::fmt::Debug for Search {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Search").field("arrived", &self.arrived).finish_non_exhaustive()
    }
}

/// State passed to a search when it starts.
#[derive(Debug, Clone, Copy)]
pub struct Turn<'t> {
    /// Cancelled when the client is gone.
    pub cancel: &'t Cancel,
    /// Time spent in the queue.
    pub waited: Duration,
}

/// A place in the queue or on a thread. Dropping it removes a waiting search and cancels a running
/// one.
#[derive(Debug)]
pub struct Ticket {
    shared: Arc<Shared>,
    search: Arc<Search>,
}

/// Current load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueLoad {
    pub running: usize,
    pub waiting: usize,
}

impl SearchQueue {
    pub fn start(options: QueueOptions) -> std::io::Result<Self> {
        let shared = Shared { options, state: Mutex::default(), wake: Condvar::new() };
        let queue = Self { shared: Arc::new(shared) };
        for _ in 0..queue.shared.threads() {
            queue.shared.add_worker(&mut queue.shared.state.lock())?;
        }
        Ok(queue)
    }

    /// Runs a blocking wait, such as for a provider of vectors, in the middle of a search. Another
    /// thread replaces this one meanwhile, so that it holds up no other search.
    pub fn while_blocked<T>(&self, wait: impl FnOnce() -> T) -> T {
        let _guard = BlockedGuard::from(&self.shared);
        wait()
    }

    pub fn options(&self) -> QueueOptions {
        self.shared.options
    }

    pub fn load(&self) -> QueueLoad {
        let state = self.shared.state.lock();
        QueueLoad { running: state.running.len(), waiting: state.waiting.len() }
    }

    /// Enqueues a search. `done` is called exactly once, with the result of `work` on a thread of
    /// the queue, or with the reason why it never ran; only dropping the ticket prevents the call.
    pub fn submit<T: 'static>(
        &self,
        work: impl FnOnce(Turn<'_>) -> Result<T, ServiceError> + Send + 'static,
        done: impl FnOnce(Result<T, ServiceError>) + Send + 'static,
    ) -> Ticket {
        let job: Job = Box::new(move |turn| {
            let result = turn.and_then(|turn| {
                catch_unwind(AssertUnwindSafe(|| work(turn))).unwrap_or_else(|_| Err(panicked()))
            });
            done(result);
        });
        let search = Arc::new(Search {
            arrived: Instant::now(),
            cancel: Cancel::default(),
            job: Mutex::new(Some(job)),
        });
        if let Some(refused) = self.shared.enqueue(&search) {
            refused.refuse(self.shared.full());
        }
        Ticket { shared: Arc::clone(&self.shared), search }
    }

    /// Refuses waiting searches, cancels running ones, and ends the threads.
    pub fn stop(&self) {
        let (waiting, threads) = {
            let mut state = self.shared.state.lock();
            state.stopped = true;
            for search in &state.running {
                search.cancel.cancel();
            }
            self.shared.wake.notify_all();
            (std::mem::take(&mut state.waiting), std::mem::take(&mut state.threads))
        };
        for search in waiting {
            search.refuse(self.shared.full());
        }
        for thread in threads {
            // The last owner of an engine may be a search that has just ended.
            if thread.thread().id() != std::thread::current().id() {
                // A panic of the thread was reported when it happened.
                let _ = thread.join();
            }
        }
    }
}

/// Counts one search as blocked while it lives.
struct BlockedGuard<'q>(&'q Shared);

impl<'q> BlockedGuard<'q> {
    fn from(shared: &'q Arc<Shared>) -> Self {
        let mut state = shared.state.lock();
        state.blocked += 1;
        let most = shared.threads() + state.blocked.min(MOST_SUBSTITUTES);
        if state.workers < most && !state.stopped {
            state.threads.retain(|thread| !thread.is_finished());
            // Without it the other threads have more to do.
            if let Err(error) = shared.add_worker(&mut state) {
                tracing::warn!("no thread could be started to replace a waiting one: {error}");
            }
        }
        Self(shared)
    }
}

impl Drop for BlockedGuard<'_> {
    fn drop(&mut self) {
        self.0.state.lock().blocked -= 1;
        // An idle replacement may end.
        self.0.wake.notify_one();
    }
}

impl Shared {
    fn threads(&self) -> usize {
        self.options.threads.max(1)
    }

    fn add_worker(self: &Arc<Self>, state: &mut State) -> std::io::Result<()> {
        let worker = Arc::clone(self);
        let thread =
            std::thread::Builder::new().name("search".into()).spawn(move || worker.work())?;
        state.threads.push(thread);
        state.workers += 1;
        Ok(())
    }

    /// Enqueues a search and returns the one to evict, if the queue is full.
    fn enqueue(&self, search: &Arc<Search>) -> Option<Arc<Search>> {
        let mut state = self.state.lock();
        if state.stopped {
            return Some(Arc::clone(search));
        }
        let in_line = state.waiting.len().saturating_sub(state.idle);
        let has_room = state.waiting.len() < state.idle || in_line < self.options.capacity;
        let mut refused = None;
        if !has_room {
            if in_line == 0 {
                return Some(Arc::clone(search));
            }
            let unlucky = random_below(state.waiting.len());
            refused = state.waiting.remove(unlucky);
        }
        state.waiting.push_back(Arc::clone(search));
        self.wake.notify_one();
        refused
    }

    fn work(&self) {
        while let Some(search) = self.next() {
            let waited = search.arrived.elapsed();
            if waited > self.options.max_wait {
                search.refuse(self.full());
            } else if let Some(job) = search.take() {
                job(Ok(Turn { cancel: &search.cancel, waited }));
            }
            let mut state = self.state.lock();
            state.running.retain(|running| !Arc::ptr_eq(running, &search));
        }
    }

    fn next(&self) -> Option<Arc<Search>> {
        let mut state = self.state.lock();
        loop {
            if state.stopped || state.workers > self.threads() + state.blocked {
                state.workers -= 1;
                // Another thread takes the search that this one may have been woken for.
                self.wake.notify_one();
                return None;
            }
            if let Some(search) = state.waiting.pop_front() {
                state.running.push(Arc::clone(&search));
                return Some(search);
            }
            state.idle += 1;
            self.wake.wait(&mut state);
            state.idle -= 1;
        }
    }

    fn full(&self) -> ServiceError {
        let capacity = self.options.capacity;
        ServiceError::new(
            Code::TooManySearchRequests,
            format!(
                "Too many search requests running at the same time: {capacity}. Retry after 10s."
            ),
        )
    }
}

impl Search {
    fn take(&self) -> Option<Job> {
        self.job.lock().take()
    }

    fn refuse(&self, why: ServiceError) {
        if let Some(job) = self.take() {
            job(Err(why));
        }
    }
}

impl Ticket {
    /// Refuses a waiting search; false if it runs or has ended already.
    pub fn give_up_waiting(&self) -> bool {
        match self.dequeue() {
            Some(job) => {
                job(Err(self.shared.full()));
                true
            }
            None => false,
        }
    }

    /// Takes the job out of the queue if it is still there.
    fn dequeue(&self) -> Option<Job> {
        let job = self.search.take()?;
        let mut state = self.shared.state.lock();
        state.waiting.retain(|waiting| !Arc::ptr_eq(waiting, &self.search));
        Some(job)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.search.cancel.cancel();
        // Dropped after the lock is released.
        drop(self.dequeue());
    }
}

fn panicked() -> ServiceError {
    ServiceError::internal("The search could not be finished because of an internal error.")
}

/// Returns a random number. The standard hasher is seeded by the system, which is random enough.
fn random_below(count: usize) -> usize {
    (RandomState::new().build_hasher().finish() % count.max(1) as u64) as usize
}

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
