//! Options for telemetry, and what it reports about the launch options.

use model::Secret;
use telemetry::Infos;

use super::config::OptionReader;
use super::error::OptionError;
use super::option::LaunchOption;
use super::table;

/// Distributors may set a collector at build time; an option overrides it.
const BUILT_IN_COLLECTOR: Option<&str> = option_env!("SONDE_TELEMETRY_URL");

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TelemetryConfig {
    /// URL of the collector, which may contain a key. Without it nothing is sent.
    pub collector: Option<Secret>,
    pub server_provider: Option<String>,
    pub infos: Infos,
}

impl OptionReader<'_> {
    /// Returns the options of telemetry, or `None` if it is switched off.
    pub(super) fn telemetry(&self, infos: Infos) -> Result<Option<TelemetryConfig>, OptionError> {
        let collector = self.text(&table::TELEMETRY_URL)?;
        let collector = collector.or_else(|| BUILT_IN_COLLECTOR.map(str::to_owned));
        let server_provider = self.text(&table::SERVER_PROVIDER)?;
        if self.flag(&table::NO_ANALYTICS)? {
            return Ok(None);
        }
        Ok(Some(TelemetryConfig {
            collector: collector.filter(|url| !url.is_empty()).map(Secret::new),
            server_provider,
            infos,
        }))
    }

    /// Returns the launch options for telemetry; of paths, addresses and keys only whether they
    /// were set.
    pub(super) fn infos(&self) -> Result<Infos, OptionError> {
        let is_given = |option: &LaunchOption| self.raw.get(option).is_some();
        Ok(Infos {
            env: self.word(&table::ENV)?.to_owned(),
            db_path: is_given(&table::DB_PATH),
            import_dump: is_given(&table::IMPORT_DUMP),
            dump_dir: is_given(&table::DUMP_DIR),
            ignore_missing_dump: self.flag(&table::IGNORE_MISSING_DUMP)?,
            ignore_dump_if_db_exists: self.flag(&table::IGNORE_DUMP_IF_DB_EXISTS)?,
            import_snapshot: is_given(&table::IMPORT_SNAPSHOT),
            snapshot_dir: is_given(&table::SNAPSHOT_DIR),
            schedule_snapshot: self.number_if_given(&table::SCHEDULE_SNAPSHOT)?,
            ignore_missing_snapshot: self.flag(&table::IGNORE_MISSING_SNAPSHOT)?,
            ignore_snapshot_if_db_exists: self.flag(&table::IGNORE_SNAPSHOT_IF_DB_EXISTS)?,
            http_addr: is_given(&table::HTTP_ADDR),
            http_payload_size_limit: self.bytes(&table::HTTP_PAYLOAD_SIZE_LIMIT)?,
            max_indexing_threads: self.indexing_threads()? as u64,
            log_level: self.word(&table::LOG_LEVEL)?.to_owned(),
            ssl_auth_path: is_given(&table::SSL_AUTH_PATH),
            ssl_cert_path: is_given(&table::SSL_CERT_PATH),
            ssl_key_path: is_given(&table::SSL_KEY_PATH),
            ssl_ocsp_path: is_given(&table::SSL_OCSP_PATH),
            ssl_require_auth: self.flag(&table::SSL_REQUIRE_AUTH)?,
            ssl_resumption: self.flag(&table::SSL_RESUMPTION)?,
            ssl_tickets: self.flag(&table::SSL_TICKETS)?,
            task_queue_webhook: is_given(&table::TASK_WEBHOOK_URL),
            experimental_no_edition_2024_for_settings: self
                .flag(&table::EXPERIMENTAL_NO_EDITION_2024_FOR_SETTINGS)?,
            experimental_replication_parameters: self
                .flag(&table::EXPERIMENTAL_REPLICATION_PARAMETERS)?,
            experimental_reduce_indexing_memory_usage: self
                .flag(&table::EXPERIMENTAL_REDUCE_INDEXING_MEMORY_USAGE)?,
            experimental_dumpless_upgrade: self.flag(&table::UPGRADE_DB)?
                || self.flag(&table::EXPERIMENTAL_DUMPLESS_UPGRADE)?,
            experimental_embedding_cache_entries: self
                .number(&table::EXPERIMENTAL_EMBEDDING_CACHE_ENTRIES)?,
            experimental_logs_mode: self.word(&table::EXPERIMENTAL_LOGS_MODE)?.to_ascii_lowercase(),
            experimental_search_queue_size: self.number(&table::EXPERIMENTAL_SEARCH_QUEUE_SIZE)?,
            ..Infos::default()
        })
    }
}
