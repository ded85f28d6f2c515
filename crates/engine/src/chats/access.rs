//! What a conversation may search on behalf of whoever holds it.

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

/// A filter for both: what the caller may see, and what is asked for among that.
pub(super) fn narrowed(access: Value, wanted: Option<String>) -> Value {
    let Some(wanted) = wanted else { return access };
    // An array means all of its elements, an array inside of it any of its own.
    let mut all = match access {
        Value::Array(all) => all,
        one => vec![one],
    };
    all.push(Value::String(wanted));
    Value::Array(all)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_may_be_seen_and_what_is_asked_for_must_both_hold() {
        let wanted = || Some("a = 1 OR b = 2".to_owned());
        for (access, expected) in [
            (json!("t = 1"), json!(["t = 1", "a = 1 OR b = 2"])),
            (
                json!(["t = 1", ["u = 1", "u = 2"]]),
                json!(["t = 1", ["u = 1", "u = 2"], "a = 1 OR b = 2"]),
            ),
        ] {
            assert_eq!(narrowed(access.clone(), wanted()), expected);
            assert_eq!(narrowed(access.clone(), None), access);
        }
    }
}
