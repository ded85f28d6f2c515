//! Waiting tasks, arranged by what they wait for. Each index is a lane: its tasks run in order, one
//! batch at a time. A swap or rename is in every lane it names and runs when it is first in all of
//! them. Global work waits by type. Choosing the next batch looks at the heads of free lanes only,
//! never at the tasks behind them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Instant;

use roaring::RoaringBitmap;

use super::autobatch::{Candidate, TaskKind};
use crate::task::Task;
use crate::task::batch::Work;
use crate::task::content::Content;
use crate::task::ids::TaskUid;
use crate::task::payload_id::PayloadId;
use crate::task::task_type::TaskType;

/// Lane of a swap of nothing, which names no index.
const NO_INDEX: &str = "";

/// Most payload bytes of a batch that a thread for light work takes.
pub(crate) const LIGHT_BYTES: u64 = 1 << 20;

/// The properties of a waiting task that scheduling needs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WaitingTask {
    pub task_type: TaskType,
    pub queue: WaitQueue,
    pub payload_bytes: u64,
    pub since: Instant,
}

/// The queue in which a task waits.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum WaitQueue {
    /// Waits in the lanes of these indexes.
    Lanes { names: Vec<Arc<str>>, kind: TaskKind },
    /// Work that names no index, or only index patterns.
    Global { patterns: Vec<String> },
    /// Cancelation or deletion of these tasks.
    Housekeeping { targets: RoaringBitmap },
}

impl WaitingTask {
    pub fn of(task: &Task) -> Self {
        let content = &task.content;
        let queue = match (TaskKind::of(content), content) {
            (Some(kind), _) => {
                let mut names: Vec<Arc<str>> =
                    content.index_uids().into_iter().map(Arc::from).collect();
                if names.is_empty() {
                    names.push(Arc::from(NO_INDEX));
                }
                WaitQueue::Lanes { names, kind }
            }
            (
                None,
                Content::TaskCancelation { tasks, .. } | Content::TaskDeletion { tasks, .. },
            ) => WaitQueue::Housekeeping { targets: tasks.clone() },
            (None, Content::Export { indexes, .. }) => {
                WaitQueue::Global { patterns: indexes.keys().cloned().collect() }
            }
            (None, _) => WaitQueue::Global { patterns: Vec::new() },
        };
        Self {
            task_type: task.task_type(),
            queue,
            payload_bytes: content.payload().map_or(0, PayloadId::bytes),
            since: Instant::now(),
        }
    }

    /// Returns the targets of a cancelation or deletion.
    pub fn targets(&self) -> Option<&RoaringBitmap> {
        match &self.queue {
            WaitQueue::Housekeeping { targets } => Some(targets),
            _ => None,
        }
    }

    /// Returns whether its batch is short: small payloads, deletions, renames.
    pub fn is_light(&self) -> bool {
        let reads_everything = matches!(
            self.task_type,
            TaskType::DocumentEdition | TaskType::SettingsUpdate | TaskType::IndexCompaction
        );
        self.payload_bytes <= LIGHT_BYTES && !reads_everything
    }

    fn is_compaction(&self) -> bool {
        matches!(self.queue, WaitQueue::Lanes { kind: TaskKind::Alone(Work::IndexCompaction), .. })
    }
}

