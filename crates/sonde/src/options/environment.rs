//! Options read from environment variables. Each is looked for under every known prefix; the
//! names of other prefixes than our own that were used are reported, so that people who move
//! over learn the new ones.

use std::collections::BTreeMap;
use std::ffi::OsString;

use super::option::{ENVIRONMENT_PREFIXES, LaunchOption};
use super::raw::{RawOptions, Source};
use super::table::TABLE;

/// The variables of a process; a value of its own so that tests can make one.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    variables: BTreeMap<String, OsString>,
}

impl Environment {
    pub fn of_this_process() -> Self {
        // A name that is not UTF-8 is no name of ours.
        let named =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        Self { variables: named.collect() }
    }

    pub fn from_pairs<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let variables = pairs.into_iter().map(|(name, value)| (name.to_owned(), value.into()));
        Self { variables: variables.collect() }
    }

    /// The wanted options that are set, and notes for the operator.
    pub fn read(&self, wanted: &[&'static LaunchOption]) -> (RawOptions, Vec<String>) {
        let mut raw = RawOptions::default();
        let mut old_names = Vec::new();
        for &option in wanted {
            let Some((variable, text)) = self.find(option) else {
                continue;
            };
            let is_bare = variable == option.environment_suffix();
            if !is_bare && !variable.starts_with(ENVIRONMENT_PREFIXES[0]) {
                old_names.push(format!("{variable} (now {})", option.environment_variable()));
            }
            raw.set(option, text.clone(), Source::Environment(variable));
        }
        let mut notes = Vec::new();
        if !old_names.is_empty() {
            notes.push(format!(
                "These variables were read under the names of another service: {}.",
                old_names.join(", ")
            ));
        }
        (raw, notes)
    }

    /// Variables with our prefix that are no option, which most often are misspelt ones. They
    /// do not stop the start: orchestrators set variables named after services on their own.
    pub fn unknown(&self) -> Option<String> {
        let unknown: Vec<&str> = self
            .variables
            .keys()
            .filter(|name| {
                name.strip_prefix(ENVIRONMENT_PREFIXES[0]).is_some_and(|suffix| {
                    TABLE.iter().all(|option| option.environment_suffix() != suffix)
                        && !cli::ENVIRONMENT.contains(&name.as_str())
                })
            })
            .map(String::as_str)
            .collect();
        (!unknown.is_empty()).then(|| {
            format!(
                "These variables are no options of Sonde and were not read: {}.",
                unknown.join(", ")
            )
        })
    }

    fn find(&self, option: &LaunchOption) -> Option<(String, &OsString)> {
        let suffix = option.environment_suffix();
        let bare = option.is_known_bare.then_some("");
        ENVIRONMENT_PREFIXES.iter().copied().chain(bare).find_map(|prefix| {
            let variable = format!("{prefix}{suffix}");
            let text = self.variables.get(&variable)?;
            Some((variable, text))
        })
    }
}
