//! The shards a search is restricted to. The scope stands beside the client's filter, so that
//! errors of that filter are reported in the client's own words; on the wire it is one more
//! condition.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::plan::ShardPlan;
use super::planned_network::PlannedNetwork;

/// Start of the condition that selects shards.
const CONDITION: &str = "_shard IN [";

#[derive(Debug, Clone, Default, PartialEq)]
pub enum ShardScope {
    /// All documents of the instance.
    #[default]
    All,
    /// These shards of the network, as of the planning of the query.
    Shards { names: BTreeSet<String>, network: Arc<PlannedNetwork> },
    /// A condition that another instance sent.
    Condition(String),
}

impl ShardScope {
    /// Returns whether other instances search other parts of the same documents.
    pub fn is_part(&self) -> bool {
        *self != ShardScope::All
    }

    /// Adds the shards of another scope of the same network.
    pub fn join(&mut self, other: ShardScope) {
        match (&mut *self, other) {
            (ShardScope::Shards { names, .. }, ShardScope::Shards { names: more, .. }) => {
                names.extend(more);
            }
            (_, other) => *self = other,
        }
    }

    /// Returns the condition that documents of this scope meet.
    pub fn condition(&self) -> Option<String> {
        match self {
            ShardScope::All => None,
            ShardScope::Shards { names, network } => {
                Some(ShardPlan::filter(names, network.version))
            }
            ShardScope::Condition(condition) => Some(condition.clone()),
        }
    }

    /// Restricts the filter of a request to this scope.
    pub fn narrowed(&self, filter: Option<Value>) -> Option<Value> {
        match self.condition() {
            Some(scope) => Some(both(filter.as_ref(), &scope)),
            None => filter,
        }
    }

    /// Splits the filter of another instance into the client's filter and the scope.
    pub fn split_off(filter: Option<Value>) -> (Option<Value>, Self) {
        let is_scope = |value: &Value| {
            value.as_str().is_some_and(|text| text.starts_with(CONDITION) && text.contains('@'))
        };
        match filter {
            Some(Value::String(text)) if is_scope(&Value::from(text.as_str())) => {
                (None, ShardScope::Condition(text))
            }
            Some(Value::Array(mut members)) if members.last().is_some_and(is_scope) => {
                let scope = match members.pop() {
                    Some(Value::String(text)) => ShardScope::Condition(text),
                    _ => ShardScope::All,
                };
                (Some(Value::Array(members)), scope)
            }
            filter => (filter, ShardScope::All),
        }
    }
}

/// Combines two filters that must both hold.
fn both(filter: Option<&Value>, other: &str) -> Value {
    match filter {
        None | Some(Value::Null) => json!(other),
        // An array is a conjunction; its members stay as they are.
        Some(Value::Array(all)) => {
            let mut all = all.clone();
            all.push(json!(other));
            Value::Array(all)
        }
        Some(one) => json!([one, other]),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn scope(names: &[&str]) -> ShardScope {
        let names = names.iter().map(ToString::to_string).collect();
        ShardScope::Shards { names, network: Arc::default() }
    }

    #[test]
    fn a_share_narrows_every_form_of_a_filter() {
        let scope = scope(&["s"]);
        let condition = scope.condition().unwrap();
        let narrowed = |filter: Option<Value>| scope.narrowed(filter).unwrap();
        assert_eq!(narrowed(None), json!(condition));
        assert_eq!(narrowed(Some(json!("a = 1"))), json!(["a = 1", condition]));
        assert_eq!(
            narrowed(Some(json!([["a = 1", "b = 2"]]))),
            json!([["a = 1", "b = 2"], condition])
        );
        assert_eq!(ShardScope::All.narrowed(Some(json!("a = 1"))), Some(json!("a = 1")));
    }

    #[test]
    fn a_scope_is_split_off_the_filter_it_was_added_to() {
        let scope = scope(&["a b", "s"]);
        let asked = ShardScope::Condition(scope.condition().unwrap());
        for (sent, kept) in [
            (None, None),
            (Some(json!("a = 1")), Some(json!(["a = 1"]))),
            (Some(json!(["a = 1", ["b = 2"]])), Some(json!(["a = 1", ["b = 2"]]))),
        ] {
            assert_eq!(ShardScope::split_off(scope.narrowed(sent)), (kept, asked.clone()));
        }
        // The client's own conditions about shards are not a scope.
        for own in [json!("_shard IN [s]"), json!(["a = 1", "_shard = s"]), json!(3), json!([])] {
            assert_eq!(ShardScope::split_off(Some(own.clone())), (Some(own), ShardScope::All));
        }
        assert_eq!(ShardScope::split_off(None), (None, ShardScope::All));
    }
}
