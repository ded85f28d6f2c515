//! Meaning of option values, and defaults.

use std::path::Path;
use std::time::Duration;

use engine::AddressPolicy;
use sonde::options::config::{self, Config, LogsMode};

use crate::options::{Start, arguments, environment, file};

#[test]
fn options_without_effect_are_accepted_and_said_to_be_so() {
    let told = |start: &Start<'_>| {
        let gathered = start.gather().unwrap();
        Config::resolve(&gathered).unwrap_or_else(|error| panic!("{error}"));
        config::without_effect(&gathered)
    };
    assert_eq!(told(&Start::default()).unwrap(), None);
    let note = told(&arguments(&["--upgrade-db"])).unwrap().unwrap();
    assert!(note.contains("--upgrade-db (there is one format"), "{note}");
    let readers = ("SVC_EXPERIMENTAL_INDEX_MAX_READERS", "7");
    let note = told(&environment(&[readers, ("MEILI_UPGRADE_DB", "false")])).unwrap().unwrap();
    assert!(note.contains("SONDE_EXPERIMENTAL_INDEX_MAX_READERS"), "{note}");
    assert!(!note.contains("upgrade"), "{note}");
    let file = file("experimental_reduce_indexing_memory_usage = true");
    assert!(told(&file).unwrap().unwrap().contains("--experimental-reduce-indexing-memory-usage"));
    // What is no value is refused all the same.
    let error = told(&environment(&[("SVC_EXPERIMENTAL_INDEX_MAX_READERS", "many")])).unwrap_err();
    assert_eq!(error.exit_code(), 2, "{error}");
}

#[test]
fn an_empty_key_asks_for_nothing() {
    let name = "SONDE_EXPERIMENTAL_PERSONALIZATION_API_KEY";
    let key = |value| environment(&[(name, value)]).config().unwrap().personalization_api_key;
    assert_eq!(key(""), None);
    assert_eq!(key("a-key").unwrap().expose(), "a-key");
}

#[test]
fn defaults() {
    let config = Start::default().config().unwrap();
    assert_eq!(config.config_file, None);
    assert_eq!(config.db_path, Path::new("./data.sonde"));
    assert_eq!(config.http_addr.to_string(), "localhost:7700");
    assert_eq!(config.payload_limit_bytes, 100_000_000);
    assert_eq!(config.log_level.to_string(), "info");
    assert_eq!(config.logs_mode, LogsMode::Human);
    assert_eq!(config.max_batched_tasks, usize::MAX);
    assert_eq!(config.search_threads, sonde::machine::processors());
    assert_eq!(config.search_queue_size, 1000);
    assert_eq!(config.drop_search_after, Duration::from_secs(60));
    assert_eq!(config.launch_features, model::Features::default());
    assert_eq!(config.address_policy, AddressPolicy::default());
    assert!(config.max_indexing_memory_bytes > 1 << 26);
    assert!(config.max_indexing_threads >= 1);
    let half = config.max_indexing_memory_bytes / 2;
    assert_eq!(config.max_batched_bytes, half.min(10 << 30));
}

#[test]
fn values_become_what_they_mean() {
    let config = arguments(&[
        "--http-addr=[::1]:80",
        "--http-payload-size-limit=2 KiB",
        "--max-indexing-memory=100 Mb",
        "--max-indexing-threads=3",
        "--log-level=debug",
        "--experimental-logs-mode=json",
        "--experimental-max-number-of-batched-tasks=0",
        "--experimental-limit-batched-tasks-total-size=5",
        "--experimental-search-queue-size=0",
        "--experimental-drop-search-after=7",
        "--experimental-nb-searches-per-core=3",
        "--experimental-contains-filter",
        "--experimental-enable-metrics",
        "--experimental-allowed-ip-networks=any",
        "--env=development",
    ])
    .config()
    .unwrap();
    assert_eq!((config.http_addr.host.as_str(), config.http_addr.port), ("::1", 80));
    assert_eq!(config.payload_limit_bytes, 2048);
    assert_eq!(config.max_indexing_memory_bytes, 12_500_000);
    assert_eq!(config.max_indexing_threads, 3);
    assert_eq!(config.log_level.to_string(), "debug");
    assert_eq!(config.logs_mode, LogsMode::Json);
    assert_eq!(config.max_batched_tasks, 0);
    assert_eq!(config.max_batched_bytes, 5);
    assert_eq!(config.search_queue_size, 0);
    assert_eq!(config.drop_search_after, Duration::from_secs(7));
    assert_eq!(config.search_threads, 3 * sonde::machine::processors());
    let features = config.launch_features;
    assert!(features.contains_filter && features.metrics && !features.logs_route);
    assert_eq!(config.address_policy, AddressPolicy::Any);
}

#[test]
fn threads_may_be_unlimited_or_left_to_the_default() {
    let threads =
        |text| arguments(&["--max-indexing-threads", text]).config().unwrap().max_indexing_threads;
    let processors = sonde::machine::processors();
    assert_eq!(threads("unlimited"), processors);
    assert_eq!(threads(""), (processors / 2).max(4));
}

#[test]
fn a_flag_of_a_missing_feature_may_say_off() {
    assert!(environment(&[("SONDE_UPGRADE_DB", "false")]).config().is_ok());
    assert_eq!(environment(&[("SONDE_UPGRADE_DB", "maybe")]).refusal().0, 2);
    let off = "upgrade_db = false\nignore_missing_dump = false\nschedule_snapshot = false";
    assert!(file(off).config().is_ok());
}

