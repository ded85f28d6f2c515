//! The whole service without HTTP: which indexes exist, the batches that change them, and the
//! answers about them. It knows no request, no status code and no wire format.

mod background;
pub mod chats;
pub mod check;
mod compaction;
mod counters;
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
mod index_settings;
mod instance;
pub mod keys;
mod meta_copy;
pub mod network;
mod new_folder;
mod observed;
mod open_indexes;
mod options;
mod reads;
mod registry;
mod render;
mod runner;
pub mod search;
pub mod search_rules;
pub mod snapshots;
mod stats;
mod stored_secret;
pub mod webhooks;
mod whole_document;
mod writes;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use auth::Access;
use model::{Code, Features, ServiceError};
use parking_lot::Mutex;
use tasks::{BatchView, Events, Query, Queue, Scheduler, Task};
use time::OffsetDateTime;

pub use ::settings::Secret;
pub use bucket::{Access as BucketAccess, BucketOptions};
pub use counters::{ChatTokens, TokenCounts};
pub use embed::{FailureModes, Options as EmbedderOptions};
pub use error::OpenError;
pub use fields::{Field, FieldFilter, RankingOrder};
pub use import::Import;
pub use observed::{Addition as ObservedAddition, Observed, TaskStore};
pub use options::EngineOptions;
pub use outbound::AddressPolicy;
pub use reads::{DocumentView, ListDocuments, ListedDocument, ListedDocuments};
pub use render::{RenderIndex, RenderInput, RenderTemplate};
pub use stats::{IndexStats, InstanceStats};
pub use writes::{Addition, Edition, Sent};

use self::search::{Helpers, SearchQueue};
use background::Background;
use chats::ChatStore;
use counters::Counters;
use dumps::DumpMaker;
use embedding::EmbedderPool;
use export::Exporter;
use feature_store::FeatureStore;
use folder::DataFolder;
use instance::Instance;
use keys::KeyStore;
use network::{Availability, Members, NetworkStore, Placements, Sharding};
use open_indexes::OpenIndexes;
use registry::Registry;
use runner::{BatchRunner, WholeInstance};
use search_rules::RuleStore;
use snapshots::{Schedule, SnapshotMaker};
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
    compacting: Mutex<()>,
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
}

/// Whether the instance can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    Available,
    /// The task store was rewritten; the new one is read at the next start.
    MustRestart,
}

