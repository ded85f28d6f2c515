//! The durable queue of tasks: enqueueing, listing, batching, lanes, cancelation, deletion.
//!
//! Work itself is done by a [`Runner`]. This crate knows no index, no document and no HTTP.

mod autobatch;
mod batch;
mod batch_index;
mod committer;
mod content;
mod core;
mod dates;
mod details;
mod dispatch;
mod error;
mod events;
mod finishing;
mod housekeeping;
mod lane_choice;
mod lanes;
mod listing;
mod merged_details;
mod opening;
mod options;
mod payloads;
mod progress;
mod query;
mod queue;
mod record;
mod record_bytes;
mod runner;
mod running;
mod scheduler;
mod signal;
mod starting;
mod state;
mod store;
mod strategy;
mod task;
mod task_index;
mod task_type;
mod transaction;
mod uid_ranges;
mod uid_sets;

pub use batch::{Batch, BatchView, RunStats, Stats, Work};
pub use content::{Content, Method, NewTask, RULES_INDEX_UID, Swap};
pub use details::{Details, mask_secret};
pub use error::QueueError;
pub use events::{Event, Events};
pub use options::Options;
pub use payloads::{Draft, PayloadBytes, PayloadId, PayloadStore, PayloadWriter, SealedPayload};
pub use progress::{Progress, ProgressView, Step, StepView};
pub use query::{DateBounds, Page, Query, Visibility};
pub use queue::{Counts, Queue};
pub use runner::{
    IndexState, Outcome, RegistryUpdate, Rename, RunError, Runner, StopFlag, TaskOutcome,
};
pub use scheduler::{FailurePoint, Scheduler};
pub use task::{BatchUid, Task, TaskUid};
pub use task_type::{Status, TaskType};
