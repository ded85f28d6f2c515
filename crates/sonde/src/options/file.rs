//! Reads options from the configuration file (TOML). An unknown key or a value of the wrong type
//! stops the start, since silently ignoring an option is worse.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::Path;

use toml::Value as Toml;

use super::error::OptionError;
use super::option::LaunchOption;
use super::raw::{RawOptions, Source};
use super::table::{CONFIG_FILE_PATH, TABLE};
use super::value::ValueKind;

/// Reads the file; `None` if it is missing and was not named.
pub fn read(path: &Path, was_named: bool) -> Result<Option<RawOptions>, OptionError> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound && !was_named => return Ok(None),
        Err(error) => {
            return Err(OptionError::config_file(path, format!("it cannot be read: {error}")));
        }
    };
    parse(path, &text).map(Some)
}

fn parse(path: &Path, text: &str) -> Result<RawOptions, OptionError> {
    let entries: toml::Table = text
        .parse()
        .map_err(|error: toml::de::Error| OptionError::config_file(path, error.to_string()))?;
    let mut raw = RawOptions::default();
    for (key, value) in &entries {
        let option = option_of(path, key)?;
        if matches!((option.kind, value), (ValueKind::Period { .. }, Toml::Boolean(false))) {
            continue;
        }
        let text = text_of(option, value).ok_or_else(|| {
            let (expected, found) = (toml_types(option.kind), value.type_str());
            OptionError::config_file(
                path,
                format!("`{key}` must be {expected}, but it is of type {found}."),
            )
        })?;
        raw.set(option, text, Source::File(path.to_owned()));
    }
    Ok(raw)
}

fn option_of(path: &Path, key: &str) -> Result<&'static LaunchOption, OptionError> {
    if key == CONFIG_FILE_PATH.file_key() {
        let what = format!("`{key}` cannot be set inside the file itself.");
        return Err(OptionError::config_file(path, what));
    }
    TABLE.iter().find(|option| option.in_file && option.file_key() == key).copied().ok_or_else(
        || OptionError::config_file(path, format!("`{key}` is not an option of Sonde.")),
    )
}

/// Converts a value to the text used in the environment; `None` if its TOML type does not fit.
fn text_of(option: &LaunchOption, value: &Toml) -> Option<OsString> {
    let text = match (option.kind, value) {
        (ValueKind::Flag, Toml::Boolean(on)) => on.to_string(),
        (ValueKind::Period { when_bare }, Toml::Boolean(true)) => when_bare.to_owned(),
        (
            ValueKind::Integer { .. }
            | ValueKind::CompressionLevel
            | ValueKind::Seconds { .. }
            | ValueKind::Period { .. }
            | ValueKind::Size
            | ValueKind::PartSize
            | ValueKind::Threads,
            Toml::Integer(number),
        ) => number.to_string(),
        (
            ValueKind::Text
            | ValueKind::Url
            | ValueKind::Path
            | ValueKind::Address
            | ValueKind::Size
            | ValueKind::PartSize
            | ValueKind::Choice(_)
            | ValueKind::Threads
            | ValueKind::IpNetworks
            | ValueKind::FailureModes,
            Toml::String(text),
        ) => text.clone(),
        _ => return None,
    };
    Some(text.into())
}

fn toml_types(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::Flag => "true or false",
        ValueKind::Integer { .. } | ValueKind::CompressionLevel | ValueKind::Seconds { .. } => {
            "an integer"
        }
        ValueKind::Period { .. } => "an integer, true or false",
        ValueKind::Size | ValueKind::PartSize | ValueKind::Threads => "a string or an integer",
        ValueKind::Text
        | ValueKind::Url
        | ValueKind::Path
        | ValueKind::Address
        | ValueKind::Choice(_)
        | ValueKind::IpNetworks
        | ValueKind::FailureModes => "a string",
    }
}
