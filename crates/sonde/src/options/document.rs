//! Generates docs/options.md from the table. A test compares the file with this text, so it stays
//! up to date.

use std::fmt::Write;

use super::option::{Availability, ENVIRONMENT_PREFIXES, Fallback, Group, LaunchOption};
use super::table::TABLE;
use super::value::ValueKind;

pub fn markdown() -> String {
    let mut page = introduction();
    for group in Group::ALL {
        let options: Vec<_> = TABLE.iter().filter(|option| option.group == group).collect();
        let _ = write!(
            page,
            "\n## {}\n\n| option | environment | value | default | meaning |\n|---|---|---|---|---|\n",
            group.heading()
        );
        for option in options {
            page += &row(option);
        }
    }
    page
}

fn introduction() -> String {
    let [ours, others @ ..] = ENVIRONMENT_PREFIXES;
    format!(
        "<!-- Generated from crates/sonde/src/options/table.rs. To renew it: \
         UPDATE_DOCS=1 cargo test -p sonde --test it options -->\n\
         # Launch options\n\
         \n\
         Options are set on the command line (`--db-path PATH`), as environment variables\n\
         (`{ours}DB_PATH`) or in the configuration file (`db_path = \"PATH\"`: the flag without its\n\
         leading dashes, `_` for `-`). The command line overrides the environment, the environment\n\
         overrides the file, and the file overrides the default.\n\
         \n\
         - If a variable is not set with `{ours}`, it is read with {}, in this order;\n  \
           a startup message lists the variables that were used.\n\
         - Flags take no value on the command line. In the environment they are `true` or `false`, in\n  \
           the file `true` or `false` without quotes.\n\
         - Sizes are bytes, or a number with a unit. Units are case-sensitive: `MB` is 10^6 bytes,\n  \
           `MiB` 2^20, and `Mb` is megabits (`100 Mb` is 12.5 MB).\n\
         - The configuration file is TOML. `./config.toml` is read if it is there; a file that is named\n  \
           must be readable. An unknown key or a value of the wrong type is a startup error.\n\
         - Options marked *not yet* belong to features that this version does not have. Setting one stops\n  \
           the start; a flag set to `false`, or an empty string, is accepted.\n\
         - Options marked *without effect* are accepted, with a startup message.\n\
         - Exit codes: 2 for errors on the command line or in the environment, 1 for every other\n  \
           startup error, 0 after help or version, 130 after SIGINT, 143 after SIGTERM.\n\
         \n\
         Two commands check a database that no server is using: `sonde verify [--db-path PATH]` reads\n\
         all files, names damaged ones, and exits with 1 if there are any; `sonde inspect FILE|FOLDER`\n\
         explains files of an index. The other commands are described in\n\
         [command-line.md](command-line.md).\n",
        others.map(|prefix| format!("`{prefix}`")).join(" and ")
    )
}

fn row(option: &LaunchOption) -> String {
    let name =
        if option.on_command_line { format!("`{}`", option.flag()) } else { "–".to_owned() };
    let value = match option.kind {
        ValueKind::Flag if option.on_command_line => "flag".to_owned(),
        ValueKind::Period { .. } => "seconds, or none for a day".to_owned(),
        kind => kind.expected(),
    };
    let default = match option.fallback {
        Fallback::Value(value) => format!("`{value}`"),
        Fallback::Computed(words) => words.to_owned(),
        Fallback::Absent if option.kind == ValueKind::Flag => "off".to_owned(),
        Fallback::Absent => "none".to_owned(),
    };
    let meaning = match option.availability {
        Availability::Available => option.help.to_owned(),
        Availability::NotYet { what } => format!("*Not yet* ({what}). {}", option.help),
        Availability::WithoutEffect { why } => format!("*Without effect*: {why}. {}", option.help),
    };
    let mut variable = format!("`{}`", option.environment_variable());
    if option.is_known_bare {
        let _ = write!(variable, " or `{}`", option.environment_suffix());
    }
    format!("| {name} | {variable} | {value} | {default} | {meaning} |\n")
}
