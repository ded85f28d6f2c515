//! What shells and `man` want to know of the command line, made from its definition.

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

/// The page of the program, or of one of its commands.
pub fn page(name: Option<&str>) -> anyhow::Result<u8> {
    let mut command = command();
    // Only then do commands know what they are called in full.
    command.build();
    let mut chosen = match name {
        None => command,
        Some(name) => match command.find_subcommand(name) {
            Some(found) => found.clone(),
            None => bail!("there is no command `{name}`"),
        },
    };
    // As `--help` has it; else every option would stand there, twenty lines of them.
    let usage = chosen.render_usage().to_string();
    if let Some(usage) = usage.strip_prefix("Usage: ") {
        chosen = chosen.override_usage(usage.to_owned());
    }
    let mut page = Vec::new();
    Man::new(chosen).render(&mut page)?;
    print(&page)
}

/// A reader that goes away has seen enough.
pub fn print(text: &[u8]) -> anyhow::Result<u8> {
    match io::stdout().lock().write_all(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(0),
    }
}
