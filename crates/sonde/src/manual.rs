//! Shell completions and manual pages, generated from the command line definition.

use std::io::{self, Write};

use anyhow::bail;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::options::command_line::command;

pub fn completions(shell: Shell) -> anyhow::Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "sonde", &mut script);
    print(&script)
}

/// Prints the manual page of the program or of a command.
pub fn page(name: Option<&str>) -> anyhow::Result<u8> {
    let mut command = command();
    // Sets the full names of commands.
    command.build();
    let mut chosen = match name {
        None => command,
        Some(name) => match command.find_subcommand(name) {
            Some(found) => found.clone(),
            None => bail!("there is no command `{name}`"),
        },
    };
    // Uses the short usage of `--help` instead of twenty lines of options.
    let usage = chosen.render_usage().to_string();
    if let Some(usage) = usage.strip_prefix("Usage: ") {
        chosen = chosen.override_usage(usage.to_owned());
    }
    let mut page = Vec::new();
    Man::new(chosen).render(&mut page)?;
    print(&page)
}

/// Prints to stdout; a broken pipe is no error.
pub fn print(text: &[u8]) -> anyhow::Result<u8> {
    match io::stdout().lock().write_all(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(0),
    }
}
