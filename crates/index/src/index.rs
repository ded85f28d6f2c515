//! The index as the rest of the service sees it: the current snapshot for readers, and the state
//! shared by writers and merges.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwap;
use model::Cancel;
use parking_lot::Mutex;
use segment::Directory;
use time::OffsetDateTime;

use crate::commit::{CommitState, NextState};
use crate::error::{IndexError, Result};
use crate::file_name::FileName;
use crate::index_meta::IndexMeta;
use crate::merge::MergeRegistry;
use crate::options::Options;
use crate::recovery;
use crate::segments::{FIRST_GENERATION, NewFiles, Segment};
use crate::snapshot::Snapshot;
use crate::tracked_file::TrackedFile;
use crate::writer::Writer;

#[derive(Debug)]
pub struct Index {
    pub(crate) directory: Arc<dyn Directory>,
    pub(crate) options: Options,
    pub(crate) current: ArcSwap<Snapshot>,
    /// Locked by the one writer, and by a merge while it publishes.
    pub(crate) commit_state: Mutex<CommitState>,
    writers: WriterCounts,
    pub(crate) merge_registry: Arc<Mutex<MergeRegistry>>,
    next_segment: AtomicU64,
    /// Reason why writes are refused, once they are.
    stopped: OnceLock<String>,
    /// The folder is being removed.
    pub(crate) deleted: Cancel,
}

/// Writers since the index was opened, and those of them that had to wait.
#[derive(Debug, Default)]
struct WriterCounts {
    begun: AtomicU64,
    waited: AtomicU64,
}

/// Writes a component under a name and returns its length.
pub(crate) trait Write: FnOnce(&dyn Directory, &str) -> segment::Result<u64> {}

impl<W: FnOnce(&dyn Directory, &str) -> segment::Result<u64>> Write for W {}

/// Writers of the components of a new segment.
pub(crate) struct SegmentParts<D, T, C, G> {
    pub documents: D,
    pub text: T,
    pub columns: Option<C>,
    pub geo: Option<G>,
}

impl Index {
    /// Creates an empty index. It survives a crash only once this has returned, so a caller must
    /// record its existence elsewhere afterwards.
    pub fn create(directory: Arc<dyn Directory>, now: OffsetDateTime) -> Result<Self> {
        Self::create_with(directory, now, Options::default())
    }

    pub fn create_with(
        directory: Arc<dyn Directory>,
        now: OffsetDateTime,
        options: Options,
    ) -> Result<Self> {
        let files = directory.list()?;
        if files.iter().any(is_manifest) {
            return Err(IndexError::AlreadyExists);
        }
        // An interrupted creation may have left a draft manifest.
        let (next_generation, next_segment) = recovery::next_numbers(&files);
        let meta = IndexMeta::new(now);
        let nothing = Snapshot {
            generation: 0,
            meta: meta.clone(),
            segments: Vec::new(),
            live: Arc::default(),
            manifest_bytes: 0,
            directory: Arc::clone(&directory),
        };
        let commit_state = CommitState::new(next_generation);
        let index = Self::assemble(directory, options, nothing, commit_state, next_segment);
        let next = NextState { meta, segments: Vec::new(), live: Arc::default() };
        index.publish(&mut index.commit_state.lock(), next)?;
        Ok(index)
    }

    pub fn open(directory: Arc<dyn Directory>) -> Result<Self> {
        Self::open_with(directory, Options::default())
    }

    /// Opens the state of the last commit, and removes files that it does not name.
    pub fn open_with(directory: Arc<dyn Directory>, options: Options) -> Result<Self> {
        recovery::open(directory, options)
    }

    pub(crate) fn assemble(
        directory: Arc<dyn Directory>,
        options: Options,
        snapshot: Snapshot,
        commit_state: CommitState,
        next_segment: u64,
    ) -> Self {
        Self {
            directory,
            options,
            current: ArcSwap::from_pointee(snapshot),
            commit_state: Mutex::new(commit_state),
            writers: WriterCounts::default(),
            merge_registry: Arc::default(),
            next_segment: AtomicU64::new(next_segment),
            stopped: OnceLock::new(),
            deleted: Cancel::new(),
        }
    }

    /// Returns the state of the last commit.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// Returns how many writers began since the index was opened, and how many of them had to wait.
    pub fn writer_counts(&self) -> (u64, u64) {
        let WriterCounts { begun, waited } = &self.writers;
        (begun.load(Ordering::Relaxed), waited.load(Ordering::Relaxed))
    }

