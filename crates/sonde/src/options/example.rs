//! Generates packaging/config.toml from the table: every option of the file, commented out, with
//! its default or an example. A test keeps it up to date.

use std::fmt::Write;

use super::option::{Fallback, Group, LaunchOption};
use super::table::TABLE;
use super::value::ValueKind;

const INTRODUCTION: &str = "\
# Configuration of Sonde. All options are listed with their default, or with an example if they have
# none; uncomment a line to set it. The command line overrides the environment, and the environment
# overrides this file. See docs/options.md.
#
# Generated from crates/sonde/src/options/table.rs. To renew it:
# UPDATE_DOCS=1 cargo test -p sonde --test it options
";

pub fn toml() -> String {
    let mut text = INTRODUCTION.to_owned();
    for group in Group::ALL {
        let mut options = TABLE
            .iter()
            .filter(|option| option.group == group && option.in_file && option.is_available())
            .peekable();
        if options.peek().is_some() {
            let _ = write!(text, "\n\n# ---- {} ----\n", group.heading());
        }
        for option in options {
            text += &entry(option);
        }
    }
    text
}

fn entry(option: &LaunchOption) -> String {
    let value = match option.fallback {
        Fallback::Value(value) => literal(option.kind, value),
        Fallback::Computed(_) | Fallback::Absent => literal(option.kind, example(option.kind)),
    };
    let default = match option.fallback {
        Fallback::Value(_) => String::new(),
        Fallback::Computed(words) => format!(" Default: {words}."),
        Fallback::Absent if option.kind == ValueKind::Flag => String::new(),
        Fallback::Absent => " Default: none.".to_owned(),
    };
    format!("\n# {}{default}\n# {} = {value}\n", option.help, option.file_key())
}

/// Formats a value as TOML.
fn literal(kind: ValueKind, value: &str) -> String {
    match kind {
        ValueKind::Flag
        | ValueKind::Integer { .. }
        | ValueKind::CompressionLevel
        | ValueKind::Seconds { .. }
        | ValueKind::Period { .. } => value.to_owned(),
        _ => format!("{value:?}"),
    }
}

fn example(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::Flag => "false",
        ValueKind::Text => "text",
        ValueKind::Url => "https://example.org/hook",
        ValueKind::Path => "/path/to/it",
        ValueKind::Address => "localhost:7700",
        ValueKind::Size | ValueKind::PartSize => "2 GiB",
        ValueKind::CompressionLevel => "6",
        ValueKind::Integer { .. } => "1000",
        ValueKind::Seconds { .. } => "60",
        ValueKind::Choice(words) => words.first().copied().unwrap_or_default(),
        ValueKind::Threads => "4",
        ValueKind::IpNetworks => "10.0.0.0/8",
        ValueKind::FailureModes => "ignore_embedder_failures",
        ValueKind::Period { when_bare } => when_bare,
    }
}
