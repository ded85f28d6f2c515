//! Helpers that the tests of several crates share: waiting, random numbers, golden files, bounds of processor time, and
//! tests that a machine cannot run. It knows no other crate of the project, and only tests depend on it.

pub mod golden;
mod processor_time;
mod random;
mod skip;
mod wait;

pub use processor_time::takes_at_most;
pub use random::Random;
pub use skip::skip;
pub use wait::{LIMIT, wait_for, wait_until, wait_within};
