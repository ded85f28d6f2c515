//! Helpers shared by tests that run the real program.

pub mod http;
pub mod process;
pub mod shown;
pub mod tasks;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The turn of a test that loads the whole machine or opens hundreds of connections: such tests run one
/// at a time, beside others.
pub fn heavy_turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}