/// What is shown of an index itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexInfo {
    pub uid: String,
    pub created_at: OffsetDateTime,
    pub updated_at: OffsetDateTime,
    pub primary_key: Option<String>,
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
    /// Opens or makes the data folder, settles what a crash left half-told, starts working.
    pub fn open(options: EngineOptions) -> Result<Arc<Self>, OpenError> {
        let folder = DataFolder::open(&options.db_path)?;
        let meta = |error: String| OpenError::Meta(error);
        folder.check_meta()?;
        let database = redb::Database::create(folder.meta()).map_err(|e| meta(e.to_string()))?;
        let database = Arc::new(database);
        let registry = Registry::load(&database).map_err(|e| meta(e.to_string()))?;
        let removed = Registry::removed(&database, |id| !folder.index(id).exists())
            .map_err(|e| meta(e.to_string()))?;
        let (launch, legacy) = (options.launch_features, options.legacy_search_default);
        let features =
            FeatureStore::load(&database, launch, legacy).map_err(|e| meta(e.to_string()))?;
        let keys = KeyStore::load(&database, options.master_key.clone())
            .map_err(|e| meta(e.to_string()))?;
        let (features, keys) = (Arc::new(features), Arc::new(keys));
        let network = Arc::new(NetworkStore::load(&database).map_err(meta)?);
        let placements = Arc::new(Placements::load(&database).map_err(meta)?);
        let rules =
            RuleStore::load(&database, options.rule_limits).map_err(|e| meta(e.to_string()))?;
        let chats = ChatStore::load(&database).map_err(|e| meta(e.to_string()))?;
        let chats = Arc::new(chats);
        let launch_webhook = options.webhooks.launch.clone();
        let webhooks =
            WebhookStore::load(&database, launch_webhook).map_err(|e| meta(e.to_string()))?;
        let webhooks = Arc::new(webhooks);
        let queue_options = tasks::Options {
            max_batched_tasks: options.max_batched_tasks,
            max_batched_bytes: options.max_batched_bytes,
            ..tasks::Options::default()
        };
        let queue = Queue::open(Arc::clone(&database), folder.payloads(), queue_options)
            .map_err(|error| OpenError::Queue(error.to_string()))?;
        let finished_batches = queue.finished_batches(webhooks.has_some());
        let open = OpenIndexes::new(index::Options {
            buffer_bytes: options.buffer_bytes(),
            preload_vectors: options.preload_vectors,
            ..index::Options::default()
        });
        let instance = Instance { folder, meta: database, registry, open, rules, placements };
        let instance = Arc::new(instance);
        settle_receipts(&instance, &queue)?;

        let background =
            Background::start().map_err(|error| OpenError::Queue(error.to_string()))?;
        background.remove_folders(instance.orphans(&removed));
        if options.preload_vectors {
            background.open_indexes(&instance);
        }
        let client = outbound::Client::new(options.address_policy)
            .map_err(|error| OpenError::Queue(error.to_string()))?;
        let hooked = Arc::clone(&webhooks);
        let deliveries =
            Deliveries::start(finished_batches, hooked, client.clone(), options.webhooks)
                .map_err(|error| OpenError::Queue(error.to_string()))?;
        let embedders = Arc::new(EmbedderPool::new(client.clone(), options.embedders));
        let members =
            Members { store: Arc::clone(&network), placements: Arc::clone(&instance.placements) };
        let patience = options.topology_patience;
        let availability = Arc::<Availability>::default();
        let sharding = Arc::new(Sharding::start(
            members,
            queue.clone(),
            client.clone(),
            Arc::clone(&availability),
            patience,
        ));
        let period = options.snapshots.period;
        let snapshots = SnapshotMaker {
            instance: Arc::clone(&instance),
            queue: queue.clone(),
            client: client.clone(),
            options: options.snapshots,
        };
        let dumps = DumpMaker {
            instance: Arc::clone(&instance),
            queue: queue.clone(),
            keys: Arc::clone(&keys),
            webhooks: Arc::clone(&webhooks),
            chats: Arc::clone(&chats),
            folder: options.dump_folder,
        };
        let exports = Exporter {
            instance: Arc::clone(&instance),
            features: Arc::clone(&features),
            client: client.clone(),
            payload_bytes: options.export_payload_bytes,
        };
        let runner = BatchRunner::new(
            Arc::clone(&instance),
            queue.clone(),
            background.clone(),
            Arc::clone(&embedders),
            Arc::clone(&sharding),
            WholeInstance { snapshots, dumps, exports },
        );
        let scheduler = Scheduler::new(queue.clone(), Arc::new(runner));
        scheduler
            .start(options.max_indexing_threads.max(1))
            .map_err(|error| OpenError::Queue(error.to_string()))?;
        let schedule = Schedule::start(period, queue.clone())
            .map_err(|error| OpenError::Queue(error.to_string()))?;
        let search_queue = SearchQueue::start(options.search_queue)
            .map_err(|error| OpenError::Queue(error.to_string()))?;
        Ok(Arc::new(Self {
            search_helpers: Helpers::new(options.search_queue.threads),
            search_queue,
            instance,
            queue,
            scheduler,
            background,
            schedule,
            features,
            keys,
            network,
            sharding,
            availability,
            client,
            remote_search_timeout: options.remote_search_timeout,
            chats,
            webhooks,
            deliveries,
            counters: Counters::default(),
            chat_api_key: options.chat_api_key,
            embedders,
            must_restart: AtomicBool::new(false),
            compacting: Mutex::default(),
        }))
    }

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

    /// The indexes that may be seen, in byte order of their names.
    pub fn indexes(
        &self,
        access: &Access,
        offset: usize,
        limit: usize,
    ) -> Result<Page<IndexInfo>, ServiceError> {
        let registry = &self.instance.registry;
        let (names, total) = if access.is_to_all_indexes() {
            (registry.page(offset, limit), registry.len())
        } else {
            let mut seen = registry.all();
            seen.retain(|(uid, _)| access.is_to_index(uid));
            let total = seen.len();
            (seen.into_iter().skip(offset).take(limit).collect(), total)
        };
        let mut results = Vec::new();
        for (uid, _) in names {
            if let Some(index) = self.instance.find(&uid)? {
                results.push(index_info(uid, &index.snapshot()));
            }
        }
        Ok(Page { results, offset, limit, total })
    }

    /// Whether there is such an index now. Looks at nothing but names.
    pub fn has_index(&self, uid: &str) -> bool {
        self.instance.registry.id(uid).is_some()
    }

    pub fn index(&self, uid: &str) -> Result<IndexInfo, ServiceError> {
        let snapshot = self.instance.index(uid)?.snapshot();
        Ok(index_info(uid.to_owned(), &snapshot))
    }

    pub fn task(&self, access: &Access, uid: u32) -> Result<Task, ServiceError> {
        seen_by(access, |visible| self.queue.task(uid, visible))
    }

    pub fn tasks(&self, access: &Access, query: &Query) -> Result<tasks::Page<Task>, ServiceError> {
        seen_by(access, |visible| self.queue.tasks(query, visible))
    }

    pub fn batch(&self, access: &Access, uid: u32) -> Result<BatchView, ServiceError> {
        seen_by(access, |visible| self.queue.batch(uid, visible))
    }

    pub fn batches(
        &self,
        access: &Access,
        query: &Query,
    ) -> Result<tasks::Page<BatchView>, ServiceError> {
        seen_by(access, |visible| self.queue.batches(query, visible))
    }

    /// The documents of an addition that has not finished.
    pub fn task_documents(&self, access: &Access, uid: u32) -> Result<Vec<u8>, ServiceError> {
        let (task, payload) = seen_by(access, |visible| self.queue.payload_of(uid, visible))?;
        let tasks::Content::DocumentAdditionOrUpdate { format, .. } = &task.content else {
            return Err(ServiceError::internal("a payload of a task that is no addition"));
        };
        let format = serde_json::from_str(format).map_err(ServiceError::internal)?;
        let mut documents = Vec::new();
        document::write_ndjson(format, &payload, &mut documents)?;
        Ok(documents)
    }

    pub fn health(&self) -> Health {
        match self.must_restart.load(Ordering::Acquire) {
            true => Health::MustRestart,
            false => Health::Available,
        }
    }

    /// Changes of tasks and batches from now on.
    pub fn subscribe(&self) -> Events {
        self.queue.subscribe()
    }

    pub fn features(&self) -> Features {
        self.features.current()
    }

    /// Switches features and gives all of them as they then are.
    pub fn change_features(
        &self,
        change: impl FnOnce(&mut Features),
    ) -> Result<Features, ServiceError> {
        self.features.update(&self.queue, change)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.shutdown();
    }
}

