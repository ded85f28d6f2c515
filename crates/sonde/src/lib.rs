//! The program around engine and server: launch options, start-up, signals, exit codes. It knows no
//! route and no file format. Commands that talk to a server are in `cli`.

mod banner;
mod check;
mod listen;
mod logging;
pub mod machine;
mod manual;
mod notify;
pub mod options;
mod serve;
mod signals;
mod tls;
mod usage;
pub mod version;

use std::ffi::OsString;

use options::command_line::{self, Invocation, VERIFY_OPTIONS};
use options::config::{self, Config};
use options::environment::Environment;
use options::error::OptionError;
use options::gather::gather;
use options::table::TABLE;

/// Exit code of every failure except mistakes on the command line or in the environment.
const EXIT_FAILURE: u8 = 1;

/// Runs the command line and returns the exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>, environment: &Environment) -> u8 {
    match invoke(arguments, environment) {
        Ok(code) => code,
        Err(error) => report(&error),
    }
}

fn invoke(
    arguments: impl IntoIterator<Item = OsString>,
    environment: &Environment,
) -> anyhow::Result<u8> {
    match command_line::parse(arguments)? {
        Invocation::Serve(command_line) => {
            let mut gathered = gather(command_line, environment, TABLE)?;
            gathered.notes.extend(environment.unknown());
            let config = Config::resolve(&gathered)?;
            gathered.notes.extend(config::without_effect(&gathered)?);
            serve::serve(&config, &gathered.notes)
        }
        Invocation::Verify(command_line) => {
            let gathered = gather(command_line, environment, VERIFY_OPTIONS)?;
            check::verify(&config::db_path(&gathered)?)
        }
        Invocation::Inspect(paths) => check::inspect(&paths),
        Invocation::Client { name, matches } => {
            Ok(cli::run(&name, &matches).unwrap_or(EXIT_FAILURE))
        }
        Invocation::Completions(shell) => manual::completions(shell),
        Invocation::Man(command) => manual::page(command.as_deref()),
    }
}

/// Prints the error and returns its exit code.
fn report(error: &anyhow::Error) -> u8 {
    match error.downcast_ref::<OptionError>() {
        // Help and version arrive here too; clap chooses the stream. A closed stream is ignored.
        Some(refused @ OptionError::CommandLine(clap)) => {
            let _ = clap.print();
            refused.exit_code()
        }
        Some(refused) => {
            eprintln!("error: {refused}");
            refused.exit_code()
        }
        None => {
            eprintln!("error: {error:#}");
            EXIT_FAILURE
        }
    }
}
