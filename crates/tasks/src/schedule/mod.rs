//! Chooses the next batch, and runs the threads that work on batches.

pub mod batch_start;
pub mod dispatch;
pub mod duty;
pub mod lane_choice;
pub mod log_line;
pub mod scheduler;
