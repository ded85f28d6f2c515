//! How callers follow an embedder at work.

use std::fmt;

use crate::requests::Requests;

/// What an embedder tells callers that wait for it. Called from several threads.
#[derive(Clone, Copy)]
pub struct Watch<'w> {
    /// With the number of inputs that were embedded since the last call.
    pub on_progress: &'w (dyn Fn(usize) + Sync),
    pub should_stop: &'w (dyn Fn() -> bool + Sync),
    pub requests: &'w Requests,
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("requests", self.requests).finish_non_exhaustive()
    }
}
