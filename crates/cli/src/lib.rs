//! Commands that talk to a running server, for people at a terminal.
//!
//! Each uses the HTTP API like any client, so it works with every compatible server. Results go to
//! stdout, progress and errors to stderr.

mod arguments;
mod bench;
mod dump;
mod error;
mod evaluate;
mod import;
mod interrupt;
mod migrate;
mod progress;
mod search;
mod server;
mod state;
mod table;
mod tasks;
mod terminal;
mod transfer;

use clap::{ArgMatches, Command};

pub use error::CliError;

/// Environment variables that commands read.
pub const ENVIRONMENT: [&str; 4] =
    ["SONDE_URL", "SONDE_API_KEY", "SONDE_MIGRATE_FROM_URL", "SONDE_MIGRATE_FROM_KEY"];

/// A command and the function that runs it.
struct CommandEntry {
    command: fn() -> Command,
    run: fn(&ArgMatches) -> Result<(), CliError>,
}

const COMMANDS: [CommandEntry; 6] = [
    CommandEntry { command: import::command, run: import::run },
    CommandEntry { command: search::command, run: search::run },
    CommandEntry { command: dump::command, run: dump::run },
    CommandEntry { command: bench::command, run: bench::run },
    CommandEntry { command: evaluate::command, run: evaluate::run },
    CommandEntry { command: migrate::command, run: migrate::run },
];

/// Returns the definitions of all commands.
pub fn commands() -> impl Iterator<Item = Command> {
    COMMANDS.iter().map(|entry| (entry.command)())
}

/// Runs the command of this name and returns the exit code; `None` if there is no such command.
pub fn run(name: &str, matches: &ArgMatches) -> Option<u8> {
    let entry = COMMANDS.iter().find(|entry| (entry.command)().get_name() == name)?;
    Some(match (entry.run)(matches) {
        Ok(()) => 0,
        Err(failure) => {
            if !matches!(failure, CliError::AlreadyReported) {
                eprintln!("error: {failure}");
            }
            failure.exit_code()
        }
    })
}
