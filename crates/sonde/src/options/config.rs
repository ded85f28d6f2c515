//! Options as the program uses them: typed, complete and valid, resolved from the raw ones in one
//! step.

use std::path::PathBuf;
use std::time::Duration;

use engine::keys::MIN_MASTER_KEY_BYTES;
use engine::search_rules::RuleLimits;
use engine::snapshots::SnapshotOptions;
use engine::webhooks::LaunchWebhook;
use engine::{AddressPolicy, FailureModes, Import};
use model::{Features, Secret};
use server::{AllowedHosts, Bounds};
use telemetry::Infos;
use tracing_subscriber::filter::LevelFilter;

use super::address::Address;
use super::error::{OptionError, OptionOrigin};
use super::gather::GatheredOptions;
use super::option::{Availability, Fallback, Group, LaunchOption};
use super::raw::{RawOptions, RawValue, Source};
use super::table::{self, TABLE};
use super::telemetry::TelemetryConfig;
use super::tls::TlsFiles;
use super::value::{Threads, Value, ValueKind};
use crate::machine;

const GIB: u64 = 1 << 30;

/// Minimum number of indexes written at the same time, by default.
const LEAST_INDEXING_THREADS: usize = 4;

/// More would only compete; a typo in the number must not make the start fail.
const MOST_SEARCH_THREADS: usize = 4096;

/// Maximum number of connections, by default.
const MOST_CONNECTIONS: usize = 10_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogsMode {
    Human,
    Json,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    pub config_file: Option<PathBuf>,
    pub is_production: bool,
    /// Always set and long enough in production.
    pub master_key: Option<Secret>,
    /// True if `/` shows the dashboard.
    pub dashboard: bool,
    /// True if `GET /version` returns the version of the interface as `pkgVersion`.
    pub report_interface_version: bool,
    pub db_path: PathBuf,
    pub http_addr: Address,
    pub payload_limit_bytes: u64,
    /// Limits on the cost of connections and requests.
    pub bounds: Bounds,
    /// Host names that browsers may use if there is no master key.
    pub allowed_hosts: AllowedHosts,
    /// Certificate files; without them the server uses plain HTTP.
    pub tls: Option<TlsFiles>,
    pub log_level: LevelFilter,
    pub logs_mode: LogsMode,
    /// The collector that traces are sent to.
    pub otlp_endpoint: Option<String>,
    /// Webhook for every batch, in addition to those created through the API.
    pub launch_webhook: Option<LaunchWebhook>,
    pub max_indexing_memory_bytes: u64,
    pub max_indexing_threads: usize,
    /// `usize::MAX` means unlimited, 0 processes no task.
    pub max_batched_tasks: usize,
    pub max_batched_bytes: u64,
    /// Number of searches that run at the same time.
    pub search_threads: usize,
    /// Number of searches that may wait.
    pub search_queue_size: usize,
    pub drop_search_after: Duration,
    /// How long a search waits for remotes.
    pub remote_search_timeout: Duration,
    /// Limits of dynamic search rules.
    pub rule_limits: RuleLimits,
    pub launch_features: Features,
    pub legacy_search_default: bool,
    pub snapshots: SnapshotOptions,
    /// Snapshot to start an empty database from.
    pub import_snapshot: Option<Import>,
    pub dump_folder: PathBuf,
    /// Dump to start from.
    pub import_dump: Option<Import>,
    pub address_policy: AddressPolicy,
    pub embedders: EmbedderConfig,
    pub preload_vectors: bool,
    /// API key for chat workspaces without one.
    pub chat_api_key: Option<Secret>,
    /// API key for searches with `personalize`.
    pub personalization_api_key: Option<Secret>,
    /// `None` if telemetry is off.
    pub telemetry: Option<TelemetryConfig>,
}

