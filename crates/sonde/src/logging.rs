//! Log lines on stderr, for people or for machines.

use std::io::{IsTerminal, stderr};

use anyhow::anyhow;
use tracing_subscriber::filter::LevelFilter;

use crate::options::config::LogsMode;

pub fn start(level: LevelFilter, mode: LogsMode) -> anyhow::Result<()> {
    let lines = tracing_subscriber::fmt().with_writer(stderr).with_max_level(level);
    let started = match mode {
        LogsMode::Json => lines.json().try_init(),
        LogsMode::Human => {
            let colours = stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            lines.with_ansi(colours).try_init()
        }
    };
    started.map_err(|error| anyhow!("logging cannot be started: {error}"))
}
