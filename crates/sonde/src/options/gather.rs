//! Merges the sources: command line over environment over configuration file.

use std::path::{Path, PathBuf};

use super::environment::Environment;
use super::error::OptionError;
use super::file;
use super::option::{Fallback, LaunchOption};
use super::raw::RawOptions;
use super::table::CONFIG_FILE_PATH;

#[derive(Debug)]
pub struct GatheredOptions {
    pub raw: RawOptions,
    /// The configuration file that was read, if any.
    pub config_file: Option<PathBuf>,
    /// Notes for the operator about where options were found.
    pub notes: Vec<String>,
}

/// Adds the wanted options of the environment and the whole file to the command line.
pub fn gather(
    command_line: RawOptions,
    environment: &Environment,
    wanted: &[&'static LaunchOption],
) -> Result<GatheredOptions, OptionError> {
    let mut raw = command_line;
    let (from_environment, notes) = environment.read(wanted);
    raw.fill_from(from_environment);

    let mut config_file = None;
    let (path, was_named) = config_file_path(&raw);
    if let Some(from_file) = file::read(&path, was_named)? {
        raw.fill_from(from_file);
        config_file = Some(path);
    }
    Ok(GatheredOptions { raw, config_file, notes })
}

fn config_file_path(raw: &RawOptions) -> (PathBuf, bool) {
    match raw.get(&CONFIG_FILE_PATH) {
        Some(given) => (PathBuf::from(&given.text), true),
        None => match CONFIG_FILE_PATH.fallback {
            Fallback::Value(path) => (PathBuf::from(path), false),
            Fallback::Absent | Fallback::Computed(_) => (Path::new("").to_owned(), false),
        },
    }
}
