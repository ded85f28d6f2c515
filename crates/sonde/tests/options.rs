//! Launch options from the outside: what each source may say, which one wins, what is refused
//! and with which exit code.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::AddressPolicy;
use sonde::options::command_line::{self, Invocation};
use sonde::options::config::{Config, LogsMode};
use sonde::options::environment::Environment;
use sonde::options::error::OptionError;
use sonde::options::gather::{Gathered, gather};
use sonde::options::option::{ENVIRONMENT_PREFIXES, Fallback, Group, LaunchOption};
use sonde::options::table::{self, TABLE};
use sonde::options::value::Kind;
use sonde::options::{document, example, raw::Source};

/// The options of the interface (§9 of its specification), so that none is forgotten.
const OF_THE_INTERFACE: &str = "\
    config-file-path db-path http-addr env master-key http-payload-size-limit max-indexing-memory \
    max-indexing-threads log-level no-analytics task-webhook-url task-webhook-authorization-header \
    dump-dir import-dump ignore-missing-dump ignore-dump-if-db-exists snapshot-dir \
    schedule-snapshot import-snapshot ignore-missing-snapshot ignore-snapshot-if-db-exists \
    ssl-cert-path ssl-key-path ssl-auth-path ssl-require-auth ssl-ocsp-path ssl-resumption \
    ssl-tickets upgrade-db experimental-dumpless-upgrade experimental-contains-filter \
    experimental-enable-metrics experimental-enable-logs-route experimental-legacy-search-default \
    experimental-logs-mode experimental-search-queue-size experimental-drop-search-after \
    experimental-nb-searches-per-core experimental-reduce-indexing-memory-usage \
    experimental-max-number-of-batched-tasks experimental-limit-batched-tasks-total-size \
    experimental-embedding-cache-entries experimental-no-edition-2024-for-settings \
    experimental-personalization-api-key experimental-allowed-ip-networks s3-bucket-url \
    s3-bucket-region s3-bucket-name s3-snapshot-prefix s3-access-key s3-secret-key \
    experimental-s3-role-arn experimental-s3-web-identity-token-file \
    experimental-s3-max-in-flight-parts experimental-s3-compression-level \
    experimental-s3-signature-duration-seconds experimental-s3-multipart-part-size \
    experimental-replication-parameters experimental-no-snapshot-compaction \
    experimental-no-edition-2024-for-dumps";

/// A command line, an environment and perhaps a file, as one start would meet them.
#[derive(Default)]
struct Start<'a> {
    arguments: Vec<&'a str>,
    environment: Vec<(&'a str, &'a str)>,
    file: Option<&'a str>,
}

impl Start<'_> {
    fn gather(&self) -> Result<Gathered, OptionError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        let mut environment = self.environment.clone();
        if let Some(text) = self.file {
            fs::write(&path, text).unwrap();
            environment.push(("SONDE_CONFIG_FILE_PATH", path.to_str().unwrap()));
        }
        let Invocation::Serve(raw) = parse(&self.arguments)? else { panic!("not a start") };
        gather(raw, &Environment::from_pairs(environment), TABLE)
    }

    fn config(&self) -> Result<Config, OptionError> {
        Config::resolve(&self.gather()?)
    }

    /// The exit code and what is said when the start is refused.
    fn refusal(&self) -> (u8, String) {
        match self.config() {
            Ok(config) => panic!("accepted: {config:?}"),
            Err(error) => (error.exit_code(), error.to_string()),
        }
    }
}

fn parse(arguments: &[&str]) -> Result<Invocation, OptionError> {
    command_line::parse(["sonde"].iter().chain(arguments).map(OsString::from))
}

fn arguments<'a>(arguments: &[&'a str]) -> Start<'a> {
    Start { arguments: arguments.to_vec(), ..Start::default() }
}

fn environment<'a>(pairs: &[(&'a str, &'a str)]) -> Start<'a> {
    Start { environment: pairs.to_vec(), ..Start::default() }
}

fn file(text: &str) -> Start<'_> {
    Start { file: Some(text), ..Start::default() }
}

