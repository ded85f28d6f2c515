//! Callbacks of an embedder at work.

use std::fmt;

use model::Cancel;

use crate::requests::Requests;

/// Callbacks of a running embedder, called from several threads.
#[derive(Clone, Copy)]
pub struct EmbedCallbacks<'w> {
    /// Gets the number of inputs embedded since the last call.
    pub on_progress: &'w (dyn Fn(usize) + Sync),
    pub cancel: &'w Cancel,
    pub requests: &'w Requests,
}

impl fmt::Debug for EmbedCallbacks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmbedCallbacks").field("requests", self.requests).finish_non_exhaustive()
    }
}
