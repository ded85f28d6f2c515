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
        let words = take_cf_content(JsonError::error(None, kind, at));
        ControlFlow::Break(Self(words.to_string()))
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

/// A value that must be of one simple type.
pub(crate) fn take<T: Deserr<Refusal>>(value: Value, at: Place<'_>) -> Result<T, Refusal> {
    T::deserialize_from_value(value.into_value(), at)
}
