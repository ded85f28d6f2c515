//! Errors about values of settings, in the wording of the API. The error code belongs to the
//! setting.

use std::ops::ControlFlow;

use deserr::errors::JsonError;
use deserr::{
    DeserializeError, Deserr, ErrorKind, IntoValue, MergeWithError, ValueKind, ValuePointerRef,
    take_cf_content,
};
use serde_json::Value;

/// Position of a value in the body.
pub(crate) type JsonPath<'p> = ValuePointerRef<'p>;

#[derive(Debug)]
pub struct SettingError(pub String);

impl SettingError {
    fn of(kind: ErrorKind<'_, Value>, at: JsonPath<'_>) -> Self {
        take_cf_content(Self::error(None, kind, at))
    }

    pub fn wrong_kind(value: Value, accepted: &[ValueKind], at: JsonPath<'_>) -> Self {
        Self::of(ErrorKind::IncorrectValueKind { actual: value.into_value(), accepted }, at)
    }

    pub fn unknown_member(key: &str, accepted: &[&str], at: JsonPath<'_>) -> Self {
        Self::of(ErrorKind::UnknownKey { key, accepted }, at)
    }

    pub fn unknown_word(word: &str, accepted: &[&str], at: JsonPath<'_>) -> Self {
        Self::of(ErrorKind::UnknownValue { value: word, accepted }, at)
    }

    pub fn missing(field: &str, at: JsonPath<'_>) -> Self {
        Self::of(ErrorKind::MissingField { field }, at)
    }

    /// Returns the error for a value of the right type that is not acceptable.
    pub fn value(reason: impl Into<String>, at: JsonPath<'_>) -> Self {
        Self::of(ErrorKind::Unexpected { msg: reason.into() }, at)
    }
}

impl DeserializeError for SettingError {
    fn error<V: IntoValue>(
        _earlier: Option<Self>,
        kind: ErrorKind<'_, V>,
        at: ValuePointerRef<'_>,
    ) -> ControlFlow<Self, Self> {
        ControlFlow::Break(Self(with_short_names(kind, |kind| {
            take_cf_content(JsonError::error(None, kind, at)).to_string()
        })))
    }
}

impl MergeWithError<SettingError> for SettingError {
    fn merge(
        _earlier: Option<Self>,
        other: SettingError,
        _at: ValuePointerRef<'_>,
    ) -> ControlFlow<Self, Self> {
        ControlFlow::Break(other)
    }
}

/// Names longer than this, in bytes, are not compared with the accepted ones for a suggestion: that
/// takes the product of their lengths.
const LONGEST_NAME: usize = 64;

/// Formats an error about a name. A very long name is truncated, but stays too long to resemble an
/// accepted one.
pub fn with_short_names<V: IntoValue>(
    kind: ErrorKind<'_, V>,
    words: impl FnOnce(ErrorKind<'_, V>) -> String,
) -> String {
    let cut = |name: &str| format!("{}…", &name[..name.floor_char_boundary(LONGEST_NAME)]);
    match kind {
        ErrorKind::UnknownKey { key, accepted } if key.len() > LONGEST_NAME => {
            words(ErrorKind::UnknownKey { key: &cut(key), accepted })
        }
        ErrorKind::UnknownValue { value, accepted } if value.len() > LONGEST_NAME => {
            words(ErrorKind::UnknownValue { value: &cut(value), accepted })
        }
        kind => words(kind),
    }
}

/// Deserialises a value of a simple type.
pub(crate) fn take<T: Deserr<SettingError>>(
    value: Value,
    at: JsonPath<'_>,
) -> Result<T, SettingError> {
    T::deserialize_from_value(value.into_value(), at)
}
