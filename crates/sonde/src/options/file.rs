//! Options read from the configuration file, which is TOML. A key that is no option or a value
//! of the wrong type stops the start: a setting that is silently dropped is worse than none.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::Path;

use toml::Value as Toml;

use super::error::OptionError;
use super::option::LaunchOption;
use super::raw::{RawOptions, Source};
use super::table::{CONFIG_FILE_PATH, TABLE};
use super::value::Kind;

/// `None`: there is no such file, and nobody named it.
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
        if matches!((option.kind, value), (Kind::Period { .. }, Toml::Boolean(false))) {
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

/// The value as the environment would write it; `None` when TOML's type is not one that fits.
fn text_of(option: &LaunchOption, value: &Toml) -> Option<OsString> {
    let text = match (option.kind, value) {
        (Kind::Flag, Toml::Boolean(on)) => on.to_string(),
        (Kind::Period { when_bare }, Toml::Boolean(true)) => when_bare.to_owned(),
        (
            Kind::Integer { .. }
            | Kind::CompressionLevel
            | Kind::Seconds { .. }
            | Kind::Period { .. }
            | Kind::Size
            | Kind::PartSize
            | Kind::Threads,
            Toml::Integer(number),
        ) => number.to_string(),
        (
            Kind::Text
            | Kind::Url
            | Kind::Path
            | Kind::Address
            | Kind::Size
            | Kind::PartSize
            | Kind::Choice(_)
            | Kind::Threads
            | Kind::IpNetworks
            | Kind::FailureModes,
            Toml::String(text),
        ) => text.clone(),
        _ => return None,
    };
    Some(text.into())
}

fn toml_types(kind: Kind) -> &'static str {
    match kind {
        Kind::Flag => "true or false",
        Kind::Integer { .. } | Kind::CompressionLevel | Kind::Seconds { .. } => "an integer",
        Kind::Period { .. } => "an integer, true or false",
        Kind::Size | Kind::PartSize | Kind::Threads => "a string or an integer",
        Kind::Text
        | Kind::Url
        | Kind::Path
        | Kind::Address
        | Kind::Choice(_)
        | Kind::IpNetworks
        | Kind::FailureModes => "a string",
    }
}