#[derive(Debug, Default)]
struct Lane {
    tasks: BTreeSet<TaskUid>,
    /// Compactions, which go before the other tasks.
    compactions: BTreeSet<TaskUid>,
    busy: bool,
    /// Key of the lane in `ready`.
    key: Option<(Urgency, TaskUid)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Urgency {
    Compaction,
    Usual,
}

impl Lane {
    fn head(&self) -> Option<(Urgency, TaskUid)> {
        let compaction = self.compactions.first().map(|uid| (Urgency::Compaction, *uid));
        compaction.or_else(|| self.tasks.first().map(|uid| (Urgency::Usual, *uid)))
    }
}

#[derive(Debug, Default)]
pub(crate) struct Lanes {
    waiting: HashMap<TaskUid, WaitingTask>,
    lanes: HashMap<Arc<str>, Lane>,
    /// Free lanes with tasks, oldest head first.
    ready: BTreeSet<(Urgency, TaskUid, Arc<str>)>,
    global: BTreeMap<TaskType, BTreeSet<TaskUid>>,
    /// Index patterns of waiting or running exports, by task.
    export_patterns: BTreeMap<TaskUid, Vec<String>>,
}

impl Lanes {
    pub fn insert(&mut self, uid: TaskUid, waiting: WaitingTask) {
        match &waiting.queue {
            WaitQueue::Lanes { names, .. } => {
                let compaction = waiting.is_compaction();
                for name in names {
                    let lane = self.lanes.entry(name.clone()).or_default();
                    if compaction {
                        lane.compactions.insert(uid);
                    } else {
                        lane.tasks.insert(uid);
                    }
                    self.refresh(name);
                }
            }
            WaitQueue::Global { patterns } => {
                if !patterns.is_empty() {
                    self.export_patterns.insert(uid, patterns.clone());
                }
                self.global.entry(waiting.task_type).or_default().insert(uid);
            }
            WaitQueue::Housekeeping { .. } => {
                self.global.entry(waiting.task_type).or_default().insert(uid);
            }
        }
        self.waiting.insert(uid, waiting);
    }

    /// Removes a task that runs, is finished or canceled. A running export still reads its indexes.
    pub fn remove(&mut self, uid: TaskUid) -> Option<WaitingTask> {
        let waiting = self.waiting.remove(&uid)?;
        if let WaitQueue::Lanes { names, .. } = &waiting.queue {
            for name in names {
                if let Some(lane) = self.lanes.get_mut(name) {
                    lane.tasks.remove(&uid);
                    lane.compactions.remove(&uid);
                }
                self.refresh(name);
            }
        } else if let Some(set) = self.global.get_mut(&waiting.task_type) {
            set.remove(&uid);
        }
        Some(waiting)
    }

    /// Forgets an export that is over, whatever its outcome.
    pub fn forget_export(&mut self, uid: TaskUid) {
        self.export_patterns.remove(&uid);
    }

    pub fn occupy(&mut self, names: &[Arc<str>]) {
        for name in names {
            self.lanes.entry(name.clone()).or_default().busy = true;
            self.refresh(name);
        }
    }

    pub fn release(&mut self, names: &[Arc<str>]) {
        for name in names {
            if let Some(lane) = self.lanes.get_mut(name) {
                lane.busy = false;
            }
            self.refresh(name);
        }
    }

    pub fn get(&self, uid: TaskUid) -> Option<&WaitingTask> {
        self.waiting.get(&uid)
    }

    /// Returns the number of waiting tasks of all types.
    pub fn waiting_tasks(&self) -> usize {
        self.waiting.len()
    }

    /// Returns the names of all lanes with tasks.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.lanes.keys().map(|name| &**name)
    }

    /// Returns the waiting tasks of a global type, oldest first.
    pub fn of_type(&self, task_type: TaskType) -> impl DoubleEndedIterator<Item = TaskUid> {
        self.global.get(&task_type).into_iter().flatten().copied()
    }

    /// Returns the free lanes with tasks, as head and name in start order. A lane is left out while
    /// its head waits for other lanes.
    pub fn startable(&self) -> impl Iterator<Item = (Urgency, TaskUid, &Arc<str>)> {
        self.ready.iter().filter_map(|(urgency, head, name)| {
            self.is_first_everywhere(*head).then_some((*urgency, *head, name))
        })
    }

    /// Returns whether a free lane begins with a task older than this one, or may hide older tasks
    /// behind a compaction.
    pub fn has_writes_before(&self, uid: TaskUid) -> bool {
        let first = self.ready.first();
        first.is_some_and(|(urgency, head, _)| *urgency == Urgency::Compaction || *head < uid)
    }

