//! In-memory state of the queue: tasks by property, lanes, running batches, and listeners.

pub mod autobatch;
pub mod awaited_batches;
pub mod batch_index;
pub mod core;
pub mod dates;
pub mod events;
pub mod finished_batch;
pub mod lanes;
pub mod listing;
pub mod outbox;
pub mod running_batch;
pub mod signal;
pub mod state;
pub mod strategy;
pub mod task_index;
pub mod uid_sets;
