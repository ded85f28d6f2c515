//! Batches of a dump, by number. Their members are known from the tasks; a batch that only tasks
//! mention, such as that of the dump itself, is rebuilt from them.

use std::collections::BTreeMap;

use dump::v6::Batch;
use roaring::RoaringBitmap;
use serde_json::{Map, Value};
use tasks::{Stats, StoredBatch, Task};
use time::OffsetDateTime;

/// Reason a batch stopped growing, if none is stored.
const NO_STRATEGY: &str = "unspecified";

#[derive(Default)]
pub(super) struct Batches {
    told: BTreeMap<u32, Batch>,
    members: BTreeMap<u32, Members>,
}

/// A batch as described by its tasks.
struct Members {
    tasks: RoaringBitmap,
    earliest: OffsetDateTime,
    latest: OffsetDateTime,
    started_at: Option<OffsetDateTime>,
    finished_at: Option<OffsetDateTime>,
    stats: Stats,
    /// Details of the task if it is the only one.
    details: Map<String, Value>,
}

impl Members {
    fn of(first: &Task) -> Self {
        Self {
            tasks: RoaringBitmap::new(),
            earliest: first.enqueued_at,
            latest: first.enqueued_at,
            started_at: None,
            finished_at: None,
            stats: Stats::default(),
            details: first.details.to_json().unwrap_or_default(),
        }
    }

    fn add(&mut self, task: &Task) {
        if !self.tasks.is_empty() {
            self.details.clear();
        }
        self.tasks.insert(task.uid);
        self.earliest = self.earliest.min(task.enqueued_at);
        self.latest = self.latest.max(task.enqueued_at);
        self.started_at = self.started_at.or(task.started_at);
        self.finished_at = self.finished_at.max(task.finished_at);
        self.stats.count(task, task.status);
    }
}

impl Batches {
    pub fn note(&mut self, task: &Task) {
        let Some(uid) = task.batch_uid else { return };
        self.members.entry(uid).or_insert_with(|| Members::of(task)).add(task);
    }

    pub fn add(&mut self, batch: Batch) {
        self.told.insert(batch.uid, batch);
    }

    /// Returns the batches that have ended, in the order of their numbers.
    pub fn finish(mut self) -> impl Iterator<Item = StoredBatch> {
        let mut uids: RoaringBitmap = self.told.keys().copied().collect();
        uids.extend(self.members.keys().copied());
        uids.into_iter().filter_map(move |uid| {
            match (self.told.remove(&uid), self.members.remove(&uid)) {
                (Some(told), members) => stored(told, members),
                (None, members) => members.map(|members| made_up(uid, members)),
            }
        })
    }
}

/// Converts a stored batch; none if it had not ended.
fn stored(batch: Batch, members: Option<Members>) -> Option<StoredBatch> {
    let of_tasks = members.as_ref().and_then(|members| members.finished_at);
    let finished_at = batch.finished_at.or(of_tasks)?;
    // Tasks that concern only the other program are left out; their batch keeps its number.
    let members = members.unwrap_or_else(|| Members {
        tasks: RoaringBitmap::new(),
        earliest: batch.started_at,
        latest: batch.started_at,
        started_at: None,
        finished_at: None,
        stats: Stats::default(),
        details: Map::new(),
    });
    let stats = read_stats(batch.uid, batch.stats).unwrap_or(members.stats);
    Some(StoredBatch {
        uid: batch.uid,
        index_uids: stats.index_uids.keys().cloned().collect(),
        details: without_nulls(batch.details),
        stats,
        strategy: batch.stop_reason.unwrap_or_else(|| NO_STRATEGY.to_owned()),
        started_at: batch.started_at,
        finished_at,
        earliest_enqueued_at: members.earliest,
        latest_enqueued_at: members.latest,
        tasks: members.tasks,
    })
}

fn made_up(uid: u32, members: Members) -> StoredBatch {
    let finished_at = members.finished_at.unwrap_or(members.latest);
    StoredBatch {
        uid,
        index_uids: members.stats.index_uids.keys().cloned().collect(),
        details: without_nulls(members.details),
        stats: members.stats,
        strategy: NO_STRATEGY.to_owned(),
        started_at: members.started_at.unwrap_or(finished_at),
        finished_at,
        earliest_enqueued_at: members.earliest,
        latest_enqueued_at: members.latest,
        tasks: members.tasks,
    }
}

/// Returns none if the stats hold something unknown here, such as a type of tasks.
fn read_stats(uid: u32, mut stats: Value) -> Option<Stats> {
    if let Value::Object(stats) = &mut stats {
        // Figures that were not measured are left out.
        stats.retain(|_, value| !value.is_null());
    }
    let read = serde_json::from_value::<Stats>(stats);
    read.inspect_err(|error| tracing::warn!("figures of the batch {uid} are left out: {error}"))
        .ok()
}

fn without_nulls(details: Map<String, Value>) -> Map<String, Value> {
    details.into_iter().filter(|(_, value)| !value.is_null()).collect()
}
