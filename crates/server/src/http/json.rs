//! JSON bodies: the Content-Type, the syntax, then the fields, each with its own error.

use axum::body::Body;
use axum::http::HeaderMap;
use deserr::Deserr;
use model::{Code, ServiceError};
use serde::de::DeserializeOwned;

use super::body::{BodyReader, ReadError};
use super::content_type;
use super::refused::body_code;
use super::room::{Room, Taken};
use crate::app::run_blocking;

/// The error type of a whole body; unknown fields and a wrong root have this code.
pub type BodyError = body_code!(BadRequest);

/// Bodies beyond this many bytes are parsed off the threads that drive connections.
const QUICK: usize = 256 * 1024;

/// Reads a body whose fields have codes of their own.
pub async fn read<T>(
    headers: &HeaderMap,
    body: Body,
    limit: u64,
    room: &Room,
) -> Result<T, ServiceError>
where
    T: Deserr<BodyError> + Send + 'static,
{
    // The room is taken until the text has become a value.
    let (bytes, _taken) = bytes(headers, body, limit, room).await?;
    parse_apart(bytes, |bytes| {
        let value: serde_json::Value = serde_json::from_slice(bytes).map_err(malformed)?;
        Ok(deserr::deserialize::<T, _, BodyError>(value)?)
    })
    .await
}

/// Reads a body that is one typed value, without codes for its parts.
pub async fn read_typed<T>(
    headers: &HeaderMap,
    body: Body,
    limit: u64,
    room: &Room,
) -> Result<T, ServiceError>
where
    T: DeserializeOwned + Send + 'static,
{
    // The room is taken until the text has become a value.
    let (bytes, _taken) = bytes(headers, body, limit, room).await?;
    parse_apart(bytes, |bytes| {
        serde_json::from_slice(bytes).map_err(|error| {
            if error.is_data() {
                let message = format!("Json deserialize error: {error}");
                return ServiceError::new(Code::BadRequest, message);
            }
            malformed(error)
        })
    })
    .await
}

async fn bytes(
    headers: &HeaderMap,
    body: Body,
    limit: u64,
    room: &Room,
) -> Result<(Vec<u8>, Taken), ServiceError> {
    content_type::check_json(headers)?;
    let reader = BodyReader::open(headers, body, limit).await.map_err(ReadError::in_json)?;
    let (bytes, taken) = reader.read_all(room).await.map_err(ReadError::in_json)?;
    if bytes.is_empty() {
        return Err(ServiceError::new(Code::MissingPayload, "A json payload is missing."));
    }
    Ok((bytes, taken))
}

async fn parse_apart<T: Send + 'static>(
    bytes: Vec<u8>,
    parse: impl FnOnce(&[u8]) -> Result<T, ServiceError> + Send + 'static,
) -> Result<T, ServiceError> {
    if bytes.len() <= QUICK { parse(&bytes) } else { run_blocking(move || parse(&bytes)).await }
}

fn malformed(error: serde_json::Error) -> ServiceError {
    ServiceError::new(
        Code::MalformedPayload,
        format!("The json payload provided is malformed. `{error}`."),
    )
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderValue, header};

    use super::*;

    #[derive(Debug, Deserr, PartialEq)]
    #[deserr(error = BodyError, deny_unknown_fields)]
    struct Sample {
        #[deserr(error = body_code!(InvalidSearchLimit))]
        limit: u64,
    }

    fn headers() -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers
    }

    async fn sample(text: &str) -> Result<u64, String> {
        read::<Sample>(&headers(), Body::from(text.to_owned()), 1000, &Room::for_bodies_of(1000))
            .await
            .map(|sample| sample.limit)
            .map_err(|error| format!("{} #{}", error.message, error.code))
    }

    #[tokio::test]
    async fn oddities_of_json_are_told_as_recorded() {
        let bad_limit = |found: &str| {
            format!(
                "Invalid value type at `.limit`: expected a positive integer, but found {found} #invalid_search_limit"
            )
        };
        let malformed = |why: &str| {
            format!("The json payload provided is malformed. `{why}`. #malformed_payload")
        };
        let deep = format!("{{\"limit\":{}", "[".repeat(200));
        for (text, expected) in [
            (r#"{"limit":1,"limit":2}"#, Ok(2)),
            (" \n\t{\"limit\":18446744073709551615}\r\n ", Ok(u64::MAX)),
            (r#"{"limit":1e2}"#, Err(bad_limit("a number: `100.0`"))),
            (r#"{"limit":-0}"#, Err(bad_limit("a number: `-0.0`"))),
            (
                r#"{"limit":18446744073709551616}"#,
                Err(bad_limit("a number: `1.8446744073709552e+19`")),
            ),
            (
                r#"{"limit":123456789012345678901234567890}"#,
                Err(bad_limit("a number: `1.2345678901234568e+29`")),
            ),
            (r#"{"limit":null}"#, Err(bad_limit("null"))),
            (r#"{"limit":1e400}"#, Err(malformed("number out of range at line 1 column 14"))),
            (&deep, Err(malformed("recursion limit exceeded at line 1 column 136"))),
            ("\u{feff}{}", Err(malformed("expected value at line 1 column 1"))),
            (r#"{"limit":1}//c"#, Err(malformed("trailing characters at line 1 column 12"))),
            ("", Err("A json payload is missing. #missing_payload".to_owned())),
            (
                "[]",
                Err(
                    "Invalid value type: expected an object, but found an array: `[]` #bad_request"
                        .to_owned(),
                ),
            ),
        ] {
            assert_eq!(sample(text).await, expected, "{text}");
        }
    }

    #[tokio::test]
    async fn typed_bodies_tell_data_errors_apart_from_syntax() {
        let read = |text: &'static str| async move {
            let room = Room::for_bodies_of(1000);
            read_typed::<Vec<serde_json::Value>>(&headers(), Body::from(text), 1000, &room)
                .await
                .unwrap_err()
                .message
        };
        assert_eq!(
            read(r#"{"a": 1} x"#).await,
            "Json deserialize error: invalid type: map, expected a sequence at line 1 column 0"
        );
        assert_eq!(
            read("[1] 2").await,
            "The json payload provided is malformed. `trailing characters at line 1 column 5`."
        );
    }
}
