//! Merging: several segments become one without their deleted documents. The work runs on any
//! thread of the caller and holds no lock; only the publication takes the writer's lock, and
//! carries over concurrent deletions.

mod vectors;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use model::Cancel;
use parking_lot::{Mutex, MutexGuard};
use roaring::RoaringBitmap;
use segment::columns::{self, ColumnsMergeInput};
use segment::documents::{self, MergeInput};
use segment::geo::{self, GeoMergeInput};
use segment::text::{self, TextMergeInput};
use segment::{Directory, SegmentError};

use crate::commit::{CommitState, NextState};
use crate::deleted::DeletedIds;
use crate::error::{IndexError, Result};
use crate::index::{Index, SegmentParts};
use crate::indexing::Rules;
use crate::merge_policy::{Candidate, MergePolicy};
use crate::segments::Segment;

pub use vectors::VectorMergePlan;

/// Interval at which a merge that waits for the writer checks whether to stop.
const LOCK_PATIENCE: Duration = Duration::from_millis(20);

/// Registry of the segments that are being merged, and of those that failed.
#[derive(Debug, Default)]
pub(crate) struct MergeRegistry {
    busy: HashSet<u64>,
    failed: HashMap<u64, RetryPolicy>,
    busy_vectors: HashSet<u64>,
    failed_vectors: HashMap<u64, RetryPolicy>,
}

#[derive(Debug, PartialEq, Eq)]
enum RetryPolicy {
    /// A damaged file; not retried until the index is opened again.
    Never,
    /// For instance a lack of space; retried after the next commit.
    AfterCommit,
}

/// A planned merge. Its segments are in no other plan while it exists.
#[derive(Debug)]
pub struct MergePlan {
    inputs: Vec<Segment>,
    /// Rules that the inputs were built by.
    rules: Arc<Rules>,
    registry: Arc<Mutex<MergeRegistry>>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MergeReport {
    /// False if the documents were deleted or the settings changed in the meantime.
    pub published: bool,
    pub segments_merged: usize,
    /// Documents in the new segment.
    pub documents: u64,
    pub bytes_read: u64,
    pub bytes_written: u64,
}

impl RetryPolicy {
    fn of(error: &IndexError) -> Self {
        if error.is_damaged() { Self::Never } else { Self::AfterCommit }
    }
}

impl MergeRegistry {
    pub fn forget_temporary_failures(&mut self) {
        self.failed.retain(|_, failure| *failure == RetryPolicy::Never);
        self.failed_vectors.retain(|_, failure| *failure == RetryPolicy::Never);
    }

    /// Returns whether the vector store of this number is available.
    pub fn has_vectors(&self, number: u64) -> bool {
        !self.busy_vectors.contains(&number) && !self.failed_vectors.contains_key(&number)
    }

    pub fn take_vectors(&mut self, number: u64) {
        self.busy_vectors.insert(number);
    }

    pub fn free_vectors(&mut self, number: u64) {
        self.busy_vectors.remove(&number);
    }

    pub fn note_vectors_failure(&mut self, number: u64, error: &IndexError) {
        if !error.is_stopped_on_request() {
            self.failed_vectors.insert(number, RetryPolicy::of(error));
        }
    }

    fn is_available(&self, segment: &Segment) -> bool {
        !self.busy.contains(&segment.number()) && !self.failed.contains_key(&segment.number())
    }

    fn note_failure(&mut self, inputs: &[Segment], error: &IndexError) {
        if error.is_stopped_on_request() {
            return;
        }
        for input in inputs {
            self.failed.insert(input.number(), RetryPolicy::of(error));
        }
    }
}

impl MergePlan {
    /// Returns an estimate of the bytes that it will write.
    pub fn bytes(&self) -> u64 {
        self.inputs.iter().map(|input| input.live_share(input.file_bytes())).sum()
    }
}

impl Drop for MergePlan {
    fn drop(&mut self) {
        let mut registry = self.registry.lock();
        for input in &self.inputs {
            registry.busy.remove(&input.number());
        }
    }
}

impl Index {
    /// Plans the next merge; returns nothing if none is worth its cost.
    pub fn next_merge(&self) -> Option<MergePlan> {
        self.plan_merge(MergePolicy::choose)
    }

