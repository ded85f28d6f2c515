//! Index of tasks by property, as in-memory sets of uids. Rebuilt from the heads of the records at
//! start-up, changed only after a commit, used by every list.

use roaring::RoaringBitmap;

use super::dates::{Bounds, Dates};
use super::running_batch::RunningBatches;
use super::uid_sets::{Sets, insert_named, keep, remove_from, union};
use crate::store::record::TaskHead;
use crate::task::ids::TaskUid;
use crate::task::query::{Query, Visibility};
use crate::task::task_type::{Status, TaskType};

const ENQUEUED: usize = 0;
const STARTED: usize = 1;
const FINISHED: usize = 2;

#[derive(Debug, Default)]
pub(crate) struct TaskIndex {
    all: RoaringBitmap,
    by_status: Sets<Status>,
    by_type: Sets<TaskType>,
    by_index: Sets<String>,
    by_canceler: Sets<TaskUid>,
    shared: RoaringBitmap,
    dates: Dates<3>,
}

impl TaskIndex {
    /// Adds a task, or replaces its entry except for the index names.
    pub fn put(&mut self, head: &TaskHead) {
        let uid = head.uid;
        if !self.all.insert(uid) {
            for set in self.by_status.values_mut() {
                set.remove(uid);
            }
        }
        self.by_status.entry(head.status).or_default().insert(uid);
        self.by_type.entry(head.task_type).or_default().insert(uid);
        for name in &head.index_uids {
            insert_named(&mut self.by_index, name, uid);
        }
        if let Some(canceler) = head.canceled_by {
            self.by_canceler.entry(canceler).or_default().insert(uid);
        }
        if head.is_shared {
            self.shared.insert(uid);
        }
        self.dates.set(uid, [Some(head.enqueued_at), head.started_at, head.finished_at]);
    }

    /// Moves a task to its new index names.
    pub fn rename(&mut self, uid: TaskUid, old_names: &[String], new_names: &[String]) {
        for name in old_names {
            remove_from(&mut self.by_index, name, uid);
        }
        for name in new_names {
            insert_named(&mut self.by_index, name, uid);
        }
    }

    pub fn remove(&mut self, head: &TaskHead) {
        let uid = head.uid;
        self.all.remove(uid);
        remove_from(&mut self.by_status, &head.status, uid);
        remove_from(&mut self.by_type, &head.task_type, uid);
        for name in &head.index_uids {
            remove_from(&mut self.by_index, name, uid);
        }
        if let Some(canceler) = &head.canceled_by {
            remove_from(&mut self.by_canceler, canceler, uid);
        }
        self.shared.remove(uid);
        self.dates.remove(uid, &self.all);
    }

    pub fn all(&self) -> &RoaringBitmap {
        &self.all
    }

    /// Returns the tasks that other instances have too.
    pub fn shared(&self) -> &RoaringBitmap {
        &self.shared
    }

    pub fn with_status(&self, status: Status) -> RoaringBitmap {
        self.by_status.get(&status).cloned().unwrap_or_default()
    }

    pub fn finished(&self) -> RoaringBitmap {
        self.with_status(Status::Succeeded)
            | self.with_status(Status::Failed)
            | self.with_status(Status::Canceled)
    }

    pub fn of_index(&self, index_uid: &str) -> RoaringBitmap {
        self.by_index.get(index_uid).cloned().unwrap_or_default()
    }

    pub fn types(&self) -> impl Iterator<Item = (TaskType, &RoaringBitmap)> {
        self.by_type.iter().map(|(kind, set)| (*kind, set))
    }

    pub fn indexes(&self) -> impl Iterator<Item = (&str, &RoaringBitmap)> {
        self.by_index.iter().map(|(name, set)| (name.as_str(), set))
    }

    /// Returns the tasks that match the filters, regardless of the page. `of_batches` are the tasks
    /// of the requested batches, if any were requested.
    pub fn select(
        &self,
        query: &Query,
        of_batches: Option<&RoaringBitmap>,
        running: &RunningBatches,
    ) -> RoaringBitmap {
        let mut found = self.all.clone();
        if let Some(tasks) = of_batches {
            found &= tasks;
        }
        if let Some(uids) = &query.uids {
            found &= uids.iter().copied().collect::<RoaringBitmap>();
        }
        if let Some(statuses) = &query.statuses {
            found &= self.with_any_status(statuses, running);
        }
        if let Some(types) = &query.types {
            found &= union(&self.by_type, types);
        }
        if let Some(names) = &query.index_uids {
            found &= union(&self.by_index, names);
        }
        if let Some(cancelers) = &query.canceled_by {
            found &= union(&self.by_canceler, cancelers);
        }
        self.keep_dated(&mut found, query, running);
        found
    }

    /// Removes the tasks that a caller who filters by index, or sees only some indexes, must not
    /// get.
    pub fn hide(&self, found: &mut RoaringBitmap, query: &Query, visible: Visibility<'_>) {
        if query.index_uids.is_some() || visible.is_some() {
            for (kind, set) in &self.by_type {
                if !kind.concerns_one_index() {
                    *found -= set;
                }
            }
        }
        let Some(visible) = visible else { return };
        for (name, set) in &self.by_index {
            if !visible(name) {
                *found -= set;
            }
        }
    }

    fn with_any_status(&self, statuses: &[Status], running: &RunningBatches) -> RoaringBitmap {
        let mut found = union(&self.by_status, statuses);
        found -= running.tasks();
        if statuses.contains(&Status::Processing) {
            found |= running.tasks();
        }
        found
    }

    fn keep_dated(&self, found: &mut RoaringBitmap, query: &Query, running: &RunningBatches) {
        if let Some(bounds) = Bounds::of(&query.enqueued) {
            keep(found, |uid| self.dates.inside(uid, ENQUEUED, &bounds));
        }
        if let Some(bounds) = Bounds::of(&query.started) {
            keep(found, |uid| match running.holding(uid) {
                Some(batch) => bounds.hold_date(batch.view.started_at),
                None => self.dates.inside(uid, STARTED, &bounds),
            });
        }
        if let Some(bounds) = Bounds::of(&query.finished) {
            keep(found, |uid| self.dates.inside(uid, FINISHED, &bounds));
        }
    }
}
