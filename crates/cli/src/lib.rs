//! The commands that talk to a running server, for people at a terminal.
//!
//! Each speaks the interface as any client would, so it works with every server that has it; of
//! this one's inside it knows nothing. What a command was asked for goes to stdout, what happens
//! meanwhile to stderr.

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

/// Variables of the environment that commands read.
pub const ENVIRONMENT: [&str; 4] =
    ["SONDE_URL", "SONDE_API_KEY", "SONDE_MIGRATE_FROM_URL", "SONDE_MIGRATE_FROM_KEY"];

/// A command with what runs it.
struct Entry {
    command: fn() -> Command,
    run: fn(&ArgMatches) -> Result<(), CliError>,
}

const COMMANDS: [Entry; 6] = [
    Entry { command: import::command, run: import::run },
    Entry { command: search::command, run: search::run },
    Entry { command: dump::command, run: dump::run },
    Entry { command: bench::command, run: bench::run },
    Entry { command: evaluate::command, run: evaluate::run },
    Entry { command: migrate::command, run: migrate::run },
];

/// The commands, for the command line of the program.
pub fn commands() -> impl Iterator<Item = Command> {
    COMMANDS.iter().map(|entry| (entry.command)())
}

/// Does what the command of this name is asked for, and gives the exit code. None if it is no
/// command of these.
pub fn run(name: &str, matches: &ArgMatches) -> Option<u8> {
    let entry = COMMANDS.iter().find(|entry| (entry.command)().get_name() == name)?;
    Some(match (entry.run)(matches) {
        Ok(()) => 0,
        Err(failure) => {
            if !matches!(failure, CliError::Told) {
                eprintln!("error: {failure}");
            }
            failure.exit_code()
        }
    })
}
