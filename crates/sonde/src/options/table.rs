//! The table of launch options. One entry defines an option once: its flag, its names in the
//! environment and in the configuration file, the kind of its value, its default, its help and
//! whether this version has the feature it belongs to. The command line, the reading of the
//! environment and of the file, `--help` and docs/options.md all follow from it.
//!
//! An option of the interface that is not built yet has its entry too, so that it is refused by
//! name instead of being ignored; one that could change nothing here is accepted, and said to. This file knows nothing of how values are read.

use super::option::Group::{
    Dumps, Embedders, Experimental, General, Indexing, ObjectStorage, Search, Snapshots, Tls,
    Webhooks,
};
use super::option::{LaunchOption, environment_only, flag, valued};
use super::value::Kind;

macro_rules! launch_options {
    ($($name:ident: $option:expr;)*) => {
        $(pub static $name: LaunchOption = $option;)*

        /// Every option, in the order in which help and documentation show them.
        pub static TABLE: &[&LaunchOption] = &[$(&$name),*];
    };
}

const UPGRADE: &str = "there is one format of databases so far";
const VECTOR_TUNING: &str = "the vector store decides this by itself";
const REPLICATION: &str = "replication";

launch_options! {
    CONFIG_FILE_PATH: valued("config-file-path", Kind::Path, General)
        .default("./config.toml")
        .not_in_file()
        .help("Configuration file. The default one may be missing; one that is named must be readable.");
    DB_PATH: valued("db-path", Kind::Path, General)
        .default("./data.sonde")
        .help("Folder of the database. It is created when it is missing.");
    HTTP_ADDR: valued("http-addr", Kind::Address, General)
        .default("localhost:7700")
        .help("Address and port to listen on. With port 0 the system chooses a free port.");
    ENV: valued("env", Kind::Choice(&["development", "production"]), General)
        .default("development")
        .help("Environment. Production needs a master key of at least 16 bytes.");
    MASTER_KEY: valued("master-key", Kind::Text, General)
        .secret()
        .help("Key that protects every route and from which all other keys are derived. Set it in the environment: command lines can be seen by other users of the machine.");
    DASHBOARD_IN_PRODUCTION: flag("dashboard-in-production", General)
        .help("Shows the dashboard at `/` in production too. It is open there as in development, and can do what the key that is typed into it can do.");
    REPORT_INTERFACE_VERSION: flag("report-interface-version", General)
        .help("Makes `GET /version` answer the version of the interface, 1.50.0, as `pkgVersion`, for clients that compare it. The header X-Sonde-Interface-Version tells it in any case.");
    HTTP_PAYLOAD_SIZE_LIMIT: valued("http-payload-size-limit", Kind::Size, General)
        .default("100 MB")
        .help("Largest request body that is accepted.");
    HTTP_ALLOWED_HOSTS: valued("http-allowed-hosts", Kind::Text, General)
        .help("Without a master key: names under which browsers may use this server, and hosts whose pages may call it, separated by commas, or `*` for all. A scheme and a port do not count; `null` is the origin of local files. IP addresses, `localhost` and the name in --http-addr are always allowed as names, pages of this machine always as callers. Programs are not limited.");
    HTTP_MAX_CONNECTIONS: valued("http-max-connections", Kind::Integer { least: 1 }, General)
        .computed_default("half of the file descriptors that the process may have, at most 10000")
        .help("Connections that are served at the same time. When there are more, quiet ones are closed, and others are answered with 503.");
    HTTP_SEARCH_PAYLOAD_SIZE_LIMIT: valued("http-search-payload-size-limit", Kind::Size, General)
        .default("10 MB")
        .help("Largest request body of the routes that search and read. A search key opens them, and front ends publish search keys.");
    HTTP_JSON_VALUE_LIMIT: valued("http-json-value-limit", Kind::Integer { least: 1 }, General)
        .default("1000000")
        .help("Values that one JSON body may hold, nested ones included. Bodies of documents are not counted.");
    HTTP_SEARCH_MEMORY: valued("http-search-memory", Kind::Size, General)
        .default("256 MB")
        .help("Memory that the bodies and answers of all searches under way may take together. When it is taken, large searches are answered with 503.");
    HTTP_UPLOAD_MEMORY: valued("http-upload-memory", Kind::Size, General)
        .default("256 MB")
        .help("Memory that all bodies being received may take together, with the decoders of compressed ones. When it is taken, large or compressed uploads are answered with 503.");
    HTTP_MIN_BODY_RATE: valued("http-min-body-rate", Kind::Size, General)
        .default("1 KiB")
        .help("Bytes a second at which a request body must arrive on average, once ten seconds are over. A slower body is refused.");
    LOG_LEVEL: valued("log-level", Kind::Choice(&["OFF", "ERROR", "WARN", "INFO", "DEBUG", "TRACE"]), General)
        .default("INFO")
        .help("How much is logged to stderr.");
    EXPERIMENTAL_LOGS_MODE: valued("experimental-logs-mode", Kind::Choice(&["HUMAN", "JSON"]), General)
        .default("HUMAN")
        .help("Form of the log lines.");
    NO_ANALYTICS: flag("no-analytics", General)
        .help("Switches telemetry off: nothing is counted, sent or written. See docs/telemetry.md.");
    TELEMETRY_URL: valued("telemetry-url", Kind::Text, General)
        .help("Collector that usage figures are sent to. Without one they never leave the process.");
    UPGRADE_DB: flag("upgrade-db", General)
        .without_effect(UPGRADE)
        .help("Upgrades the database in place when it was written by an older version.");
    EXPERIMENTAL_DUMPLESS_UPGRADE: flag("experimental-dumpless-upgrade", General)
        .without_effect(UPGRADE)
        .help("Former name of --upgrade-db.");

    MAX_INDEXING_MEMORY: valued("max-indexing-memory", Kind::Size, Indexing)
        .computed_default("two thirds of the memory of the machine or of its control group")
        .help("Memory that indexing may use before it writes to disk.");
    MAX_INDEXING_THREADS: valued("max-indexing-threads", Kind::Threads, Indexing)
        .computed_default("half of the processors, at least 4")
        .help("Indexes that are written at the same time.");
    EXPERIMENTAL_MAX_NUMBER_OF_BATCHED_TASKS:
        valued("experimental-max-number-of-batched-tasks", Kind::Integer { least: 0 }, Indexing)
        .computed_default("unlimited")
        .help("Most tasks in one batch. With 0 no task is processed.");
    EXPERIMENTAL_LIMIT_BATCHED_TASKS_TOTAL_SIZE:
        valued("experimental-limit-batched-tasks-total-size", Kind::Size, Indexing)
        .computed_default("half of --max-indexing-memory, at most 10 GiB")
        .help("Most bytes of payload in one batch.");
    EXPERIMENTAL_REDUCE_INDEXING_MEMORY_USAGE:
        flag("experimental-reduce-indexing-memory-usage", Indexing)
        .without_effect("indexing keeps to --max-indexing-memory")
        .help("Indexes with less memory, more slowly.");
    EXPERIMENTAL_NO_EDITION_2024_FOR_SETTINGS:
        flag("experimental-no-edition-2024-for-settings", Indexing)
        .without_effect("there is one way to apply settings")
        .help("Applies changes of settings in the previous way.");
    EXPERIMENTAL_INDEX_MAX_READERS:
        environment_only("experimental-index-max-readers", Kind::Integer { least: 1 }, Indexing)
        .default("1024")
        .without_effect("readers take nothing that could run out")
        .help("Most readers of one index at the same time.");
    EXPERIMENTAL_DISABLE_FID_BASED_DATABASES_CLEANUP:
        environment_only("experimental-disable-fid-based-databases-cleanup", Kind::Flag, Indexing)
        .without_effect("removed fields need no clean-up")
        .help("Leaves out the clean-up of removed fields.");
    EXPERIMENTAL_REPLICATION_PARAMETERS: flag("experimental-replication-parameters", Indexing)
        .not_yet(REPLICATION)
        .help("Takes task uids from request headers and never cleans up finished tasks.");

    SEARCH_QUERIES_LIMIT: valued("search-queries-limit", Kind::Integer { least: 1 }, Search)
        .default("1000")
        .help("Queries that one multi-search may hold.");
    SEARCH_QUERY_SIZE_LIMIT: valued("search-query-size-limit", Kind::Size, Search)
        .default("64 KiB")
        .help("Length of a query text that is searched. The rest of a longer one is ignored.");
    SEARCH_TAG_SIZE_LIMIT: valued("search-tag-size-limit", Kind::Size, Search)
        .default("1 KiB")
        .help("Longest `highlightPreTag`, `highlightPostTag` and `cropMarker`.");
    SEARCH_ANSWER_SIZE_LIMIT: valued("search-answer-size-limit", Kind::Size, Search)
        .default("64 MB")
        .help("Largest answer to a search, a multi-search or a batch of MCP calls.");
    EXPERIMENTAL_SEARCH_QUEUE_SIZE:
        valued("experimental-search-queue-size", Kind::Integer { least: 0 }, Search)
        .default("1000")
        .help("Searches that may wait for their turn. With 0 a search is refused while all threads are busy.");
    EXPERIMENTAL_DROP_SEARCH_AFTER:
        valued("experimental-drop-search-after", Kind::Seconds { least: 1 }, Search)
        .default("60")
        .help("How long a search may wait before it is refused.");
    EXPERIMENTAL_NB_SEARCHES_PER_CORE:
        valued("experimental-nb-searches-per-core", Kind::Integer { least: 1 }, Search)
        .default("1")
        .help("Searches that run at the same time on each processor.");
    EXPERIMENTAL_LEGACY_SEARCH_DEFAULT: flag("experimental-legacy-search-default", Search)
        .environment_name("EXPERIMENTAL_LEGACY_SEARCH")
        .help("State of the feature legacySearch until it is set through the API.");
    EXPERIMENTAL_PERSONALIZATION_API_KEY:
        valued("experimental-personalization-api-key", Kind::Text, Search)
        .secret()
        .help("Key at Cohere, whose model orders the hits of searches with `personalize`. Without it, or with an empty one, such searches are refused.");
    EXPERIMENTAL_REMOTE_SEARCH_TIMEOUT_SECONDS:
        environment_only("experimental-remote-search-timeout-seconds", Kind::Seconds { least: 1 }, Search)
        .default("25")
        .help("How long a search waits for a remote instance, with all attempts to reach it.");
    EXPERIMENTAL_DSR_FUEL_MAX_COUNTED_WORDS:
        environment_only("experimental-dsr-fuel-max-counted-words", Kind::Integer { least: 0 }, Search)
        .default("10")
        .help("Words of a query that dynamic search rules look at.");
    EXPERIMENTAL_DSR_FUEL_MAX_ACTIVE_RULES:
        environment_only("experimental-dsr-fuel-max-active-rules", Kind::Integer { least: 0 }, Search)
        .default("1000")
        .help("Active rules that a search looks at, the first by precedence.");
    EXPERIMENTAL_DSR_FUEL_MAX_PIN_ACTIONS:
        environment_only("experimental-dsr-fuel-max-pin-actions", Kind::Integer { least: 0 }, Search)
        .default("100")
        .help("Documents that rules pin in one search.");
    EXPERIMENTAL_DSR_FUEL_WORD_FUEL:
        environment_only("experimental-dsr-fuel-word-fuel", Kind::Integer { least: 0 }, Search)
        .default("4096")
        .help("Bytes of a query in which rules look for words.");
    EXPERIMENTAL_DSR_FUEL_FILTER_FUEL:
        environment_only("experimental-dsr-fuel-filter-fuel", Kind::Integer { least: 0 }, Search)
        .default("4096")
        .help("Values of a filter that rules look at.");
    EXPERIMENTAL_DSR_FUEL_FILTER_OR_FUEL:
        environment_only("experimental-dsr-fuel-filter-or-fuel", Kind::Integer { least: 0 }, Search)
        .default("100")
        .help("Members of each OR in a filter that rules look at.");
    EXPERIMENTAL_DSR_FUEL_FILTER_AND_FUEL:
        environment_only("experimental-dsr-fuel-filter-and-fuel", Kind::Integer { least: 0 }, Search)
        .default("100")
        .help("Members of each AND in a filter that rules look at.");
    EXPERIMENTAL_DSR_FUEL_FILTER_DEPTH_FUEL:
        environment_only("experimental-dsr-fuel-filter-depth-fuel", Kind::Integer { least: 0 }, Search)
        .default("25")
        .help("Levels of nesting in a filter that rules look at.");

    EXPERIMENTAL_CONTAINS_FILTER: flag("experimental-contains-filter", Experimental)
        .help("Switches the feature containsFilter on at start.");
    EXPERIMENTAL_ENABLE_METRICS: flag("experimental-enable-metrics", Experimental)
        .help("Switches the feature metrics on at start.");
    EXPERIMENTAL_ENABLE_LOGS_ROUTE: flag("experimental-enable-logs-route", Experimental)
        .help("Switches the feature logsRoute on at start.");
    EXPERIMENTAL_OTLP_ENDPOINT: valued("experimental-otlp-endpoint", Kind::Url, Experimental)
        .help("Collector of traces that requests, searches and batches are reported to, with OTLP over HTTP.");
    EXPERIMENTAL_ALLOWED_IP_NETWORKS:
        valued("experimental-allowed-ip-networks", Kind::IpNetworks, Experimental)
        .help("Private networks that outgoing connections may reach, separated by commas, or `any`.");

    TASK_WEBHOOK_URL: valued("task-webhook-url", Kind::Url, Webhooks)
        .help("URL that is called when a batch of tasks has finished.");
    TASK_WEBHOOK_AUTHORIZATION_HEADER:
        valued("task-webhook-authorization-header", Kind::Text, Webhooks)
        .needs("task-webhook-url")
        .secret()
        .help("Value of the Authorization header of these calls.");

    DUMP_DIR: valued("dump-dir", Kind::Path, Dumps)
        .default("dumps/")
        .help("Folder in which dumps are written, as `<dumpUid>.dump`.");
    IMPORT_DUMP: valued("import-dump", Kind::Path, Dumps)
        .conflicts_with("import-snapshot")
        .help("Dump of Sonde or of Meilisearch v1 that the database is made from at start.");
    IGNORE_MISSING_DUMP: flag("ignore-missing-dump", Dumps)
        .needs("import-dump")
        .help("Starts although the dump does not exist.");
    IGNORE_DUMP_IF_DB_EXISTS: flag("ignore-dump-if-db-exists", Dumps)
        .needs("import-dump")
        .help("Starts without importing when there is a database already.");
    EXPERIMENTAL_NO_EDITION_2024_FOR_DUMPS: flag("experimental-no-edition-2024-for-dumps", Dumps)
        .without_effect("there is one way to import dumps")
        .help("Imports dumps in the previous way.");

    SNAPSHOT_DIR: valued("snapshot-dir", Kind::Path, Snapshots)
        .default("snapshots/")
        .help("Folder in which the snapshot is written, as `<name of the database folder>.snapshot`, in the place of the one before.");
    SCHEDULE_SNAPSHOT: valued("schedule-snapshot", Kind::Period { when_bare: "86400" }, Snapshots)
        .computed_default("off")
        .help("Takes a snapshot again and again, once in this many seconds.");
    SNAPSHOT_FILE_MODE: valued("snapshot-file-mode", Kind::Choice(&["0400", "0440", "0444"]), Snapshots)
        .default("0400")
        .help("Who may read the file of a snapshot, which holds every document and every key: its owner, its group too, or everybody.");
    IMPORT_SNAPSHOT: valued("import-snapshot", Kind::Path, Snapshots)
        .conflicts_with("import-dump")
        .help("Snapshot that is unpacked at start, into a database that must be empty.");
    IGNORE_MISSING_SNAPSHOT: flag("ignore-missing-snapshot", Snapshots)
        .needs("import-snapshot")
        .help("Starts although the snapshot does not exist.");
    IGNORE_SNAPSHOT_IF_DB_EXISTS: flag("ignore-snapshot-if-db-exists", Snapshots)
        .needs("import-snapshot")
        .help("Starts without unpacking when there is a database already.");
    EXPERIMENTAL_NO_SNAPSHOT_COMPACTION: flag("experimental-no-snapshot-compaction", Snapshots)
        .without_effect("snapshots are made of the files as they are")
        .help("Copies the database as it is.");

    S3_BUCKET_URL: valued("s3-bucket-url", Kind::Text, ObjectStorage)
        .help("URL of the storage that receives snapshots instead of the folder, without the name of the bucket. It needs the other three and a pair of keys or a role.");
    S3_BUCKET_REGION: valued("s3-bucket-region", Kind::Text, ObjectStorage)
        .help("Region of the bucket.");
    S3_BUCKET_NAME: valued("s3-bucket-name", Kind::Text, ObjectStorage)
        .help("Name of the bucket.");
    S3_SNAPSHOT_PREFIX: valued("s3-snapshot-prefix", Kind::Text, ObjectStorage)
        .help("Folder of the bucket in which the snapshot is written. May be empty.");
    S3_ACCESS_KEY: valued("s3-access-key", Kind::Text, ObjectStorage)
        .needs("s3-secret-key")
        .conflicts_with("experimental-s3-role-arn")
        .help("Access key of the bucket.");
    S3_SECRET_KEY: valued("s3-secret-key", Kind::Text, ObjectStorage)
        .needs("s3-access-key")
        .help("Secret key of the bucket.");
    EXPERIMENTAL_S3_ROLE_ARN: valued("experimental-s3-role-arn", Kind::Text, ObjectStorage)
        .needs("experimental-s3-web-identity-token-file")
        .conflicts_with("s3-access-key")
        .help("Role to take on instead of a pair of keys.");
    EXPERIMENTAL_S3_WEB_IDENTITY_TOKEN_FILE:
        valued("experimental-s3-web-identity-token-file", Kind::Path, ObjectStorage)
        .needs("experimental-s3-role-arn")
        .help("File with the token for that role.");
    EXPERIMENTAL_S3_MAX_IN_FLIGHT_PARTS:
        valued("experimental-s3-max-in-flight-parts", Kind::Integer { least: 1 }, ObjectStorage)
        .default("10")
        .help("Parts that are sent at the same time.");
    EXPERIMENTAL_S3_COMPRESSION_LEVEL:
        valued("experimental-s3-compression-level", Kind::CompressionLevel, ObjectStorage)
        .default("0")
        .help("Level of compression, from 0, which only stores, to 9.");
    EXPERIMENTAL_S3_SIGNATURE_DURATION_SECONDS:
        valued("experimental-s3-signature-duration-seconds", Kind::Seconds { least: 1 }, ObjectStorage)
        .default("28800")
        .help("How long a signed request may be used, in seconds.");
    EXPERIMENTAL_S3_MULTIPART_PART_SIZE:
        valued("experimental-s3-multipart-part-size", Kind::PartSize, ObjectStorage)
        .default("375 MiB")
        .help("Size of a part, from 10 MiB to 8 GiB.");

    SSL_CERT_PATH: valued("ssl-cert-path", Kind::Path, Tls)
        .needs("ssl-key-path")
        .help("Certificate of the server and those between it and its root (PEM). With it the server speaks HTTPS. The files are read again on SIGHUP.");
    SSL_KEY_PATH: valued("ssl-key-path", Kind::Path, Tls)
        .needs("ssl-cert-path")
        .help("Private key of the server (PEM: PKCS8, RSA or EC, not encrypted).");
    SSL_AUTH_PATH: valued("ssl-auth-path", Kind::Path, Tls)
        .needs("ssl-cert-path")
        .help("Roots of the certificates of clients (PEM). Clients that show a certificate must show one that leads to them.");
    SSL_REQUIRE_AUTH: flag("ssl-require-auth", Tls)
        .needs_when_on("ssl-auth-path")
        .help("Refuses clients without a certificate.");
    SSL_OCSP_PATH: valued("ssl-ocsp-path", Kind::Path, Tls)
        .needs("ssl-cert-path")
        .help("OCSP response to staple (DER).");
    SSL_RESUMPTION: flag("ssl-resumption", Tls)
        .needs_when_on("ssl-cert-path")
        .help("Keeps 256 sessions in memory, so that clients can resume them.");
    SSL_TICKETS: flag("ssl-tickets", Tls)
        .needs_when_on("ssl-cert-path")
        .help("Hands out tickets with which clients can resume their sessions.");

    EXPERIMENTAL_EMBEDDING_CACHE_ENTRIES:
        valued("experimental-embedding-cache-entries", Kind::Integer { least: 0 }, Embedders)
        .default("0")
        .help("Query embeddings that are kept in memory.");
    EMBEDDER_MODELS_PATH: valued("embedder-models-path", Kind::Path, Embedders)
        .help("Folder with the models that `huggingFace` embedders may load from disk. Without it they come from the hub only.");
    OPENAI_API_KEY: environment_only("openai-api-key", Kind::Text, Embedders)
        .help("Key of OpenAI embedders that name none.");
    OLLAMA_URL: environment_only("ollama-url", Kind::Text, Embedders)
        .default("http://localhost:11434/api/embeddings")
        .help("URL of Ollama embedders that name none.");
    EXPERIMENTAL_REST_EMBEDDER_TIMEOUT_SECONDS:
        environment_only("experimental-rest-embedder-timeout-seconds", Kind::Seconds { least: 1 }, Embedders)
        .default("30")
        .help("How long to wait for a remote embedder.");
    EXPERIMENTAL_REST_EMBEDDER_MAX_RETRY_DURATION_SECONDS:
        environment_only("experimental-rest-embedder-max-retry-duration-seconds", Kind::Seconds { least: 1 }, Embedders)
        .default("60")
        .help("How long to try a remote embedder again.");
    EXPERIMENTAL_CONFIG_EMBEDDER_FAILURE_MODES:
        environment_only("experimental-config-embedder-failure-modes", Kind::FailureModes, Embedders)
        .help("Failures of embedders that do not fail a task, separated by commas.");
    EXPERIMENTAL_HNSW_LINEAR_BELOW:
        environment_only("experimental-hnsw-linear-below", Kind::Integer { least: 0 }, Embedders)
        .default("300000")
        .without_effect(VECTOR_TUNING)
        .help("Number of candidates below which vectors are compared one by one.");
    EXPERIMENTAL_HNSW_LINEAR_BELOW_RATIO:
        environment_only("experimental-hnsw-linear-below-ratio", Kind::Text, Embedders)
        .default("0.1")
        .without_effect(VECTOR_TUNING)
        .help("The same, as a share of all documents.");
    VECTORSTORE_READER_PREFETCH_MEMORY:
        environment_only("vectorstore-reader-prefetch-memory", Kind::Flag, Embedders)
        .known_bare()
        .help("Opens every index after the start and reads its graphs of vectors, so that the first searches need not wait for the disk.");

    SERVER_PROVIDER: environment_only("server-provider", Kind::Text, General)
        .help("Name of the hosting provider, told by telemetry.");
}
