//! `/chats/{uid}/chat/completions`: the events of a conversation, as they happen. A client that
//! goes away drops the answer, and with it the conversation.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use engine::chats::{CompletionRequest, Conversation};
use futures_util::stream;
use telemetry::Event;
use telemetry::events::{Chat, RequestOutcome};
use tokio::sync::watch;

use super::check_feature;
use crate::access::Pass;
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;

/// How long a client waits before it connects again, in milliseconds.
const RETRY: Bytes = Bytes::from_static(b"retry: 10000\n\n");
const DONE: Bytes = Bytes::from_static(b"data: [DONE]\n\n");
const HEARTBEAT: Bytes = Bytes::from_static(b":\n\n");

/// Models think and searches take time; nobody should take that silence for the end.
const SILENCE: Duration = Duration::from_secs(15);

pub async fn complete(app: App, mut call: Call) -> Answer {
    let (request, _taken) = call.typed_search_json::<CompletionRequest>().await?;
    check_feature(&app, "using the /chats chat completions route")?;
    let running = app.begin(&call.headers, || Event::ChatCompleted(counted(&request)));
    let searches = Pass::of(&app.engine, &call.headers);
    let conversation =
        app.engine.chats().converse(call.param("uid"), request, Arc::new(searches)).await?;
    running.succeeded();
    let telling = Telling { stage: Stage::Opening, conversation, closing: app.closing.clone() };
    let lines = stream::unfold(telling, |mut telling| async move {
        let line = telling.next().await?;
        Some((Ok::<_, Infallible>(line), telling))
    });
    Ok(answer::events(Body::from_stream(lines)))
}

fn counted(request: &CompletionRequest) -> Chat {
    Chat { outcome: RequestOutcome::default(), model: request.model().into() }
}

/// A conversation as its client hears of it.
struct Telling {
    stage: Stage,
    conversation: Conversation,
    /// Turns true when the server closes.
    closing: watch::Receiver<bool>,
}

enum Stage {
    Opening,
    Talking,
    Over,
}

impl Telling {
    async fn next(&mut self) -> Option<Bytes> {
        match self.stage {
            Stage::Opening => {
                self.stage = Stage::Talking;
                Some(RETRY)
            }
            Stage::Talking => self.talk().await,
            Stage::Over => None,
        }
    }

    async fn talk(&mut self) -> Option<Bytes> {
        tokio::select! {
            event = self.conversation.next() => match event {
                Some(json) => Some(event_of(&json)),
                None => {
                    self.stage = Stage::Over;
                    Some(DONE)
                }
            },
            () = tokio::time::sleep(SILENCE) => Some(HEARTBEAT),
            // The conversation is cut short, and must not look complete.
            _ = self.closing.wait_for(|closing| *closing) => None,
        }
    }
}

/// Data that has several lines is told line by line.
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
