//! Helpers shared by tests that run the real program.

pub mod http;
pub mod process;
pub mod random;
pub mod shown;
