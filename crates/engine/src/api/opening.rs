//! Startup: reads everything that is stored, settles batches that a crash interrupted, then starts
//! the threads.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use model::Code;
use network::{Availability, Members, NetworkStore, Placements, Replication};
use tasks::{FinishedBatches, Queue, Scheduler};
use uuid::Uuid;

use super::Engine;
use super::options::EngineOptions;
use crate::backup::dumps::DumpMaker;
use crate::backup::export::Exporter;
use crate::backup::leftovers;
use crate::backup::snapshots::{Schedule, SnapshotMaker};
use crate::chats::{ChatStore, Chats};
use crate::common::error::OpenError;
use crate::documents::DocumentReader;
use crate::indexes::IndexWork;
use crate::indexes::background::Background;
use crate::indexes::catalog::Indexes;
use crate::indexes::damage::DamageLog;
use crate::indexes::open_indexes::OpenIndexes;
use crate::indexes::registry::Registry;
use crate::keys::{KeyStore, Keys};
use crate::models::embedding::EmbedderPool;
use crate::models::reranking::{Personalizer, RerankerPool};
use crate::runner::{BatchRunner, InstanceTasks};
use crate::search::{Helpers, SearchQueue, Searcher};
use crate::search_rules::RuleStore;
use crate::storage::feature_store::FeatureStore;
use crate::storage::folder::DataFolder;
use crate::storage::meta_door::without_panic;
use crate::webhooks::{Deliveries, WebhookStore, Webhooks};

impl Engine {
    /// Opens or creates the data folder, settles batches that a crash interrupted, and starts
    /// working.
    pub fn open(options: EngineOptions) -> Result<Arc<Self>, OpenError> {
        let opened = without_panic(|| StoredState::new(&options)).map_err(OpenError::Meta)??;
        let StoredState {
            indexes,
            removed,
            queue,
            finished,
            features,
            keys,
            network,
            chats,
            webhooks,
        } = opened;
        settle_receipts(&indexes, &queue)?;

        let background = Background::start().map_err(not_started)?;
        background.remove_folders(indexes.orphans(&removed));
        if options.preload_vectors {
            background.open_indexes(&indexes);
        }
        let client = outbound::Client::new(options.address_policy).map_err(not_started)?;
        let hooked = Arc::clone(&webhooks);
        let deliveries = Deliveries::start(finished, hooked, client.clone(), options.webhooks)
            .map_err(not_started)?;
        let rerankers = Arc::new(RerankerPool::new(client.clone(), options.embedders.clone()));
        let personalizer = options.personalization;
        let personalizer =
            personalizer.map(|given| Personalizer::new(given, &client, &options.embedders));
        let personalizer = personalizer.transpose().map_err(not_started)?;
        let embedders = Arc::new(EmbedderPool::new(client.clone(), options.embedders));
        let members =
            Members { store: Arc::clone(&network), placements: Arc::clone(&indexes.placements) };
        let replication = Arc::new(Replication::start(
            members,
            queue.clone(),
            client.clone(),
            Arc::<Availability>::default(),
            options.topology_timeout,
        ));
        let period = options.snapshots.period;
        let whole = InstanceTasks {
            snapshots: SnapshotMaker {
                indexes: Arc::clone(&indexes),
                queue: queue.clone(),
                client: client.clone(),
                options: options.snapshots,
            },
            dumps: DumpMaker {
                indexes: Arc::clone(&indexes),
                queue: queue.clone(),
                keys: Arc::clone(&keys),
                webhooks: Arc::clone(&webhooks),
                chats: Arc::clone(&chats),
                folder: options.dump_folder,
            },
            exports: Exporter {
                indexes: Arc::clone(&indexes),
                features: Arc::clone(&features),
                client: client.clone(),
                payload_bytes: options.export_payload_bytes,
            },
        };
        let runner = BatchRunner::new(
            IndexWork::new(Arc::clone(&indexes), queue.clone(), background.clone()),
            queue.payloads().clone(),
            (Arc::clone(&embedders), Arc::clone(&rerankers)),
            Arc::clone(&replication),
            whole,
        );
        let scheduler = Scheduler::new(queue.clone(), Arc::new(runner));
        scheduler.start(options.max_indexing_threads.max(1)).map_err(not_started)?;
        let schedule = Schedule::start(period, queue.clone()).map_err(not_started)?;
        let searcher = Arc::new(Searcher {
            indexes: Arc::clone(&indexes),
            features: Arc::clone(&features),
            network: Arc::clone(&network),
            embedders,
            rerankers,
            personalizer,
            helpers: Helpers::new(options.search_queue.threads),
            queue: SearchQueue::start(options.search_queue).map_err(not_started)?,
            counters: Arc::default(),
        });
        let (chat_searcher, api_key) = (Arc::clone(&searcher), options.chat_api_key);
        Ok(Arc::new(Self {
            keys: Keys { store: keys, queue: queue.clone() },
            documents: DocumentReader {
                indexes: Arc::clone(&indexes),
                features: Arc::clone(&features),
            },
            chats: Chats {
                store: chats,
                queue: queue.clone(),
                searcher: chat_searcher,
                client,
                api_key,
            },
            webhooks: Webhooks { store: webhooks, queue: queue.clone() },
            indexes,
            queue,
            scheduler,
            background,
            schedule,
            must_restart: AtomicBool::new(false),
            features,
            network,
            replication,
            searcher,
            remote_search_timeout: options.remote_search_timeout,
            deliveries,
        }))
    }
}

