//! Reads and checks the `Content-Type` of requests.

use axum::http::{HeaderMap, header};
use model::{Code, ServiceError};

/// A media type without its parameters, as it was written.
#[derive(Debug, PartialEq, Eq)]
pub struct MediaType<'a> {
    kind: &'a str,
    subtype: &'a str,
    /// `json` of `application/vnd.api+json`.
    suffix: Option<&'a str>,
}

impl<'a> MediaType<'a> {
    fn parse(value: &'a str) -> Option<Self> {
        let essence = value.split(';').next()?.trim();
        let (kind, rest) = essence.split_once('/')?;
        let is_token = |text: &str| {
            !text.is_empty()
                && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&-^_.+*".contains(&b))
        };
        if !is_token(kind) || !is_token(rest) {
            return None;
        }
        let (subtype, suffix) = match rest.rsplit_once('+') {
            Some((subtype, suffix)) => (subtype, Some(suffix)),
            None => (rest, None),
        };
        Some(Self { kind, subtype, suffix })
    }

    pub fn is(&self, kind: &str, subtype: &str) -> bool {
        self.suffix.is_none()
            && self.kind.eq_ignore_ascii_case(kind)
            && self.subtype.eq_ignore_ascii_case(subtype)
    }

    fn is_json(&self) -> bool {
        let named = self.suffix.unwrap_or(self.subtype);
        named.eq_ignore_ascii_case("json")
    }

    /// The type as error messages of uploads show it.
    pub fn essence(&self) -> String {
        format!("{}/{}", self.kind, self.subtype)
    }
}

/// The types a route accepts, as its error messages list them.
#[derive(Debug, Clone, Copy)]
pub struct Accepted(pub &'static [&'static str]);

impl Accepted {
    fn list(self) -> String {
        let quoted: Vec<String> = self.0.iter().map(|kind| format!("`{kind}`")).collect();
        quoted.join(", ")
    }

    pub fn missing(self) -> ServiceError {
        ServiceError::new(
            Code::MissingContentType,
            format!(
                "A Content-Type header is missing. Accepted values for the Content-Type header are: {}",
                self.list()
            ),
        )
    }

    pub fn invalid(self, found: &str) -> ServiceError {
        ServiceError::new(
            Code::InvalidContentType,
            format!(
                "The Content-Type `{found}` is invalid. Accepted values for the Content-Type header are: {}",
                self.list()
            ),
        )
    }
}

const JSON_ONLY: Accepted = Accepted(&["application/json"]);

/// Returns the text of the header, and the media type if it is well-formed.
pub fn of(headers: &HeaderMap) -> Option<(String, Option<MediaType<'_>>)> {
    let value = headers.get(header::CONTENT_TYPE)?;
    let shown = String::from_utf8_lossy(value.as_bytes()).trim().to_owned();
    Some((shown, value.to_str().ok().and_then(MediaType::parse)))
}

/// Checks that the body is JSON: any `json` subtype or `+json` suffix, with any parameters.
pub fn check_json(headers: &HeaderMap) -> Result<(), ServiceError> {
    match of(headers) {
        None => Err(JSON_ONLY.missing()),
        Some((_, Some(kind))) if kind.is_json() => Ok(()),
        Some((shown, _)) => Err(JSON_ONLY.invalid(&shown)),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn check(value: &'static str) -> Result<(), Code> {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(value));
        check_json(&headers).map_err(|error| error.code)
    }

    #[test]
    fn json_has_many_spellings() {
        for good in [
            "application/json",
            "Application/Json;charset=UTF-8",
            "application/json; q=1; x=y",
            "application/vnd.api+json",
            "application/ld+json; profile=x",
            "text/json",
            "application/json;",
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in [
            "application/jsonp",
            "json/application",
            "*/*",
            "application/*",
            "application/json, text/plain",
            ";",
            "json",
            "application",
            "application/x-ndjson",
        ] {
            assert_eq!(check(bad), Err(Code::InvalidContentType), "{bad}");
        }
        let error = check_json(&HeaderMap::new()).unwrap_err();
        assert_eq!(error.code, Code::MissingContentType);
    }
}
