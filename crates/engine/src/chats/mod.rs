//! Workspaces and their conversations: what is stored of them, and how indexes are searched on
//! behalf of a model. What is said to providers is the business of `chat`.

mod access;
mod describing;
mod searching;
mod settings;
mod store;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use chat::Opening;
use model::{Code, ServiceError};

use crate::{Engine, Page};

pub use crate::search_access::{FullAccess, IndexAccess, SearchAccess};
pub use chat::{CompletionRequest, Conversation, MAX_ROUNDS, Prompts};
pub use settings::{ChatChange, ChatSettings, ChatSource, PromptsChange};
pub(crate) use store::ChatStore;

use searching::ChatSearcher;

impl Engine {
    /// The names of workspaces in byte order.
    pub fn chats(&self, offset: usize, limit: usize) -> Page<String> {
        let workspaces = self.chats.current();
        let results = workspaces.keys().skip(offset).take(limit).cloned().collect();
        Page { results, offset, limit, total: workspaces.len() }
    }

    pub fn check_chat(&self, uid: &str) -> Result<(), ServiceError> {
        if self.chats.current().contains_key(uid) { Ok(()) } else { Err(no_chat(uid)) }
    }

    pub fn delete_chat(&self, uid: &str) -> Result<(), ServiceError> {
        if self.chats.remove(&self.queue, uid)? { Ok(()) } else { Err(no_chat(uid)) }
    }

    pub fn chat_settings(&self, uid: &str) -> Result<Arc<ChatSettings>, ServiceError> {
        self.chats.current().get(uid).cloned().ok_or_else(|| no_settings(uid))
    }

    /// Changes the settings of a workspace, which is made if there is none.
    pub fn change_chat(
        &self,
        uid: &str,
        change: ChatChange,
    ) -> Result<Arc<ChatSettings>, ServiceError> {
        self.chats.update(&self.queue, uid, |settings| {
            settings.cloned().unwrap_or_default().changed(change)
        })
    }

    pub fn reset_chat(&self, uid: &str) -> Result<Arc<ChatSettings>, ServiceError> {
        self.chats.update(&self.queue, uid, |settings| match settings {
            Some(_) => Ok(ChatSettings::default()),
            None => Err(no_settings(uid)),
        })
    }

    /// Begins a conversation that searches with the rights of `access`. Nobody has asked the
    /// provider yet: that begins with the wait for the first event.
    pub async fn converse(
        self: &Arc<Self>,
        uid: &str,
        request: CompletionRequest,
        access: Arc<dyn SearchAccess>,
    ) -> Result<Conversation, ServiceError> {
        request.check_form()?;
        let settings = self.chat_settings(uid)?;
        let reports = request.reports()?;
        let provider = settings.provider(self.chat_api_key.as_ref())?;
        let seen = Arc::clone(&access);
        let indexes = self
            .in_turn(move |engine, turn| engine.described_indexes(&seen, turn.cancelled))
            .await?;
        let prompts = settings.prompts.clone();
        let (workspace, model) = (uid.to_owned(), request.model().to_owned());
        let opening = Opening { request, reports, provider, prompts, indexes };
        let searcher = ChatSearcher { engine: Arc::clone(self), access, workspace, model };
        Ok(Conversation::start(self.client.clone(), opening, searcher))
    }
}

fn no_chat(uid: &str) -> ServiceError {
    ServiceError::new(Code::ChatNotFound, format!("chat {uid} not found"))
}

/// The same in the words of the routes about what a workspace does.
fn no_settings(uid: &str) -> ServiceError {
    ServiceError::new(Code::ChatNotFound, format!("Chat `{uid}` not found"))
}
