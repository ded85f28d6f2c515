//! Conversations.

use super::Names;
use super::requests::{Ending, Requests};
use crate::entry::Tally;
use crate::sheet::Sheet;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chat {
    /// The time until the conversation begins.
    pub ending: Ending,
    pub model: Box<str>,
}

#[derive(Debug, Default)]
pub(crate) struct ChatTally {
    requests: Requests,
    models: Names,
}

impl Tally for ChatTally {
    type Event = Chat;

    fn add(&mut self, chat: Chat) {
        self.requests.add(chat.ending);
        self.models.add(&chat.model);
    }

    fn tell(&self, sheet: &mut Sheet) {
        self.requests.tell(sheet);
        sheet.put("models", &self.models, "The different names of models.");
    }

    fn text_bytes(&self) -> usize {
        self.models.bytes()
    }
}
