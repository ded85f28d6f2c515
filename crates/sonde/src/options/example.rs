//! packaging/config.toml, written from the table: every option that the file may hold, commented
//! out, with its default or an example of a value. A test keeps it true.

use std::fmt::Write;

use super::option::{Fallback, Group, LaunchOption};
use super::table::TABLE;
use super::value::Kind;

const INTRODUCTION: &str = "\
# Configuration of Sonde. Every option that can stand here is shown with its default, or with an
# example where it has none; take the `#` in front of a line away to set it. The command line wins
# over the environment, the environment over this file. See docs/options.md.
#
# Generated from crates/sonde/src/options/table.rs. To renew it:
# UPDATE_DOCS=1 cargo test -p sonde --test options
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
        Fallback::Absent if option.kind == Kind::Flag => String::new(),
        Fallback::Absent => " Default: none.".to_owned(),
    };
    format!("\n# {}{default}\n# {} = {value}\n", option.help, option.file_key())
}

/// The value as TOML writes it.
fn literal(kind: Kind, value: &str) -> String {
    match kind {
        Kind::Flag
        | Kind::Integer { .. }
        | Kind::CompressionLevel
        | Kind::Seconds { .. }
        | Kind::Period { .. } => value.to_owned(),
        _ => format!("{value:?}"),
    }
}

fn example(kind: Kind) -> &'static str {
    match kind {
        Kind::Flag => "false",
        Kind::Text => "text",
        Kind::Url => "https://example.org/hook",
        Kind::Path => "/path/to/it",
        Kind::Address => "localhost:7700",
        Kind::Size | Kind::PartSize => "2 GiB",
        Kind::CompressionLevel => "6",
        Kind::Integer { .. } => "1000",
        Kind::Seconds { .. } => "60",
        Kind::Choice(words) => words.first().copied().unwrap_or_default(),
        Kind::Threads => "4",
        Kind::IpNetworks => "10.0.0.0/8",
        Kind::FailureModes => "ignore_embedder_failures",
        Kind::Period { when_bare } => when_bare,
    }
}
