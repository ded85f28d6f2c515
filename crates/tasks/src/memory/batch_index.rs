//! Index of finished batches by property, as in-memory sets of uids; running batches are checked
//! one by one. Batches keep the index names they had when they ran.

use roaring::RoaringBitmap;

use super::dates::{Bounds, Dates};
use super::running_batch::{RunningBatch, RunningBatches};
use super::uid_sets::{Sets, insert_named, keep, remove_from, union};
use crate::store::record::BatchHead;
use crate::task::ids::BatchUid;
use crate::task::query::{Query, Visibility};
use crate::task::task_type::{Status, TaskType};

/// Positions of the dates of a batch; the first and the last of its tasks each have an enqueue
/// date.
const EARLIEST_ENQUEUED: usize = 0;
const STARTED: usize = 1;
const FINISHED: usize = 2;
const LATEST_ENQUEUED: usize = 3;

#[derive(Debug, Default)]
pub(crate) struct BatchIndex {
    all: RoaringBitmap,
    by_status: Sets<Status>,
    by_type: Sets<TaskType>,
    by_index: Sets<String>,
    dates: Dates<4>,
}

impl BatchIndex {
    pub fn put(&mut self, head: &BatchHead) {
        let uid = head.uid;
        self.all.insert(uid);
        for status in &head.statuses {
            self.by_status.entry(*status).or_default().insert(uid);
        }
        for kind in &head.types {
            self.by_type.entry(*kind).or_default().insert(uid);
        }
        for name in &head.index_uids {
            insert_named(&mut self.by_index, name, uid);
        }
        let dates = [head.dates.earliest, head.started_at, head.finished_at, head.dates.latest];
        self.dates.set(uid, dates.map(Some));
    }

    pub fn remove(&mut self, head: &BatchHead) {
        let uid = head.uid;
        self.all.remove(uid);
        for status in &head.statuses {
            remove_from(&mut self.by_status, status, uid);
        }
        for kind in &head.types {
            remove_from(&mut self.by_type, kind, uid);
        }
        for name in &head.index_uids {
            remove_from(&mut self.by_index, name, uid);
        }
        self.dates.remove(uid, &self.all);
    }

    pub fn contains(&self, uid: BatchUid) -> bool {
        self.all.contains(uid)
    }

    pub fn highest_uid(&self) -> Option<BatchUid> {
        self.all.max()
    }

    /// Returns the batches that match the filters, running ones included. `of_tasks` and
    /// `of_cancelers` are the batches of the requested tasks, if any were requested.
    pub fn select(
        &self,
        query: &Query,
        of_tasks: Option<&RoaringBitmap>,
        of_cancelers: Option<&RoaringBitmap>,
        running: &RunningBatches,
    ) -> RoaringBitmap {
        let mut found = self.all.clone();
        if let Some(statuses) = &query.statuses {
            found &= union(&self.by_status, statuses);
        }
        if let Some(types) = &query.types {
            found &= union(&self.by_type, types);
        }
        if let Some(names) = &query.index_uids {
            found &= union(&self.by_index, names);
        }
        for batch in running.iter() {
            if running_matches(batch, query) {
                found.insert(batch.view.uid);
            }
        }
        if let Some(uids) = &query.batch_uids {
            found &= uids.iter().copied().collect::<RoaringBitmap>();
        }
        for wanted in [of_tasks, of_cancelers].into_iter().flatten() {
            found &= wanted;
        }
        self.keep_dated(&mut found, query, running);
        found
    }

    /// Removes batches the caller may not see; one visible index is enough to see a batch.
    pub fn hide(
        &self,
        found: &mut RoaringBitmap,
        query: &Query,
        visible: Visibility<'_>,
        running: &RunningBatches,
    ) {
        if query.index_uids.is_none() && visible.is_none() {
            return;
        }
        for (kind, set) in &self.by_type {
            if !kind.concerns_one_index() {
                *found -= set;
            }
        }
        let mut seen = RoaringBitmap::new();
        if let Some(visible) = visible {
            for (_, set) in self.by_index.iter().filter(|(name, _)| visible(name)) {
                seen |= set;
            }
        }
        for batch in running.iter() {
            let uid = batch.view.uid;
            if batch.view.stats.types.keys().any(|kind| !kind.concerns_one_index()) {
                found.remove(uid);
            }
            if visible.is_some_and(|visible| batch.index_uids.iter().any(|name| visible(name))) {
                seen.insert(uid);
            }
        }
        if visible.is_some() {
            *found &= seen;
        }
    }

    fn keep_dated(&self, found: &mut RoaringBitmap, query: &Query, running: &RunningBatches) {
        if let Some(bounds) = Bounds::of(&query.enqueued) {
            keep(found, |uid| match running.get(uid) {
                Some(batch) => {
                    bounds.hold_date(batch.dates.earliest) || bounds.hold_date(batch.dates.latest)
                }
                None => {
                    self.dates.inside(uid, EARLIEST_ENQUEUED, &bounds)
                        || self.dates.inside(uid, LATEST_ENQUEUED, &bounds)
                }
            });
        }
        if let Some(bounds) = Bounds::of(&query.started) {
            keep(found, |uid| match running.get(uid) {
                Some(batch) => bounds.hold_date(batch.view.started_at),
                None => self.dates.inside(uid, STARTED, &bounds),
            });
        }
        if let Some(bounds) = Bounds::of(&query.finished) {
            keep(found, |uid| self.dates.inside(uid, FINISHED, &bounds));
        }
    }
}

fn running_matches(batch: &RunningBatch, query: &Query) -> bool {
    let status = query.statuses.as_ref().is_none_or(|set| set.contains(&Status::Processing));
    let types = &batch.view.stats.types;
    let kind = query.types.as_ref().is_none_or(|set| set.iter().any(|t| types.contains_key(t)));
    let names = &batch.index_uids;
    let index = query.index_uids.as_ref().is_none_or(|set| set.iter().any(|n| names.contains(n)));
    status && kind && index
}
