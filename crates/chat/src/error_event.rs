//! Errors during a conversation, as sent to its client: the answer has begun, so an error is one of
//! its events.

use model::ServiceError;
use outbound::OutboundError;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::events::EventError;
use crate::provider::Provider;

/// Most bytes shown of an unreadable answer.
const SHOWN_BYTES: usize = 500;

const PROVIDER: &str = "provider_error";
const BAD_RESPONSE: &str = "bad_response";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ErrorEvent {
    kind: String,
    code: Option<String>,
    message: String,
    param: Option<String>,
}

impl ErrorEvent {
    fn new(kind: &str, code: impl Into<String>, message: impl Into<String>) -> Self {
        let (code, message) = (Some(code.into()), message.into());
        Self { kind: kind.to_owned(), code, message, param: None }
    }

    /// Builds the event for a provider that cannot be reached or stopped answering.
    pub fn of_call(error: &OutboundError) -> Self {
        let message = format!("The provider could not be reached: {error}");
        Self::new(PROVIDER, "unreachable", message)
    }

    /// Builds the event for an interrupted answer.
    pub fn of_interruption(error: &OutboundError) -> Self {
        match error {
            OutboundError::Timeout(_) | OutboundError::Stopped => Self::of_call(error),
            _ => Self::bad_response(format!(
                "The answer of the provider ended before it was complete: {error}"
            )),
        }
    }

    /// Builds the event for a refusal, mostly with the provider's reason.
    pub fn of_refusal(status: u16, body: &[u8]) -> Self {
        let code = status.to_string();
        let parsed: Value = serde_json::from_slice(body).unwrap_or_default();
        let details = match parsed.get("error") {
            Some(error) if !error.is_null() => Some(Self::of_details(error)),
            _ if parsed.is_object() => Some(Self::of_details(&parsed)),
            _ => None,
        };
        match details {
            Some(mut details) if !details.message.is_empty() => {
                details.code.get_or_insert(code);
                details
            }
            _ => {
                let body = String::from_utf8_lossy(body);
                let shown = &body[..body.floor_char_boundary(SHOWN_BYTES)];
                let message = format!("The provider answered with status {status}: {shown}");
                Self::new(PROVIDER, code, message)
            }
        }
    }

    /// Builds the event for an error of the provider: an object, or plain text.
    pub fn of_details(error: &Value) -> Self {
        let message = match error {
            Value::Object(object) => object.get("message").or(object.get("detail")).and_then(plain),
            other => plain(other),
        };
        Self {
            kind: error.get("type").and_then(plain).unwrap_or_else(|| PROVIDER.to_owned()),
            code: error.get("code").and_then(plain),
            message: message.unwrap_or_default(),
            param: error.get("param").and_then(plain),
        }
    }

    pub fn of_events(error: &EventError) -> Self {
        Self::bad_response(match error {
            EventError::TooLong => "The provider sent an event that is too long.",
            EventError::NotText => "The provider sent an event that is no text.",
        })
    }

    /// Builds the event for an unreadable answer.
    pub fn bad_response(message: impl Into<String>) -> Self {
        Self::new(PROVIDER, BAD_RESPONSE, message)
    }

    pub fn of_search(error: &ServiceError) -> Self {
        Self::new(error.code.kind().name(), error.code.name(), error.message.clone())
    }

    pub fn too_many_rounds(rounds: usize) -> Self {
        let message = format!("The model searched again in {rounds} answers in a row.");
        Self::new("internal", "too_many_rounds", message)
    }

    /// Removes the key of the provider from the event.
    pub fn without_key(self, provider: &Provider) -> Self {
        Self {
            kind: provider.without_key(self.kind),
            code: self.code.map(|code| provider.without_key(code)),
            message: provider.without_key(self.message),
            param: self.param.map(|param| provider.without_key(param)),
        }
    }

    pub fn to_json(&self) -> String {
        json!({
            "event_id": Uuid::new_v4(),
            "type": "error",
            "error": {
                "type": self.kind,
                "code": self.code,
                "message": self.message,
                "param": self.param,
                "event_id": null,
            },
        })
        .to_string()
    }
}

/// Returns a text as it is, anything else but null as JSON.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(body: &str, kind: &str, code: &str, message: &str, param: Option<&str>) {
        let event = ErrorEvent::of_refusal(429, body.as_bytes());
        let expected = ErrorEvent {
            kind: kind.to_owned(),
            code: Some(code.to_owned()),
            message: message.to_owned(),
            param: param.map(str::to_owned),
        };
        assert_eq!(event, expected, "{body}");
    }

    #[test]
    fn providers_say_in_many_forms_what_is_wrong() {
        refused(
            r#"{"error":{"message":"slow down","type":"requests","param":null,"code":"rate_limit"}}"#,
            "requests",
            "rate_limit",
            "slow down",
            None,
        );
        refused(
            r#"{"object":"error","message":"bad model","type":"BadRequestError","param":"model","code":400}"#,
            "BadRequestError",
            "400",
            "bad model",
            Some("model"),
        );
        refused(r#"{"error":"overloaded"}"#, PROVIDER, "429", "overloaded", None);
        refused(r#"{"detail":[{"loc":"x"}]}"#, PROVIDER, "429", r#"[{"loc":"x"}]"#, None);
        let unread = |body: &str| format!("The provider answered with status 429: {body}");
        refused("<html>", PROVIDER, "429", &unread("<html>"), None);
        refused("", PROVIDER, "429", &unread(""), None);
        refused("{}", PROVIDER, "429", &unread("{}"), None);
        let long = "é".repeat(1000);
        refused(&long, PROVIDER, "429", &unread(&long[..SHOWN_BYTES]), None);
    }

    #[test]
    fn an_event_has_an_id_of_its_own() {
        let event = ErrorEvent::bad_response("no");
        let json: Value = serde_json::from_str(&event.to_json()).unwrap();
        let id = json["event_id"].as_str().unwrap();
        assert!(Uuid::parse_str(id).is_ok());
        assert_eq!(
            json,
            json!({"event_id": id, "type": "error", "error": {"type": "provider_error",
                "code": "bad_response", "message": "no", "param": null, "event_id": null}})
        );
        assert_ne!(event.to_json(), event.to_json());
    }
}
