//! The part of all documents that one instance is asked for. It stands beside the filter of the
//! client, so that what is wrong with that filter is told in the client's own words; on the wire
//! it is one more condition.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::plan::ShardPlan;
use super::planned_network::PlannedNetwork;

/// How the condition begins that asks for shards.
const CONDITION: &str = "_shard IN [";

#[derive(Debug, Clone, Default, PartialEq)]
pub enum ShardScope {
    /// All it has.
    #[default]
    All,
    /// These shards of the network as it was when the question was planned.
    Shards { names: BTreeSet<String>, network: Arc<PlannedNetwork> },
    /// What another instance asks for, in the words of its filter.
    Condition(String),
}

impl ShardScope {
    /// Whether others are asked for other parts of the same documents.
    pub(crate) fn is_part(&self) -> bool {
        *self != ShardScope::All
    }

    /// Takes in the shards of another share of the same network.
    pub(crate) fn join(&mut self, other: ShardScope) {
        match (&mut *self, other) {
            (ShardScope::Shards { names, .. }, ShardScope::Shards { names: more, .. }) => {
                names.extend(more)
            }
            (_, other) => *self = other,
        }
    }

    /// The condition that documents of this part meet.
    pub(crate) fn condition(&self) -> Option<String> {
        match self {
            ShardScope::All => None,
            ShardScope::Shards { names, network } => {
                Some(ShardPlan::filter(names, network.version))
            }
            ShardScope::Condition(condition) => Some(condition.clone()),
        }
    }

    /// The filter of a request that is asked of this part only.
    pub fn narrowed(&self, filter: Option<Value>) -> Option<Value> {
        match self.condition() {
            Some(scope) => Some(both(filter.as_ref(), &scope)),
            None => filter,
        }
    }

    /// The filter that another instance sent, apart from what it added to ask for a part.
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

/// A filter and another that must hold too.
fn both(filter: Option<&Value>, other: &str) -> Value {
    match filter {
        None | Some(Value::Null) => json!(other),
        // An array is a conjunction; what it holds stays as it is.
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
    fn who_is_asked_knows_what_was_added() {
        let scope = scope(&["a b", "s"]);
        let asked = ShardScope::Condition(scope.condition().unwrap());
        for (sent, kept) in [
            (None, None),
            (Some(json!("a = 1")), Some(json!(["a = 1"]))),
            (Some(json!(["a = 1", ["b = 2"]])), Some(json!(["a = 1", ["b = 2"]]))),
        ] {
            assert_eq!(ShardScope::split_off(scope.narrowed(sent)), (kept, asked.clone()));
        }
        // Conditions of the client about shards are none of these.
        for own in [json!("_shard IN [s]"), json!(["a = 1", "_shard = s"]), json!(3), json!([])] {
            assert_eq!(ShardScope::split_off(Some(own.clone())), (Some(own), ShardScope::All));
        }
        assert_eq!(ShardScope::split_off(None), (None, ShardScope::All));
    }
}
