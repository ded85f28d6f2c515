//! Errors of launch options and their exit codes: 2 for the command line and the environment, 1 for
//! the configuration file and the rest.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};

use engine::keys::{MIN_MASTER_KEY_BYTES, MasterKey};
use model::Secret;

use super::option::LaunchOption;
use super::raw::Source;

const EXIT_USAGE: u8 = 2;
const EXIT_FAILURE: u8 = 1;

/// An option and where it was set; formatted as the start of a sentence.
#[derive(Debug, Clone)]
pub struct OptionOrigin {
    option: &'static LaunchOption,
    source: Source,
}

impl OptionOrigin {
    pub(super) fn new(option: &'static LaunchOption, source: &Source) -> Self {
        Self { option, source: source.clone() }
    }
}

impl fmt::Display for OptionOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.option.on_command_line {
            let Source::Environment(variable) = &self.source else {
                return write!(f, "The option `{}`", self.option.name);
            };
            return write!(f, "The environment variable `{variable}`");
        }
        let flag = self.option.flag();
        match &self.source {
            Source::CommandLine => write!(f, "The option `{flag}`, given on the command line,"),
            Source::Environment(variable) => {
                write!(f, "The option `{flag}`, set by the environment variable `{variable}`,")
            }
            Source::File(path) => write!(
                f,
                "The option `{flag}`, set by `{}` in the configuration file `{}`,",
                self.option.file_key(),
                path.display()
            ),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum OptionError {
    /// Includes help and version, which clap reports the same way.
    #[error("{0}")]
    CommandLine(#[from] clap::Error),
    #[error("{given} cannot be `{value}`: expected {expected}.")]
    BadValue { given: OptionOrigin, value: String, expected: String },
    #[error(
        "{given} is not available in this version of Sonde yet (it belongs to {what}). \
         Leave it out to start."
    )]
    NotAvailable { given: OptionOrigin, what: &'static str },
    #[error("{given} requires `--{needed}`.")]
    MissingCompanion { given: OptionOrigin, needed: &'static str },
    #[error("{given} cannot be used together with `--{other}`.")]
    Conflict { given: OptionOrigin, other: &'static str },
    #[error("The configuration file `{}`: {what}", path.display())]
    ConfigFile { path: PathBuf, what: String },
    #[error(
        "Production requires a master key of at least {MIN_MASTER_KEY_BYTES} bytes, but \
         {received}. Set one with `--master-key` or, better, in the environment with \
         `SONDE_MASTER_KEY`.{suggestion}"
    )]
    ProductionNeedsMasterKey { received: String, suggestion: String },
}

impl OptionError {
    pub fn exit_code(&self) -> u8 {
        match self {
            OptionError::CommandLine(error) => {
                u8::try_from(error.exit_code()).unwrap_or(EXIT_USAGE)
            }
            OptionError::BadValue { given, .. }
            | OptionError::NotAvailable { given, .. }
            | OptionError::MissingCompanion { given, .. }
            | OptionError::Conflict { given, .. } => match given.source {
                Source::CommandLine | Source::Environment(_) => EXIT_USAGE,
                Source::File(_) => EXIT_FAILURE,
            },
            OptionError::ConfigFile { .. } | OptionError::ProductionNeedsMasterKey { .. } => {
                EXIT_FAILURE
            }
        }
    }

    pub(super) fn bad_value(option: &'static LaunchOption, source: &Source, value: &OsStr) -> Self {
        OptionError::BadValue {
            given: OptionOrigin::new(option, source),
            value: if option.is_secret {
                "…".to_owned()
            } else {
                value.to_string_lossy().into_owned()
            },
            expected: option.kind.expected(),
        }
    }

    /// Returns the error for a missing or short master key. Only the length of `received` is shown.
    pub(super) fn master_key(received: Option<&Secret>) -> Self {
        let received = match received {
            None => "none is set".to_owned(),
            Some(key) => format!("the given one has {} bytes", key.expose().len()),
        };
        let suggestion = match MasterKey::suggestion() {
            Ok(key) => format!(" Generated for you: {key}"),
            Err(_) => String::new(),
        };
        OptionError::ProductionNeedsMasterKey { received, suggestion }
    }

    pub(super) fn config_file(path: &Path, what: impl Into<String>) -> Self {
        OptionError::ConfigFile { path: path.to_owned(), what: what.into() }
    }
}
