//! Search rights of a caller, checked again and again while an answer is made.

use std::fmt::Debug;

use serde_json::Value;

/// Rights to an index.
#[derive(Debug, Clone, PartialEq)]
pub enum IndexAccess {
    /// None: not even its existence is revealed.
    Denied,
    Full,
    /// Documents that pass a filter, in one of its JSON forms.
    Filtered(Value),
}

/// Search rights of a caller. They are checked anew with each search, because a key can expire in
/// the middle of a conversation.
pub trait SearchAccess: Debug + Send + Sync {
    fn to_index(&self, uid: &str) -> IndexAccess;
}

/// Rights of every caller where there are no keys.
#[derive(Debug, Clone, Copy)]
pub struct FullAccess;

impl SearchAccess for FullAccess {
    fn to_index(&self, _uid: &str) -> IndexAccess {
        IndexAccess::Full
    }
}
