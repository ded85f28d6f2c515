//! `/mcp`: the Model Context Protocol over streamable HTTP, so that assistants can search an
//! instance under a key. Tools are routes under other names: a call of one takes the way of a
//! request with the same key, so it can do what that request could, and no more.
//!
//! Nothing is kept between two requests: there are no sessions, no streams and no requests of the
//! server, in any revision of the protocol.

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

use message::{Fault, Message, Reply};
use revision::Revision;
use sender::Sender;

pub use catalogue::ACTIONS;

/// What a batch may hold, so that one request does not make answers without bound.
const LARGEST_BATCH: usize = 50;

pub async fn post(app: App, mut call: Call) -> Answer {
    let (body, _taken) = match call.typed_search_json::<Value>().await {
        Ok(body) => body,
        Err(error) if matches!(error.code, Code::MalformedPayload | Code::MissingPayload) => {
            return Ok(refused(StatusCode::BAD_REQUEST, Fault::parse(error.message)));
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
    match answered(app, sender, message).await {
        None => answer::empty(StatusCode::ACCEPTED),
        Some(reply) => answer::json(reply.status, &reply),
    }
}

/// Several messages at once, which only the first revision with this transport knows.
async fn batch(app: &App, sender: &Sender, messages: Vec<Value>) -> Response {
    if !Revision::stated(&sender.headers).is_ok_and(Revision::has_batches) {
        let fault = Fault::invalid_request("A body holds one message in this revision.");
        return refused(StatusCode::BAD_REQUEST, fault);
    }
    if messages.is_empty() || messages.len() > LARGEST_BATCH {
        let told = format!("A batch holds at least one message and at most {LARGEST_BATCH}.");
        return refused(StatusCode::BAD_REQUEST, Fault::invalid_request(told));
    }
    let mut replies = Vec::with_capacity(messages.len());
    for message in messages {
        replies.extend(answered(app, sender, message).await);
    }
    match replies.is_empty() {
        true => answer::empty(StatusCode::ACCEPTED),
        false => answer::ok(&replies),
    }
}

/// None for what is not answered.
async fn answered(app: &App, sender: &Sender, message: Value) -> Option<Reply> {
    match Message::read(message) {
        Err((id, fault)) => Some(Reply::refusing(StatusCode::BAD_REQUEST, id, fault)),
        // There is nothing that a client could tell us.
        Ok(Message::Notification) => match Revision::stated(&sender.headers) {
            Ok(_) => None,
            Err(fault) => Some(Reply::refusing(StatusCode::BAD_REQUEST, None, fault)),
        },
        Ok(Message::Request(request)) => {
            let revision = match Revision::of(&sender.headers, &request) {
                Ok(revision) => revision,
                Err(fault) => {
                    return Some(Reply::refusing(StatusCode::BAD_REQUEST, Some(request.id), fault));
                }
            };
            let id = request.id.clone();
            Some(match method::run(app, sender, revision, request).await {
                Ok(result) => Reply::with(id, result),
                Err(fault) => Reply::refusing(revision.status(&fault), Some(id), fault),
            })
        }
    }
}

fn refused(status: StatusCode, fault: Fault) -> Response {
    let reply = Reply::refusing(status, None, fault);
    answer::json(reply.status, &reply)
}
