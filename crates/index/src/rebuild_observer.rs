//! Progress reports and cancellation of a rebuild after a change of settings.

use std::sync::atomic::{AtomicU64, Ordering};

use model::Cancel;

use crate::error::Result;

/// Observes a rebuild. It is called by several threads, many times a second.
pub trait RebuildObserver: Sync {
    fn note(&self, progress: &RebuildProgress<'_>);
}

/// Progress of a rebuild.
#[derive(Debug, Clone, Copy)]
pub struct RebuildProgress<'a> {
    /// Segments that are done, of those that had to be checked.
    pub segments_done: usize,
    pub segments: usize,
    /// The current step: `rebuilding words of 2 meta`.
    pub step: &'a str,
    /// Documents done in this step.
    pub documents_done: u64,
    pub documents: u64,
}

/// Ignores progress.
pub(crate) struct NoObserver;

impl RebuildObserver for NoObserver {
    fn note(&self, _: &RebuildProgress<'_>) {}
}

/// Reports the rebuild of one segment.
pub(crate) struct SegmentObserver<'w> {
    observer: &'w dyn RebuildObserver,
    pub cancel: &'w Cancel,
    segments_done: usize,
    segments: usize,
}

impl<'w> SegmentObserver<'w> {
    pub fn new(
        observer: &'w dyn RebuildObserver,
        cancel: &'w Cancel,
        segments_done: usize,
        segments: usize,
    ) -> Self {
        Self { observer, cancel, segments_done, segments }
    }

    pub fn begin<'s>(&'s self, step: &'s str, documents: u64) -> StepObserver<'s> {
        let step = StepObserver { segment: self, step, done: AtomicU64::new(0), documents };
        step.advance(0);
        step
    }
}

/// Reports a step of it that goes through documents.
pub(crate) struct StepObserver<'s> {
    segment: &'s SegmentObserver<'s>,
    step: &'s str,
    done: AtomicU64,
    documents: u64,
}

impl StepObserver<'_> {
    pub fn check(&self) -> Result<()> {
        Ok(self.segment.cancel.check()?)
    }

    pub fn advance(&self, documents: u64) {
        let before = self.done.fetch_add(documents, Ordering::Relaxed);
        self.segment.observer.note(&RebuildProgress {
            segments_done: self.segment.segments_done,
            segments: self.segment.segments,
            step: self.step,
            documents_done: before + documents,
            documents: self.documents,
        });
    }
}