/// Options for all embedders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbedderConfig {
    pub openai_api_key: Option<Secret>,
    pub ollama_url: Option<String>,
    pub timeout: Duration,
    pub max_retry_delay: Duration,
    pub cached_queries: usize,
    pub failure_modes: FailureModes,
    /// Folder of local models.
    pub models: Option<PathBuf>,
}

impl Config {
    pub fn resolve(gathered: &GatheredOptions) -> Result<Self, OptionError> {
        let raw = &gathered.raw;
        check_relations(raw)?;
        check_availability(raw)?;
        let options = OptionReader { raw };
        let is_production = options.word(&table::ENV)? == "production";
        let master_key = options.text(&table::MASTER_KEY)?.map(Secret::new);
        let is_protected =
            master_key.as_ref().is_some_and(|key| key.expose().len() >= MIN_MASTER_KEY_BYTES);
        if is_production && !is_protected {
            return Err(OptionError::master_key(master_key.as_ref()));
        }

        let memory = match options.bytes_if_given(&table::MAX_INDEXING_MEMORY)? {
            Some(bytes) => bytes,
            None => machine::memory_bytes() / 3 * 2,
        };
        let batch = options.bytes_if_given(&table::EXPERIMENTAL_LIMIT_BATCHED_TASKS_TOTAL_SIZE)?;
        let infos = Infos {
            max_indexing_memory: memory,
            with_configuration_file: gathered.config_file.is_some(),
            ..options.infos()?
        };
        Ok(Self {
            config_file: gathered.config_file.clone(),
            is_production,
            master_key,
            dashboard: !is_production || options.flag(&table::DASHBOARD_IN_PRODUCTION)?,
            report_interface_version: options.flag(&table::REPORT_INTERFACE_VERSION)?,
            db_path: options.path(&table::DB_PATH)?,
            http_addr: options.address(&table::HTTP_ADDR)?,
            payload_limit_bytes: options.bytes(&table::HTTP_PAYLOAD_SIZE_LIMIT)?,
            bounds: options.bounds()?,
            allowed_hosts: options.allowed_hosts()?,
            tls: options.tls()?,
            log_level: options.log_level()?,
            logs_mode: options.logs_mode()?,
            otlp_endpoint: options.text(&table::EXPERIMENTAL_OTLP_ENDPOINT)?,
            launch_webhook: options.launch_webhook()?,
            max_indexing_memory_bytes: memory,
            max_indexing_threads: options.indexing_threads()?,
            max_batched_tasks: options.max_batched_tasks()?,
            max_batched_bytes: batch.unwrap_or_else(|| (memory / 2).min(10 * GIB)),
            search_threads: options.search_threads()?,
            search_queue_size: options.count(&table::EXPERIMENTAL_SEARCH_QUEUE_SIZE)?,
            drop_search_after: Duration::from_secs(
                options.number(&table::EXPERIMENTAL_DROP_SEARCH_AFTER)?,
            ),
            remote_search_timeout: Duration::from_secs(
                options.number(&table::EXPERIMENTAL_REMOTE_SEARCH_TIMEOUT_SECONDS)?,
            ),
            rule_limits: options.rule_limits()?,
            launch_features: options.launch_features()?,
            legacy_search_default: options.flag(&table::EXPERIMENTAL_LEGACY_SEARCH_DEFAULT)?,
            snapshots: options.snapshots()?,
            import_snapshot: options.import_snapshot()?,
            dump_folder: options.dump_folder()?,
            import_dump: options.import_dump()?,
            address_policy: options
                .networks(&table::EXPERIMENTAL_ALLOWED_IP_NETWORKS)?
                .unwrap_or_default(),
            embedders: options.embedders()?,
            preload_vectors: options.flag(&table::VECTORSTORE_READER_PREFETCH_MEMORY)?,
            personalization_api_key: options
                .text(&table::EXPERIMENTAL_PERSONALIZATION_API_KEY)?
                .filter(|key| !key.is_empty())
                .map(Secret::new),
            chat_api_key: std::env::var("OPENAI_API_KEY").ok().map(Secret::new),
            telemetry: options.telemetry(infos)?,
        })
    }
}

