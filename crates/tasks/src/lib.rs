//! The durable queue of tasks: enqueueing, listing, batching, lanes, cancelation, deletion.
//!
//! Work itself is done by a [`Runner`]. This crate knows no index, no document and no HTTP.

mod memory;
mod queue;
mod schedule;
mod store;
mod task;

pub use memory::events::{Event, Events};
pub use memory::finished_batch::{FinishedBatch, FinishedBatches};
pub use queue::delivery::Delivery;
pub use queue::new_task::NewTask;
pub use queue::queue_snapshot::{QueueSnapshot, StoredBatch};
pub use queue::restorer::Restorer;
pub use queue::rewrite::{RewriteSizes, remove_unfinished_rewrite};
pub use queue::{Counts, Queue};
pub use schedule::scheduler::Scheduler;
pub use store::checked::{checksum, damaged_record, has_current_types};
pub use store::copy::{leave_out, payload_files};
pub use store::disk_space::DiskSpace;
pub use store::full_disk_retry::{FullDiskRetry, open_database};
pub use store::instance_table;
pub use store::live_database::LiveDatabase;
pub use store::options::Options;
pub use store::payloads::{
    PayloadBytes, PayloadStore, PayloadWriter, SealedPayload, UnsealedPayload,
};
pub use store::stash::StashEntry;
pub use store::tables::{VerifyReport, copy_table, copy_tables, verify};
pub use task::Task;
pub use task::batch::{Batch, BatchView, Stats, Work};
pub use task::content::{Content, Method, RULES_INDEX_UID, Swap};
pub use task::details::Details;
pub use task::error::QueueError;
pub use task::ids::{BatchUid, TaskUid};
pub use task::network::{Origin, RemoteTask, TaskNetwork};
pub use task::payload_id::PayloadId;
pub use task::progress::{Progress, ProgressView, Step, StepView};
pub use task::query::{DateBounds, Page, Query, Visibility};
pub use task::registry_update::RegistryUpdate;
pub use task::run_stats::RunStats;
pub use task::runner::{IndexState, Outcome, Rename, RunError, Runner, TaskOutcome};
pub use task::task_type::{Status, TaskType};
