//! Conversations: a model of a provider answers, and searches while it does.
//!
//! This crate speaks the protocol of the providers and knows what may be said to whom. It knows
//! no index: descriptions of what can be searched are given to it, and searches are made by
//! whoever implements `Searcher`. Nothing here outlives its `Conversation`: dropping that ends
//! the call to the provider and the search that runs.

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