/// A value the option takes, which is not its default.
fn sample(option: &LaunchOption) -> String {
    match option.kind {
        Kind::Flag => "true".to_owned(),
        Kind::Text => "some text".to_owned(),
        Kind::Url => "http://hooks.example/a".to_owned(),
        Kind::Path => "some/path".to_owned(),
        Kind::Address => "127.0.0.1:7701".to_owned(),
        Kind::Size | Kind::PartSize => "12 MiB".to_owned(),
        Kind::Integer { .. }
        | Kind::CompressionLevel
        | Kind::Seconds { .. }
        | Kind::Threads
        | Kind::Period { .. } => "7".to_owned(),
        Kind::Choice(words) => (*words.last().unwrap()).to_owned(),
        Kind::IpNetworks => "10.0.0.0/8".to_owned(),
        Kind::FailureModes => "ignore_embedder_failures".to_owned(),
    }
}

fn on_command_line(option: &LaunchOption) -> Vec<String> {
    match option.kind {
        Kind::Flag => vec![option.flag()],
        _ => vec![option.flag(), sample(option)],
    }
}

fn in_file(option: &LaunchOption) -> String {
    let (key, value) = (option.file_key(), sample(option));
    match option.kind {
        Kind::Flag
        | Kind::Integer { .. }
        | Kind::CompressionLevel
        | Kind::Seconds { .. }
        | Kind::Period { .. } => format!("{key} = {value}"),
        _ => format!("{key} = \"{value}\""),
    }
}

