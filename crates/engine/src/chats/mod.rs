//! Chat workspaces and their conversations: stored settings, and searches on behalf of a model. The
//! crate `chat` talks to providers.

mod access;
mod describing;
mod searching;
mod settings;
mod store;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use chat::ConversationStart;
use model::{Code, Secret, ServiceError};
use tasks::Queue;

use crate::common::page::Page;
use crate::search::{Searcher, Turn};

pub use crate::common::search_access::{FullAccess, IndexAccess, SearchAccess};
pub use chat::{CompletionRequest, Conversation, MAX_ROUNDS, Prompts};
pub use settings::{ChatChange, ChatSettings, ChatSource, PromptsChange};
pub(crate) use store::ChatStore;

use describing::describe_indexes;
use searching::ChatSearcher;

/// Workspaces of the instance, and conversations in them.
#[derive(Debug)]
pub struct Chats {
    pub(crate) store: Arc<ChatStore>,
    pub(crate) queue: Queue,
    pub(crate) searcher: Arc<Searcher>,
    pub(crate) client: outbound::Client,
    /// Key for workspaces without their own.
    pub(crate) api_key: Option<Secret>,
}

impl Chats {
    /// Returns the names of workspaces in byte order.
    pub fn list(&self, offset: usize, limit: usize) -> Page<String> {
        let workspaces = self.store.current();
        let results = workspaces.keys().skip(offset).take(limit).cloned().collect();
        Page { results, offset, limit, total: workspaces.len() }
    }

    pub fn check(&self, uid: &str) -> Result<(), ServiceError> {
        if self.store.current().contains_key(uid) { Ok(()) } else { Err(no_chat(uid)) }
    }

    pub fn delete(&self, uid: &str) -> Result<(), ServiceError> {
        if self.store.remove(&self.queue, uid)? { Ok(()) } else { Err(no_chat(uid)) }
    }

    pub fn settings(&self, uid: &str) -> Result<Arc<ChatSettings>, ServiceError> {
        self.store.current().get(uid).cloned().ok_or_else(|| no_settings(uid))
    }

    /// Changes the settings of a workspace, which is created if missing.
    pub fn change(&self, uid: &str, change: ChatChange) -> Result<Arc<ChatSettings>, ServiceError> {
        self.store.update(&self.queue, uid, |settings| {
            settings.cloned().unwrap_or_default().changed(change)
        })
    }

    pub fn reset(&self, uid: &str) -> Result<Arc<ChatSettings>, ServiceError> {
        self.store.update(&self.queue, uid, |settings| match settings {
            Some(_) => Ok(ChatSettings::default()),
            None => Err(no_settings(uid)),
        })
    }

    /// Starts a conversation that searches with the rights of `access`. The provider is called only
    /// when the first event is awaited.
    pub async fn converse(
        &self,
        uid: &str,
        request: CompletionRequest,
        access: Arc<dyn SearchAccess>,
    ) -> Result<Conversation, ServiceError> {
        request.check_form()?;
        let settings = self.settings(uid)?;
        let reports = request.reports()?;
        let provider = settings.provider(self.api_key.as_ref())?;
        let (searcher, seen) = (Arc::clone(&self.searcher), Arc::clone(&access));
        let describe = move |turn: Turn<'_>| describe_indexes(&searcher, &seen, turn.cancel);
        let indexes = self.searcher.queue().in_turn(describe).await?;
        let prompts = settings.prompts.clone();
        let (workspace, model) = (uid.to_owned(), request.model().to_owned());
        let start = ConversationStart { request, reports, provider, prompts, indexes };
        let searcher =
            ChatSearcher { searcher: Arc::clone(&self.searcher), access, workspace, model };
        Ok(Conversation::start(self.client.clone(), start, searcher))
    }
}

fn no_chat(uid: &str) -> ServiceError {
    ServiceError::new(Code::ChatNotFound, format!("chat {uid} not found"))
}

/// Returns the error of the settings routes for an unknown workspace.
fn no_settings(uid: &str) -> ServiceError {
    ServiceError::new(Code::ChatNotFound, format!("Chat `{uid}` not found"))
}
