//! A conversation: asks the model, runs its searches, and asks again with the results, until it
//! searches no more.

use std::fmt;
use std::pin::Pin;

use model::{Code, ServiceError};
use outbound::Client;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::calls::ToolCall;
use crate::error_event::ErrorEvent;
use crate::prompts::Prompts;
use crate::provider::Provider;
use crate::reports::{Reporter, Reports};
use crate::request::{CompletionRequest, ProviderRequest};
use crate::round::{AnswerReader, EventSink, Round};
use crate::search_tool::{IndexDescription, SEARCH};
use crate::searcher::{FoundDocuments, Searcher};

/// Most requests to a model for one answer.
pub const MAX_ROUNDS: usize = 20;

/// Events buffered for the client. A client that does not read blocks its provider.
const WAITING_EVENTS: usize = 16;

/// The start of a conversation.
#[derive(Debug)]
pub struct ConversationStart {
    pub request: CompletionRequest,
    pub reports: Reports,
    pub provider: Provider,
    pub prompts: Prompts,
    pub indexes: Vec<IndexDescription>,
}

/// A running conversation: it advances while its events are awaited, and ends when dropped.
pub struct Conversation {
    events: mpsc::Receiver<String>,
    running: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl Conversation {
    pub fn start<S: Searcher>(client: Client, start: ConversationStart, searcher: S) -> Self {
        let ConversationStart { request, reports, provider, prompts, indexes } = start;
        let (sender, events) = mpsc::channel(WAITING_EVENTS);
        let task = ConversationTask {
            client,
            searcher,
            sink: EventSink(sender),
            reporter: Reporter::new(reports, request.model().to_owned()),
            wants_usage: request.wants_usage(),
            question: request.into_body(&provider, &prompts, &indexes),
            provider,
        };
        Self { events, running: Some(Box::pin(task.run())) }
    }

    /// Returns the next event as JSON; none at the end. Cancel-safe: nothing is lost.
    pub async fn next(&mut self) -> Option<String> {
        while let Some(running) = &mut self.running {
            tokio::select! {
                biased;
                event = self.events.recv() => return event,
                () = running => self.running = None,
            }
        }
        self.events.recv().await
    }
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversation").finish_non_exhaustive()
    }
}

struct ConversationTask<S> {
    client: Client,
    provider: Provider,
    searcher: S,
    question: ProviderRequest,
    reporter: Reporter,
    sink: EventSink,
    wants_usage: bool,
}

impl<S: Searcher> ConversationTask<S> {
    async fn run(mut self) {
        if let Err(error) = self.converse().await {
            self.send_error(error).await;
        }
    }

    async fn converse(&mut self) -> Result<(), ErrorEvent> {
        for _ in 0..MAX_ROUNDS {
            let reader = AnswerReader::new(&mut self.reporter, &self.sink, self.wants_usage);
            let round = reader.of_question(&self.client, &self.provider, &self.question).await?;
            if let Some(usage) = round.usage {
                self.searcher.note_usage(usage);
            }
            if round.calls.is_empty() {
                return Ok(());
            }
            self.answer(round).await;
        }
        Err(ErrorEvent::too_many_rounds(MAX_ROUNDS))
    }

    /// Runs the calls of a round, and adds calls and results to the next request.
    async fn answer(&mut self, round: Round) {
        self.question.messages.push(calling(&round.text, &round.calls));
        self.question.let_model_choose();
        for call in round.calls {
            if call.name == SEARCH {
                self.sink.send(self.reporter.progress(&call)).await;
            }
            let asked = calling("", std::slice::from_ref(&call));
            self.sink.send(self.reporter.message(&asked)).await;
            let content = self.result_of(&call).await;
            let told = json!({"role": "tool", "tool_call_id": call.id, "content": content});
            self.sink.send(self.reporter.message(&told)).await;
            self.question.messages.push(told);
        }
    }

    /// Returns the result of a call for the model. Errors are included, so that it can correct
    /// itself.
    async fn result_of(&mut self, call: &ToolCall) -> String {
        if call.name != SEARCH {
            return format!("There is no function `{}`.", call.name);
        }
        match self.search(call).await {
            Ok(found) => {
                self.sink.send(self.reporter.sources(call, &found.sources)).await;
                found.text
            }
            Err(error) => {
                self.send_error(ErrorEvent::of_search(&error)).await;
                format!("The search failed: {}", error.message)
            }
        }
    }

    async fn search(&self, call: &ToolCall) -> Result<FoundDocuments, ServiceError> {
        let wanted = serde_json::from_str(&call.arguments).map_err(|error| {
            let message = format!("The arguments of `{SEARCH}` cannot be read: {error}.");
            ServiceError::new(Code::BadRequest, message)
        })?;
        self.searcher.search(wanted).await
    }

    async fn send_error(&self, error: ErrorEvent) {
        self.sink.send(Some(error.without_key(&self.provider).to_json())).await;
    }
}

/// Builds the message in which a model calls functions.
fn calling(text: &str, calls: &[ToolCall]) -> Value {
    let calls: Vec<Value> = calls.iter().map(ToolCall::to_value).collect();
    json!({"role": "assistant", "content": text, "tool_calls": calls})
}
