//! Options of the queue, for operators and tests.

use std::time::Duration;

use model::limits::{MAX_TASKS, TASK_CLEANUP_COUNT};

use super::disk_space::DiskSpace;

#[derive(Debug, Clone)]
pub struct Options {
    /// Most tasks of one batch; 0 pauses the whole queue.
    pub max_batched_tasks: usize,
    /// Most payload bytes of one batch; one task is always taken.
    pub max_batched_bytes: u64,
    /// Number of tasks from which the oldest finished ones are deleted, and how many at a time.
    pub max_tasks: u64,
    pub cleanup_count: u64,
    /// Bytes of tasks, batches and small payloads above which writes are refused.
    pub max_stored_bytes: u64,
    /// Bodies up to this size are kept in the database.
    pub largest_payload_in_database: usize,
    /// How long a lane lets a busy one go first whose next task is older. Short batches thus keep
    /// the order in which they were enqueued; long ones delay no other lane.
    pub lane_wait: Duration,
    /// Free space on the disk of the database.
    pub disk_space: DiskSpace,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_batched_tasks: usize::MAX,
            max_batched_bytes: 10 << 30,
            max_tasks: MAX_TASKS,
            cleanup_count: TASK_CLEANUP_COUNT,
            // 40 % of 20 GiB.
            max_stored_bytes: 8 << 30,
            largest_payload_in_database: 64 << 10,
            lane_wait: Duration::from_millis(25),
            disk_space: DiskSpace::default(),
        }
    }
}
