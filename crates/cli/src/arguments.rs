//! Options that several commands have, each defined once.

use clap::{Arg, ArgMatches};

use crate::server::Place;

pub(crate) const DEFAULT_URL: &str = "http://localhost:7700";

/// `--url` and `--key`.
pub(crate) fn server() -> [Arg; 2] {
    [
        Arg::new("url")
            .long("url")
            .value_name("URL")
            .env("SONDE_URL")
            .hide_env_values(true)
            .default_value(DEFAULT_URL)
            .help("Server to talk to"),
        Arg::new("key")
            .long("key")
            .value_name("KEY")
            .env("SONDE_API_KEY")
            .hide_env_values(true)
            .help(
                "Master key or API key. Set it in the environment: command lines can be seen by \
                 other users of the machine",
            ),
    ]
}

pub(crate) fn place(matches: &ArgMatches) -> Place {
    Place {
        url: text(matches, "url"),
        key: optional(matches, "key"),
        key_option: "--key or SONDE_API_KEY",
    }
}

pub(crate) fn text(matches: &ArgMatches, name: &str) -> String {
    optional(matches, name).unwrap_or_default()
}

/// An empty value is none.
pub(crate) fn optional(matches: &ArgMatches, name: &str) -> Option<String> {
    matches.get_one::<String>(name).filter(|value| !value.is_empty()).cloned()
}

pub(crate) fn list(matches: &ArgMatches, name: &str) -> Vec<String> {
    matches.get_many::<String>(name).into_iter().flatten().cloned().collect()
}