    /// Starts a batch of changes; waits until any other batch has ended.
    pub fn writer(&self) -> Result<Writer<'_>> {
        self.writers.begun.fetch_add(1, Ordering::Relaxed);
        let commit_state = self.commit_state.try_lock().unwrap_or_else(|| {
            self.writers.waited.fetch_add(1, Ordering::Relaxed);
            self.commit_state.lock()
        });
        self.check_writable()?;
        Ok(Writer::new(self, commit_state))
    }

    /// Fails once a part of a file of this index could not be read.
    pub fn check_maps(&self) -> Result<()> {
        Ok(self.directory.check_maps()?)
    }

    /// Tells merges that the folder is being removed: they stop, and missing files do not count as
    /// a disk failure.
    pub fn note_deletion(&self) {
        self.deleted.cancel();
    }

    pub(crate) fn is_deleted(&self) -> bool {
        self.deleted.is_cancelled()
    }

    pub fn check_writable(&self) -> Result<()> {
        self.check_maps()?;
        match self.stopped.get() {
            Some(reason) => Err(IndexError::WritesStopped { reason: reason.clone() }),
            None => Ok(()),
        }
    }

    /// Refuses writes from now on. The first reason is the one reported.
    pub(crate) fn stop_writes(&self, error: &IndexError) {
        if self.is_deleted() {
            tracing::debug!(%error, "writes to a deleted index are stopped");
        } else {
            tracing::error!(%error, "writes to an index are stopped");
        }
        let _ = self.stopped.set(error.to_string());
    }

    /// Stops writes if a failed write or sync makes the disk unreliable. A full disk does not: the
    /// incomplete files are removed and the index is unchanged.
    pub(crate) fn note_failed_write(&self, error: &IndexError) {
        if error.puts_disk_in_doubt() && !self.is_deleted() {
            self.stop_writes(error);
        }
    }

    /// Writes a segment that no manifest names yet.
    pub(crate) fn write_segment<D: Write, T: Write, C: Write, G: Write>(
        &self,
        parts: SegmentParts<D, T, C, G>,
    ) -> Result<Segment> {
        let number = self.take_segment_number();
        let documents =
            self.write_component(&FileName::documents(number, FIRST_GENERATION), parts.documents)?;
        let text = self.write_component(&FileName::text(number, FIRST_GENERATION), parts.text)?;
        let (columns, geo) = self.write_optional(number, parts.columns, parts.geo)?;
        Segment::open_new(&*self.directory, number, NewFiles { documents, text, columns, geo })
    }

    /// Like [`Self::write_segment`], but writes the text, which takes longest, in parallel.
    pub(crate) fn write_large_segment<D, T, C, G>(
        &self,
        parts: SegmentParts<D, T, C, G>,
    ) -> Result<Segment>
    where
        D: Write + Send,
        T: Write,
        C: Write + Send,
        G: Write + Send,
    {
        let number = self.take_segment_number();
        let SegmentParts { documents, text, columns, geo } = parts;
        let (rest, text) = std::thread::scope(|scope| {
            let rest = scope.spawn(|| {
                let name = FileName::documents(number, FIRST_GENERATION);
                let documents = self.write_component(&name, documents)?;
                let (columns, geo) = self.write_optional(number, columns, geo)?;
                Ok::<_, IndexError>((documents, columns, geo))
            });
            let text = self.write_component(&FileName::text(number, FIRST_GENERATION), text);
            match rest.join() {
                Ok(rest) => (rest, text),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        });
        let ((documents, columns, geo), text) = (rest?, text?);
        Segment::open_new(&*self.directory, number, NewFiles { documents, text, columns, geo })
    }

    /// Writes the components that not every segment has.
    fn write_optional(
        &self,
        number: u64,
        columns: Option<impl Write>,
        geo: Option<impl Write>,
    ) -> Result<(Option<TrackedFile>, Option<TrackedFile>)> {
        let write_columns =
            |write| self.write_component(&FileName::columns(number, FIRST_GENERATION), write);
        let write_geo =
            |write| self.write_component(&FileName::geo(number, FIRST_GENERATION), write);
        Ok((columns.map(write_columns).transpose()?, geo.map(write_geo).transpose()?))
    }

    /// Returns a segment number that was never used, not even by an uncommitted segment.
    pub(crate) fn take_segment_number(&self) -> u64 {
        self.next_segment.fetch_add(1, Ordering::Relaxed)
    }

    fn write_component(&self, name: &FileName, write: impl Write) -> Result<TrackedFile> {
        TrackedFile::write(&self.directory, name, write)
            .inspect_err(|error| self.note_failed_write(error))
    }

    pub(crate) fn next_segment_number(&self) -> u64 {
        self.next_segment.load(Ordering::Relaxed)
    }
}

/// Returns whether an index was ever committed in this folder.
pub fn holds_an_index(directory: &dyn Directory) -> Result<bool> {
    Ok(directory.list()?.iter().any(is_manifest))
}

fn is_manifest((name, _): &(String, u64)) -> bool {
    matches!(FileName::parse(name), Some(FileName::Manifest(_)))
}
