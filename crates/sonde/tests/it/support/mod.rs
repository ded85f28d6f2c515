//! Helpers shared by tests that run the real program.

// Each test binary uses its own part of this.
#![allow(dead_code)]

pub mod http;
pub mod process;
pub mod random;
pub mod shown;
