//! The instance: the machine, the launch options, the amount of data. Of paths, addresses and keys
//! only whether they were given.

use model::Features;
use time::OffsetDateTime;

use crate::fields::Fields;

/// Most indexes whose document counts are sent; with all of them a message could get too long.
const MOST_INDEXES: usize = 1000;

/// Properties that are constant while the process runs.
#[derive(Debug, Clone, Default)]
pub struct Profile {
    /// Version of the program.
    pub version: String,
    pub system: System,
    pub infos: Infos,
}

#[derive(Debug, Clone, Default)]
pub struct System {
    pub distribution: Option<String>,
    pub kernel_version: Option<String>,
    pub cores: usize,
    pub ram_size_kb: u64,
    /// Size of the largest disk.
    pub disk_size_bytes: u64,
    pub server_provider: Option<String>,
}

/// Properties that change; read when figures are sent or shown.
pub trait Instance: Send + Sync {
    fn stats(&self) -> Stats;

    fn features(&self) -> Features;
}

#[derive(Debug, Clone, Default)]
pub struct Stats {
    pub database_size: u64,
    /// Documents of each index, in an order that does not identify them.
    pub documents: Vec<u64>,
}

macro_rules! infos {
    ($($field:ident: $kind:ty, $path:literal, $meaning:literal;)*) => {
        /// The launch options.
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct Infos { $(pub $field: $kind),* }

        impl Infos {
            fn report(&self, fields: &mut Fields) {
                $(fields.put($path, self.$field.clone(), $meaning);)*
            }
        }
    };
}

infos! {
    env: String, "infos.env", "`--env`: development or production.";
    db_path: bool, "infos.db_path", "True if `--db-path` was given.";
    import_dump: bool, "infos.import_dump", "True if `--import-dump` was given.";
    dump_dir: bool, "infos.dump_dir", "True if `--dump-dir` was given.";
    ignore_missing_dump: bool, "infos.ignore_missing_dump", "True if `--ignore-missing-dump` was given.";
    ignore_dump_if_db_exists: bool, "infos.ignore_dump_if_db_exists", "True if `--ignore-dump-if-db-exists` was given.";
    import_snapshot: bool, "infos.import_snapshot", "True if `--import-snapshot` was given.";
    snapshot_dir: bool, "infos.snapshot_dir", "True if `--snapshot-dir` was given.";
    schedule_snapshot: Option<u64>, "infos.schedule_snapshot", "`--schedule-snapshot`, in seconds.";
    ignore_missing_snapshot: bool, "infos.ignore_missing_snapshot", "True if `--ignore-missing-snapshot` was given.";
    ignore_snapshot_if_db_exists: bool, "infos.ignore_snapshot_if_db_exists", "True if `--ignore-snapshot-if-db-exists` was given.";
    http_addr: bool, "infos.http_addr", "True if `--http-addr` was given.";
    http_payload_size_limit: u64, "infos.http_payload_size_limit", "Bytes.";
    max_indexing_memory: u64, "infos.max_indexing_memory", "Bytes.";
    max_indexing_threads: u64, "infos.max_indexing_threads", "Threads.";
    log_level: String, "infos.log_level", "`--log-level`.";
    ssl_auth_path: bool, "infos.ssl_auth_path", "True if `--ssl-auth-path` was given.";
    ssl_cert_path: bool, "infos.ssl_cert_path", "True if `--ssl-cert-path` was given.";
    ssl_key_path: bool, "infos.ssl_key_path", "True if `--ssl-key-path` was given.";
    ssl_ocsp_path: bool, "infos.ssl_ocsp_path", "True if `--ssl-ocsp-path` was given.";
    ssl_require_auth: bool, "infos.ssl_require_auth", "True if clients need a certificate.";
    ssl_resumption: bool, "infos.ssl_resumption", "True if TLS sessions are resumed.";
    ssl_tickets: bool, "infos.ssl_tickets", "True if TLS tickets are issued.";
    with_configuration_file: bool, "infos.with_configuration_file", "True if there is a configuration file.";
    task_queue_webhook: bool, "infos.task_queue_webhook", "True if `--task-webhook-url` was given.";
    experimental_no_edition_2024_for_settings: bool, "infos.experimental_no_edition_2024_for_settings", "True if the option was given.";
    experimental_replication_parameters: bool, "infos.experimental_replication_parameters", "True if the option was given.";
    experimental_reduce_indexing_memory_usage: bool, "infos.experimental_reduce_indexing_memory_usage", "True if the option was given.";
    experimental_dumpless_upgrade: bool, "infos.experimental_dumpless_upgrade", "True if the option was given, also as `--upgrade-db`.";
    experimental_embedding_cache_entries: u64, "infos.experimental_embedding_cache_entries", "Capacity of the cache of query embeddings.";
    experimental_logs_mode: String, "infos.experimental_logs_mode", "`human` or `json`.";
    experimental_search_queue_size: u64, "infos.experimental_search_queue_size", "Capacity of the search queue.";
    gpu_enabled: bool, "infos.gpu_enabled", "True if the program was built for a GPU.";
}

impl Profile {
    /// Returns the figures of the instance, which exists since `since`.
    pub(crate) fn fields(&self, instance: &dyn Instance, since: OffsetDateTime) -> Fields {
        let mut fields = Fields::default();
        let days = (model::timestamp::now() - since).whole_days().max(0);
        fields.put("start_since_days", days, "Whole days since the process started.");
        self.system.report(&mut fields);
        report_stats(instance.stats(), &mut fields);
        self.infos.report(&mut fields);
        report_features(instance.features(), &mut fields);
        fields
    }
}

impl System {
    fn report(&self, fields: &mut Fields) {
        fields.put("system.distribution", self.distribution.clone(), "Of the operating system.");
        let kernel = self.kernel_version.as_deref().map(|text| text.split('-').next());
        fields.put("system.kernel_version", kernel.flatten(), "Up to the first hyphen.");
        fields.put("system.cores", self.cores, "Processors that the process may use.");
        fields.put("system.ram_size", self.ram_size_kb, "Memory of the machine, in kB.");
        fields.put("system.disk_size", self.disk_size_bytes, "Of the largest disk, in bytes.");
        fields.put(
            "system.server_provider",
            self.server_provider.clone(),
            "`SONDE_SERVER_PROVIDER`, as it was set.",
        );
    }
}

fn report_stats(mut stats: Stats, fields: &mut Fields) {
    fields.put("stats.database_size", stats.database_size, "Bytes of the data folder.");
    fields.put("stats.indexes_number", stats.documents.len(), "How many indexes there are.");
    stats.documents.sort_unstable_by(|left, right| right.cmp(left));
    stats.documents.truncate(MOST_INDEXES);
    fields.put(
        "stats.documents_number",
        stats.documents,
        "Documents of each index, the largest first, without names; of 1000 indexes at most.",
    );
}

fn report_features(features: Features, fields: &mut Fields) {
    let meaning = "Whether the feature is on.";
    for (path, is_on) in [
        ("infos.experimental_composite_embedders", features.composite_embedders),
        ("infos.experimental_contains_filter", features.contains_filter),
        ("infos.experimental_edit_documents_by_function", features.edit_documents_by_function),
        ("infos.experimental_enable_metrics", features.metrics),
        ("infos.experimental_enable_logs_route", features.logs_route),
        ("infos.experimental_multimodal", features.multimodal),
        ("infos.experimental_network", features.network),
    ] {
        fields.put(path, is_on, meaning);
    }
}
