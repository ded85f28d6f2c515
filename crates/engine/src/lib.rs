//! The whole service without HTTP: which indexes exist, the batches that change them, and the
//! answers about them. It knows no request, no status code and no wire format.

mod background;
pub mod chats;
pub mod check;
mod compaction;
mod counters;
mod damage;
pub mod dumps;
mod embedding;
mod error;
mod export;
mod failure;
mod feature_store;
mod fields;
mod filters;
mod folder;
mod foreign;
mod import;
mod index_list;
mod index_settings;
mod instance;
mod instance_table;
pub mod keys;
mod leftovers;
mod meta_copy;
mod meta_door;
pub mod network;
mod new_folder;
mod observed;
mod open_indexes;
mod opening;
mod options;
mod raw_members;
mod reads;
mod registry;
mod render;
mod reranking;
mod runner;
pub mod search;
mod search_access;
pub mod search_rules;
pub mod snapshots;
mod stats;
mod stored_secret;
mod task_views;
pub mod webhooks;
mod whole_document;
mod writes;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use model::features::Feature;
use model::{Features, Secret, ServiceError};
use tasks::{Queue, Scheduler};

pub use bucket::{Access as BucketAccess, BucketOptions};
pub use counters::{ChatTokens, TokenCounts};
pub use embed::{FailureModes, Options as EmbedderOptions};
pub use error::OpenError;
pub use fields::{Field, FieldFilter, RankingOrder};
pub use foreign::{ForeignAccess, ForeignRights};
pub use import::Import;
pub use index_list::{IndexInfo, IndexList};
pub use observed::{Addition as ObservedAddition, Observed, TaskStore};
pub use options::EngineOptions;
pub use outbound::AddressPolicy;
pub use reads::{DocumentView, ListDocuments, ListedDocument, ListedDocuments};
pub use render::{RenderIndex, RenderInput, RenderTemplate};
pub use reranking::PersonalizationOptions;
pub use stats::{IndexStats, InstanceStats};
pub use writes::{Addition, Edition, Sent};

use self::search::{Helpers, SearchQueue};
use background::Background;
use chats::ChatStore;
use counters::Counters;
use embedding::EmbedderPool;
use feature_store::FeatureStore;
use instance::Instance;
use keys::KeyStore;
use network::{Availability, NetworkStore, Sharding};
use reranking::{Personalizer, RerankerPool};
use snapshots::Schedule;
use webhooks::{Deliveries, WebhookStore};

/// A running instance. Dropping it stops it; what was acknowledged is durable either way.
#[derive(Debug)]
pub struct Engine {
    instance: Arc<Instance>,
    queue: Queue,
    scheduler: Scheduler,
    background: Background,
    schedule: Schedule,
    must_restart: AtomicBool,
    features: Arc<FeatureStore>,
    keys: Arc<KeyStore>,
    network: Arc<NetworkStore>,
    sharding: Arc<Sharding>,
    availability: Arc<Availability>,
    client: outbound::Client,
    remote_search_timeout: Duration,
    chats: Arc<ChatStore>,
    webhooks: Arc<WebhookStore>,
    deliveries: Deliveries,
    counters: Counters,
    /// For workspaces that have no key of their own.
    chat_api_key: Option<Secret>,
    search_queue: SearchQueue,
    /// For requests of several searches.
    search_helpers: Helpers,
    embedders: Arc<EmbedderPool>,
    rerankers: Arc<RerankerPool>,
    /// None where the operator gave no key for it.
    personalizer: Option<Personalizer>,
}

/// Whether the instance can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    Available,
    /// The task store was rewritten. The new one is in use; that a restart is asked for is the
    /// contract's.
    MustRestart,
}

/// A window of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    pub results: Vec<T>,
    pub offset: usize,
    pub limit: usize,
    pub total: usize,
}

impl Engine {
    /// Lets running batches reach a safe point and ends the background threads. Can be called
    /// more than once.
    pub fn shutdown(&self) {
        self.search_queue.stop();
        self.schedule.stop();
        self.scheduler.shutdown();
        self.deliveries.stop();
        self.sharding.stop();
        self.background.stop();
    }

    pub fn health(&self) -> Health {
        match self.must_restart.load(Ordering::Acquire) {
            true => Health::MustRestart,
            false => Health::Available,
        }
    }

    pub fn features(&self) -> Features {
        self.features.current()
    }

    /// The features as clients see them: like `features`, but null where a dump left open what
    /// becomes of one.
    pub fn shown_features(&self) -> serde_json::Value {
        self.features.shown()
    }

    /// Switches features and gives all of them as they then are.
    pub fn change_features(&self, changes: &[(Feature, bool)]) -> Result<Features, ServiceError> {
        self.features.update(&self.queue, changes)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.shutdown();
    }
}
