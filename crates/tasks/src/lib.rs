//! The durable queue of tasks: enqueueing, listing, batching, lanes, cancelation, deletion.
//!
//! Work itself is done by a [`Runner`]. This crate knows no index, no document and no HTTP.

mod memory;
mod queue;
mod schedule;
mod store;
mod task;

pub use memory::events::{Event, Events};
pub use memory::finished::{FinishedBatch, FinishedBatches};
pub use queue::frozen::{Frozen, StoredBatch};
pub use queue::new_task::NewTask;
pub use queue::restoring::Restorer;
pub use queue::rewriting::{Rewritten, remove_unfinished_rewrite};
pub use queue::sharing::Delivery;
pub use queue::{Counts, Queue};
pub use schedule::scheduler::{FailurePoint, Scheduler};
pub use store::checked::{checksum, damaged_record, has_current_types};
pub use store::copy::{leave_out, payload_files};
pub use store::live_database::LiveDatabase;
pub use store::options::Options;
pub use store::patient_file::{Patient, open_database};
pub use store::payloads::{Draft, PayloadBytes, PayloadStore, PayloadWriter, SealedPayload};
pub use store::room::Room;
pub use store::stash::Stashed;
pub use store::tables::{Verified, copy_table, copy_tables, verify};
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
pub use task::runner::{IndexState, Outcome, Rename, RunError, Runner, StopFlag, TaskOutcome};
pub use task::task_type::{Status, TaskType};