    /// Plans the next merge of an index at rest, which is one that has received no writes lately.
    pub fn next_merge_at_rest(&self) -> Option<MergePlan> {
        self.plan_merge(MergePolicy::choose_at_rest)
    }

    fn plan_merge(
        &self,
        choose: impl Fn(&MergePolicy, &[Candidate]) -> Option<Vec<usize>>,
    ) -> Option<MergePlan> {
        self.check_writable().ok()?;
        let mut registry = self.merge_registry.lock();
        let snapshot = self.snapshot();
        let available: Vec<&Segment> =
            snapshot.segments.iter().filter(|segment| registry.is_available(segment)).collect();
        let candidates: Vec<Candidate> =
            available.iter().map(|segment| Candidate::from(*segment)).collect();
        let chosen = choose(&self.options.merge, &candidates)?;

        let inputs: Vec<Segment> =
            chosen.into_iter().map(|position| available[position].clone()).collect();
        registry.busy.extend(inputs.iter().map(Segment::number));
        let rules = snapshot.meta.settings.rules().clone();
        Some(MergePlan { inputs, rules, registry: self.merge_registry.clone() })
    }

    /// Runs a merge. Checks `cancel` regularly; stopping costs only the work done. Must not be
    /// called by the thread that holds the writer.
    pub fn run_merge(&self, plan: MergePlan, cancel: &Cancel) -> Result<MergeReport> {
        let cancel = self.or_lost(cancel);
        let result = self.unless_lost(self.merge_and_publish(&plan, &cancel));
        if let Err(error) = &result {
            self.merge_registry.lock().note_failure(&plan.inputs, error);
        }
        result
    }

    /// Returns a handle that is also cancelled once the files that a merge reads are gone.
    pub(crate) fn or_lost(&self, cancel: &Cancel) -> Cancel {
        let (deleted, directory) = (self.deleted.clone(), Arc::clone(&self.directory));
        cancel.or_when(move || deleted.is_cancelled() || directory.check_maps().is_err())
    }

    /// Returns the result of a merge, or the reason why the files that it read are gone.
    pub(crate) fn unless_lost<T>(&self, result: Result<T>) -> Result<T> {
        if result.is_err() {
            if self.is_deleted() {
                return Err(SegmentError::Stopped.into());
            }
            self.check_maps()?;
        }
        result
    }

    fn merge_and_publish(&self, plan: &MergePlan, cancel: &Cancel) -> Result<MergeReport> {
        self.check_writable()?;
        let merged = self.merge_segments(&plan.inputs, &plan.rules, cancel)?;
        let mut state = self.lock_unless_stopped(cancel)?;
        self.publish_merged(&mut state, &plan.inputs, &plan.rules, merged)
    }

