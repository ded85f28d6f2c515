//! Launch options from the outside: what each source may say, which one wins, what is refused
//! and with which exit code.

mod refusals;
mod sources;
mod values;
mod written;

use std::ffi::OsString;
use std::fs;

use sonde::options::command_line::{self, Invocation};
use sonde::options::config::Config;
use sonde::options::environment::Environment;
use sonde::options::error::OptionError;
use sonde::options::gather::{GatheredOptions, gather};
use sonde::options::table::TABLE;

/// A command line, an environment and perhaps a file, as one start would meet them.
#[derive(Default)]
struct Start<'a> {
    arguments: Vec<&'a str>,
    environment: Vec<(&'a str, &'a str)>,
    file: Option<&'a str>,
}

impl Start<'_> {
    fn gather(&self) -> Result<GatheredOptions, OptionError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        let mut environment = self.environment.clone();
        if let Some(text) = self.file {
            fs::write(&path, text).unwrap();
            environment.push(("SONDE_CONFIG_FILE_PATH", path.to_str().unwrap()));
        }
        let Invocation::Serve(raw) = parse(&self.arguments)? else { panic!("not a start") };
        gather(raw, &Environment::from_pairs(environment), TABLE)
    }

    fn config(&self) -> Result<Config, OptionError> {
        Config::resolve(&self.gather()?)
    }

    /// The exit code and what is said when the start is refused.
    fn refusal(&self) -> (u8, String) {
        match self.config() {
            Ok(config) => panic!("accepted: {config:?}"),
            Err(error) => (error.exit_code(), error.to_string()),
        }
    }
}

fn parse(arguments: &[&str]) -> Result<Invocation, OptionError> {
    command_line::parse(["sonde"].iter().chain(arguments).map(OsString::from))
}

fn arguments<'a>(arguments: &[&'a str]) -> Start<'a> {
    Start { arguments: arguments.to_vec(), ..Start::default() }
}

fn environment<'a>(pairs: &[(&'a str, &'a str)]) -> Start<'a> {
    Start { environment: pairs.to_vec(), ..Start::default() }
}

fn file(text: &str) -> Start<'_> {
    Start { file: Some(text), ..Start::default() }
}
