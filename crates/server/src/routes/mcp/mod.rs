//! `/mcp`: the Model Context Protocol over streamable HTTP, so that assistants can search an
//! instance with a key. A tool call is handled as a request to its route with the same key, so it
//! can do what that request could, and no more.
//!
//! The server is stateless: there are no sessions, no streams and no requests of the server, in any
//! revision of the protocol.

mod catalogue;
mod header_value;
mod inputs;
mod invocation;
mod message;
mod method;
mod revision;
mod sender;

use axum::http::StatusCode;
use axum::response::Response;
use model::Code;
use serde_json::Value;

use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;

use message::{Message, Reply, RpcError};
use revision::Revision;
use sender::Sender;

pub use catalogue::ACTIONS;

/// Most messages in a batch, which bounds the answers to one request.
const LARGEST_BATCH: usize = 50;

pub async fn post(app: App, mut call: Call) -> Answer {
    let (body, _memory) = match call.typed_search_json::<Value>().await {
        Ok(body) => body,
        Err(error) if matches!(error.code, Code::MalformedPayload | Code::MissingPayload) => {
            return Ok(error_response(StatusCode::BAD_REQUEST, RpcError::parse(error.message)));
        }
        Err(error) => return Err(error),
    };
    let sender = Sender::of(call);
    Ok(match body {
        Value::Array(messages) => batch(&app, &sender, messages).await,
        message => single(&app, &sender, message).await,
    })
}

async fn single(app: &App, sender: &Sender, message: Value) -> Response {
    match reply_to(app, sender, message).await {
        None => answer::empty(StatusCode::ACCEPTED),
        Some(reply) => answer::json(reply.status, &reply),
    }
}

/// Answers a batch of messages, which only the first revision with this transport has.
async fn batch(app: &App, sender: &Sender, messages: Vec<Value>) -> Response {
    if !Revision::stated(&sender.headers).is_ok_and(Revision::has_batches) {
        let error = RpcError::invalid_request("A body holds one message in this revision.");
        return error_response(StatusCode::BAD_REQUEST, error);
    }
    if messages.is_empty() || messages.len() > LARGEST_BATCH {
        let told = format!("A batch holds at least one message and at most {LARGEST_BATCH}.");
        return error_response(StatusCode::BAD_REQUEST, RpcError::invalid_request(told));
    }
    let mut replies = Vec::with_capacity(messages.len());
    for message in messages {
        replies.extend(reply_to(app, sender, message).await);
    }
    if replies.is_empty() { answer::empty(StatusCode::ACCEPTED) } else { answer::ok(&replies) }
}

/// Answers a message; `None` for notifications.
async fn reply_to(app: &App, sender: &Sender, message: Value) -> Option<Reply> {
    match Message::read(message) {
        Err((id, error)) => Some(Reply::refusing(StatusCode::BAD_REQUEST, id, error)),
        // No notification of a client matters here.
        Ok(Message::Notification) => match Revision::stated(&sender.headers) {
            Ok(_) => None,
            Err(error) => Some(Reply::refusing(StatusCode::BAD_REQUEST, None, error)),
        },
        Ok(Message::Request(request)) => {
            let revision = match Revision::of(&sender.headers, &request) {
                Ok(revision) => revision,
                Err(error) => {
                    return Some(Reply::refusing(StatusCode::BAD_REQUEST, Some(request.id), error));
                }
            };
            let id = request.id.clone();
            Some(match method::run(app, sender, revision, request).await {
                Ok(result) => Reply::with(id, result),
                Err(error) => Reply::refusing(revision.status(&error), Some(id), error),
            })
        }
    }
}

fn error_response(status: StatusCode, error: RpcError) -> Response {
    let reply = Reply::refusing(status, None, error);
    answer::json(reply.status, &reply)
}