/// Returns the path of the database, for the commands that check it.
pub fn db_path(gathered: &GatheredOptions) -> Result<PathBuf, OptionError> {
    OptionReader { raw: &gathered.raw }.path(&table::DB_PATH)
}

/// Checks options that require or exclude each other. The file is exempt, since ready-made files
/// list options that are off; but incomplete HTTPS options are always refused, since the server
/// would use plain HTTP.
fn check_relations(raw: &RawOptions) -> Result<(), OptionError> {
    for &option in TABLE {
        let Some(value) = raw.get(option) else {
            continue;
        };
        let is_from_file = matches!(value.source, Source::File(_));
        if is_from_file && option.group != Group::Tls {
            continue;
        }
        if option.is_free_when_off && is_off(option, value)? {
            continue;
        }
        let given = || OptionOrigin::new(option, &value.source);
        if let Some(needed) = option.needs
            && raw.named(needed).is_none()
        {
            return Err(OptionError::MissingCompanion { given: given(), needed });
        }
        if let Some(other) = option.conflicts_with
            && raw.named(other).is_some()
        {
            return Err(OptionError::Conflict { given: given(), other });
        }
    }
    Ok(())
}

/// Returns a note about given options that have no effect. Their values are validated like all
/// others.
pub fn without_effect(gathered: &GatheredOptions) -> Result<Option<String>, OptionError> {
    let options = OptionReader { raw: &gathered.raw };
    let mut told = Vec::new();
    for &option in TABLE {
        let (Availability::WithoutEffect { why }, Some(value)) =
            (option.availability, gathered.raw.get(option))
        else {
            continue;
        };
        options.value(option)?;
        if !is_off(option, value)? {
            told.push(format!("{} ({why})", option.shown_name()));
        }
    }
    Ok((!told.is_empty())
        .then(|| format!("These options are accepted but ignored: {}.", told.join(", "))))
}

/// Refuses options of features that do not exist yet, unless they only say "off".
fn check_availability(raw: &RawOptions) -> Result<(), OptionError> {
    for &option in TABLE {
        let Availability::NotYet { what } = option.availability else {
            continue;
        };
        let Some(value) = raw.get(option) else {
            continue;
        };
        if !is_off(option, value)? {
            let given = OptionOrigin::new(option, &value.source);
            return Err(OptionError::NotAvailable { given, what });
        }
    }
    Ok(())
}

fn is_off(option: &'static LaunchOption, value: &RawValue) -> Result<bool, OptionError> {
    if option.kind != ValueKind::Flag {
        // Container files set every variable and leave unwanted ones empty.
        return Ok(option.kind == ValueKind::Text && value.text.is_empty());
    }
    match ValueKind::Flag.parse(&value.text) {
        Some(parsed) => Ok(parsed == Value::Flag(false)),
        None => Err(OptionError::bad_value(option, &value.source, &value.text)),
    }
}

/// Reads typed options from the raw ones, with the defaults of the table.
pub(super) struct OptionReader<'a> {
    pub(super) raw: &'a RawOptions,
}

/// Defines the readers for one type. The two panics are errors in the table, which tests check.
macro_rules! typed {
    ($given:ident, $variant:ident, $type:ty) => {
        pub(super) fn $given(
            &self,
            option: &'static LaunchOption,
        ) -> Result<Option<$type>, OptionError> {
            match self.value(option)? {
                None => Ok(None),
                Some(Value::$variant(value)) => Ok(Some(value)),
                Some(other) => unreachable!("{} is read as {other:?}", option.name),
            }
        }
    };
    ($given:ident, $always:ident, $variant:ident, $type:ty) => {
        typed!($given, $variant, $type);

        pub(super) fn $always(&self, option: &'static LaunchOption) -> Result<$type, OptionError> {
            self.$given(option).map(|value| match value {
                Some(value) => value,
                None => unreachable!("{} has no default", option.name),
            })
        }
    };
}

