//! The rights of a verified credential.

use std::sync::Arc;

use serde_json::Value;

use crate::{Action, AuthError, Key, SearchRules};

/// The rights of one request. They hold only for now: keys expire and are deleted.
#[derive(Debug, Clone)]
pub struct Access(Rights);

#[derive(Debug, Clone)]
enum Rights {
    Nothing,
    /// All rights: the master key's, and everyone's without a master key.
    Everything,
    Limited {
        key: Arc<Key>,
        rules: Option<Arc<SearchRules>>,
    },
}

impl Access {
    pub fn full() -> Self {
        Self(Rights::Everything)
    }

    /// Returns the rights before credentials are checked.
    pub fn nothing() -> Self {
        Self(Rights::Nothing)
    }

    pub(crate) fn of_key(key: Arc<Key>) -> Self {
        Self(Rights::Limited { key, rules: None })
    }

    pub(crate) fn of_token(key: Arc<Key>, rules: SearchRules) -> Self {
        Self(Rights::Limited { key, rules: Some(Arc::new(rules)) })
    }

    /// Returns whether all indexes may be seen, including future ones.
    pub fn is_to_all_indexes(&self) -> bool {
        match &self.0 {
            Rights::Nothing => false,
            Rights::Everything => true,
            Rights::Limited { key, rules } => key.has_all_indexes() && rules.is_none(),
        }
    }

    pub fn is_to_index(&self, uid: &str) -> bool {
        match &self.0 {
            Rights::Nothing => false,
            Rights::Everything => true,
            Rights::Limited { key, rules } => {
                key.has_index(uid) && rules.as_ref().is_none_or(|rules| rules.allow(uid))
            }
        }
    }

    /// Checks an index that a request names besides its path.
    pub fn check_index(&self, uid: &str) -> Result<(), AuthError> {
        if self.is_to_index(uid) { Ok(()) } else { Err(AuthError::Invalid) }
    }

    /// Returns whether the key allows this action too.
    pub fn allows(&self, action: Action) -> bool {
        match &self.0 {
            Rights::Nothing => false,
            Rights::Everything => true,
            Rights::Limited { key, .. } => key.allows(action),
        }
    }

    /// Returns whether it may do everything that a key may, so that the key's value grants nothing
    /// new.
    pub fn covers(&self, other: &Key) -> bool {
        match &self.0 {
            Rights::Nothing => false,
            Rights::Everything => true,
            Rights::Limited { key, rules } => rules.is_none() && key.covers(other),
        }
    }

    /// Returns whether it comes from a tenant token. `allows` is then about the key that signed it.
    pub fn is_of_tenant(&self) -> bool {
        matches!(&self.0, Rights::Limited { rules: Some(_), .. })
    }

    /// Returns the filter that documents of an index must match.
    pub fn filter(&self, uid: &str) -> Option<&Value> {
        match &self.0 {
            Rights::Limited { rules: Some(rules), .. } => rules.filter(uid),
            _ => None,
        }
    }

    /// Combines the requested filter with that of the rules.
    pub fn narrowed(&self, uid: &str, asked: Option<Value>) -> Option<Value> {
        let Some(rule) = self.filter(uid) else { return asked };
        // Without a requested filter the rule stands alone, mistakes included.
        let Some(asked) = asked else { return Some(rule.clone()) };
        let mut all = elements(asked);
        all.extend(elements(rule.clone()));
        Some(Value::Array(all))
    }
}

/// Returns the parts of a filter that must all hold.
fn elements(filter: Value) -> Vec<Value> {
    match filter {
        Value::Array(all) => all,
        one => vec![one],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::key::tests::key;

    fn tenant(rules: Value) -> Access {
        let rules = serde_json::from_value(rules).unwrap();
        Access::of_token(Arc::new(key(&["search"], &["b*"])), rules)
    }

    #[test]
    fn key_and_rules_must_both_know_the_index() {
        let access = tenant(json!(["books", "films"]));
        assert!(access.is_to_index("books"));
        assert!(!access.is_to_index("films") && !access.is_to_index("boats"));
        assert!(!access.is_to_all_indexes());
        assert!(Access::full().is_to_index("films") && Access::full().is_to_all_indexes());
        assert!(Access::of_key(Arc::new(key(&["search"], &["a", "*"]))).is_to_all_indexes());
    }

    #[test]
    fn requested_filter_comes_before_the_rule() {
        let access =
            tenant(json!({"books": {"filter": "t = 1"}, "b*": {"filter": ["u = 1", ["v"]]}}));
        for (uid, asked, both) in [
            ("books", None, json!("t = 1")),
            ("books", Some(json!("a = 1 OR b = 2")), json!(["a = 1 OR b = 2", "t = 1"])),
            ("books", Some(json!([])), json!(["t = 1"])),
            ("boats", Some(json!([["a", "b"]])), json!([["a", "b"], "u = 1", ["v"]])),
            ("boats", Some(json!(12)), json!([12, "u = 1", ["v"]])),
        ] {
            assert_eq!(access.narrowed(uid, asked), Some(both));
        }
        assert_eq!(Access::full().narrowed("books", Some(json!("a"))), Some(json!("a")));
        assert_eq!(Access::full().narrowed("books", None), None);
    }
}
