//! JSON-RPC 2.0, the envelope of the protocol: requests, replies and error codes.

use axum::http::StatusCode;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

use crate::http::error::shown_message;

/// The id with which a client matches a reply to its request.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Id {
    Number(Number),
    Text(String),
}

#[derive(Debug)]
pub struct Request {
    pub id: Id,
    pub method: String,
    pub params: Map<String, Value>,
}

#[derive(Debug)]
pub enum Message {
    Request(Request),
    /// A message that is not answered.
    Notification,
}

impl Message {
    /// Reads a message. Errors come with the id of the message, if it has one.
    pub fn read(message: Value) -> Result<Self, (Option<Id>, RpcError)> {
        let Value::Object(mut members) = message else {
            return Err((None, RpcError::invalid_request("A message is an object.")));
        };
        let (has_id, id) = match members.remove("id") {
            None => (false, None),
            Some(Value::String(id)) => (true, Some(Id::Text(id))),
            Some(Value::Number(id)) if !id.is_f64() => (true, Some(Id::Number(id))),
            Some(_) => (true, None),
        };
        let wrong = |told: &str| Err((id.clone(), RpcError::invalid_request(told)));
        if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return wrong("The member `jsonrpc` must be \"2.0\".");
        }
        let Some(Value::String(method)) = members.remove("method") else {
            return wrong("A message has a `method`: this server sends no requests to answer.");
        };
        let params = match members.remove("params") {
            None => Map::new(),
            Some(Value::Object(params)) => params,
            Some(_) => return wrong("The member `params` must be an object."),
        };
        match (has_id, id) {
            (false, _) => Ok(Message::Notification),
            (true, Some(id)) => Ok(Message::Request(Request { id, method, params })),
            (true, None) => {
                Err((None, RpcError::invalid_request("The `id` must be a string or an integer.")))
            }
        }
    }
}

/// Error codes of JSON-RPC and of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RpcErrorCode {
    Parse = -32700,
    InvalidRequest = -32600,
    MethodNotFound = -32601,
    InvalidParams = -32602,
    HeaderMismatch = -32020,
    UnsupportedVersion = -32022,
}

#[derive(Debug, PartialEq)]
pub struct RpcError {
    pub code: RpcErrorCode,
    message: String,
    data: Option<Box<Value>>,
}

impl RpcError {
    fn new(code: RpcErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: shown_message(&message.into()).into_owned(), data: None }
    }

    pub fn parse(message: impl Into<String>) -> Self {
        Self::new(RpcErrorCode::Parse, message)
    }

    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(RpcErrorCode::InvalidRequest, message)
    }

    pub fn method_not_found(method: &str) -> Self {
        Self::new(RpcErrorCode::MethodNotFound, format!("Method not found: {method}"))
    }

    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(RpcErrorCode::InvalidParams, message)
    }

    pub fn header_mismatch(message: impl Into<String>) -> Self {
        Self::new(RpcErrorCode::HeaderMismatch, message)
    }

    pub fn unsupported_version(data: Value) -> Self {
        let message = "Unsupported protocol version";
        Self { data: Some(Box::new(data)), ..Self::new(RpcErrorCode::UnsupportedVersion, message) }
    }
}

/// The reply to one message.
#[derive(Debug, Serialize)]
pub struct Reply {
    jsonrpc: &'static str,
    /// Absent if it could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Id>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorMember>,
    #[serde(skip)]
    pub status: StatusCode,
}

#[derive(Debug, Serialize)]
struct ErrorMember {
    code: i32,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Box<Value>>,
}

impl Reply {
    pub fn with(id: Id, result: Box<RawValue>) -> Self {
        Self {
            jsonrpc: "2.0",
            id: Some(id),
            result: Some(result),
            error: None,
            status: StatusCode::OK,
        }
    }

    pub fn refusing(status: StatusCode, id: Option<Id>, error: RpcError) -> Self {
        let RpcError { code, message, data } = error;
        let error = Some(ErrorMember { code: code as i32, message, data });
        Self { jsonrpc: "2.0", id, result: None, error, status }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ids_are_strings_or_integers() {
        for (id, is_good) in [
            (json!(1), true),
            (json!(-7), true),
            (json!(u64::MAX), true),
            (json!("a"), true),
            (json!(null), false),
            (json!(1.5), false),
            (json!([1]), false),
        ] {
            let read = Message::read(json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
            assert_eq!(matches!(read, Ok(Message::Request(_))), is_good, "{id}");
        }
    }

    #[test]
    fn unreadable_messages_are_reported_with_their_id() {
        for (message, id) in [
            (json!("ping"), None),
            (json!({"id": 3, "method": "ping"}), Some(Id::Number(3.into()))),
            (
                json!({"jsonrpc": "1.0", "id": "a", "method": "ping"}),
                Some(Id::Text("a".to_owned())),
            ),
            (json!({"jsonrpc": "2.0", "id": 3, "result": {}}), Some(Id::Number(3.into()))),
            (json!({"jsonrpc": "2.0", "id": 3, "method": 4}), Some(Id::Number(3.into()))),
            (
                json!({"jsonrpc": "2.0", "id": 3, "method": "ping", "params": []}),
                Some(Id::Number(3.into())),
            ),
        ] {
            let (found, error) = Message::read(message.clone()).unwrap_err();
            assert_eq!((found, error.code), (id, RpcErrorCode::InvalidRequest), "{message}");
        }
    }
}
