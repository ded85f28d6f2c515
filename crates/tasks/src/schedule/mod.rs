//! Which batch runs next, and the threads that run it.

pub mod batch_start;
pub mod dispatch;
pub mod duty;
pub mod lane_choice;
pub mod log_line;
pub mod scheduler;
