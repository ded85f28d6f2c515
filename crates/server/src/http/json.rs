//! Reads JSON bodies: checks the `Content-Type`, the syntax, then the fields, each with its own
//! error.

use axum::body::Body;
use axum::http::HeaderMap;
use deserr::Deserr;
use model::{Code, ServiceError};
use serde::de::DeserializeOwned;

use super::body::{over_budget, read_whole};
use super::body_memory::BodyMemory;
use super::content_type;
use super::field_error::body_code;
use super::limits::{BodyLimits, Limits};
use crate::blocking::run_blocking;

/// The error type of a whole body, with the code of unknown fields and of a wrong root.
pub type BodyError = body_code!(BadRequest);

/// Largest body that is parsed on the threads that drive connections.
const QUICK: usize = 16 * 1024;

/// Memory of one parsed value, with the growth of the list around it.
const VALUE_MEMORY: u64 = 200;

/// Reads a body whose fields have codes of their own. The caller holds the `BodyMemory` for as long
/// as it uses the value.
pub async fn read<T>(
    headers: &HeaderMap,
    body: Body,
    allowed: BodyLimits<'_>,
) -> Result<(T, BodyMemory), ServiceError>
where
    T: Deserr<BodyError> + Send + 'static,
{
    read_checked(headers, body, allowed, |_| Ok(())).await
}

/// Like `read`, and also runs `check` on the whole body before its fields are read.
pub async fn read_checked<T>(
    headers: &HeaderMap,
    body: Body,
    allowed: BodyLimits<'_>,
    check: impl FnOnce(&serde_json::Value) -> Result<(), ServiceError> + Send + 'static,
) -> Result<(T, BodyMemory), ServiceError>
where
    T: Deserr<BodyError> + Send + 'static,
{
    let (bytes, taken) = bytes(headers, body, allowed).await?;
    let value = apart(bytes, allowed.limits, move |bytes| {
        let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(malformed)?;
        check(&value)?;
        Ok(deserr::deserialize::<T, _, BodyError>(value)?)
    });
    Ok((value.await?, taken))
}

/// Reads a body as one typed value, without codes for its fields.
pub async fn read_typed<T>(
    headers: &HeaderMap,
    body: Body,
    allowed: BodyLimits<'_>,
) -> Result<(T, BodyMemory), ServiceError>
where
    T: DeserializeOwned + Send + 'static,
{
    let (bytes, taken) = bytes(headers, body, allowed).await?;
    let value = apart(bytes, allowed.limits, |bytes| {
        serde_json::from_slice(&bytes).map_err(|error| {
            if error.is_data() {
                let message = format!("Json deserialize error: {error}");
                return ServiceError::new(Code::BadRequest, message);
            }
            malformed(error)
        })
    });
    Ok((value.await?, taken))
}

/// Reads the bytes of a body, with memory for them and for the values they become.
async fn bytes(
    headers: &HeaderMap,
    body: Body,
    allowed: BodyLimits<'_>,
) -> Result<(Vec<u8>, BodyMemory), ServiceError> {
    content_type::check_json(headers)?;
    let (bytes, mut taken) = read_whole(headers, body, allowed)
        .await
        .map_err(|error| with_option(error.in_json(), allowed))?;
    if bytes.is_empty() {
        return Err(ServiceError::new(Code::MissingPayload, "A json payload is missing."));
    }
    let (bytes, values) = apart(bytes, allowed.limits, |bytes| {
        let values = values_at_most(&bytes);
        Ok((bytes, values))
    })
    .await?;
    let most = allowed.limits.bounds.json_values;
    if values > most {
        return Err(ServiceError::new(
            Code::PayloadTooLarge,
            format!(
                "The json payload has more than {most} values. Send less at once, or raise \
                 `--http-json-value-limit`."
            ),
        ));
    }
    let memory = (bytes.len() as u64).saturating_add(values * VALUE_MEMORY);
    match allowed.budget.cover(&mut taken, memory) {
        true => Ok((bytes, taken)),
        false => Err(over_budget(allowed.budget).in_json()),
    }
}