/// Gives `look` the eyes of who asks: none where everything may be seen, tasks of no index too.
fn seen_by<T>(access: &Access, look: impl FnOnce(tasks::Visibility<'_>) -> T) -> T {
    match access.is_to_all_indexes() {
        true => look(None),
        false => look(Some(&|uid| access.is_to_index(uid))),
    }
}

fn index_info(uid: String, snapshot: &index::Snapshot) -> IndexInfo {
    IndexInfo {
        uid,
        created_at: snapshot.created_at(),
        updated_at: snapshot.updated_at(),
        primary_key: snapshot.primary_key().map(str::to_owned),
    }
}

/// A batch that was committed to its index but not yet marked finished when the process ended is
/// marked now, from the receipt in the manifest. Only indexes with waiting tasks can have one.
fn settle_receipts(instance: &Instance, queue: &Queue) -> Result<(), OpenError> {
    for uid in queue.waiting_indexes() {
        let index = match instance.find(&uid) {
            Ok(Some(index)) => index,
            Ok(None) => continue,
            // A damaged index says so when its batch runs, and then nothing is applied twice.
            Err(error) if error.code == Code::Internal => continue,
            Err(error) => return Err(OpenError::Queue(error.to_string())),
        };
        let snapshot = index.snapshot();
        if !snapshot.receipt().is_empty() {
            queue
                .settle(snapshot.receipt())
                .map_err(|error| OpenError::Queue(error.to_string()))?;
        }
    }
    Ok(())
}