#[test]
fn snapshots_have_a_folder_a_period_and_a_source() {
    let config = Start::default().config().unwrap();
    assert_eq!(config.snapshots.folder, Path::new("snapshots/"));
    assert_eq!((config.snapshots.period, config.import_snapshot), (None, None));
    let period = |start: Start| start.config().unwrap().snapshots.period.map(|p| p.as_secs());
    assert_eq!(period(arguments(&["--schedule-snapshot"])), Some(86_400));
    assert_eq!(period(arguments(&["--schedule-snapshot", "30"])), Some(30));
    assert_eq!(period(environment(&[("SVC_SCHEDULE_SNAPSHOT", "30")])), Some(30));
    assert_eq!(period(file("schedule_snapshot = true")), Some(86_400));
    assert_eq!(period(file("schedule_snapshot = false")), None);
    let words = ["--import-snapshot", "a", "--ignore-missing-snapshot"];
    let import = arguments(&words).config().unwrap().import_snapshot.unwrap();
    assert!(import.ignore_missing && !import.ignore_if_db_exists);
    let alone = environment(&[("SONDE_IGNORE_SNAPSHOT_IF_DB_EXISTS", "false")]).refusal();
    assert_eq!(alone.0, 2);
}

#[test]
fn object_storage_has_its_defaults_and_bounds() {
    let words = |more: &[&'static str]| {
        let four = ["--s3-bucket-url=u", "--s3-bucket-region=r", "--s3-bucket-name=b"];
        let keys = ["--s3-snapshot-prefix=p", "--s3-access-key=k", "--s3-secret-key=s"];
        arguments(&[&four[..], &keys, more].concat())
    };
    let storage = words(&[]).config().unwrap().snapshots.storage.unwrap();
    assert_eq!((storage.prefix.as_str(), storage.compression_level), ("p", 0));
    assert_eq!(storage.bucket.part_bytes, 375 << 20);
    assert_eq!(storage.bucket.parallel_parts, 10);
    assert_eq!(storage.bucket.signature_duration.as_secs(), 28_800);
    for refused in [
        "--experimental-s3-compression-level=10",
        "--experimental-s3-multipart-part-size=9MiB",
        "--experimental-s3-multipart-part-size=9GiB",
        "--experimental-s3-max-in-flight-parts=0",
        "--experimental-s3-signature-duration-seconds=0",
    ] {
        assert_eq!(words(&[refused]).refusal().0, 2, "{refused}");
    }
    // Half of a group in the file would keep snapshots here without a word.
    assert_eq!(file("s3_bucket_url = \"u\"").refusal().0, 1);
}

#[test]
fn connections_are_bounded_below_what_the_process_may_open() {
    let most = Start::default().config().unwrap().bounds.connections;
    assert!((1..=10_000).contains(&most) && most <= sonde::machine::descriptors());
    let given = arguments(&["--http-max-connections", "7"]).config().unwrap();
    assert_eq!(given.bounds.connections, 7);
    assert_eq!(arguments(&["--http-max-connections", "0"]).refusal().0, 2);
}

#[test]
fn graphs_are_read_ahead_when_a_variable_says_so() {
    let start = environment(&[("VECTORSTORE_READER_PREFETCH_MEMORY", "true")]);
    assert!(start.config().unwrap().preload_vectors);
    // The name without a prefix is the usual one, so no note is given.
    assert_eq!(start.gather().unwrap().notes, Vec::<String>::new());
    let ours = ("SONDE_VECTORSTORE_READER_PREFETCH_MEMORY", "false");
    let both = environment(&[("VECTORSTORE_READER_PREFETCH_MEMORY", "true"), ours]);
    assert!(!both.config().unwrap().preload_vectors);
    assert!(!environment(&[]).config().unwrap().preload_vectors);
    let (code, message) = environment(&[("VECTORSTORE_READER_PREFETCH_MEMORY", "10MB")]).refusal();
    assert_eq!(code, 2);
    assert!(message.contains("VECTORSTORE_READER_PREFETCH_MEMORY"), "{message}");
}

#[test]
fn the_environment_limits_what_search_rules_look_at() {
    let limits = environment(&[]).config().unwrap().rule_limits;
    assert_eq!((limits.counted_words, limits.active_rules, limits.pin_actions), (10, 1000, 100));
    let names = [
        "MAX_COUNTED_WORDS",
        "MAX_ACTIVE_RULES",
        "MAX_PIN_ACTIONS",
        "WORD_FUEL",
        "FILTER_FUEL",
        "FILTER_OR_FUEL",
        "FILTER_AND_FUEL",
        "FILTER_DEPTH_FUEL",
    ]
    .map(|name| format!("SONDE_EXPERIMENTAL_DSR_FUEL_{name}"));
    let numbers = ["1", "2", "3", "4", "5", "6", "7", "8"];
    let given: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(numbers).collect();
    let limits = environment(&given).config().unwrap().rule_limits;
    assert_eq!((limits.counted_words, limits.active_rules, limits.pin_actions), (1, 2, 3));
    assert_eq!((limits.word_fuel, limits.filter_fuel), (4, 5));
    assert_eq!((limits.filter_or_fuel, limits.filter_and_fuel), (6, 7));
    assert_eq!(limits.filter_depth_fuel, 8);
    for name in &names {
        for bad in ["ten", "-1", "1.5", ""] {
            let (_, message) = environment(&[(name.as_str(), bad)]).refusal();
            assert!(message.contains(name.as_str()), "{message}");
        }
    }
}

#[test]
fn legacy_search_can_be_the_default() {
    let legacy = |start: Start<'_>| start.config().unwrap().legacy_search_default;
    assert!(!legacy(environment(&[])));
    assert!(legacy(environment(&[("SONDE_EXPERIMENTAL_LEGACY_SEARCH", "true")])));
    assert!(legacy(arguments(&["--experimental-legacy-search-default"])));
}
