//! The table of launch options. One entry defines an option once: its flag, its names in the
//! environment and in the configuration file, the kind of its value, its default, its help and
//! whether this version has the feature it belongs to. The command line, the reading of the
//! environment and of the file, `--help` and docs/options.md all follow from it.
//!
//! An option of the interface that is not built yet has its entry too, so that it is refused by
//! name instead of being ignored; one without effect here is accepted, with a note. This file does
//! not know how values are parsed.

use super::option::Group::{
    Dumps, Embedders, Experimental, General, Indexing, ObjectStorage, Search, Snapshots, Tls,
    Webhooks,
};
use super::option::{LaunchOption, environment_only, flag, valued};
use super::value::ValueKind;

macro_rules! launch_options {
    ($($name:ident: $option:expr;)*) => {
        $(pub static $name: LaunchOption = $option;)*

        /// Every option, in the order of help and documentation.
        pub static TABLE: &[&LaunchOption] = &[$(&$name),*];
    };
}

const UPGRADE: &str = "there is one format of databases so far";
const VECTOR_TUNING: &str = "the vector store decides this by itself";
const REPLICATION: &str = "replication";

launch_options! {
    CONFIG_FILE_PATH: valued("config-file-path", ValueKind::Path, General)
        .default("./config.toml")
        .not_in_file()
        .help("Configuration file. The default one may be missing; a given one must be readable.");
    DB_PATH: valued("db-path", ValueKind::Path, General)
        .default("./data.sonde")
        .help("Folder of the database, created if missing.");
    HTTP_ADDR: valued("http-addr", ValueKind::Address, General)
        .default("localhost:7700")
        .help("Address and port to listen on. With port 0 the system chooses a free port.");
    ENV: valued("env", ValueKind::Choice(&["development", "production"]), General)
        .default("development")
        .help("Environment. Production requires a master key of at least 16 bytes.");
    MASTER_KEY: valued("master-key", ValueKind::Text, General)
        .secret()
        .help("Key that protects every route and from which all other keys are derived. Set it in the environment: command lines are visible to other users of the machine.");
    DASHBOARD_IN_PRODUCTION: flag("dashboard-in-production", General)
        .help("Serves the dashboard at `/` in production too. It loads without a key and can do what the key entered there can do.");
    REPORT_INTERFACE_VERSION: flag("report-interface-version", General)
        .help("Makes `GET /version` return the version of the interface, 1.50.0, as `pkgVersion`, for clients that check it. The header X-Sonde-Interface-Version always has it.");
    HTTP_PAYLOAD_SIZE_LIMIT: valued("http-payload-size-limit", ValueKind::Size, General)
        .default("100 MB")
        .help("Maximum size of a request body.");
    HTTP_ALLOWED_HOSTS: valued("http-allowed-hosts", ValueKind::Text, General)
        .help("Without a master key: names under which browsers may use this server, and hosts whose pages may call it, separated by commas, or `*` for all. A scheme and a port do not count; `null` is the origin of local files. IP addresses, `localhost` and the name in --http-addr are always allowed as names, pages of this machine always as callers. Programs are not limited.");
    HTTP_MAX_CONNECTIONS: valued("http-max-connections", ValueKind::Integer { least: 1 }, General)
        .computed_default("half of the file descriptor limit, at most 10000")
        .help("Maximum number of connections. When there are more, idle ones are closed and others are answered with 503.");
    HTTP_SEARCH_PAYLOAD_SIZE_LIMIT: valued("http-search-payload-size-limit", ValueKind::Size, General)
        .default("10 MB")
        .help("Maximum size of a request body on routes that search and read. A search key gives access to them, and front ends publish search keys.");
    HTTP_JSON_VALUE_LIMIT: valued("http-json-value-limit", ValueKind::Integer { least: 1 }, General)
        .default("1000000")
        .help("Maximum number of values in a JSON body, including nested ones. Bodies with documents are exempt.");
    HTTP_SEARCH_MEMORY: valued("http-search-memory", ValueKind::Size, General)
        .default("256 MB")
        .help("Total memory for the bodies and answers of running searches. When it is exhausted, large searches are answered with 503.");
    HTTP_UPLOAD_MEMORY: valued("http-upload-memory", ValueKind::Size, General)
        .default("256 MB")
        .help("Total memory for request bodies being received, including decompression. When it is exhausted, large or compressed uploads are answered with 503.");
    HTTP_MIN_BODY_RATE: valued("http-min-body-rate", ValueKind::Size, General)
        .default("1 KiB")
        .help("Minimum average rate of a request body in bytes per second, after the first ten seconds. A slower body is refused.");
    LOG_LEVEL: valued("log-level", ValueKind::Choice(&["OFF", "ERROR", "WARN", "INFO", "DEBUG", "TRACE"]), General)
        .default("INFO")
        .help("Verbosity of the log on stderr.");
    EXPERIMENTAL_LOGS_MODE: valued("experimental-logs-mode", ValueKind::Choice(&["HUMAN", "JSON"]), General)
        .default("HUMAN")
        .help("Format of the log lines.");
    NO_ANALYTICS: flag("no-analytics", General)
        .help("Switches telemetry off: nothing is counted, sent or written. See docs/telemetry.md.");
    TELEMETRY_URL: valued("telemetry-url", ValueKind::Text, General)
        .help("Collector for usage statistics. Without one they never leave the process.");
    UPGRADE_DB: flag("upgrade-db", General)
        .without_effect(UPGRADE)
        .help("Upgrades a database of an older version in place.");
    EXPERIMENTAL_DUMPLESS_UPGRADE: flag("experimental-dumpless-upgrade", General)
        .without_effect(UPGRADE)
        .help("Former name of --upgrade-db.");

    MAX_INDEXING_MEMORY: valued("max-indexing-memory", ValueKind::Size, Indexing)
        .computed_default("two thirds of the memory of the machine or of its control group")
        .help("Memory that indexing may use before it writes to disk.");
    MAX_INDEXING_THREADS: valued("max-indexing-threads", ValueKind::Threads, Indexing)
        .computed_default("half of the processors, at least 4")
        .help("Maximum number of indexes written at the same time.");
    EXPERIMENTAL_MAX_NUMBER_OF_BATCHED_TASKS:
        valued("experimental-max-number-of-batched-tasks", ValueKind::Integer { least: 0 }, Indexing)
        .computed_default("unlimited")
        .help("Maximum number of tasks in a batch. With 0 no task is processed.");
    EXPERIMENTAL_LIMIT_BATCHED_TASKS_TOTAL_SIZE:
        valued("experimental-limit-batched-tasks-total-size", ValueKind::Size, Indexing)
        .computed_default("half of --max-indexing-memory, at most 10 GiB")
        .help("Maximum payload size of a batch.");
    EXPERIMENTAL_REDUCE_INDEXING_MEMORY_USAGE:
        flag("experimental-reduce-indexing-memory-usage", Indexing)
        .without_effect("indexing keeps to --max-indexing-memory")
        .help("Reduces the memory of indexing at the cost of speed.");
    EXPERIMENTAL_NO_EDITION_2024_FOR_SETTINGS:
        flag("experimental-no-edition-2024-for-settings", Indexing)
        .without_effect("there is one way to apply settings")
        .help("Applies settings changes the previous way.");
    EXPERIMENTAL_INDEX_MAX_READERS:
        environment_only("experimental-index-max-readers", ValueKind::Integer { least: 1 }, Indexing)
        .default("1024")
        .without_effect("readers take nothing that could run out")
        .help("Maximum number of concurrent readers of an index.");
    EXPERIMENTAL_DISABLE_FID_BASED_DATABASES_CLEANUP:
        environment_only("experimental-disable-fid-based-databases-cleanup", ValueKind::Flag, Indexing)
        .without_effect("removed fields need no clean-up")
        .help("Skips the clean-up of removed fields.");
    EXPERIMENTAL_REPLICATION_PARAMETERS: flag("experimental-replication-parameters", Indexing)
        .not_yet(REPLICATION)
        .help("Takes task uids from request headers and never cleans up finished tasks.");

    SEARCH_QUERIES_LIMIT: valued("search-queries-limit", ValueKind::Integer { least: 1 }, Search)
        .default("1000")
        .help("Maximum number of queries in a multi-search.");
    SEARCH_QUERY_SIZE_LIMIT: valued("search-query-size-limit", ValueKind::Size, Search)
        .default("64 KiB")
        .help("Maximum length of a query text. The rest of a longer one is ignored.");
    SEARCH_TAG_SIZE_LIMIT: valued("search-tag-size-limit", ValueKind::Size, Search)
        .default("1 KiB")
        .help("Maximum length of `highlightPreTag`, `highlightPostTag` and `cropMarker`.");
    SEARCH_ANSWER_SIZE_LIMIT: valued("search-answer-size-limit", ValueKind::Size, Search)
        .default("64 MB")
        .help("Maximum size of the answer to a search, a multi-search or a batch of MCP calls.");
    EXPERIMENTAL_SEARCH_QUEUE_SIZE:
        valued("experimental-search-queue-size", ValueKind::Integer { least: 0 }, Search)
        .default("1000")
        .help("Maximum number of queued searches. With 0 a search is refused while all threads are busy.");
    EXPERIMENTAL_DROP_SEARCH_AFTER:
        valued("experimental-drop-search-after", ValueKind::Seconds { least: 1 }, Search)
        .default("60")
        .help("How long a search may wait before it is refused.");
    EXPERIMENTAL_NB_SEARCHES_PER_CORE:
        valued("experimental-nb-searches-per-core", ValueKind::Integer { least: 1 }, Search)
        .default("1")
        .help("Number of concurrent searches per processor.");
    EXPERIMENTAL_LEGACY_SEARCH_DEFAULT: flag("experimental-legacy-search-default", Search)
        .environment_name("EXPERIMENTAL_LEGACY_SEARCH")
        .help("Initial state of the feature legacySearch, until it is set through the API.");
    EXPERIMENTAL_PERSONALIZATION_API_KEY:
        valued("experimental-personalization-api-key", ValueKind::Text, Search)
        .secret()
        .help("Cohere API key for searches with `personalize`. If it is missing or empty, such searches are refused.");
    EXPERIMENTAL_REMOTE_SEARCH_TIMEOUT_SECONDS:
        environment_only("experimental-remote-search-timeout-seconds", ValueKind::Seconds { least: 1 }, Search)
        .default("25")
        .help("How long a search waits for a remote instance, including retries.");
    EXPERIMENTAL_DSR_FUEL_MAX_COUNTED_WORDS:
        environment_only("experimental-dsr-fuel-max-counted-words", ValueKind::Integer { least: 0 }, Search)
        .default("10")
        .help("Maximum number of query words that dynamic search rules consider.");
    EXPERIMENTAL_DSR_FUEL_MAX_ACTIVE_RULES:
        environment_only("experimental-dsr-fuel-max-active-rules", ValueKind::Integer { least: 0 }, Search)
        .default("1000")
        .help("Maximum number of active rules that a search considers, the first by precedence.");
    EXPERIMENTAL_DSR_FUEL_MAX_PIN_ACTIONS:
        environment_only("experimental-dsr-fuel-max-pin-actions", ValueKind::Integer { least: 0 }, Search)
        .default("100")
        .help("Maximum number of documents that rules pin in a search.");
    EXPERIMENTAL_DSR_FUEL_WORD_FUEL:
        environment_only("experimental-dsr-fuel-word-fuel", ValueKind::Integer { least: 0 }, Search)
        .default("4096")
        .help("Maximum length of the query text that rules consider, in bytes.");
    EXPERIMENTAL_DSR_FUEL_FILTER_FUEL:
        environment_only("experimental-dsr-fuel-filter-fuel", ValueKind::Integer { least: 0 }, Search)
        .default("4096")
        .help("Maximum number of filter values that rules consider.");
    EXPERIMENTAL_DSR_FUEL_FILTER_OR_FUEL:
        environment_only("experimental-dsr-fuel-filter-or-fuel", ValueKind::Integer { least: 0 }, Search)
        .default("100")
        .help("Maximum number of operands of an OR in a filter that rules consider.");
    EXPERIMENTAL_DSR_FUEL_FILTER_AND_FUEL:
        environment_only("experimental-dsr-fuel-filter-and-fuel", ValueKind::Integer { least: 0 }, Search)
        .default("100")
        .help("Maximum number of operands of an AND in a filter that rules consider.");
    EXPERIMENTAL_DSR_FUEL_FILTER_DEPTH_FUEL:
        environment_only("experimental-dsr-fuel-filter-depth-fuel", ValueKind::Integer { least: 0 }, Search)
        .default("25")
        .help("Maximum nesting of a filter that rules consider.");

    EXPERIMENTAL_CONTAINS_FILTER: flag("experimental-contains-filter", Experimental)
        .help("Enables the feature containsFilter at start.");
    EXPERIMENTAL_ENABLE_METRICS: flag("experimental-enable-metrics", Experimental)
        .help("Enables the feature metrics at start.");
    EXPERIMENTAL_ENABLE_LOGS_ROUTE: flag("experimental-enable-logs-route", Experimental)
        .help("Enables the feature logsRoute at start.");
    EXPERIMENTAL_OTLP_ENDPOINT: valued("experimental-otlp-endpoint", ValueKind::Url, Experimental)
        .help("Collector for traces of requests, searches and batches, with OTLP over HTTP.");
    EXPERIMENTAL_ALLOWED_IP_NETWORKS:
        valued("experimental-allowed-ip-networks", ValueKind::IpNetworks, Experimental)
        .help("Private networks that outgoing connections may reach, separated by commas, or `any`.");

    TASK_WEBHOOK_URL: valued("task-webhook-url", ValueKind::Url, Webhooks)
        .help("URL that is called when a batch of tasks has finished.");
    TASK_WEBHOOK_AUTHORIZATION_HEADER:
        valued("task-webhook-authorization-header", ValueKind::Text, Webhooks)
        .needs("task-webhook-url")
        .secret()
        .help("Authorization header of these calls.");

    DUMP_DIR: valued("dump-dir", ValueKind::Path, Dumps)
        .default("dumps/")
        .help("Folder for dumps, named `<dumpUid>.dump`.");
    IMPORT_DUMP: valued("import-dump", ValueKind::Path, Dumps)
        .conflicts_with("import-snapshot")
        .help("Dump of Sonde or Meilisearch v1 to create the database from at start.");
    IGNORE_MISSING_DUMP: flag("ignore-missing-dump", Dumps)
        .needs("import-dump")
        .help("Starts even if the dump does not exist.");
    IGNORE_DUMP_IF_DB_EXISTS: flag("ignore-dump-if-db-exists", Dumps)
        .needs("import-dump")
        .help("Starts without importing if there already is a database.");
    EXPERIMENTAL_NO_EDITION_2024_FOR_DUMPS: flag("experimental-no-edition-2024-for-dumps", Dumps)
        .without_effect("there is one way to import dumps")
        .help("Imports dumps the previous way.");

    SNAPSHOT_DIR: valued("snapshot-dir", ValueKind::Path, Snapshots)
        .default("snapshots/")
        .help("Folder for the snapshot, named `<name of the database folder>.snapshot`, which replaces the previous one.");
    SCHEDULE_SNAPSHOT: valued("schedule-snapshot", ValueKind::Period { when_bare: "86400" }, Snapshots)
        .computed_default("off")
        .help("Takes a snapshot periodically, at this interval in seconds.");
    SNAPSHOT_FILE_MODE: valued("snapshot-file-mode", ValueKind::Choice(&["0400", "0440", "0444"]), Snapshots)
        .default("0400")
        .help("Permissions of the snapshot file, which contains every document and key: readable by its owner, its group too, or everyone.");
    IMPORT_SNAPSHOT: valued("import-snapshot", ValueKind::Path, Snapshots)
        .conflicts_with("import-dump")
        .help("Snapshot to restore at start, into a database that must be empty.");
    IGNORE_MISSING_SNAPSHOT: flag("ignore-missing-snapshot", Snapshots)
        .needs("import-snapshot")
        .help("Starts even if the snapshot does not exist.");
    IGNORE_SNAPSHOT_IF_DB_EXISTS: flag("ignore-snapshot-if-db-exists", Snapshots)
        .needs("import-snapshot")
        .help("Starts without restoring if there already is a database.");
    EXPERIMENTAL_NO_SNAPSHOT_COMPACTION: flag("experimental-no-snapshot-compaction", Snapshots)
        .without_effect("snapshots are made of the files as they are")
        .help("Copies the database as it is.");

    S3_BUCKET_URL: valued("s3-bucket-url", ValueKind::Text, ObjectStorage)
        .help("URL of the object storage for snapshots, without the bucket name; it replaces the folder. Requires the other three and a pair of keys or a role.");
    S3_BUCKET_REGION: valued("s3-bucket-region", ValueKind::Text, ObjectStorage)
        .help("Region of the bucket.");
    S3_BUCKET_NAME: valued("s3-bucket-name", ValueKind::Text, ObjectStorage)
        .help("Name of the bucket.");
    S3_SNAPSHOT_PREFIX: valued("s3-snapshot-prefix", ValueKind::Text, ObjectStorage)
        .help("Folder for the snapshot within the bucket. May be empty.");
    S3_ACCESS_KEY: valued("s3-access-key", ValueKind::Text, ObjectStorage)
        .needs("s3-secret-key")
        .conflicts_with("experimental-s3-role-arn")
        .help("Access key of the bucket.");
    S3_SECRET_KEY: valued("s3-secret-key", ValueKind::Text, ObjectStorage)
        .needs("s3-access-key")
        .help("Secret key of the bucket.");
    EXPERIMENTAL_S3_ROLE_ARN: valued("experimental-s3-role-arn", ValueKind::Text, ObjectStorage)
        .needs("experimental-s3-web-identity-token-file")
        .conflicts_with("s3-access-key")
        .help("Role to assume instead of a pair of keys.");
    EXPERIMENTAL_S3_WEB_IDENTITY_TOKEN_FILE:
        valued("experimental-s3-web-identity-token-file", ValueKind::Path, ObjectStorage)
        .needs("experimental-s3-role-arn")
        .help("File with the token for that role.");
    EXPERIMENTAL_S3_MAX_IN_FLIGHT_PARTS:
        valued("experimental-s3-max-in-flight-parts", ValueKind::Integer { least: 1 }, ObjectStorage)
        .default("10")
        .help("Number of parts uploaded at the same time.");
    EXPERIMENTAL_S3_COMPRESSION_LEVEL:
        valued("experimental-s3-compression-level", ValueKind::CompressionLevel, ObjectStorage)
        .default("0")
        .help("Compression level, from 0 (none) to 9.");
    EXPERIMENTAL_S3_SIGNATURE_DURATION_SECONDS:
        valued("experimental-s3-signature-duration-seconds", ValueKind::Seconds { least: 1 }, ObjectStorage)
        .default("28800")
        .help("How long a signed request is valid, in seconds.");
    EXPERIMENTAL_S3_MULTIPART_PART_SIZE:
        valued("experimental-s3-multipart-part-size", ValueKind::PartSize, ObjectStorage)
        .default("375 MiB")
        .help("Size of a part, from 10 MiB to 8 GiB.");

    SSL_CERT_PATH: valued("ssl-cert-path", ValueKind::Path, Tls)
        .needs("ssl-key-path")
        .help("Certificate chain of the server (PEM). With it the server uses HTTPS. The files are reloaded on SIGHUP.");
    SSL_KEY_PATH: valued("ssl-key-path", ValueKind::Path, Tls)
        .needs("ssl-cert-path")
        .help("Private key of the server (PEM: PKCS8, RSA or EC, not encrypted).");
    SSL_AUTH_PATH: valued("ssl-auth-path", ValueKind::Path, Tls)
        .needs("ssl-cert-path")
        .help("Root certificates for client authentication (PEM). A certificate that a client presents must chain to one of them.");
    SSL_REQUIRE_AUTH: flag("ssl-require-auth", Tls)
        .needs_when_on("ssl-auth-path")
        .help("Refuses clients without a certificate.");
    SSL_OCSP_PATH: valued("ssl-ocsp-path", ValueKind::Path, Tls)
        .needs("ssl-cert-path")
        .help("OCSP response to staple (DER).");
    SSL_RESUMPTION: flag("ssl-resumption", Tls)
        .needs_when_on("ssl-cert-path")
        .help("Caches 256 sessions in memory, so that clients can resume them.");
    SSL_TICKETS: flag("ssl-tickets", Tls)
        .needs_when_on("ssl-cert-path")
        .help("Issues tickets that let clients resume their sessions.");

    EXPERIMENTAL_EMBEDDING_CACHE_ENTRIES:
        valued("experimental-embedding-cache-entries", ValueKind::Integer { least: 0 }, Embedders)
        .default("0")
        .help("Number of query embeddings cached in memory.");
    EMBEDDER_MODELS_PATH: valued("embedder-models-path", ValueKind::Path, Embedders)
        .help("Folder with models that `huggingFace` embedders may load from disk. Without it models come only from the hub.");
    OPENAI_API_KEY: environment_only("openai-api-key", ValueKind::Text, Embedders)
        .help("API key for OpenAI embedders without one.");
    OLLAMA_URL: environment_only("ollama-url", ValueKind::Text, Embedders)
        .default("http://localhost:11434/api/embeddings")
        .help("URL for Ollama embedders without one.");
    EXPERIMENTAL_REST_EMBEDDER_TIMEOUT_SECONDS:
        environment_only("experimental-rest-embedder-timeout-seconds", ValueKind::Seconds { least: 1 }, Embedders)
        .default("30")
        .help("How long to wait for a remote embedder.");
    EXPERIMENTAL_REST_EMBEDDER_MAX_RETRY_DURATION_SECONDS:
        environment_only("experimental-rest-embedder-max-retry-duration-seconds", ValueKind::Seconds { least: 1 }, Embedders)
        .default("60")
        .help("How long to retry a remote embedder.");
    EXPERIMENTAL_CONFIG_EMBEDDER_FAILURE_MODES:
        environment_only("experimental-config-embedder-failure-modes", ValueKind::FailureModes, Embedders)
        .help("Embedder failures that do not fail a task, separated by commas.");
    EXPERIMENTAL_HNSW_LINEAR_BELOW:
        environment_only("experimental-hnsw-linear-below", ValueKind::Integer { least: 0 }, Embedders)
        .default("300000")
        .without_effect(VECTOR_TUNING)
        .help("Number of candidates below which vectors are compared one by one.");
    EXPERIMENTAL_HNSW_LINEAR_BELOW_RATIO:
        environment_only("experimental-hnsw-linear-below-ratio", ValueKind::Text, Embedders)
        .default("0.1")
        .without_effect(VECTOR_TUNING)
        .help("Share of all documents below which vectors are compared one by one.");
    VECTORSTORE_READER_PREFETCH_MEMORY:
        environment_only("vectorstore-reader-prefetch-memory", ValueKind::Flag, Embedders)
        .known_bare()
        .help("Opens every index after start and preloads its vector graphs, so that the first searches do not wait for the disk.");

    SERVER_PROVIDER: environment_only("server-provider", ValueKind::Text, General)
        .help("Name of the hosting provider, reported by telemetry.");
}
