//! How whoever changes settings follows what is built for it, and ends it.

use std::sync::atomic::{AtomicU64, Ordering};

use segment::SegmentError;

use crate::error::Result;

/// Follows a rebuild. It is called by several threads, many times a second.
pub trait Watcher: Sync {
    /// Once it says yes the rebuild ends with an error, and nothing has changed.
    fn should_stop(&self) -> bool;

    fn note(&self, progress: &RebuildProgress<'_>);
}

/// Where a rebuild is.
#[derive(Debug, Clone, Copy)]
pub struct RebuildProgress<'a> {
    /// Segments that are done, of those that had to be looked at.
    pub segments_done: usize,
    pub segments: usize,
    /// What is being done with the present one: `rebuilding words of 2 attributes`.
    pub step: &'a str,
    /// Documents of it that are done.
    pub documents_done: u64,
    pub documents: u64,
}

/// Nobody follows, and nobody stops.
pub(crate) struct Unwatched;

impl Watcher for Unwatched {
    fn should_stop(&self) -> bool {
        false
    }

    fn note(&self, _: &RebuildProgress<'_>) {}
}

/// The rebuild of one segment, as it is reported.
pub(crate) struct Watch<'w> {
    watcher: &'w dyn Watcher,
    segments_done: usize,
    segments: usize,
}

impl<'w> Watch<'w> {
    pub fn new(watcher: &'w dyn Watcher, segments_done: usize, segments: usize) -> Self {
        Self { watcher, segments_done, segments }
    }

    pub fn should_stop(&self) -> bool {
        self.watcher.should_stop()
    }

    pub fn begin<'s>(&'s self, step: &'s str, documents: u64) -> WatchedStep<'s> {
        let step = WatchedStep { watch: self, step, done: AtomicU64::new(0), documents };
        step.advance(0);
        step
    }
}

/// A step of it that goes through documents.
pub(crate) struct WatchedStep<'s> {
    watch: &'s Watch<'s>,
    step: &'s str,
    done: AtomicU64,
    documents: u64,
}

impl WatchedStep<'_> {
    pub fn check(&self) -> Result<()> {
        if self.watch.should_stop() { Err(SegmentError::Stopped.into()) } else { Ok(()) }
    }

    pub fn advance(&self, documents: u64) {
        let before = self.done.fetch_add(documents, Ordering::Relaxed);
        self.watch.watcher.note(&RebuildProgress {
            segments_done: self.watch.segments_done,
            segments: self.watch.segments,
            step: self.step,
            documents_done: before + documents,
            documents: self.documents,
        });
    }
}
