//! `sonde migrate`: copies the content of one compatible server to another.
//!
//! Copying is idempotent: existing indexes and keys stay, settings and documents replace existing
//! ones. Nothing is removed on either server.

mod documents;
mod index;
mod instance;
mod keys;
mod listing;

use std::io::{self, Write};

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::Value;

use crate::arguments;
use crate::error::{CliError, ignore_broken_pipe};
use crate::interrupt::Interrupt;
use crate::server::{Server, ServerArgs};
use crate::table::{Align, Cell, Table};
use crate::terminal::{self, thousands};
use index::CopiedIndex;
pub(crate) use index::without_secrets;

pub(crate) fn command() -> Command {
    let option = |name: &'static str, variable: &'static str, help: &'static str| {
        Arg::new(name).long(name).env(variable).hide_env_values(true).help(help)
    };
    Command::new("migrate")
        .about("Copies indexes, settings, documents and keys from one server to another")
        .long_about(
            "Copies indexes with settings, documents and vectors from a compatible server \
             (Meilisearch, Sonde) to another one; also keys, chat workspaces and search rules, \
             unless --index selects some indexes. Nothing is removed. Run the same command again \
             to resume an interrupted migration. Documents that change meanwhile may be missed, \
             so stop writing first.",
        )
        .arg(option("from", "SONDE_MIGRATE_FROM_URL", "Server to copy from").value_name("URL").required(true))
        .arg(option("from-key", "SONDE_MIGRATE_FROM_KEY", "Its master key, or a key with read access to all of this").value_name("KEY"))
        .arg(option("to", "SONDE_URL", "Server to copy to").value_name("URL").default_value(arguments::DEFAULT_URL))
        .arg(option("to-key", "SONDE_API_KEY", "Its master key, or a key with write access to all of this").value_name("KEY"))
        .arg(
            Arg::new("index")
                .long("index")
                .short('i')
                .value_name("PATTERN")
                .action(ArgAction::Append)
                .help("Indexes to copy, such as `movies` or `shop_*`, and nothing else [default: everything]"),
        )
}

/// The two servers and the number of failures so far.
#[derive(Debug)]
struct Migration {
    from: Server,
    to: Server,
    failures: u64,
}

impl Migration {
    /// Prints an error that does not stop the migration; returns those that do.
    fn record_failure(&mut self, what: &str, failure: &CliError) -> Result<(), CliError> {
        if matches!(failure, CliError::Interrupted { .. } | CliError::Unreachable { .. })
            || failure.needs_key()
        {
            return Err(CliError::Failed(format!("{what}: {failure}")));
        }
        self.failures += 1;
        eprintln!("{what}: {failure}");
        Ok(())
    }
}

pub(crate) fn run(matches: &ArgMatches) -> Result<(), CliError> {
    let interrupt = Interrupt::listen();
    let server_args = |url: &str, key: &str, key_option| ServerArgs {
        url: arguments::text(matches, url),
        key: arguments::optional(matches, key),
        key_option,
    };
    let from = server_args("from", "from-key", "--from-key or SONDE_MIGRATE_FROM_KEY");
    let to = server_args("to", "to-key", "--to-key or SONDE_API_KEY");
    let from = Server::new(&from, &interrupt)?;
    let to = Server::new(&to, &interrupt)?;
    if from.url() == to.url() {
        return Err(CliError::Usage("--from and --to are the same server".to_owned()));
    }
    let mut migration = Migration { from, to, failures: 0 };
    let patterns = arguments::list(matches, "index");
    let copied = migration.run(&patterns).map_err(|failure| {
        if interrupt.cancel.is_cancelled() {
            eprintln!("Run the same command again to resume.");
        }
        interrupt.check().err().unwrap_or(failure)
    })?;
    ignore_broken_pipe(show(&copied, &mut io::stdout().lock()))?;
    let is_whole = migration.failures == 0 && copied.iter().all(CopiedIndex::is_equal);
    if is_whole { Ok(()) } else { Err(CliError::AlreadyReported) }
}

impl Migration {
    fn run(&mut self, patterns: &[String]) -> Result<Vec<CopiedIndex>, CliError> {
        let indexes = listing::all(&self.from, "/indexes")?;
        let chosen: Vec<&Value> = indexes
            .iter()
            .filter(|index| {
                let uid = index["uid"].as_str().unwrap_or_default();
                patterns.is_empty() || patterns.iter().any(|pattern| matches_pattern(pattern, uid))
            })
            .collect();
        if chosen.is_empty() && !patterns.is_empty() {
            return Err(CliError::Failed(format!("{} has no such index", self.from.url())));
        }
        instance::features(self)?;
        let mut copied = Vec::new();
        for index in chosen {
            copied.push(index::copy(self, index)?);
        }
        if patterns.is_empty() {
            keys::copy(self)?;
            instance::chats(self)?;
            instance::search_rules(self)?;
        }
        Ok(copied)
    }
}

/// Returns whether the uid matches the pattern, where `*` matches any text.
fn matches_pattern(pattern: &str, uid: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == uid,
        Some((before, after)) => uid.strip_prefix(before).is_some_and(|rest| {
            after.is_empty()
                || (0..=rest.len())
                    .filter(|place| rest.is_char_boundary(*place))
                    .any(|place| matches_pattern(after, &rest[place..]))
        }),
    }
}

fn show(copied: &[CopiedIndex], out: &mut dyn Write) -> io::Result<()> {
    let mut table = Table::new(&[
        ("index", Align::Left),
        ("documents there", Align::Right),
        ("documents here", Align::Right),
        ("", Align::Left),
    ]);
    for index in copied {
        let result = if index.is_equal() { "equal" } else { "different" };
        let counts = [index.there, index.here].map(|count| Cell::new(&thousands(count)));
        let [there, here] = counts;
        table.row(vec![Cell::new(&index.uid), there, here, Cell::new(result)]);
    }
    table.write(terminal::width(), terminal::has_styles(), out).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_letters() {
        for (pattern, uid) in [
            ("movies", "movies"),
            ("*", "a"),
            ("shop_*", "shop_eu"),
            ("*_eu", "shop_eu"),
            ("s*p*u", "shop_eu"),
        ] {
            assert!(matches_pattern(pattern, uid), "{pattern} {uid}");
        }
        for (pattern, uid) in
            [("movies", "movies2"), ("shop_*", "shop"), ("*_eu", "shop_us"), ("", "a")]
        {
            assert!(!matches_pattern(pattern, uid), "{pattern} {uid}");
        }
    }
}
