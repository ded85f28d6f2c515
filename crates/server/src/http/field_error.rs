//! The error of an invalid value in a request, with the code of its field.
//!
//! `deserr` walks the input against a request type and stops at the first value that does not
//! fit. Each field of a request type names its code in its attribute, with `body_code!` or
//! `query_code!`; the code is a const parameter of the error type, so that a field and its code
//! stand on neighbouring lines and cannot drift apart.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::ops::ControlFlow;

use deserr::errors::{JsonError, QueryParamError};
use deserr::{
    DeserializeError, Deserr, ErrorKind, IntoValue, MergeWithError, Value, ValueKind,
    ValuePointerRef, take_cf_content,
};
use model::{Code, IndexUid, Patch, ServiceError};
use settings::with_short_names;

/// Members of objects in requests that Meilisearch does not have. Its messages list the accepted
/// names, and clients compare them, so these names are left out of the lists. Parameters of searches
/// say themselves whether Meilisearch has them.
const OWN_MEMBERS: &[&str] = &["fusion", "k", "rerank"];

/// Words the messages: locations in a JSON body and in a query string read differently.
pub trait Form {
    fn words<V: IntoValue>(kind: ErrorKind<'_, V>, at: ValuePointerRef<'_>) -> String;
}

#[derive(Debug)]
pub struct InBody;

#[derive(Debug)]
pub struct InQuery;

impl Form for InBody {
    fn words<V: IntoValue>(kind: ErrorKind<'_, V>, at: ValuePointerRef<'_>) -> String {
        without_own_members(kind, |kind| {
            with_short_names(kind, |kind| {
                take_cf_content(JsonError::error(None, kind, at)).to_string()
            })
        })
    }
}

impl Form for InQuery {
    fn words<V: IntoValue>(kind: ErrorKind<'_, V>, at: ValuePointerRef<'_>) -> String {
        without_own_members(kind, |kind| {
            with_short_names(kind, |kind| {
                take_cf_content(QueryParamError::error(None, kind, at)).to_string()
            })
        })
    }
}

fn without_own_members<V: IntoValue>(
    kind: ErrorKind<'_, V>,
    words: impl FnOnce(ErrorKind<'_, V>) -> String,
) -> String {
    match kind {
        ErrorKind::UnknownKey { key, accepted } => {
            let of_reference = accepted.iter().copied().filter(|name| !OWN_MEMBERS.contains(name));
            let accepted: Vec<&str> = of_reference.collect();
            words(ErrorKind::UnknownKey { key, accepted: &accepted })
        }
        kind => words(kind),
    }
}

#[derive(Debug)]
pub struct FieldError<F, const CODE: u16> {
    message: String,
    code: Code,
    form: PhantomData<F>,
}

/// The error type of a field of a JSON body.
macro_rules! body_code {
    ($code:ident) => {
        $crate::http::field_error::FieldError<$crate::http::field_error::InBody, { ::model::Code::$code as u16 }>
    };
}

/// The error type of a query parameter.
macro_rules! query_code {
    ($code:ident) => {
        $crate::http::field_error::FieldError<$crate::http::field_error::InQuery, { ::model::Code::$code as u16 }>
    };
}

pub(crate) use {body_code, query_code};

impl<F, const CODE: u16> FieldError<F, CODE> {
    fn new(message: String) -> Self {
        // `Code::ALL` is in the order of the discriminants.
        let code = Code::ALL.get(usize::from(CODE)).copied().unwrap_or(Code::BadRequest);
        Self { message, code, form: PhantomData }
    }
}

impl<F: Form, const CODE: u16> FieldError<F, CODE> {
    /// Reports a value of the right type that is not acceptable.
    pub fn value(reason: impl ToString, at: ValuePointerRef<'_>) -> Self {
        Self::new(F::words::<serde_json::Value>(
            ErrorKind::Unexpected { msg: reason.to_string() },
            at,
        ))
    }

    pub fn missing(field: &str, at: ValuePointerRef<'_>) -> Self {
        Self::new(F::words::<serde_json::Value>(ErrorKind::MissingField { field }, at))
    }

    pub fn unknown(key: &str, accepted: &[&str], at: ValuePointerRef<'_>) -> Self {
        Self::new(F::words::<serde_json::Value>(ErrorKind::UnknownKey { key, accepted }, at))
    }

    /// Reports a field that exists but cannot be changed.
    pub fn immutable(field: &str, accepted: &[&str], code: Code) -> Self {
        let accepted: Vec<String> = accepted.iter().map(|name| format!("`{name}`")).collect();
        let message = format!("Immutable field `{field}`: expected one of {}", accepted.join(", "));
        Self { message, code, form: PhantomData }
    }
}

impl<F: Form, const CODE: u16> DeserializeError for FieldError<F, CODE> {
    fn error<V: IntoValue>(
        _earlier: Option<Self>,
        kind: ErrorKind<'_, V>,
        at: ValuePointerRef<'_>,
    ) -> ControlFlow<Self, Self> {
        ControlFlow::Break(Self::new(F::words(kind, at)))
    }
}

/// The error of a field becomes the error of its container, and keeps its code.
impl<F, const OUTER: u16, const INNER: u16> MergeWithError<FieldError<F, INNER>>
    for FieldError<F, OUTER>
{
    fn merge(
        _earlier: Option<Self>,
        inner: FieldError<F, INNER>,
        _at: ValuePointerRef<'_>,
    ) -> ControlFlow<Self, Self> {
        ControlFlow::Break(Self { message: inner.message, code: inner.code, form: PhantomData })
    }
}

/// Map keys of any text cannot fail.
impl<F, const CODE: u16> MergeWithError<Infallible> for FieldError<F, CODE> {
    fn merge(
        _earlier: Option<Self>,
        never: Infallible,
        _at: ValuePointerRef<'_>,
    ) -> ControlFlow<Self, Self> {
        match never {}
    }
}

impl<F, const CODE: u16> From<FieldError<F, CODE>> for ServiceError {
    fn from(refused: FieldError<F, CODE>) -> Self {
        ServiceError::new(refused.code, refused.message)
    }
}

impl<F: Form, const CODE: u16> Deserr<FieldError<F, CODE>> for IndexUid {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        at: ValuePointerRef<'_>,
    ) -> Result<Self, FieldError<F, CODE>> {
        let text = string(value, at)?;
        IndexUid::new(text).map_err(|error| FieldError::value(error, at))
    }
}