/// The option and those it needs, and those they need.
fn with_companions(option: &'static LaunchOption) -> Vec<&'static LaunchOption> {
    let mut all = vec![option];
    while let Some(next) = all.last().and_then(|option| option.needs)
        && all.iter().all(|option| option.name != next)
    {
        all.extend(TABLE.iter().copied().filter(|option| option.name == next));
    }
    if option.group == Group::ObjectStorage {
        all.extend(rest_of_storage(&all));
    }
    all.reverse();
    all
}

/// What object storage needs besides these.
fn rest_of_storage(given: &[&'static LaunchOption]) -> Vec<&'static LaunchOption> {
    let four = ["s3-bucket-url", "s3-bucket-region", "s3-bucket-name", "s3-snapshot-prefix"];
    let keys: &[&str] = match given.iter().any(|option| option.name.contains("-role-arn")) {
        true => &[],
        false => &["s3-access-key", "s3-secret-key"],
    };
    let is_missing = |option: &&&'static LaunchOption| {
        (four.contains(&option.name) || keys.contains(&option.name))
            && given.iter().all(|known| known.name != option.name)
    };
    TABLE.iter().filter(is_missing).copied().collect()
}

#[test]
fn every_option_of_the_interface_is_in_the_table_once() {
    for name in OF_THE_INTERFACE.split_whitespace() {
        assert_eq!(TABLE.iter().filter(|option| option.name == name).count(), 1, "{name}");
    }
    let mut suffixes: Vec<_> = TABLE.iter().map(|option| option.environment_suffix()).collect();
    suffixes.sort();
    suffixes.dedup();
    assert_eq!(suffixes.len(), TABLE.len());
}

#[test]
fn every_entry_of_the_table_is_consistent() {
    for option in TABLE {
        assert!(option.help.ends_with('.'), "{}: the help is a sentence", option.name);
        if let Fallback::Value(text) = option.fallback {
            assert!(option.kind.parse(text.as_ref()).is_some(), "{}: its default", option.name);
        }
        for other in [option.needs, option.conflicts_with].into_iter().flatten() {
            assert!(TABLE.iter().any(|known| known.name == other), "{}: {other}", option.name);
        }
    }
}

#[test]
fn every_option_is_read_from_the_command_line() {
    for &option in TABLE.iter().filter(|option| option.on_command_line) {
        // Where the configuration file lies has tests of its own.
        if option.name == "config-file-path" {
            continue;
        }
        let words: Vec<_> = with_companions(option).into_iter().flat_map(on_command_line).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        check_outcome(option, &arguments(&words), &Source::CommandLine, &option.flag(), 2);
    }
}

#[test]
fn every_option_is_read_from_the_environment_under_every_prefix() {
    for &option in TABLE.iter().filter(|option| option.name != "config-file-path") {
        for prefix in ENVIRONMENT_PREFIXES {
            let pairs: Vec<_> = with_companions(option)
                .into_iter()
                .map(|option| (format!("{prefix}{}", option.environment_suffix()), sample(option)))
                .collect();
            let pairs: Vec<_> = pairs.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
            let variable = format!("{prefix}{}", option.environment_suffix());
            let source = Source::Environment(variable.clone());
            check_outcome(option, &environment(&pairs), &source, &variable, 2);
        }
    }
}

#[test]
fn every_option_is_read_from_the_file() {
    for &option in TABLE.iter().filter(|option| option.in_file) {
        let lines: Vec<_> = with_companions(option).into_iter().map(in_file).collect();
        let text = lines.join("\n");
        let start = file(&text);
        let raw = start.gather().unwrap_or_else(|error| panic!("{error}")).raw;
        let Source::File(path) = &raw.get(option).unwrap().source else { panic!("not the file") };
        assert!(path.ends_with("config.toml"));
        if !option.is_available() && option.needs.is_none() {
            let (code, message) = start.refusal();
            assert_eq!(code, 1, "{message}");
            assert!(message.contains(&option.file_key()), "{message}");
            assert!(message.contains("config.toml"), "{message}");
            assert!(message.contains("not available in this version of Sonde yet"), "{message}");
        }
    }
}

fn check_outcome(
    option: &'static LaunchOption,
    start: &Start<'_>,
    source: &Source,
    named: &str,
    code: u8,
) {
    let gathered = start.gather().unwrap_or_else(|error| panic!("{}: {error}", option.name));
    let given = gathered.raw.get(option).unwrap_or_else(|| panic!("{} is not read", option.name));
    assert_eq!(given.text, sample(option).as_str());
    assert_eq!(&given.source, source);
    // `--env production`, the one available option of this walk with a value that is refused.
    if option.name == "env" {
        return;
    }
    if option.is_available() {
        start.config().unwrap_or_else(|error| panic!("{}: {error}", option.name));
        return;
    }
    let (found, message) = start.refusal();
    assert_eq!(found, code, "{message}");
    assert!(message.contains("not available in this version of Sonde yet"), "{message}");
    // Of an option and its companion the first in the table is named.
    if option.needs.is_none() {
        assert!(message.contains(named), "{message}");
    }
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
fn the_command_line_wins_over_the_environment_and_that_over_the_file() {
    let mut start = Start {
        arguments: vec!["--db-path", "from-arguments"],
        environment: vec![("SONDE_DB_PATH", "from-environment")],
        file: Some("db_path = \"from-file\""),
    };
    let db_path = |start: &Start<'_>| start.config().unwrap().db_path;
    assert_eq!(db_path(&start), PathBuf::from("from-arguments"));
    start.arguments.clear();
    assert_eq!(db_path(&start), PathBuf::from("from-environment"));
    start.environment = vec![("SVC_DB_PATH", "from-old-name")];
    assert_eq!(db_path(&start), PathBuf::from("from-old-name"));
    start.environment.clear();
    assert_eq!(db_path(&start), PathBuf::from("from-file"));
    start.file = None;
    assert_eq!(db_path(&start), PathBuf::from("./data.sonde"));
}

#[test]
fn our_prefix_wins_and_old_names_are_noted() {
    let all = [("SVC_DB_PATH", "third"), ("MEILI_DB_PATH", "second"), ("SONDE_DB_PATH", "first")];
    for (count, expected) in [(3, "first"), (2, "second"), (1, "third")] {
        let config = environment(&all[..count]).config().unwrap();
        assert_eq!(config.db_path, Path::new(expected));
    }
    assert_eq!(environment(&all).gather().unwrap().notes, Vec::<String>::new());
    let pairs =
        [("MEILI_DB_PATH", "x"), ("SVC_NO_ANALYTICS", "true"), ("SONDE_ENV", "development")];
    let notes = environment(&pairs).gather().unwrap().notes;
    assert_eq!(
        notes,
        ["These variables were read under the names of another service: MEILI_DB_PATH (now \
          SONDE_DB_PATH), SVC_NO_ANALYTICS (now SONDE_NO_ANALYTICS)."]
    );
}

#[test]
fn variables_of_ours_that_are_no_option_are_noted() {
    let known = Environment::from_pairs([("SONDE_DB_PATH", "x"), ("MEILI_WHATEVER", "x")]);
    assert_eq!(known.unknown(), None);
    let unknown = Environment::from_pairs([("SONDE_DBPATH", "x")]).unknown();
    assert!(unknown.is_some_and(|note| note.contains("SONDE_DBPATH")));
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
fn bad_values_are_named_with_what_is_allowed() {
    let cases: [(&[&str], &str); 8] = [
        (&["--http-addr", "7700"], "a host and a port"),
        (&["--env", "prod"], "one of development, production"),
        (&["--log-level", "verbose"], "one of OFF, ERROR, WARN, INFO, DEBUG, TRACE"),
        (&["--http-payload-size-limit", "much"], "a number of bytes or a number with a unit"),
        (&["--max-indexing-threads", "0"], "a whole number of at least 1, `unlimited`"),
        (&["--experimental-max-number-of-batched-tasks", "some"], "a whole number"),
        (&["--experimental-allowed-ip-networks", "10.0.0.1/8"], "no bits set behind the prefix"),
        (&["--db-path", ""], "a path"),
    ];
    for (words, allowed) in cases {
        let (code, message) = arguments(words).refusal();
        assert_eq!(code, 2, "{message}");
        assert!(
            message.contains(&format!("`{}`, given on the command line", words[0])),
            "{message}"
        );
        assert!(message.contains(&format!("cannot be `{}`: expected", words[1])), "{message}");
        assert!(message.contains(allowed), "{message}");
    }
    let (code, message) = environment(&[("MEILI_HTTP_ADDR", "x")]).refusal();
    assert_eq!(code, 2);
    assert!(message.contains("set by the environment variable `MEILI_HTTP_ADDR`"), "{message}");
}

#[test]
fn flags_take_no_value_on_the_command_line_and_true_or_false_in_the_environment() {
    for words in [&["--no-analytics=true"][..], &["--no-analytics", "true"]] {
        assert_eq!(arguments(words).refusal().0, 2);
    }
    for accepted in ["true", "false"] {
        assert!(environment(&[("SONDE_NO_ANALYTICS", accepted)]).config().is_ok());
    }
    for refused in ["1", "", "yes", "True"] {
        let (code, message) = environment(&[("SONDE_NO_ANALYTICS", refused)]).refusal();
        assert_eq!(code, 2);
        assert!(message.contains("expected `true` or `false`"), "{message}");
    }
    let features = environment(&[("SONDE_EXPERIMENTAL_ENABLE_LOGS_ROUTE", "false")]).config();
    assert!(!features.unwrap().launch_features.logs_route);
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
fn mistakes_on_the_command_line_exit_with_2() {
    let cases: [&[&str]; 6] = [
        &["--db-path", "a", "--db-path", "b"],
        &["--no-analytics", "--no-analytics"],
        &["--unknown"],
        &["--db-path"],
        &["unknown"],
        &["--experimental-max-number-of-batched-tasks", "-1"],
    ];
    for words in cases {
        match parse(words) {
            Err(error) => assert_eq!(error.exit_code(), 2, "{words:?}"),
            Ok(invocation) => panic!("{words:?}: {invocation:?}"),
        }
    }
}

#[test]
fn companions_and_conflicts() {
    let (code, message) = environment(&[("SONDE_IGNORE_MISSING_DUMP", "false")]).refusal();
    assert_eq!(code, 2);
    assert!(message.ends_with("makes sense only together with `--import-dump`."), "{message}");
    let both = ["--import-dump", "a", "--import-snapshot", "b"];
    let (code, message) = arguments(&both).refusal();
    assert_eq!(code, 2);
    assert!(message.ends_with("cannot be used together with `--import-snapshot`."), "{message}");
}

#[test]
fn half_of_what_https_needs_is_refused_and_off_needs_nothing() {
    let files = ["--ssl-cert-path=c", "--ssl-key-path=k"];
    let tls = arguments(&files).config().unwrap().tls.unwrap();
    assert_eq!((tls.certificate, tls.key), (PathBuf::from("c"), PathBuf::from("k")));
    assert!(!tls.requires_client && !tls.resumption && !tls.tickets);
    assert_eq!(Start::default().config().unwrap().tls, None);
    for (start, code, needed) in [
        (arguments(&files[..1]), 2, "ssl-key-path"),
        (environment(&[("MEILI_SSL_KEY_PATH", "k")]), 2, "ssl-cert-path"),
        (arguments(&[files[0], files[1], "--ssl-require-auth"]), 2, "ssl-auth-path"),
        (arguments(&["--ssl-ocsp-path", "o"]), 2, "ssl-cert-path"),
        (file("ssl_cert_path = \"c\""), 1, "ssl-key-path"),
        (file("ssl_require_auth = true"), 1, "ssl-auth-path"),
    ] {
        let (found, message) = start.refusal();
        assert_eq!(found, code, "{message}");
        assert!(message.ends_with(&format!("only together with `--{needed}`.")), "{message}");
    }
    assert!(environment(&[("SONDE_SSL_TICKETS", "false")]).config().is_ok());
    assert!(file("ssl_require_auth = false\nssl_resumption = false").config().is_ok());
    // The halves may come from different places.
    let mut start = arguments(&files[..1]);
    start.file = Some("ssl_key_path = \"k\"");
    assert!(start.config().unwrap().tls.is_some());
}

#[test]
fn connections_are_bounded_below_what_the_process_may_open() {
    let most = Start::default().config().unwrap().max_connections;
    assert!((1..=10_000).contains(&most) && most <= sonde::machine::descriptors());
    let given = arguments(&["--http-max-connections", "7"]).config().unwrap();
    assert_eq!(given.max_connections, 7);
    assert_eq!(arguments(&["--http-max-connections", "0"]).refusal().0, 2);
}

#[test]
fn production_is_refused_without_a_good_master_key() {
    let (code, message) = arguments(&["--env", "production"]).refusal();
    assert_eq!(code, 1);
    assert!(message.contains("master key"), "{message}");
    assert!(message.contains("there is none"), "{message}");
    // A suggestion of 43 characters, another one each time.
    let suggestion = message.rsplit(' ').next().unwrap();
    assert_eq!(suggestion.len(), 43, "{message}");
    assert_ne!(arguments(&["--env", "production"]).refusal().1, message);

    let short = "0123456789abcde";
    let (code, message) = arguments(&["--env=production", "--master-key", short]).refusal();
    assert_eq!(code, 1);
    assert!(message.contains("has 15 bytes") && !message.contains(short), "{message}");
    // Bytes count, not characters.
    for long in ["0123456789abcdef", "éééééééé"] {
        let config = arguments(&["--env=production", "--master-key", long]).config().unwrap();
        assert!(config.is_production);
        assert_eq!(config.master_key.as_ref().map(engine::Secret::expose), Some(long));
        assert!(!format!("{config:?}").contains(long));
    }
    let config = arguments(&["--master-key", "x"]).config().unwrap();
    assert!(!config.is_production && config.master_key.is_some());
}

#[test]
fn the_file_is_checked_and_its_mistakes_exit_with_1() {
    let cases = [
        ("db-path = \"x\"", "`db-path` is not an option of Sonde"),
        ("config_file_path = \"x\"", "cannot be set inside the file"),
        ("openai_api_key = \"x\"", "`openai_api_key` is not an option of Sonde"),
        ("db_path = 3", "`db_path` must be a string, but it is of type integer"),
        ("no_analytics = \"true\"", "`no_analytics` must be true or false"),
        ("http_addr = \"x\"", "cannot be `x`: expected a host and a port"),
        ("max_indexing_threads = -1", "cannot be `-1`"),
        ("[server]\nhttp_addr = \"h:1\"", "`server` is not an option of Sonde"),
        ("db_path = ", "config.toml"),
        ("db_path = \"a\"\ndb_path = \"b\"", "duplicate key"),
        ("db_path = [\"a\"]", "`db_path` must be a string, but it is of type array"),
        ("http_payload_size_limit = 1.5", "`http_payload_size_limit` must be a string or an"),
        ("http_payload_size_limit = -1", "cannot be `-1`"),
        ("experimental_search_queue_size = \"7\"", "must be an integer, but it is of type string"),
        ("experimental_drop_search_after = 0", "cannot be `0`"),
        ("schedule_snapshot = \"daily\"", "must be an integer, true or false"),
        ("env = \"staging\"", "one of development, production"),
        ("Db_Path = \"x\"", "`Db_Path` is not an option of Sonde"),
    ];
    for (text, expected) in cases {
        let (code, message) = file(text).refusal();
        assert_eq!(code, 1, "{message}");
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn the_file_is_looked_for_where_it_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("a.toml"), "db_path = \"of-a\"\nmax_indexing_memory = 1024").unwrap();
    fs::write(path("b.toml"), "db_path = \"of-b\"\nmax_indexing_memory = \"1 KiB\"").unwrap();
    let (a, b, missing) = (path("a.toml"), path("b.toml"), path("missing.toml"));
    let mut start = environment(&[("MEILI_CONFIG_FILE_PATH", &b)]);
    let config = start.config().unwrap();
    assert_eq!(config.db_path, Path::new("of-b"));
    assert_eq!(config.max_indexing_memory_bytes, 1024);
    assert_eq!(config.config_file, Some(PathBuf::from(&b)));
    start.arguments = vec!["--config-file-path", &a];
    let config = start.config().unwrap();
    assert_eq!(config.db_path, Path::new("of-a"));
    assert_eq!(config.max_indexing_memory_bytes, 1024);
    start.arguments = vec!["--config-file-path", &missing];
    let (code, message) = start.refusal();
    assert_eq!(code, 1);
    assert!(message.contains("missing.toml") && message.contains("cannot be read"), "{message}");
}

#[test]
fn commands_and_options_do_not_get_in_each_others_way() {
    let Invocation::Serve(raw) = parse(&["--db-path", "verify"]).unwrap() else { panic!() };
    assert_eq!(raw.get(&table::DB_PATH).unwrap().text, "verify");
    let Invocation::Verify(raw) = parse(&["verify", "--db-path", "x"]).unwrap() else { panic!() };
    assert_eq!(raw.get(&table::DB_PATH).unwrap().text, "x");
    let inspected = parse(&["inspect", "some/file"]).unwrap();
    assert_eq!(inspected, Invocation::Inspect(PathBuf::from("some/file")));
    assert_eq!(parse(&["inspect"]).unwrap_err().exit_code(), 2);
}

#[test]
fn graphs_are_read_ahead_when_a_variable_says_so() {
    let start = environment(&[("VECTORSTORE_READER_PREFETCH_MEMORY", "true")]);
    assert!(start.config().unwrap().preload_vectors);
    // The name without a prefix is its usual one, which nobody needs to be told about.
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

#[test]
fn the_documentation_follows_the_table() {
    follows("docs/options.md", &document::markdown());
    follows("packaging/config.toml", &example::toml());
}

/// Compares a file that is written from the table with what it should be, or renews it.
fn follows(name: &str, generated: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, generated).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == generated,
        "{name} is behind the table; renew it with UPDATE_DOCS=1 cargo test -p sonde --test options"
    );
}

#[test]
fn every_line_of_the_example_is_accepted() {
    let example = example::toml();
    assert!(file(&example).config().is_ok(), "as it is, it changes nothing");
    let lines: Vec<&str> = example
        .lines()
        .filter_map(|line| line.strip_prefix("# "))
        .filter(|line| line.split_once(" = ").is_some_and(|(key, _)| !key.contains(' ')))
        .collect();
    let in_file = TABLE.iter().filter(|option| option.in_file && option.is_available());
    assert_eq!(lines.len(), in_file.clone().count());
    for (line, option) in lines.iter().zip(in_file_order()) {
        let raw = file(line).gather().unwrap_or_else(|error| panic!("{error}")).raw;
        let given = raw.get(option).unwrap_or_else(|| panic!("`{line}` is not {}", option.name));
        assert!(option.kind.parse(&given.text).is_some(), "{line}");
    }
}

/// The options of the example, group by group.
fn in_file_order() -> Vec<&'static LaunchOption> {
    let of_group = |group| TABLE.iter().copied().filter(move |option| option.group == group);
    let options = Group::ALL.into_iter().flat_map(of_group);
    options.filter(|option| option.in_file && option.is_available()).collect()
}
