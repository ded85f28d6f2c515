//! State shared by the parts of an open queue.

use std::fmt;

use parking_lot::{Mutex, RwLock};

use super::events::Announcer;
use super::finished_batch::FinishedBatchFeed;
use super::signal::Signal;
use super::state::QueueState;
use crate::store::live_database::LiveDatabase;
use crate::store::options::Options;
use crate::store::payloads::PayloadStore;

pub(crate) struct Core {
    pub database: LiveDatabase,
    pub payloads: PayloadStore,
    pub options: Options,
    pub state: RwLock<QueueState>,
    /// Raised when a batch may have become possible to start.
    pub signal: Signal,
    /// Raised when other instances may have more tasks to take.
    pub deliveries: Signal,
    pub announcer: Announcer,
    pub finished_feed: FinishedBatchFeed,
    /// Held from choosing a lane until its batch runs, so that batches are numbered in the order
    /// they were chosen.
    pub choosing: Mutex<()>,
}

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Core").field("options", &self.options).finish_non_exhaustive()
    }
}
