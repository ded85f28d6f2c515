//! The queue in memory: every task by its properties, lanes, running batches, and who is told of
//! changes.

pub mod autobatch;
pub mod awaited;
pub mod batch_index;
pub mod core;
pub mod dates;
pub mod events;
pub mod finished;
pub mod lanes;
pub mod listing;
pub mod outbox;
pub mod running;
pub mod signal;
pub mod state;
pub mod strategy;
pub mod task_index;
pub mod uid_sets;