/// Names the option that limits the body. The message about the limit of all bodies stays as
/// Meilisearch words it.
fn with_option(mut error: ServiceError, allowed: BodyLimits<'_>) -> ServiceError {
    if let (Code::PayloadTooLarge, Some(option)) = (error.code, allowed.size_option) {
        error.message.push_str(&format!(" Send less at once, or raise `{option}`."));
    }
    error
}

/// Returns an upper bound of the number of values in a JSON text: each but the first follows a
/// comma or opens a list or an object. Counting comes before parsing, which allocates.
fn values_at_most(text: &[u8]) -> u64 {
    let mut values = 1;
    let mut in_string = false;
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => in_string = !in_string,
            b'\\' if in_string => {
                bytes.next();
            }
            b',' | b'[' | b'{' if !in_string => values += 1,
            _ => {}
        }
    }
    values
}

async fn apart<T: Send + 'static>(
    bytes: Vec<u8>,
    limits: &Limits,
    work: impl FnOnce(Vec<u8>) -> Result<T, ServiceError> + Send + 'static,
) -> Result<T, ServiceError> {
    if bytes.len() <= QUICK {
        return work(bytes);
    }
    let _turn = limits.parsing.acquire().await.map_err(ServiceError::internal)?;
    run_blocking(move || work(bytes)).await
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
    use crate::bounds::Bounds;

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

    fn limits(bounds: Bounds) -> Limits {
        Limits::new(Bounds { payload_size: 1000, ..bounds })
    }

    async fn sample(text: &str) -> Result<u64, String> {
        let limits = limits(Bounds::default());
        read::<Sample>(&headers(), Body::from(text.to_owned()), limits.writing())
            .await
            .map(|(sample, _)| sample.limit)
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
            let limits = limits(Bounds::default());
            read_typed::<Vec<serde_json::Value>>(&headers(), Body::from(text), limits.writing())
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

    #[test]
    fn values_are_counted_without_parsing() {
        for (text, expected) in [
            ("1", 1),
            ("[1,2,3]", 4),
            (r#"{"a":1,"b":[true,null]}"#, 5),
            (r#"{"a":"x,[{\"y,","b":"\\"}"#, 3),
            // Too many by one where a list is empty.
            ("[[],[]]", 5),
        ] {
            assert_eq!(values_at_most(text.as_bytes()), expected, "{text}");
        }
    }

    #[tokio::test]
    async fn a_body_with_too_many_values_is_refused_before_it_is_parsed() {
        let limits = limits(Bounds { json_values: 5, ..Bounds::default() });
        let read = async |text: &'static str| {
            read_typed::<Vec<u64>>(&headers(), Body::from(text), limits.searching()).await
        };
        assert_eq!(read("[1,2,3]").await.unwrap().0, [1, 2, 3]);
        let refused = read("[1,2,3,4,5]").await.unwrap_err();
        assert_eq!(refused.code, Code::PayloadTooLarge);
        assert!(refused.message.contains("--http-json-value-limit"), "{}", refused.message);
    }

    #[tokio::test]
    async fn parsed_values_count_as_memory_until_the_request_ends() {
        let bounds = Bounds { payload_size: 1 << 20, search_memory: 1 << 20, ..Bounds::default() };
        let limits = Limits::new(bounds);
        let text = format!("[{}0]", "0,".repeat(4000));
        let read = async || {
            let body = Body::from(text.clone());
            read_typed::<Vec<u64>>(&headers(), body, limits.searching()).await
        };
        let held = read().await.unwrap();
        assert_eq!(read().await.unwrap_err().code, Code::TooManySearchRequests);
        drop(held);
        assert!(read().await.is_ok());
    }
}
