//! Conversations: a provider's model answers, and searches meanwhile.
//!
//! This crate speaks the providers' protocol and decides what is sent to model and client. It knows
//! no index: descriptions of indexes are passed in, and an implementation of `Searcher` does the
//! searches. Nothing outlives its `Conversation`: dropping it ends the call to the provider and the
//! running search.

mod calls;
mod chunk;
mod conversation;
mod error_event;
mod events;
mod number;
mod prompts;
mod provider;
mod reports;
mod request;
mod round;
mod search_tool;
mod searcher;

pub use conversation::{Conversation, ConversationStart, MAX_ROUNDS};
pub use prompts::Prompts;
pub use provider::{Endpoint, Provider};
pub use reports::Reports;
pub use request::CompletionRequest;
pub use search_tool::IndexDescription;
pub use searcher::{FoundDocuments, SearchCall, Searcher, Usage};
