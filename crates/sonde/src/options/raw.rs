//! Options as given: text and its source. `config` interprets the text, so the same rules apply to
//! every source.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use super::option::LaunchOption;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    CommandLine,
    /// The variable, with its prefix.
    Environment(String),
    File(PathBuf),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawValue {
    pub text: OsString,
    pub source: Source,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RawOptions {
    by_name: BTreeMap<&'static str, RawValue>,
}

impl RawOptions {
    pub fn set(&mut self, option: &'static LaunchOption, text: OsString, source: Source) {
        self.by_name.insert(option.name, RawValue { text, source });
    }

    pub fn get(&self, option: &LaunchOption) -> Option<&RawValue> {
        self.named(option.name)
    }

    pub fn named(&self, name: &str) -> Option<&RawValue> {
        self.by_name.get(name)
    }

    /// Adds the options of a weaker source that are not set yet.
    pub fn fill_from(&mut self, weaker: RawOptions) {
        for (name, value) in weaker.by_name {
            self.by_name.entry(name).or_insert(value);
        }
    }
}
