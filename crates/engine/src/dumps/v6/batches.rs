//! The batches that a dump tells of. Which tasks were in one is told by the tasks.

use std::collections::BTreeMap;

use dump::v6::Batch;
use roaring::RoaringBitmap;
use serde_json::Value;
use tasks::{Stats, StoredBatch, Task};
use time::OffsetDateTime;

#[derive(Default)]
pub(super) struct Batches {
    told: BTreeMap<u32, Batch>,
    members: BTreeMap<u32, Members>,
}

struct Members {
    tasks: RoaringBitmap,
    earliest: OffsetDateTime,
    latest: OffsetDateTime,
}

impl Batches {
    pub fn note(&mut self, task: &Task) {
        let Some(uid) = task.batch_uid else { return };
        let date = task.enqueued_at;
        let members = self.members.entry(uid).or_insert_with(|| Members {
            tasks: RoaringBitmap::new(),
            earliest: date,
            latest: date,
        });
        members.tasks.insert(task.uid);
        members.earliest = members.earliest.min(date);
        members.latest = members.latest.max(date);
    }

    pub fn add(&mut self, batch: Batch) {
        self.told.insert(batch.uid, batch);
    }

    /// Those that ended and of which a task is left.
    pub fn finish(mut self) -> impl Iterator<Item = StoredBatch> {
        self.told.into_values().filter_map(move |batch| {
            let (finished_at, members) = (batch.finished_at?, self.members.remove(&batch.uid)?);
            let mut stats = batch.stats;
            if let Value::Object(stats) = &mut stats {
                // What was not measured is not shown.
                stats.retain(|_, value| !value.is_null());
            }
            let stats = match serde_json::from_value::<Stats>(stats) {
                Ok(stats) => stats,
                Err(error) => {
                    tracing::warn!("the batch {} is left out: {error}", batch.uid);
                    return None;
                }
            };
            Some(StoredBatch {
                uid: batch.uid,
                index_uids: stats.index_uids.keys().cloned().collect(),
                details: batch.details.into_iter().filter(|(_, value)| !value.is_null()).collect(),
                stats,
                strategy: batch.stop_reason.unwrap_or_default(),
                started_at: batch.started_at,
                finished_at,
                earliest_enqueued_at: members.earliest,
                latest_enqueued_at: members.latest,
                tasks: members.tasks,
            })
        })
    }
}
