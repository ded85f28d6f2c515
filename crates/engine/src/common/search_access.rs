//! What a caller may search, where that is asked for again and again while an answer is made.

use std::fmt::Debug;

use serde_json::Value;

/// How much of an index may be seen.
#[derive(Debug, Clone, PartialEq)]
pub enum IndexAccess {
    /// Nothing, not even that it exists.
    Denied,
    Full,
    /// The documents that pass a filter, in one of its JSON forms.
    Filtered(Value),
}

/// The rights of a caller. They are asked for anew with each search, because a key can expire in
/// the middle of a conversation.
pub trait SearchAccess: Debug + Send + Sync {
    fn to_index(&self, uid: &str) -> IndexAccess;
}

/// The rights of everybody where there are no keys.
#[derive(Debug, Clone, Copy)]
pub struct FullAccess;

impl SearchAccess for FullAccess {
    fn to_index(&self, _uid: &str) -> IndexAccess {
        IndexAccess::Full
    }
}
