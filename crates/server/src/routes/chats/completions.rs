//! `/chats/{uid}/chat/completions`: the events of a conversation, as they happen. A client that
//! goes away drops the answer, and with it the conversation.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use engine::chats::{CompletionRequest, Conversation};
use futures_util::stream;
use tokio::sync::watch;

use super::check_feature;
use crate::access::Credential;
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::routes::usage;

/// How long a client waits before it connects again, in milliseconds.
const RETRY: Bytes = Bytes::from_static(b"retry: 10000\n\n");
const DONE: Bytes = Bytes::from_static(b"data: [DONE]\n\n");
const HEARTBEAT: Bytes = Bytes::from_static(b":\n\n");

/// Pause after which a heartbeat is sent: models think and searches take time, and clients must not
/// take silence for the end.
const SILENCE: Duration = Duration::from_secs(15);

pub async fn complete(app: App, mut call: Call) -> Answer {
    let (request, _memory) = call.typed_search_json::<CompletionRequest>().await?;
    check_feature(&app, "using the /chats chat completions route")?;
    let running = app.begin(&call.headers, || usage::chat_completed(request.model()));
    let credential = Credential::of(&app.engine, &call.headers);
    let conversation =
        app.engine.chats().converse(call.param("uid"), request, Arc::new(credential)).await?;
    running.succeeded();
    let events = EventStream { stage: Stage::Opening, conversation, closing: app.closing.clone() };
    let lines = stream::unfold(events, |mut events| async move {
        let line = events.next().await?;
        Some((Ok::<_, Infallible>(line), events))
    });
    Ok(answer::events(Body::from_stream(lines)))
}

/// Turns a conversation into server-sent events.
struct EventStream {
    stage: Stage,
    conversation: Conversation,
    /// Turns true when the server shuts down.
    closing: watch::Receiver<bool>,
}

enum Stage {
    Opening,
    Talking,
    Over,
}

impl EventStream {
    async fn next(&mut self) -> Option<Bytes> {
        match self.stage {
            Stage::Opening => {
                self.stage = Stage::Talking;
                Some(RETRY)
            }
            Stage::Talking => self.next_event().await,
            Stage::Over => None,
        }
    }

    async fn next_event(&mut self) -> Option<Bytes> {
        tokio::select! {
            event = self.conversation.next() => match event {
                Some(json) => Some(event_of(&json)),
                None => {
                    self.stage = Stage::Over;
                    Some(DONE)
                }
            },
            () = tokio::time::sleep(SILENCE) => Some(HEARTBEAT),
            // No `[DONE]`: the conversation is cut short and must not look complete.
            _ = self.closing.wait_for(|closing| *closing) => None,
        }
    }
}

/// Writes an event; data of several lines takes several `data:` lines.
fn event_of(json: &str) -> Bytes {
    let mut event = String::with_capacity(json.len() + 8);
    for line in json.lines() {
        event.push_str("data: ");
        event.push_str(line);
        event.push('\n');
    }
    event.push('\n');
    Bytes::from(event)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_of_several_lines_is_one_event() {
        assert_eq!(event_of("{}"), "data: {}\n\n");
        assert_eq!(event_of("{\n \"a\": 1\n}"), "data: {\ndata:  \"a\": 1\ndata: }\n\n");
    }
}
