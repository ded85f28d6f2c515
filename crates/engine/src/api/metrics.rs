//! Current state of the instance, for metrics.

use model::{ServiceError, timestamp};
use tasks::{BatchView, Counts, Query, Status, TaskType};
use time::{Duration, OffsetDateTime};

use super::Engine;
use crate::common::counters::ChatTokens;
use crate::search::QueueLoad;

/// Number of finished batches whose steps are reported.
const LAST_BATCHES: u32 = 5;
/// How long the last addition of documents is reported after it ended, beside the time it took.
const SHOWN_LONGER: Duration = Duration::minutes(5);

#[derive(Debug, Clone)]
pub struct InstanceMetrics {
    pub tasks: Counts,
    pub running_batches: Vec<BatchView>,
    pub last_batches: Vec<BatchView>,
    pub last_addition: Option<RecentAddition>,
    pub is_indexing: bool,
    /// Age of the oldest unfinished task.
    pub latency: Duration,
    pub task_store: TaskStore,
    pub search_capacity: usize,
    pub searches: QueueLoad,
    pub degraded_searches: u64,
    pub personalized_searches: u64,
    pub chat_searches: u64,
    pub chat_tokens: Vec<ChatTokens>,
}

/// The last batch that added documents, if it is recent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentAddition {
    pub batch_uid: u32,
    pub indexes: Vec<String>,
    pub documents: u64,
    pub took: Duration,
}

/// Bytes of tasks, batches and small payloads, and the limit above which new tasks are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskStore {
    pub used: u64,
    pub limit: u64,
}

impl Engine {
    pub fn observe(&self) -> Result<InstanceMetrics, ServiceError> {
        let now = timestamp::now();
        let batches = |statuses: &[Status], types: Option<TaskType>, limit| {
            let query = Query {
                statuses: Some(statuses.to_vec()),
                types: types.map(|kind| vec![kind]),
                limit: Some(limit),
                ..Query::default()
            };
            self.queue.batches(&query, None).map(|page| page.results)
        };
        let finished = [Status::Succeeded, Status::Failed];
        let addition = Some(TaskType::DocumentAdditionOrUpdate);
        let oldest = self.queue.oldest_unfinished()?;
        Ok(InstanceMetrics {
            tasks: self.queue.counts(),
            running_batches: batches(&[Status::Processing], None, u32::MAX)?,
            last_batches: batches(&finished, None, LAST_BATCHES)?,
            last_addition: batches(&[Status::Succeeded], addition, 1)?
                .first()
                .and_then(|batch| recent_addition(batch, now)),
            is_indexing: self.queue.is_working(),
            latency: oldest.map_or(Duration::ZERO, |oldest| (now - oldest).max(Duration::ZERO)),
            task_store: TaskStore {
                used: self.queue.stored_bytes(),
                limit: self.queue.options().max_stored_bytes,
            },
            search_capacity: self.searcher.queue().options().capacity,
            searches: self.searcher.queue().load(),
            degraded_searches: self.searcher.counters.degraded_searches(),
            personalized_searches: self.searcher.counters.personalized_searches(),
            chat_searches: self.searcher.counters.chat_searches(),
            chat_tokens: self.searcher.counters.tokens(),
        })
    }
}

fn recent_addition(batch: &BatchView, now: OffsetDateTime) -> Option<RecentAddition> {
    let took = batch.duration()?;
    if now - batch.finished_at? > took + SHOWN_LONGER {
        return None;
    }
    Some(RecentAddition {
        batch_uid: batch.uid,
        indexes: batch.stats.index_uids.keys().cloned().collect(),
        documents: batch.details.get("indexedDocuments")?.as_u64()?,
        took,
    })
}
