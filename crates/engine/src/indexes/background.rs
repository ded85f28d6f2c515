//! Background work on a few threads of its own: merging segments of written indexes, removing
//! folders of deleted indexes, opening indexes in advance.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use index::{Index, MergePlan};
use model::Cancel;
use parking_lot::{Condvar, Mutex};

use super::catalog::Indexes;
use super::open_indexes::MAX_OPEN;

/// A merge that is done waits for its index's running batch before it is published. One such
/// wait must not keep the other indexes from being merged.
const THREADS: usize = 3;
/// Time without writes after which an index is merged further.
const REST: Duration = Duration::from_secs(1);

/// Handle to the background threads, cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Background {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    cancel: Cancel,
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Job>,
    /// Recently written or opened indexes and when they will be at rest, the next one first.
    resting: VecDeque<(Instant, Weak<Index>)>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Debug)]
enum Job {
    /// Merges an index. Weak, so that pending work keeps no index open.
    Merge(Weak<Index>),
    MergeAtRest(Weak<Index>),
    /// Prepares data that the first search would otherwise wait for.
    Prepare(Weak<Index>),
    RemoveFolder(PathBuf),
    /// Opens an index, with the work that opening schedules.
    Open {
        indexes: Weak<Indexes>,
        uid: String,
    },
}

impl Background {
    pub fn start() -> std::io::Result<Self> {
        let background = Self { shared: Arc::default() };
        for _ in 0..THREADS {
            let worker = Arc::clone(&background.shared);
            let thread = std::thread::Builder::new()
                .name("background".into())
                .spawn(move || worker.work())?;
            background.shared.state.lock().threads.push(thread);
        }
        Ok(background)
    }

    /// Schedules a merge of this index, if its segments are worth it.
    pub fn schedule_merge(&self, index: &Arc<Index>) {
        let mut state = self.shared.state.lock();
        let index = Arc::downgrade(index);
        let waits = |job: &Job| matches!(job, Job::Merge(waiting) if waiting.ptr_eq(&index));
        if !state.waiting.iter().any(waits) {
            state.waiting.push_back(Job::Prepare(index.clone()));
            state.waiting.push_back(Job::Merge(index.clone()));
        }
        state.rest_later(index);
        self.shared.wake.notify_one();
    }

    /// Removes folders of deleted indexes. Readers keep the files they hold mapped.
    pub fn remove_folders(&self, folders: Vec<PathBuf>) {
        let mut state = self.shared.state.lock();
        state.waiting.extend(folders.into_iter().map(Job::RemoveFolder));
        self.shared.wake.notify_one();
    }

    /// Opens indexes in advance, at most as many as stay open.
    pub fn open_indexes(&self, indexes: &Arc<Indexes>) {
        let uids = indexes.registry.page(0, MAX_OPEN / 2).into_iter().map(|(uid, _)| uid);
        let open = |uid| Job::Open { indexes: Arc::downgrade(indexes), uid };
        self.shared.state.lock().waiting.extend(uids.map(open));
        self.shared.wake.notify_all();
    }

    /// Aborts running merges at their next step and ends the threads.
    pub fn stop(&self) {
        let threads = {
            let mut state = self.shared.state.lock();
            self.shared.cancel.cancel();
            self.shared.wake.notify_all();
            std::mem::take(&mut state.threads)
        };
        for thread in threads {
            // A panic of the thread was reported when it happened.
            let _ = thread.join();
        }
    }
}

impl State {
    /// Schedules a further merge for when this index is at rest.
    fn rest_later(&mut self, index: Weak<Index>) {
        self.resting.retain(|(_, other)| other.strong_count() > 0 && !other.ptr_eq(&index));
        self.resting.push_back((Instant::now() + REST, index));
    }

    fn next_job(&mut self, now: Instant) -> Option<Job> {
        if let Some(job) = self.waiting.pop_front() {
            return Some(job);
        }
        let (_, index) = self.resting.pop_front_if(|(rest, _)| *rest <= now)?;
        Some(Job::MergeAtRest(index))
    }
}

