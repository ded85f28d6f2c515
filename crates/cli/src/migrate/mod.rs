//! `sonde migrate`: copies what a server of this interface holds to another one.
//!
//! Everything is copied so that doing it twice does no harm: indexes and keys that are there stay,
//! settings and documents take the place of what is there. Nothing is removed on either side.

mod documents;
mod index;
mod instance;
mod keys;
mod listing;

use std::io::{self, Write};

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::Value;

use crate::arguments;
use crate::error::{CliError, written};
use crate::interrupt::Interrupt;
use crate::server::{Place, Server};
use crate::table::{Cell, Side, Table};
use crate::terminal::{self, thousands};
use index::Copied;
pub(crate) use index::without_secrets;

pub(crate) fn command() -> Command {
    let place = |name: &'static str, variable: &'static str, help: &'static str| {
        Arg::new(name).long(name).env(variable).hide_env_values(true).help(help)
    };
    Command::new("migrate")
        .about("Copies indexes, settings, documents and keys from one server to another")
        .long_about(
            "Copies indexes with settings, documents and vectors from a server that speaks this \
             interface (Meilisearch, Sonde) to another one; also keys, chat workspaces and search \
             rules, unless --index chooses some indexes. Nothing is removed. What was interrupted \
             goes on when the same command is given again. Documents that change meanwhile may be \
             missed: stop writing first.",
        )
        .arg(place("from", "SONDE_MIGRATE_FROM_URL", "Server to copy from").value_name("URL").required(true))
        .arg(place("from-key", "SONDE_MIGRATE_FROM_KEY", "Its master key, or a key that may read all of this").value_name("KEY"))
        .arg(place("to", "SONDE_URL", "Server to copy to").value_name("URL").default_value(arguments::DEFAULT_URL))
        .arg(place("to-key", "SONDE_API_KEY", "Its master key, or a key that may write all of this").value_name("KEY"))
        .arg(
            Arg::new("index")
                .long("index")
                .short('i')
                .value_name("PATTERN")
                .action(ArgAction::Append)
                .help("Indexes to copy, such as `movies` or `shop_*`, and nothing else [default: everything]"),
        )
}

/// The two servers, and what went wrong between them.
#[derive(Debug)]
struct Migration {
    from: Server,
    to: Server,
    failures: u64,
}

impl Migration {
    /// Says what does not stop the rest.
    fn failed(&mut self, what: &str, failure: &CliError) -> Result<(), CliError> {
        if matches!(failure, CliError::Interrupted { .. } | CliError::Unreachable { .. })
            || failure.wants_key()
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
    let place = |url: &str, key: &str, key_option| Place {
        url: arguments::text(matches, url),
        key: arguments::optional(matches, key),
        key_option,
    };
    let from = place("from", "from-key", "--from-key or SONDE_MIGRATE_FROM_KEY");
    let to = place("to", "to-key", "--to-key or SONDE_API_KEY");
    let from = Server::new(&from, &interrupt)?;
    let to = Server::new(&to, &interrupt)?;
    if from.url() == to.url() {
        return Err(CliError::Usage("--from and --to are the same server".to_owned()));
    }
    let mut migration = Migration { from, to, failures: 0 };
    let patterns = arguments::list(matches, "index");
    let copied = migration.run(&patterns).map_err(|failure| {
        if interrupt.came() {
            eprintln!("To go on from here, give the same command again.");
        }
        interrupt.check().err().unwrap_or(failure)
    })?;
    written(show(&copied, &mut io::stdout().lock()))?;
    let is_whole = migration.failures == 0 && copied.iter().all(Copied::is_equal);
    if is_whole { Ok(()) } else { Err(CliError::Told) }
}

impl Migration {
    fn run(&mut self, patterns: &[String]) -> Result<Vec<Copied>, CliError> {
        let indexes = listing::all(&self.from, "/indexes")?;
        let chosen: Vec<&Value> = indexes
            .iter()
            .filter(|index| {
                let uid = index["uid"].as_str().unwrap_or_default();
                patterns.is_empty() || patterns.iter().any(|pattern| fits(pattern, uid))
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

/// A star stands for any letters.
fn fits(pattern: &str, uid: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == uid,
        Some((before, after)) => uid.strip_prefix(before).is_some_and(|rest| {
            after.is_empty()
                || (0..=rest.len())
                    .filter(|place| rest.is_char_boundary(*place))
                    .any(|place| fits(after, &rest[place..]))
        }),
    }
}

fn show(copied: &[Copied], out: &mut dyn Write) -> io::Result<()> {
    let mut table = Table::new(&[
        ("index", Side::Left),
        ("documents there", Side::Right),
        ("documents here", Side::Right),
        ("", Side::Left),
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
            assert!(fits(pattern, uid), "{pattern} {uid}");
        }
        for (pattern, uid) in
            [("movies", "movies2"), ("shop_*", "shop"), ("*_eu", "shop_us"), ("", "a")]
        {
            assert!(!fits(pattern, uid), "{pattern} {uid}");
        }
    }
}