    /// Writes one new segment with the live documents of all inputs, as the rules want them;
    /// returns `None` if there are none.
    pub(crate) fn merge_segments(
        &self,
        inputs: &[Segment],
        rules: &Rules,
        cancel: &Cancel,
    ) -> Result<Option<Segment>> {
        if inputs.iter().all(|input| input.live_count() == 0) {
            return Ok(None);
        }
        let live: Vec<RoaringBitmap> = inputs.iter().map(Segment::live).collect();
        let with_live = || inputs.iter().zip(&live);
        let documents: Vec<MergeInput<'_>> = with_live()
            .map(|(input, live)| MergeInput { reader: input.documents(), live })
            .collect();
        let texts: Vec<TextMergeInput<'_>> = with_live()
            .map(|(input, live)| TextMergeInput { reader: input.text(), live })
            .collect();
        let columns: Vec<ColumnsMergeInput<'_>> = with_live()
            .map(|(input, live)| ColumnsMergeInput {
                readers: input.columns_files().collect(),
                live,
            })
            .collect();
        let wanted = |name: &str| rules.columns.want(name);
        let has_columns =
            inputs.iter().flat_map(Segment::columns_files).any(|file| file.names().any(wanted));
        let places: Vec<GeoMergeInput<'_>> = with_live()
            .filter_map(|(input, live)| Some(GeoMergeInput { reader: input.geo()?, live }))
            .collect();
        let has_places = !rules.geo.index_nothing() && !places.is_empty();
        let merged = self.write_segment(SegmentParts {
            documents: |directory: &dyn Directory, name: &str| {
                documents::merge(&documents, directory, name, cancel)
            },
            text: |directory: &dyn Directory, name: &str| {
                text::merge(&texts, directory, name, cancel)
            },
            columns: has_columns.then_some(|directory: &dyn Directory, name: &str| {
                let fold = &::text::fold;
                columns::merge(&columns, &wanted, fold, directory, name, cancel)
            }),
            geo: has_places.then_some(|directory: &dyn Directory, name: &str| {
                geo::merge(&places, directory, name, cancel)
            }),
        })?;
        Ok(Some(merged))
    }

    pub(crate) fn lock_unless_stopped(
        &self,
        cancel: &Cancel,
    ) -> Result<MutexGuard<'_, CommitState>> {
        loop {
            if let Some(state) = self.commit_state.try_lock_for(LOCK_PATIENCE) {
                return Ok(state);
            }
            cancel.check()?;
        }
    }

    /// Replaces the inputs by the merged segment. Everything else of the index, including the
    /// receipt and the dates, stays unchanged.
    pub(crate) fn publish_merged(
        &self,
        state: &mut CommitState,
        inputs: &[Segment],
        rules: &Rules,
        merged: Option<Segment>,
    ) -> Result<MergeReport> {
        let current = self.snapshot();
        let mut report = MergeReport {
            segments_merged: inputs.len(),
            documents: merged.as_ref().map_or(0, |merged| merged.documents().len()),
            bytes_read: inputs.iter().map(Segment::file_bytes).sum(),
            bytes_written: merged.as_ref().map_or(0, Segment::file_bytes),
            published: false,
        };

        let input_numbers: HashSet<u64> = inputs.iter().map(Segment::number).collect();
        let is_input = |segment: &Segment| input_numbers.contains(&segment.number());
        // The inputs were cleared or compacted away, so the merged segment is useless.
        let Some(place) = current.segments.iter().position(is_input) else {
            return Ok(report);
        };
        // The settings have changed, so the merged segment does not match them.
        if **current.meta.settings.rules() != *rules {
            return Ok(report);
        }
        let mut segments = current.segments.clone();
        segments.retain(|segment| !is_input(segment));
        if let Some(mut merged) = merged {
            let gone = deleted_since(inputs, &current.segments);
            *merged.deleted_set_mut() = DeletedIds::new(gone);
            segments.insert(place, merged);
        }
        let next = NextState { meta: current.meta.clone(), segments, live: current.live.clone() };
        self.publish(state, next)?;
        report.published = true;
        Ok(report)
    }
}

/// Returns the documents that were live in the inputs when the merge began and no longer are. An
/// input that is gone has lost all of them.
fn deleted_since(inputs: &[Segment], current: &[Segment]) -> RoaringBitmap {
    let mut gone = RoaringBitmap::new();
    for input in inputs {
        match current.iter().find(|segment| segment.number() == input.number()) {
            Some(now) => gone |= now.deleted() - input.deleted(),
            None => gone |= input.live(),
        }
    }
    gone
}

impl From<&Segment> for Candidate {
    fn from(segment: &Segment) -> Self {
        Self {
            live_bytes: segment.live_share(segment.file_bytes()),
            documents: segment.documents().len(),
            deleted: segment.deleted().len(),
            is_outdated: !segment.text().has_occurrences(),
        }
    }
}