    /// Returns the lanes needed by a batch that begins with `head`.
    pub fn lanes_of(&self, head: TaskUid) -> Vec<Arc<str>> {
        match self.waiting.get(&head).map(|waiting| &waiting.queue) {
            Some(WaitQueue::Lanes { names, .. }) => names.clone(),
            _ => Vec::new(),
        }
    }

    /// Returns the tasks that could join a batch at the head of the lane, in order.
    pub fn candidates(&self, name: &str) -> impl Iterator<Item = Candidate<'_>> {
        let lane = self.lanes.get(name);
        let compaction = lane.and_then(|lane| lane.compactions.first());
        let usual = lane.filter(|lane| lane.compactions.is_empty()).map(|lane| &lane.tasks);
        let order = compaction.into_iter().chain(usual.into_iter().flatten());
        order.filter_map(|uid| {
            let waiting = self.waiting.get(uid)?;
            let WaitQueue::Lanes { kind, .. } = &waiting.queue else { return None };
            Some(Candidate {
                uid: *uid,
                task_type: waiting.task_type,
                kind,
                payload_bytes: waiting.payload_bytes,
            })
        })
    }

    /// Returns whether one of the tasks waits in the lane.
    pub fn holds_any(&self, name: &str, tasks: &RoaringBitmap) -> bool {
        let Some(lane) = self.lanes.get(name) else { return false };
        lane.compactions.iter().chain(&lane.tasks).any(|uid| tasks.contains(*uid))
    }

    /// Returns the task that a busy lane starts with next.
    pub fn next_in(&self, name: &str) -> Option<TaskUid> {
        self.lanes.get(name)?.head().map(|(_, uid)| uid)
    }

    pub fn is_busy(&self, matches: impl Fn(&str) -> bool) -> bool {
        // Lanes are dropped when they have nothing to do, and few are busy.
        self.lanes.iter().any(|(name, lane)| lane.busy && matches(name))
    }

    /// Returns the waiting or running exports whose patterns match the index.
    pub fn exports_of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = TaskUid> + 'a {
        let reaching = self.export_patterns.iter().filter(move |(_, patterns)| {
            patterns.iter().any(|pattern| pattern_matches(pattern, name))
        });
        reaching.map(|(uid, _)| *uid)
    }

    /// Returns whether a batch is running on an index that the export reads.
    pub fn is_read_busy(&self, export: TaskUid) -> bool {
        let Some(patterns) = self.export_patterns.get(&export) else { return false };
        self.is_busy(|name| patterns.iter().any(|pattern| pattern_matches(pattern, name)))
    }

    fn is_first_everywhere(&self, uid: TaskUid) -> bool {
        let Some(WaitingTask { queue: WaitQueue::Lanes { names, .. }, .. }) =
            self.waiting.get(&uid)
        else {
            return false;
        };
        names.len() < 2
            || names.iter().all(|name| {
                self.lanes.get(name).is_some_and(|lane| lane.key.is_some_and(|key| key.1 == uid))
            })
    }

    /// Updates the position of a lane after a change, or drops an idle one.
    fn refresh(&mut self, name: &Arc<str>) {
        let Some(lane) = self.lanes.get_mut(name) else { return };
        let key = if lane.busy { None } else { lane.head() };
        if key != lane.key {
            if let Some((urgency, uid)) = lane.key {
                self.ready.remove(&(urgency, uid, name.clone()));
            }
            if let Some((urgency, uid)) = key {
                self.ready.insert((urgency, uid, name.clone()));
            }
            lane.key = key;
        }
        if !lane.busy && lane.tasks.is_empty() && lane.compactions.is_empty() {
            self.lanes.remove(name);
        }
    }
}

/// Matches a name against `books`, `books*` or `*`.
pub(crate) fn pattern_matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => pattern == name,
    }
}

#[cfg(test)]
#[path = "lanes_tests.rs"]
mod tests;
