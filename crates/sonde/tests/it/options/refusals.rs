//! Refused options and their exit codes.

use std::path::PathBuf;

use crate::options::{Start, arguments, environment, file, parse};

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
fn flags_are_bare_on_the_command_line_and_booleans_elsewhere() {
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
    assert!(message.ends_with("requires `--import-dump`."), "{message}");
    let both = ["--import-dump", "a", "--import-snapshot", "b"];
    let (code, message) = arguments(&both).refusal();
    assert_eq!(code, 2);
    assert!(message.ends_with("cannot be used together with `--import-snapshot`."), "{message}");
}

#[test]
fn https_needs_certificate_and_key() {
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
        assert!(message.ends_with(&format!("requires `--{needed}`.")), "{message}");
    }
    assert!(environment(&[("SONDE_SSL_TICKETS", "false")]).config().is_ok());
    assert!(file("ssl_require_auth = false\nssl_resumption = false").config().is_ok());
    // The halves may come from different places.
    let mut start = arguments(&files[..1]);
    start.file = Some("ssl_key_path = \"k\"");
    assert!(start.config().unwrap().tls.is_some());
}

#[test]
fn production_is_refused_without_a_good_master_key() {
    let (code, message) = arguments(&["--env", "production"]).refusal();
    assert_eq!(code, 1);
    assert!(message.contains("master key"), "{message}");
    assert!(message.contains("none is set"), "{message}");
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
        assert_eq!(config.master_key.as_ref().map(model::Secret::expose), Some(long));
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
