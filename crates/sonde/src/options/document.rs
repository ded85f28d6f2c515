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
         An option is given on the command line (`--db-path PATH`), as an environment variable\n\
         (`{ours}DB_PATH`) or in the configuration file (`db_path = \"PATH\"`: the flag without its\n\
         dashes in front, `_` for `-`). The command line wins over the environment, the environment\n\
         over the file, the file over the default.\n\
         \n\
         - A variable that is not set under `{ours}` is also looked for under {}, in this order;\n  \
           a note at start says which of these names were used.\n\
         - Flags take no value on the command line. In the environment they are `true` or `false`, in\n  \
           the file `true` or `false` without quotes.\n\
         - Sizes are bytes, or a number with a unit. Units are case-sensitive: `MB` is 10^6 bytes,\n  \
           `MiB` 2^20, and `Mb` is megabits (`100 Mb` is 12.5 MB).\n\
         - The configuration file is TOML. `./config.toml` is read if it is there; a file that is named\n  \
           must be readable. An unknown key or a value of the wrong type stops the start.\n\
         - Options marked *not yet* belong to features that this version does not have. Giving one stops\n  \
           the start; a flag that is set to `false`, or an empty text, is accepted.\n\
         - Options marked *without effect* are accepted, with a note at start.\n\
         - Exit codes: 2 for mistakes on the command line or in the environment, 1 for every other\n  \
           failure to start, 0 after help or version, 130 after SIGINT, 143 after SIGTERM.\n\
         \n\
         Two commands look at a database that no server is using: `sonde verify [--db-path PATH]` reads\n\
         all of it and exits with 1 when a file is damaged, naming it; `sonde inspect FILE|FOLDER`\n\
         explains files of an index. What other commands there are stands in\n\
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
