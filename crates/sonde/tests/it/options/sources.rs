//! The sources of options and their precedence.

use std::fs;
use std::path::{Path, PathBuf};

use sonde::options::command_line::Invocation;
use sonde::options::environment::Environment;
use sonde::options::option::{ENVIRONMENT_PREFIXES, Fallback, Group, LaunchOption};
use sonde::options::raw::Source;
use sonde::options::table::{self, TABLE};
use sonde::options::value::ValueKind;

use crate::options::{Start, arguments, environment, file, parse};

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

/// A value the option takes, which is not its default.
fn sample(option: &LaunchOption) -> String {
    match option.kind {
        ValueKind::Flag => "true".to_owned(),
        ValueKind::Text => "some text".to_owned(),
        ValueKind::Url => "http://hooks.example/a".to_owned(),
        ValueKind::Path => "some/path".to_owned(),
        ValueKind::Address => "127.0.0.1:7701".to_owned(),
        ValueKind::Size | ValueKind::PartSize => "12 MiB".to_owned(),
        ValueKind::Integer { .. }
        | ValueKind::CompressionLevel
        | ValueKind::Seconds { .. }
        | ValueKind::Threads
        | ValueKind::Period { .. } => "7".to_owned(),
        ValueKind::Choice(words) => (*words.last().unwrap()).to_owned(),
        ValueKind::IpNetworks => "10.0.0.0/8".to_owned(),
        ValueKind::FailureModes => "ignore_embedder_failures".to_owned(),
    }
}

fn on_command_line(option: &LaunchOption) -> Vec<String> {
    match option.kind {
        ValueKind::Flag => vec![option.flag()],
        _ => vec![option.flag(), sample(option)],
    }
}

fn in_file(option: &LaunchOption) -> String {
    let (key, value) = (option.file_key(), sample(option));
    match option.kind {
        ValueKind::Flag
        | ValueKind::Integer { .. }
        | ValueKind::CompressionLevel
        | ValueKind::Seconds { .. }
        | ValueKind::Period { .. } => format!("{key} = {value}"),
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

/// Returns further options that object storage requires.
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
        if option.is_refused() && option.needs.is_none() {
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
    if !option.is_refused() {
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
fn command_line_overrides_environment_overrides_file() {
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
        ["These variables use the prefix of another service: MEILI_DB_PATH (now \
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
    assert_eq!(inspected, Invocation::Inspect(vec![PathBuf::from("some/file")]));
    assert_eq!(parse(&["inspect"]).unwrap_err().exit_code(), 2);
}
