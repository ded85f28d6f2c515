//! Chat completions.

use super::Names;
use super::requests::{RequestOutcome, RequestTally};
use crate::event_totals::Tally;
use crate::fields::Fields;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chat {
    /// Outcome; its time ends when the answer begins.
    pub outcome: RequestOutcome,
    pub model: Box<str>,
}

#[derive(Debug, Default)]
pub(crate) struct ChatTally {
    requests: RequestTally,
    models: Names,
}

impl Tally for ChatTally {
    type Event = Chat;

    fn add(&mut self, chat: Chat) {
        self.requests.add(chat.outcome);
        self.models.add(&chat.model);
    }

    fn report(&self, fields: &mut Fields) {
        self.requests.report(fields);
        fields.put("models", &self.models, "The different names of models.");
    }

    fn text_bytes(&self) -> usize {
        self.models.bytes()
    }
}
