//! Public interface of the engine: one type that owns all components and delegates to them.

pub mod check;
mod compaction;
mod import;
mod index_settings;
mod indexes;
mod metrics;
mod network;
mod opening;
mod options;
mod search_rules;
mod task_views;
mod writes;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ::network::{NetworkStore, Replication};
use model::features::Feature;
use model::{Features, ServiceError};
use tasks::{Queue, Scheduler};

pub use import::import_dump;
pub use metrics::{InstanceMetrics, RecentAddition, TaskStore};
pub use options::EngineOptions;
pub use writes::{Addition, Edition, WriteContext};

use crate::backup::snapshots::Schedule;
use crate::chats::Chats;
use crate::documents::DocumentReader;
use crate::indexes::Indexes;
use crate::indexes::background::Background;
use crate::keys::Keys;
use crate::search::{Searcher, Turn};
use crate::storage::feature_store::FeatureStore;
use crate::webhooks::{Deliveries, Webhooks};

/// A running instance. Dropping it stops it; what was acknowledged is durable either way.
#[derive(Debug)]
pub struct Engine {
    indexes: Arc<Indexes>,
    queue: Queue,
    scheduler: Scheduler,
    background: Background,
    schedule: Schedule,
    must_restart: AtomicBool,
    features: Arc<FeatureStore>,
    keys: Keys,
    network: Arc<NetworkStore>,
    replication: Arc<Replication>,
    documents: DocumentReader,
    searcher: Arc<Searcher>,
    /// Time that another instance has to answer a search.
    remote_search_timeout: Duration,
    chats: Chats,
    webhooks: Webhooks,
    deliveries: Deliveries,
}

/// The state of the instance as health checks report it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    Available,
    /// The task store was rewritten and the new one is in use. The wire contract still demands a
    /// restart.
    MustRestart,
}

impl Engine {
    /// Stops running batches at a safe point and ends the background threads. Can be called more
    /// than once.
    pub fn shutdown(&self) {
        self.searcher.queue().stop();
        self.schedule.stop();
        self.scheduler.shutdown();
        self.deliveries.stop();
        self.replication.stop();
        self.background.stop();
    }

    pub fn health(&self) -> Health {
        match self.must_restart.load(Ordering::Acquire) {
            true => Health::MustRestart,
            false => Health::Available,
        }
    }

    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    pub fn webhooks(&self) -> &Webhooks {
        &self.webhooks
    }

    pub fn chats(&self) -> &Chats {
        &self.chats
    }

    pub fn documents(&self) -> &DocumentReader {
        &self.documents
    }

    pub fn searcher(&self) -> &Arc<Searcher> {
        &self.searcher
    }

    /// Runs `work` on a thread of the search queue. Dropping the future gives up the place in the
    /// queue.
    pub async fn in_turn<T, F>(self: &Arc<Self>, work: F) -> Result<T, ServiceError>
    where
        F: FnOnce(&Engine, Turn<'_>) -> Result<T, ServiceError> + Send + 'static,
        T: Send + 'static,
    {
        let engine = Arc::clone(self);
        self.searcher.queue().in_turn(move |turn| work(&engine, turn)).await
    }

    pub fn features(&self) -> Features {
        self.features.current()
    }

    /// Returns the features as JSON: like `features`, but null where an imported dump left one
    /// undecided.
    pub fn shown_features(&self) -> serde_json::Value {
        self.features.shown()
    }

    /// Switches features and returns the resulting state of all.
    pub fn change_features(&self, changes: &[(Feature, bool)]) -> Result<Features, ServiceError> {
        self.features.update(&self.queue, changes)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.shutdown();
    }
}
