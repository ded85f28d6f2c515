//! Reads query parameters into typed values, and refuses unknown names.

use deserr::{
    DeserializeError, Deserr, ErrorKind, IntoValue, Value, ValuePointerRef, take_cf_content,
};
use model::ServiceError;
use serde_json::Map;

use super::field_error::{query_code, string};

/// The error type of a whole query string, with the code of unknown names.
pub type QueryError = query_code!(BadRequest);

/// Reads the parameters into their type. Of a repeated parameter the last one counts.
pub fn read<T: Deserr<QueryError>>(query: Option<&str>) -> Result<T, ServiceError> {
    let mut parameters = Map::new();
    for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        parameters.insert(name.into_owned(), value.into_owned().into());
    }
    Ok(deserr::deserialize::<T, _, QueryError>(serde_json::Value::Object(parameters))?)
}

/// A type that can be parsed from a query parameter.
pub trait FromParameter: Sized {
    fn from_parameter(text: &str) -> Result<Self, String>;
}

/// One parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Param<T>(pub T);

impl<T: FromParameter, E: DeserializeError> Deserr<E> for Param<T> {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        at: ValuePointerRef<'_>,
    ) -> Result<Self, E> {
        let text = string(value, at)?;
        T::from_parameter(&text).map(Param).map_err(|reason| unacceptable::<V, E>(reason, at))
    }
}

pub fn unacceptable<V: IntoValue, E: DeserializeError>(
    reason: String,
    at: ValuePointerRef<'_>,
) -> E {
    take_cf_content(E::error::<V>(None, ErrorKind::Unexpected { msg: reason }, at))
}

macro_rules! positive_integers {
    ($($kind:ty),*) => {$(
        impl FromParameter for $kind {
            fn from_parameter(text: &str) -> Result<Self, String> {
                text.parse().map_err(|_| format!("could not parse `{text}` as a positive integer"))
            }
        }
    )*};
}

positive_integers!(u32, usize);

impl FromParameter for bool {
    fn from_parameter(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| {
            format!("could not parse `{text}` as a boolean, expected either `true` or `false`")
        })
    }
}

#[cfg(test)]
mod tests {
    use model::Code;

    use super::*;

    #[derive(Debug, Deserr)]
    #[deserr(error = QueryError, rename_all = camelCase, deny_unknown_fields)]
    struct Page {
        #[deserr(default = Param(0), error = query_code!(InvalidIndexOffset))]
        offset: Param<usize>,
        #[deserr(default = Param(20), error = query_code!(InvalidIndexLimit))]
        limit: Param<usize>,
    }

    fn page(query: &str) -> Result<(usize, usize), (Code, String)> {
        read::<Page>(Some(query))
            .map(|page| (page.offset.0, page.limit.0))
            .map_err(|error| (error.code, error.message))
    }

    #[test]
    fn the_last_of_a_repeated_parameter_counts() {
        assert_eq!(page("limit=1&limit=4"), Ok((0, 4)));
        assert_eq!(page("&"), Ok((0, 20)));
        assert_eq!(page("offset=%2B3&limit=002"), Ok((3, 2)));
    }

    #[test]
    fn numbers_have_no_blanks_and_no_sign_but_plus() {
        for bad in ["-1", "ten", "", "1.5", "%201", "0x10", "18446744073709551616"] {
            let (code, message) = page(&format!("limit={bad}")).unwrap_err();
            assert_eq!(code, Code::InvalidIndexLimit);
            let shown = bad.replace("%20", " ");
            assert_eq!(
                message,
                format!(
                    "Invalid value in parameter `limit`: could not parse `{shown}` as a positive integer"
                )
            );
        }
        assert_eq!(page("limit").unwrap_err().0, Code::InvalidIndexLimit);
    }

    #[test]
    fn the_first_bad_parameter_is_reported() {
        assert_eq!(page("limit=b&offset=a").unwrap_err().0, Code::InvalidIndexLimit);
        assert_eq!(page("offset=a&limit=b").unwrap_err().0, Code::InvalidIndexOffset);
    }

    #[test]
    fn unknown_names_are_refused_with_a_hint() {
        assert_eq!(
            page("limits=3").unwrap_err(),
            (
                Code::BadRequest,
                "Unknown parameter `limits`: did you mean `limit`? expected one of `offset`, `limit`"
                    .to_owned()
            )
        );
        assert_eq!(
            page("=1").unwrap_err().1,
            "Unknown parameter ``: expected one of `offset`, `limit`"
        );
    }
}