impl OptionReader<'_> {
    fn value(&self, option: &'static LaunchOption) -> Result<Option<Value>, OptionError> {
        if let Some(given) = self.raw.get(option) {
            let parsed = option.kind.parse(&given.text);
            let refused = || OptionError::bad_value(option, &given.source, &given.text);
            return parsed.ok_or_else(refused).map(Some);
        }
        Ok(match option.fallback {
            Fallback::Value(text) => option.kind.parse(text.as_ref()),
            Fallback::Absent | Fallback::Computed(_) => None,
        })
    }

    typed!(text, Text, String);
    typed!(networks, Networks, AddressPolicy);
    typed!(failure_modes, FailureModes, FailureModes);
    typed!(path_if_given, path, Path, PathBuf);
    typed!(address_if_given, address, Address, Address);
    typed!(bytes_if_given, bytes, Bytes, u64);
    typed!(word_if_given, word, Word, &'static str);
    typed!(number_if_given, number, Number, u64);

    pub(super) fn count(&self, option: &'static LaunchOption) -> Result<usize, OptionError> {
        Ok(usize::try_from(self.number(option)?).unwrap_or(usize::MAX))
    }

    pub(super) fn flag(&self, option: &'static LaunchOption) -> Result<bool, OptionError> {
        Ok(self.value(option)? == Some(Value::Flag(true)))
    }

    fn log_level(&self) -> Result<LevelFilter, OptionError> {
        Ok(self.word(&table::LOG_LEVEL)?.parse().unwrap_or(LevelFilter::INFO))
    }

    fn logs_mode(&self) -> Result<LogsMode, OptionError> {
        let is_json = self.word(&table::EXPERIMENTAL_LOGS_MODE)? == "JSON";
        Ok(if is_json { LogsMode::Json } else { LogsMode::Human })
    }

    pub(super) fn max_connections(&self) -> Result<usize, OptionError> {
        Ok(match self.number_if_given(&table::HTTP_MAX_CONNECTIONS)? {
            Some(count) => usize::try_from(count).unwrap_or(usize::MAX),
            // The other half is for index files and outgoing connections.
            None => (machine::descriptors() / 2).clamp(1, MOST_CONNECTIONS),
        })
    }

    fn tls(&self) -> Result<Option<TlsFiles>, OptionError> {
        let certificate = self.path_if_given(&table::SSL_CERT_PATH)?;
        let key = self.path_if_given(&table::SSL_KEY_PATH)?;
        let client_roots = self.path_if_given(&table::SSL_AUTH_PATH)?;
        let ocsp_response = self.path_if_given(&table::SSL_OCSP_PATH)?;
        let requires_client = self.flag(&table::SSL_REQUIRE_AUTH)?;
        let resumption = self.flag(&table::SSL_RESUMPTION)?;
        let tickets = self.flag(&table::SSL_TICKETS)?;
        // One without the other was refused before.
        let (Some(certificate), Some(key)) = (certificate, key) else {
            return Ok(None);
        };
        Ok(Some(TlsFiles {
            certificate,
            key,
            client_roots,
            requires_client,
            ocsp_response,
            resumption,
            tickets,
        }))
    }

    pub(super) fn indexing_threads(&self) -> Result<usize, OptionError> {
        Ok(match self.value(&table::MAX_INDEXING_THREADS)? {
            Some(Value::Threads(Threads::Count(count))) => count,
            Some(Value::Threads(Threads::Unlimited)) => machine::processors(),
            // Batches that wait for an embedding provider must not block other indexes.
            _ => (machine::processors() / 2).max(LEAST_INDEXING_THREADS),
        })
    }

    fn search_threads(&self) -> Result<usize, OptionError> {
        let each = self.count(&table::EXPERIMENTAL_NB_SEARCHES_PER_CORE)?;
        Ok(machine::processors().saturating_mul(each).min(MOST_SEARCH_THREADS))
    }

    fn max_batched_tasks(&self) -> Result<usize, OptionError> {
        let count = self.number_if_given(&table::EXPERIMENTAL_MAX_NUMBER_OF_BATCHED_TASKS)?;
        Ok(count.and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX))
    }

    fn launch_features(&self) -> Result<Features, OptionError> {
        Ok(Features {
            contains_filter: self.flag(&table::EXPERIMENTAL_CONTAINS_FILTER)?,
            metrics: self.flag(&table::EXPERIMENTAL_ENABLE_METRICS)?,
            logs_route: self.flag(&table::EXPERIMENTAL_ENABLE_LOGS_ROUTE)?,
            ..Features::default()
        })
    }

    fn rule_limits(&self) -> Result<RuleLimits, OptionError> {
        Ok(RuleLimits {
            counted_words: self.count(&table::EXPERIMENTAL_DSR_FUEL_MAX_COUNTED_WORDS)?,
            active_rules: self.count(&table::EXPERIMENTAL_DSR_FUEL_MAX_ACTIVE_RULES)?,
            pin_actions: self.count(&table::EXPERIMENTAL_DSR_FUEL_MAX_PIN_ACTIONS)?,
            word_fuel: self.count(&table::EXPERIMENTAL_DSR_FUEL_WORD_FUEL)?,
            filter_fuel: self.count(&table::EXPERIMENTAL_DSR_FUEL_FILTER_FUEL)?,
            filter_or_fuel: self.count(&table::EXPERIMENTAL_DSR_FUEL_FILTER_OR_FUEL)?,
            filter_and_fuel: self.count(&table::EXPERIMENTAL_DSR_FUEL_FILTER_AND_FUEL)?,
            filter_depth_fuel: self.count(&table::EXPERIMENTAL_DSR_FUEL_FILTER_DEPTH_FUEL)?,
        })
    }

    fn launch_webhook(&self) -> Result<Option<LaunchWebhook>, OptionError> {
        let authorization = self.text(&table::TASK_WEBHOOK_AUTHORIZATION_HEADER)?;
        let url = self.text(&table::TASK_WEBHOOK_URL)?;
        Ok(url.map(|url| LaunchWebhook { url, authorization: authorization.map(Secret::new) }))
    }

    fn allowed_hosts(&self) -> Result<AllowedHosts, OptionError> {
        let listed = self.text(&table::HTTP_ALLOWED_HOSTS)?.unwrap_or_default();
        let listed = listed.split(',').map(str::trim).filter(|name| !name.is_empty());
        let own = self.address(&table::HTTP_ADDR)?.host;
        Ok(AllowedHosts::new(listed.map(str::to_owned).chain([own])))
    }

    fn embedders(&self) -> Result<EmbedderConfig, OptionError> {
        let seconds = |option| self.number(option).map(Duration::from_secs);
        Ok(EmbedderConfig {
            // Falls back to the variable of the provider's own tools.
            openai_api_key: self
                .text(&table::OPENAI_API_KEY)?
                .or_else(|| std::env::var("OPENAI_API_KEY").ok())
                .map(Secret::new),
            ollama_url: self.text(&table::OLLAMA_URL)?,
            timeout: seconds(&table::EXPERIMENTAL_REST_EMBEDDER_TIMEOUT_SECONDS)?,
            max_retry_delay: seconds(
                &table::EXPERIMENTAL_REST_EMBEDDER_MAX_RETRY_DURATION_SECONDS,
            )?,
            cached_queries: self.count(&table::EXPERIMENTAL_EMBEDDING_CACHE_ENTRIES)?,
            failure_modes: self
                .failure_modes(&table::EXPERIMENTAL_CONFIG_EMBEDDER_FAILURE_MODES)?
                .unwrap_or_default(),
            models: self.path_if_given(&table::EMBEDDER_MODELS_PATH)?,
        })
    }
}
