//! A value that a setting may not have, worded as the whole interface words it. The code is not
//! known here: it belongs to the setting.

use std::ops::ControlFlow;

use deserr::errors::JsonError;
use deserr::{
    DeserializeError, Deserr, ErrorKind, IntoValue, MergeWithError, ValueKind, ValuePointerRef,
    take_cf_content,
};
use serde_json::Value;

/// Where in the body a value stands.
pub(crate) type Place<'p> = ValuePointerRef<'p>;

#[derive(Debug)]
pub(crate) struct Refusal(pub String);

impl Refusal {
    fn of(kind: ErrorKind<'_, Value>, at: Place<'_>) -> Self {
        take_cf_content(Self::error(None, kind, at))
    }

    pub fn wrong_kind(value: Value, accepted: &[ValueKind], at: Place<'_>) -> Self {
        Self::of(ErrorKind::IncorrectValueKind { actual: value.into_value(), accepted }, at)
    }

    pub fn unknown_member(key: &str, accepted: &[&str], at: Place<'_>) -> Self {
        Self::of(ErrorKind::UnknownKey { key, accepted }, at)
    }

    pub fn unknown_word(word: &str, accepted: &[&str], at: Place<'_>) -> Self {
        Self::of(ErrorKind::UnknownValue { value: word, accepted }, at)
    }

    pub fn missing(field: &str, at: Place<'_>) -> Self {
        Self::of(ErrorKind::MissingField { field }, at)
    }

    /// A value of the right type that is not acceptable.
    pub fn value(reason: impl Into<String>, at: Place<'_>) -> Self {
        Self::of(ErrorKind::Unexpected { msg: reason.into() }, at)
    }
}

impl DeserializeError for Refusal {
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

impl MergeWithError<Refusal> for Refusal {
    fn merge(
        _earlier: Option<Self>,
        other: Refusal,
        _at: ValuePointerRef<'_>,
    ) -> ControlFlow<Self, Self> {
        ControlFlow::Break(other)
    }
}

/// A name that is longer than this, in bytes, is not compared with the accepted ones to suggest a
/// similar one: that would take the product of their lengths.
const LONGEST_NAME: usize = 64;

/// Words a mistake about a name. Of a name that is far too long only the start is quoted, which is
/// also too long to resemble an accepted name.
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

/// A value that must be of one simple type.
pub(crate) fn take<T: Deserr<Refusal>>(value: Value, at: Place<'_>) -> Result<T, Refusal> {
    T::deserialize_from_value(value.into_value(), at)
}
