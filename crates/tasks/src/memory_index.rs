//! Which tasks and which batches have a property, as sets of uids kept in memory. Rebuilt from
//! the heads of the records at start-up, changed only after a commit, asked by every list.

use std::collections::HashMap;

use roaring::RoaringBitmap;

use crate::dates::{Bounds, Dates};
use crate::query::{Query, Visibility};
use crate::record::{BatchHead, TaskHead};
use crate::running::RunningBatches;
use crate::task::{BatchUid, TaskUid};
use crate::task_type::{Status, TaskType};

const ENQUEUED: usize = 0;
const STARTED: usize = 1;
const FINISHED: usize = 2;
/// Batches have a first and a last date of enqueueing.
const LATEST_ENQUEUED: usize = 3;

type Sets<K> = HashMap<K, RoaringBitmap>;

#[derive(Debug, Default)]
pub(crate) struct TaskIndex {
    all: RoaringBitmap,
    by_status: Sets<Status>,
    by_type: Sets<TaskType>,
    by_index: Sets<String>,
    by_canceler: Sets<TaskUid>,
    dates: Dates<3>,
}

impl TaskIndex {
    /// Adds a task, or replaces what was known of it but its index names.
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
        self.dates.set(uid, [Some(head.enqueued_at), head.started_at, head.finished_at]);
    }

    /// A task came to name other indexes.
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
        self.dates.remove(uid, &self.all);
    }

    pub fn all(&self) -> &RoaringBitmap {
        &self.all
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

    /// What the filters match, regardless of the page. `of_batches` are the tasks of the batches
    /// asked for, if any were.
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

    /// Takes out what somebody who asks for indexes, or sees only some, does not get.
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

    /// What the filters match, running batches included. `of_tasks` and `of_cancelers` are the
    /// batches of the tasks asked for, if any were.
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

    /// As for tasks, but a batch is seen as soon as one of its indexes may be.
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
                    self.dates.inside(uid, ENQUEUED, &bounds)
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

fn running_matches(batch: &crate::running::RunningBatch, query: &Query) -> bool {
    let status = query.statuses.as_ref().is_none_or(|set| set.contains(&Status::Processing));
    let types = &batch.view.stats.types;
    let kind = query.types.as_ref().is_none_or(|set| set.iter().any(|t| types.contains_key(t)));
    let names = &batch.index_uids;
    let index = query.index_uids.as_ref().is_none_or(|set| set.iter().any(|n| names.contains(n)));
    status && kind && index
}

fn insert_named(sets: &mut Sets<String>, name: &str, uid: u32) {
    match sets.get_mut(name) {
        Some(set) => {
            set.insert(uid);
        }
        None => {
            sets.insert(name.to_owned(), RoaringBitmap::from_iter([uid]));
        }
    }
}

fn remove_from<K: std::hash::Hash + Eq>(sets: &mut Sets<K>, key: &K, uid: u32) {
    if let Some(set) = sets.get_mut(key) {
        set.remove(uid);
        if set.is_empty() {
            sets.remove(key);
        }
    }
}

fn union<K: std::hash::Hash + Eq>(sets: &Sets<K>, keys: &[K]) -> RoaringBitmap {
    let mut all = RoaringBitmap::new();
    for set in keys.iter().filter_map(|key| sets.get(key)) {
        all |= set;
    }
    all
}

fn keep(found: &mut RoaringBitmap, wanted: impl Fn(u32) -> bool) {
    *found = found.iter().filter(|&uid| wanted(uid)).collect();
}
