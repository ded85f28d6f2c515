//! One answer of a model, from the request to its last chunk.

use outbound::{Client, OutboundError};
use serde::Deserialize;
use tokio::sync::mpsc;

use crate::calls::{ToolCall, ToolCalls};
use crate::chunk::Chunk;
use crate::error_event::ErrorEvent;
use crate::events::{EventError, EventReader};
use crate::provider::Provider;
use crate::reports::Reporter;
use crate::request::ProviderRequest;
use crate::searcher::Usage;

/// Bytes read of a refusal, enough to find its reason.
const REFUSAL_BYTES: usize = 64 << 10;
/// The last event of a provider.
const DONE: &str = "[DONE]";

/// The model's answer.
#[derive(Debug)]
pub(crate) struct Round {
    pub text: String,
    pub calls: Vec<ToolCall>,
    /// Token usage, if the provider reports it.
    pub usage: Option<Usage>,
}

/// Sends the events of a conversation to its client.
#[derive(Debug, Clone)]
pub(crate) struct EventSink(pub mpsc::Sender<String>);

impl EventSink {
    pub async fn send(&self, event: Option<String>) {
        if let Some(event) = event {
            // The receiver runs this future too; when it goes, this ends with it.
            let _ = self.0.send(event).await;
        }
    }
}

/// Reads an answer in progress.
pub(crate) struct AnswerReader<'c> {
    reporter: &'c mut Reporter,
    sink: &'c EventSink,
    wants_usage: bool,
    text: String,
    calls: ToolCalls,
    usage: Option<Usage>,
    is_complete: bool,
}

impl<'c> AnswerReader<'c> {
    pub fn new(reporter: &'c mut Reporter, sink: &'c EventSink, wants_usage: bool) -> Self {
        let (text, calls) = (String::new(), ToolCalls::default());
        Self { reporter, sink, wants_usage, text, calls, usage: None, is_complete: false }
    }

    /// Asks the provider, and forwards chunks to the client as they come.
    pub async fn of_question(
        mut self,
        client: &Client,
        provider: &Provider,
        question: &ProviderRequest,
    ) -> Result<Round, ErrorEvent> {
        let interrupted = |error: OutboundError| ErrorEvent::of_interruption(&error);
        let unread = |error: EventError| ErrorEvent::of_events(&error);
        let call = provider.call(question.to_bytes());
        let asked = client.stream(&call).await;
        let mut answer = asked.map_err(|error| ErrorEvent::of_call(&error))?;
        let status = answer.status();
        if !(200..300).contains(&status) {
            let body = answer.beginning(REFUSAL_BYTES).await.unwrap_or_default();
            return Err(ErrorEvent::of_refusal(status, &body));
        }
        let mut events = EventReader::default();
        while let Some(bytes) = answer.next().await.map_err(interrupted)? {
            for data in events.push(&bytes).map_err(unread)? {
                if data.trim() == DONE {
                    self.is_complete = true;
                    return self.finish();
                }
                self.hear(data).await?;
            }
        }
        match events.finish().map_err(unread)? {
            Some(data) if data.trim() == DONE => self.is_complete = true,
            Some(data) => self.hear(data).await?,
            None => {}
        }
        self.finish()
    }

    async fn hear(&mut self, data: String) -> Result<(), ErrorEvent> {
        let chunk = Chunk::parse(data)?;
        self.reporter.follow(&chunk);
        if let Some(usage) = chunk.member("usage") {
            tracing::debug!(%usage, "an answer of a chat provider");
            // Some repeat it, each time for the answer so far.
            self.usage = Usage::deserialize(usage).ok().or(self.usage);
        }
        self.text.push_str(chunk.content().unwrap_or_default());
        self.calls.add(chunk.tool_calls());
        self.is_complete |= chunk.is_last();
        self.sink.send(chunk.into_forwarded(!self.calls.is_empty(), self.wants_usage)).await;
        Ok(())
    }

    fn finish(self) -> Result<Round, ErrorEvent> {
        if !self.is_complete {
            let message = "The answer of the provider ended before it was complete.";
            return Err(ErrorEvent::bad_response(message));
        }
        Ok(Round { text: self.text, calls: self.calls.finish(), usage: self.usage })
    }
}