/// Everything read from disk, before any thread works on it.
struct StoredState {
    indexes: Arc<Indexes>,
    /// Deleted indexes whose folders may still exist.
    removed: Vec<Uuid>,
    queue: Queue,
    /// Finished batches, for webhooks.
    finished: FinishedBatches,
    features: Arc<FeatureStore>,
    keys: Arc<KeyStore>,
    network: Arc<NetworkStore>,
    chats: Arc<ChatStore>,
    webhooks: Arc<WebhookStore>,
}

impl StoredState {
    fn new(options: &EngineOptions) -> Result<Self, OpenError> {
        let folder = DataFolder::open(&options.db_path)?;
        leftovers::clear(&folder, &options.dump_folder, &options.snapshots.folder);
        folder.check_meta()?;
        let disk_space = tasks::DiskSpace::of(folder.root());
        let database = tasks::open_database(&folder.meta(), &disk_space).map_err(unreadable)?;
        let registry = Registry::load(&database).map_err(unreadable)?;
        let removed = Registry::removed(&database, |id| !folder.index(id).exists());
        let removed = removed.map_err(unreadable)?;
        let (launch, legacy) = (options.launch_features, options.legacy_search_default);
        let features = FeatureStore::load(&database, launch, legacy).map_err(unreadable)?;
        let keys = KeyStore::load(&database, options.master_key.clone()).map_err(unreadable)?;
        let network = NetworkStore::load(&database).map_err(unreadable)?;
        let placements = Arc::new(Placements::load(&database).map_err(unreadable)?);
        let rules = RuleStore::load(&database, options.rule_limits).map_err(unreadable)?;
        let rules = Arc::new(rules);
        let chats = ChatStore::load(&database).map_err(unreadable)?;
        let launch_webhook = options.webhooks.launch.clone();
        let webhooks = WebhookStore::load(&database, launch_webhook).map_err(unreadable)?;
        let queue_options = tasks::Options {
            max_batched_tasks: options.max_batched_tasks,
            max_batched_bytes: options.max_batched_bytes,
            disk_space,
            ..tasks::Options::default()
        };
        let queue = Queue::open(Arc::new(database), folder.payloads(), queue_options)
            .map_err(not_started)?;
        let open = OpenIndexes::new(index::Options {
            buffer_bytes: options.buffer_bytes(),
            preload_vectors: options.preload_vectors,
            ..index::Options::default()
        });
        let meta = queue.database();
        let damage = DamageLog::default();
        let indexes = Indexes { folder, meta, registry, open, damage, rules, placements };
        Ok(Self {
            indexes: Arc::new(indexes),
            removed,
            finished: queue.finished_batches(webhooks.has_some()),
            queue,
            features: Arc::new(features),
            keys: Arc::new(keys),
            network: Arc::new(network),
            chats: Arc::new(chats),
            webhooks: Arc::new(webhooks),
        })
    }
}

fn unreadable(error: impl Display) -> OpenError {
    OpenError::Meta(error.to_string())
}

fn not_started(error: impl Display) -> OpenError {
    OpenError::Queue(error.to_string())
}

/// Marks batches as finished that were committed to their index before the process ended but not
/// yet marked, from the receipt in the manifest. Only indexes with waiting tasks can have one.
fn settle_receipts(indexes: &Indexes, queue: &Queue) -> Result<(), OpenError> {
    for uid in queue.waiting_indexes() {
        let index = match indexes.find(&uid) {
            Ok(Some(index)) => index,
            Ok(None) => continue,
            // A damaged index fails its next batch, so nothing is applied twice.
            Err(error) if error.code == Code::Internal => continue,
            Err(error) => return Err(not_started(error)),
        };
        let snapshot = index.snapshot();
        if !snapshot.receipt().is_empty() {
            queue.settle(snapshot.receipt()).map_err(not_started)?;
        }
    }
    Ok(())
}
