//! Options of the engine. The caller has checked the values.

use std::path::PathBuf;
use std::time::Duration;

use auth::MasterKey;
use model::{Features, Secret};

use crate::backup::snapshots::SnapshotOptions;
use crate::models::reranking::PersonalizationOptions;
use crate::search::QueueOptions;
use crate::search_rules::RuleLimits;
use crate::webhooks::WebhookOptions;

#[derive(Debug, Clone)]
pub struct EngineOptions {
    /// The data folder.
    pub db_path: PathBuf,
    /// Bytes that indexing may buffer, over all lanes.
    pub max_indexing_memory: u64,
    /// How many indexes are written at the same time.
    pub max_indexing_threads: usize,
    /// Tasks in one batch; `usize::MAX` for no limit, 0 to process nothing at all.
    pub max_batched_tasks: usize,
    /// Bytes of payload in one batch; one task is always taken.
    pub max_batched_bytes: u64,
    /// Features switched on at launch, overriding what was stored.
    pub launch_features: Features,
    /// The master key, from which all keys get their values. Without it everything is open.
    pub master_key: Option<MasterKey>,
    pub search_queue: QueueOptions,
    /// Opens every index after the start, in the background, and reads its graphs of vectors.
    pub preload_vectors: bool,
    /// How providers of embeddings are called.
    pub embedders: embed::Options,
    /// Without it searches cannot be personalized.
    pub personalization: Option<PersonalizationOptions>,
    /// How long a search waits for remote instances.
    pub remote_search_timeout: Duration,
    /// How long a change of the network waits for a member that does not answer.
    pub topology_timeout: Duration,
    /// Limits of dynamic search rules.
    pub rule_limits: RuleLimits,
    /// True if `legacySearch` is on until a request decides.
    pub legacy_search_default: bool,
    /// Key for chat workspaces that have none of their own.
    pub chat_api_key: Option<Secret>,
    /// Target and schedule of snapshots.
    pub snapshots: SnapshotOptions,
    /// How webhooks are called.
    pub webhooks: WebhookOptions,
    /// Folder for dumps.
    pub dump_folder: PathBuf,
    /// Bytes of documents per request of an export that does not set a size.
    pub export_payload_bytes: u64,
    /// Addresses the instance may connect to.
    pub address_policy: outbound::AddressPolicy,
}

impl EngineOptions {
    pub const TOPOLOGY_TIMEOUT: Duration = Duration::from_secs(10 * 60);

    /// Bytes that one batch may buffer before it writes a segment: an equal part of half the budget
    /// for each lane; the other half is left to what is built from the buffers. Beyond 256 MiB
    /// larger buffers no longer make better segments.
    pub(crate) fn buffer_bytes(&self) -> usize {
        let per_lane = self.max_indexing_memory / (2 * self.max_indexing_threads.max(1) as u64);
        per_lane.clamp(1 << 20, 256 << 20) as usize
    }

    /// Returns options for tests and small instances.
    pub fn new(db_path: impl Into<PathBuf>) -> Self {
        let db_path = db_path.into();
        Self {
            snapshots: SnapshotOptions::beside(&db_path),
            dump_folder: db_path.with_file_name("dumps"),
            export_payload_bytes: 64 << 20,
            db_path,
            max_indexing_memory: 512 << 20,
            max_indexing_threads: 2,
            max_batched_tasks: usize::MAX,
            max_batched_bytes: 256 << 20,
            launch_features: Features::default(),
            master_key: None,
            search_queue: QueueOptions::default(),
            preload_vectors: false,
            embedders: embed::Options::default(),
            personalization: None,
            remote_search_timeout: Duration::from_secs(25),
            topology_timeout: Self::TOPOLOGY_TIMEOUT,
            rule_limits: RuleLimits::default(),
            legacy_search_default: false,
            chat_api_key: None,
            webhooks: WebhookOptions::default(),
            address_policy: outbound::AddressPolicy::default(),
        }
    }
}
