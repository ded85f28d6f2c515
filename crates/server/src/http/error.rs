//! Turns service errors into HTTP answers. The only place where an error gets a status.

use std::borrow::Cow;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use model::{ErrorClass, ErrorKind, ServiceError};
use serde::Serialize;

use super::answer;

/// Longest message in bytes; the middle of longer ones is cut out.
const LONGEST_MESSAGE: usize = 16 * 1024;

/// Seconds after which a client may try again, sent with every 503.
pub const RETRY_AFTER: HeaderValue = HeaderValue::from_static("10");

pub fn status(class: ErrorClass) -> StatusCode {
    match class {
        ErrorClass::BadRequest => StatusCode::BAD_REQUEST,
        ErrorClass::Unauthenticated => StatusCode::UNAUTHORIZED,
        ErrorClass::Forbidden => StatusCode::FORBIDDEN,
        ErrorClass::NotFound => StatusCode::NOT_FOUND,
        ErrorClass::Conflict => StatusCode::CONFLICT,
        ErrorClass::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
        ErrorClass::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorClass::UnsupportedMedia => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ErrorClass::Storage => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorClass::EditionRequired => StatusCode::UNAVAILABLE_FOR_LEGAL_REASONS,
        ErrorClass::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        ErrorClass::NotImplemented => StatusCode::NOT_IMPLEMENTED,
        ErrorClass::BadGateway => StatusCode::BAD_GATEWAY,
        ErrorClass::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// The scheme of a client's connection: plain HTTP or TLS.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scheme {
    #[default]
    Http,
    Https,
}

impl Scheme {
    fn name(self) -> &'static str {
        match self {
            Scheme::Http => "http",
            Scheme::Https => "https",
        }
    }
}

/// Links to the page of error codes, under the address that the client uses.
#[derive(Debug, Clone)]
pub struct Links {
    page: String,
}

impl Links {
    /// Takes the host from the request: the one name that this client can surely resolve.
    pub fn new(scheme: Scheme, host: Option<&str>) -> Self {
        let page = match host {
            Some(host) => format!("{}://{host}/docs/errors", scheme.name()),
            None => "/docs/errors".to_owned(),
        };
        Self { page }
    }

    fn to_code(&self, code: model::Code) -> String {
        format!("{}#{code}", self.page)
    }
}

/// The JSON error object, as an answer of its own or inside a failed task.
#[derive(Debug, Serialize)]
pub struct ErrorObject<'a> {
    message: &'a str,
    code: &'static str,
    r#type: &'static str,
    link: String,
}

impl<'a> ErrorObject<'a> {
    pub fn new(error: &'a ServiceError, links: &Links) -> Self {
        Self {
            message: &error.message,
            code: error.code.name(),
            r#type: error.code.kind().name(),
            link: links.to_code(error.code),
        }
    }
}

pub fn respond(error: &ServiceError, links: &Links) -> Response {
    respond_as(error, status(error.code.class()), links)
}

/// Like `respond`, but turns 404 into 400: what was not found is named in the body, and the address
/// of the request is right.
pub fn respond_to_body(error: &ServiceError, links: &Links) -> Response {
    let status = match error.code.class() {
        ErrorClass::NotFound => StatusCode::BAD_REQUEST,
        class => status(class),
    };
    respond_as(error, status, links)
}

fn respond_as(error: &ServiceError, status: StatusCode, links: &Links) -> Response {
    if error.code.kind() == ErrorKind::Internal {
        tracing::error!(code = error.code.name(), "{}", error.message);
    }
    let mut object = ErrorObject::new(error, links);
    let shown = shown_message(&error.message);
    object.message = &shown;
    let mut response = answer::json(status, &object);
    if status == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(header::RETRY_AFTER, RETRY_AFTER);
    }
    response
}

/// Shortens a message to what is sent. Messages quote invalid values, which may be megabytes; the
/// start and the end remain, which hold the reason and the advice.
pub(crate) fn shown_message(message: &str) -> Cow<'_, str> {
    if message.len() <= LONGEST_MESSAGE {
        return Cow::Borrowed(message);
    }
    let start = message.floor_char_boundary(LONGEST_MESSAGE / 2);
    let end = message.ceil_char_boundary(message.len() - LONGEST_MESSAGE / 2);
    Cow::Owned(format!("{} … {}", &message[..start], &message[end..]))
}

#[cfg(test)]
mod tests {
    use model::Code;

    use super::*;

    #[test]
    fn every_503_says_when_to_try_again() {
        for &code in Code::ALL {
            let response = respond(&ServiceError::new(code, "x"), &Links::new(Scheme::Http, None));
            let tells = response.headers().contains_key(header::RETRY_AFTER);
            assert_eq!(tells, response.status() == StatusCode::SERVICE_UNAVAILABLE, "{code}");
        }
    }

    #[test]
    fn a_message_that_quotes_megabytes_is_sent_without_its_middle() {
        let long = format!("Invalid value `{}`: send less.", "é".repeat(1 << 20));
        let shown = shown_message(&long);
        assert!(shown.len() < LONGEST_MESSAGE + 10);
        assert!(shown.starts_with("Invalid value `é") && shown.ends_with("é`: send less."));
        assert_eq!(shown_message("short"), "short");
    }

    #[test]
    fn the_link_points_to_the_page_of_this_instance() {
        let error = ServiceError::index_not_found("books");
        let object = serde_json::to_string(&ErrorObject::new(
            &error,
            &Links::new(Scheme::Http, Some("h:7700")),
        ));
        assert_eq!(
            object.unwrap(),
            r#"{"message":"Index `books` not found.","code":"index_not_found","type":"invalid_request","link":"http://h:7700/docs/errors#index_not_found"}"#
        );
        let bare = ErrorObject::new(&error, &Links::new(Scheme::Http, None)).link;
        assert_eq!(bare, "/docs/errors#index_not_found");
        let encrypted = ErrorObject::new(&error, &Links::new(Scheme::Https, Some("h"))).link;
        assert_eq!(encrypted, "https://h/docs/errors#index_not_found");
    }
}
