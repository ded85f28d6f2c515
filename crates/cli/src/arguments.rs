//! Options shared by several commands, each defined once.

use clap::{Arg, ArgMatches};

use crate::server::ServerArgs;

pub(crate) const DEFAULT_URL: &str = "http://localhost:7700";

/// Defines `--url` and `--key`.
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
                "Master key or API key. Set it in the environment: command lines are visible to \
                 other users of the machine",
            ),
    ]
}

pub(crate) fn server_args(matches: &ArgMatches) -> ServerArgs {
    ServerArgs {
        url: text(matches, "url"),
        key: optional(matches, "key"),
        key_option: "--key or SONDE_API_KEY",
    }
}

pub(crate) fn text(matches: &ArgMatches, name: &str) -> String {
    optional(matches, name).unwrap_or_default()
}

/// Returns the value of an option; an empty value counts as absent.
pub(crate) fn optional(matches: &ArgMatches, name: &str) -> Option<String> {
    matches.get_one::<String>(name).filter(|value| !value.is_empty()).cloned()
}

pub(crate) fn list(matches: &ArgMatches, name: &str) -> Vec<String> {
    matches.get_many::<String>(name).into_iter().flatten().cloned().collect()
}
