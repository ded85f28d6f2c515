//! Reads options from environment variables. Each is looked up under every known prefix; names with
//! foreign prefixes are reported, so that users who migrate learn the new ones.

use std::collections::BTreeMap;
use std::ffi::OsString;

use super::option::{ENVIRONMENT_PREFIXES, LaunchOption};
use super::raw::{RawOptions, Source};
use super::table::TABLE;

/// The environment variables of a process; a separate type so that tests can create one.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    variables: BTreeMap<String, OsString>,
}

impl Environment {
    pub fn of_this_process() -> Self {
        // Our names are UTF-8.
        let named =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        Self::from_pairs(named)
    }

    pub fn from_pairs(
        pairs: impl IntoIterator<Item = (impl Into<String>, impl Into<OsString>)>,
    ) -> Self {
        let variables = pairs.into_iter().map(|(name, value)| (name.into(), value.into()));
        Self { variables: variables.collect() }
    }

    /// Reads the wanted options that are set; also returns notes for the operator.
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
                "These variables use the prefix of another service: {}.",
                old_names.join(", ")
            ));
        }
        (raw, notes)
    }

    /// Returns a note about variables with our prefix that are not options, usually misspelt ones.
    /// They do not stop the start: orchestrators set variables named after services.
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
                "These variables are not options of Sonde and are ignored: {}.",
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
