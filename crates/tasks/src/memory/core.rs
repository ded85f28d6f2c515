//! What the parts of an open queue share.

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
    /// Rings when something may have become possible.
    pub signal: Signal,
    /// Rings when other instances may have more to take.
    pub deliveries: Signal,
    pub announcer: Announcer,
    pub finished_feed: FinishedBatchFeed,
    /// Held from choosing a lane until its batch runs, so that batches are numbered in the order
    /// in which they were chosen.
    pub choosing: Mutex<()>,
}

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Core").field("options", &self.options).finish_non_exhaustive()
    }
}
