//! An API key as it is stored: all but its value, which is derived from the master key.

use std::collections::BTreeSet;

use model::{Code, ServiceError};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::{Action, IndexPattern};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Key {
    pub uid: Uuid,
    pub name: Option<String>,
    pub description: Option<String>,
    /// The actions as given, repetitions included.
    pub actions: Vec<Action>,
    pub indexes: Vec<IndexPattern>,
    #[serde(with = "time::serde::rfc3339::option")]
    pub expires_at: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

impl Key {
    pub fn is_expired(&self, now: OffsetDateTime) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }

    pub fn has_all_indexes(&self) -> bool {
        self.indexes.iter().any(IndexPattern::is_all)
    }

    pub fn has_index(&self, uid: &str) -> bool {
        self.indexes.iter().any(|pattern| pattern.matches(uid))
    }

    /// Returns whether it allows this on some index; for the whole instance, on all of them.
    pub fn allows(&self, action: Action) -> bool {
        self.actions.iter().any(|own| own.includes(action))
            && if action.needs_all_indexes() {
                self.has_all_indexes()
            } else {
                !self.indexes.is_empty()
            }
    }

    /// Returns whether it allows everything that `other` does.
    pub fn covers(&self, other: &Key) -> bool {
        other.actions.iter().all(|action| action.is_covered_by(&self.actions))
            && other.indexes.iter().all(|wanted| self.indexes.iter().any(|own| own.covers(wanted)))
    }

    /// Returns its patterns in the order of messages.
    pub fn listed_indexes(&self) -> BTreeSet<&str> {
        self.indexes.iter().map(IndexPattern::as_str).collect()
    }

    /// Checks the actions. A key of some indexes must not have actions on the whole instance. A key
    /// of no index can do nothing, so it may name any.
    pub fn check(&self) -> Result<(), ServiceError> {
        if self.indexes.is_empty() || self.has_all_indexes() {
            return Ok(());
        }
        match self.actions.iter().find(|action| action.is_global()) {
            None => Ok(()),
            Some(action) => Err(ServiceError::new(
                Code::IndexScopedApiKeyWithGlobalAction,
                format!(
                    "cannot create index-scoped API key with global action `\"{action}\"`\n  - \
                     Hint: remove action `\"{action}\"` from the action list, or remove `indexes` \
                     to make the key global"
                ),
            )),
        }
    }
}

/// Returns the keys that an instance without keys gets, in creation order.
pub fn default_keys(now: OffsetDateTime) -> [Key; 4] {
    let mut age = 4;
    let mut key = |name: &str, description: &str, actions: &[Action]| {
        age -= 1;
        // Lists are ordered by these times.
        let created_at = now - Duration::microseconds(age);
        Key {
            uid: Uuid::new_v4(),
            name: Some(name.to_owned()),
            description: Some(description.to_owned()),
            actions: actions.to_vec(),
            indexes: vec![IndexPattern::all()],
            expires_at: None,
            created_at,
            updated_at: created_at,
        }
    };
    [
        key(
            "Default Chat API Key",
            "Use it to chat and search from the frontend",
            &[Action::ChatCompletions, Action::Search],
        ),
        key(
            "Default Read-Only Admin API Key",
            "Use it to read information across the whole database. Caution! Do not expose this \
             key on a public frontend",
            &[Action::AllGet, Action::KeysGet],
        ),
        key(
            "Default Admin API Key",
            "Use it for anything that is not a search operation. Caution! Do not expose it on a \
             public frontend",
            &[Action::All],
        ),
        key("Default Search API Key", "Use it to search from the frontend", &[Action::Search]),
    ]
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub fn key(actions: &[&str], indexes: &[&str]) -> Key {
        let now = OffsetDateTime::UNIX_EPOCH;
        Key {
            uid: Uuid::new_v4(),
            name: None,
            description: None,
            actions: actions.iter().map(|name| name.parse().unwrap()).collect(),
            indexes: indexes.iter().map(|text| IndexPattern::new(*text).unwrap()).collect(),
            expires_at: None,
            created_at: now,
            updated_at: now,
        }
    }

    #[test]
    fn instance_actions_need_all_indexes() {
        let everything = key(&["*"], &["books"]);
        assert!(everything.allows(Action::Search) && everything.allows(Action::IndexesGet));
        for global in [Action::Version, Action::KeysGet, Action::TasksCompact, Action::All] {
            assert!(!everything.allows(global), "{global}");
            assert!(key(&["*"], &["books", "*"]).allows(global), "{global}");
        }
    }

    #[test]
    fn a_key_of_no_index_can_do_nothing() {
        let key = key(&["*"], &[]);
        assert!(key.check().is_ok());
        assert!(Action::ALL_ACTIONS.iter().all(|&action| !key.allows(action)));
    }

    #[test]
    fn the_first_action_of_the_instance_is_the_one_refused() {
        let refused = key(&["search", "export", "version"], &["te*"]).check().unwrap_err();
        assert_eq!(refused.code, Code::IndexScopedApiKeyWithGlobalAction);
        assert!(refused.message.contains("global action `\"export\"`\n  - Hint"), "{refused:?}");
        for fine in ["*", "*.get", "tasks.*", "chatCompletions", "fields.post", "stats.*"] {
            assert!(key(&[fine], &["te*"]).check().is_ok(), "{fine}");
        }
    }

    #[test]
    fn a_key_ends_at_its_last_moment() {
        let end = OffsetDateTime::UNIX_EPOCH + Duration::days(1);
        let key = Key { expires_at: Some(end), ..key(&["*"], &["*"]) };
        assert!(!key.is_expired(end - Duration::nanoseconds(1)));
        assert!(key.is_expired(end));
    }

    #[test]
    fn the_keys_of_a_new_instance_are_listed_in_their_order() {
        let keys = default_keys(OffsetDateTime::now_utc());
        assert!(keys.is_sorted_by(|one, next| one.created_at < next.created_at));
        assert!(keys.iter().all(|key| key.check().is_ok() && key.has_all_indexes()));
    }

    #[test]
    fn stored_keys_are_read_back() {
        let key = key(&["*.get", "search"], &["a", "b*"]);
        let json = serde_json::to_string(&key).unwrap();
        assert_eq!(serde_json::from_str::<Key>(&json).unwrap(), key);
    }
}