impl<T, F: Form, const CODE: u16> Deserr<FieldError<F, CODE>> for Patch<T>
where
    T: Deserr<FieldError<F, CODE>>,
{
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        at: ValuePointerRef<'_>,
    ) -> Result<Self, FieldError<F, CODE>> {
        match value {
            Value::Null => Ok(Patch::Clear),
            value => T::deserialize_from_value(value, at).map(Patch::Set),
        }
    }
}

/// Returns the text of a value that must be a string.
pub fn string<V: IntoValue, E: DeserializeError>(
    value: Value<V>,
    at: ValuePointerRef<'_>,
) -> Result<String, E> {
    match value {
        Value::String(text) => Ok(text),
        actual => Err(take_cf_content(E::error(
            None,
            ErrorKind::IncorrectValueKind { actual, accepted: &[ValueKind::String] },
            at,
        ))),
    }
}

#[cfg(test)]
mod tests {
    use deserr::deserialize;
    use serde_json::json;

    use super::*;

    type Root = body_code!(BadRequest);

    #[derive(Debug, Deserr)]
    #[deserr(error = Root, rename_all = camelCase, deny_unknown_fields)]
    struct Sample {
        #[deserr(error = body_code!(InvalidIndexUid), missing_field_error = missing_uid)]
        uid: IndexUid,
        #[deserr(default, error = body_code!(InvalidSearchLimit))]
        limit: Option<u64>,
    }

    fn missing_uid(field: &str, at: ValuePointerRef<'_>) -> body_code!(MissingIndexUid) {
        FieldError::missing(field, at)
    }

    fn refused(value: serde_json::Value) -> (String, Code) {
        let refused = deserialize::<Sample, _, Root>(value).unwrap_err();
        (refused.message, refused.code)
    }

    #[test]
    fn the_code_is_that_of_the_field() {
        assert_eq!(
            refused(json!({"uid": 3})),
            (
                "Invalid value type at `.uid`: expected a string, but found a positive integer: `3`"
                    .to_owned(),
                Code::InvalidIndexUid
            )
        );
        assert_eq!(
            refused(json!({"uid": "a", "limit": -1})),
            (
                "Invalid value type at `.limit`: expected a positive integer, but found a negative integer: `-1`"
                    .to_owned(),
                Code::InvalidSearchLimit
            )
        );
        assert_eq!(refused(json!({})), ("Missing field `uid`".to_owned(), Code::MissingIndexUid));
        assert_eq!(
            refused(json!({"Uid": 3})),
            ("Unknown field `Uid`: expected one of `uid`, `limit`".to_owned(), Code::BadRequest)
        );
        let sample = deserialize::<Sample, _, Root>(json!({"uid": "a"})).unwrap();
        assert_eq!((sample.uid.as_str(), sample.limit), ("a", None));
    }

    #[test]
    fn the_first_bad_field_is_the_one_reported() {
        let (message, code) = refused(json!({"limit": true, "uid": "no pe"}));
        assert_eq!(code, Code::InvalidSearchLimit);
        assert!(message.starts_with("Invalid value type at `.limit`"));
        let (message, code) = refused(json!({"uid": "no pe", "limit": true}));
        assert_eq!(code, Code::InvalidIndexUid);
        assert!(message.starts_with("Invalid value at `.uid`: `no pe` is not a valid index uid."));
    }

    #[test]
    fn lists_of_what_is_expected_leave_out_members_of_our_own() {
        #[derive(Debug, Deserr)]
        #[deserr(error = Root, rename_all = camelCase, deny_unknown_fields)]
        struct WithOwnMember {
            #[deserr(default)]
            limit: Option<u64>,
            #[deserr(default)]
            rerank: Option<bool>,
        }
        let body = json!({"limit": 1, "rerank": true});
        let read = deserialize::<WithOwnMember, _, Root>(body).unwrap();
        assert_eq!((read.limit, read.rerank), (Some(1), Some(true)));
        let refused = deserialize::<WithOwnMember, _, Root>(json!({"other": 3})).unwrap_err();
        assert_eq!(refused.message, "Unknown field `other`: expected one of `limit`");
    }

    #[test]
    fn codes_survive_the_way_through_their_number() {
        for (number, &code) in Code::ALL.iter().enumerate() {
            assert_eq!(code as usize, number);
        }
    }

    #[test]
    fn a_name_that_is_far_too_long_is_cut_and_compared_with_nothing() {
        let long = format!("limit{}", "t".repeat(1_000_000));
        let (message, code) = refused(json!({ "uid": "a", long: 3 }));
        assert_eq!(code, Code::BadRequest);
        let start = format!("limit{}", "t".repeat(59));
        assert_eq!(message, format!("Unknown field `{start}…`: expected one of `uid`, `limit`"));
        let (message, _) = refused(json!({"uid": "a", "limits": 3}));
        assert!(message.contains("did you mean `limit`?"), "{message}");
    }
}