impl Shared {
    fn work(&self) {
        while let Some(job) = self.next() {
            match job {
                Job::Merge(index) => {
                    if let Some(index) = index.upgrade() {
                        self.merge(&index, Index::next_merge);
                    }
                }
                Job::MergeAtRest(index) => {
                    if let Some(index) = index.upgrade() {
                        self.merge(&index, Index::next_merge_at_rest);
                    }
                }
                Job::Prepare(index) => {
                    if let Some(index) = index.upgrade() {
                        search::prepare_stems(&index.snapshot());
                    }
                }
                Job::RemoveFolder(folder) => remove_folder(&folder),
                Job::Open { indexes, uid } => {
                    match indexes.upgrade().map(|open| open.find(&uid)) {
                        // It may have been closed before it was at rest, or come from an earlier
                        // release.
                        Some(Ok(Some(index))) => {
                            search::prepare_stems(&index.snapshot());
                            self.state.lock().rest_later(Arc::downgrade(&index));
                        }
                        Some(Err(error)) => {
                            tracing::warn!(%error, "an index cannot be opened ahead");
                        }
                        Some(Ok(None)) | None => {}
                    }
                }
            }
        }
    }

    fn next(&self) -> Option<Job> {
        let mut state = self.state.lock();
        loop {
            if self.cancel.is_cancelled() {
                return None;
            }
            if let Some(job) = state.next_job(Instant::now()) {
                return Some(job);
            }
            match state.resting.front() {
                Some(&(rest, _)) => drop(self.wake.wait_until(&mut state, rest)),
                None => self.wake.wait(&mut state),
            }
        }
    }

    fn merge(&self, index: &Index, next: impl Fn(&Index) -> Option<MergePlan>) {
        self.merge_vectors(index);
        while let Some(plan) = next(index) {
            match index.run_merge(plan, &self.cancel) {
                Ok(_) => search::prepare_stems(&index.snapshot()),
                Err(error) if error.is_stopped_on_request() => return,
                Err(error) => {
                    // The segments stay as they are and are merged after the next commit.
                    tracing::warn!(%error, "a merge was given up");
                    return;
                }
            }
        }
    }
}

impl Shared {
    fn merge_vectors(&self, index: &Index) {
        while let Some(plan) = index.next_vector_merge() {
            match index.run_vector_merge(&plan, &self.cancel) {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    if !error.is_stopped_on_request() {
                        tracing::warn!(%error, "a merge of vectors was given up");
                    }
                    return;
                }
            }
        }
    }
}

/// Removes a folder. One that stays is an orphan, removed at the next start.
fn remove_folder(folder: &Path) {
    if let Err(error) = std::fs::remove_dir_all(folder) {
        tracing::warn!(%error, "the folder of a deleted index stays behind");
    }
}

#[cfg(test)]
mod tests {
    use segment::MemoryDirectory;
    use time::OffsetDateTime;

    use super::*;

    fn write(index: &Index, id: &str) {
        let mut writer = index.writer().unwrap();
        writer.set_primary_key(Some("id"));
        writer.upsert(id, &format!("{{\"id\":\"{id}\"}}"), ["id"]).unwrap();
        writer.commit(&[], OffsetDateTime::UNIX_EPOCH).unwrap();
    }

    #[test]
    fn an_index_at_rest_is_merged_into_one_large_segment() {
        let background = Background::start().unwrap();
        let directory = Arc::new(MemoryDirectory::new());
        let index = Arc::new(Index::create(directory, OffsetDateTime::UNIX_EPOCH).unwrap());
        let started = Instant::now();
        for id in ["a", "b", "c"] {
            write(&index, id);
            background.schedule_merge(&index);
        }
        assert_eq!(background.shared.state.lock().resting.len(), 1);
        while index.snapshot().segments().len() > 1 {
            assert!(started.elapsed() < Duration::from_secs(60), "nothing was merged");
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(started.elapsed() >= REST);
        background.stop();
    }
}
