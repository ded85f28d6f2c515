//! A dynamic search rule: when it applies, and which documents it pins where. Its JSON form is both
//! stored and shown.

use model::Patch;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use time::OffsetDateTime;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    pub uid: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(with = "time::serde::rfc3339")]
    pub last_updated_at: OffsetDateTime,
    /// Precedence: the lower comes first; rules without one come last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precedence: Option<u64>,
    pub active: bool,
    pub conditions: Conditions,
    pub actions: Vec<Action>,
}

/// Conditions of a rule, all of which must hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Conditions {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<TimeCondition>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<QueryCondition>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<FilterCondition>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueryCondition {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_empty: Option<bool>,
    /// Words that must all occur in the query, in any order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TimeCondition {
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "time::serde::rfc3339::option"
    )]
    pub start: Option<OffsetDateTime>,
    /// End, exclusive.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "time::serde::rfc3339::option"
    )]
    pub end: Option<OffsetDateTime>,
}

/// Values that the search's filter must require: strings, numbers, booleans.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FilterCondition {
    pub values: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    pub selector: Selector,
    pub action: ActionKind,
}

/// The document that an action is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Selector {
    /// Index; every index if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index_uid: Option<String>,
    pub id: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ActionKind {
    /// Pins the document to this position of the hits, counted from 0.
    Pin { position: usize },
}

/// A change of a rule, which is created if missing. A cleared field gets the value it has in a new
/// rule.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RulePatch {
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub description: Patch<String>,
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub precedence: Patch<u64>,
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub active: Patch<bool>,
    /// Conditions, replaced as a whole.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub conditions: Patch<Conditions>,
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub actions: Patch<Vec<Action>>,
}

impl Rule {
    pub(crate) fn new(uid: &str, now: OffsetDateTime) -> Self {
        Self {
            uid: uid.to_owned(),
            description: None,
            last_updated_at: now,
            precedence: None,
            active: true,
            conditions: Conditions::default(),
            actions: Vec::new(),
        }
    }

    #[must_use]
    pub(crate) fn changed(self, patch: RulePatch, now: OffsetDateTime) -> Self {
        let fresh = Self::new(&self.uid, now);
        Self {
            description: patch.description.applied_to(self.description),
            precedence: patch.precedence.applied_to(self.precedence),
            active: patch.active.applied_to(Some(self.active)).unwrap_or(fresh.active),
            conditions: patch.conditions.applied_to(Some(self.conditions)).unwrap_or_default(),
            actions: patch.actions.applied_to(Some(self.actions)).unwrap_or_default(),
            ..fresh
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use time::macros::datetime;

    use super::*;

    fn patch(value: Value) -> RulePatch {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_new_rule_is_active_and_does_nothing() {
        let rule = Rule::new("spring", datetime!(2030-01-02 3:04:05 UTC));
        let shown = json!({
            "uid": "spring", "lastUpdatedAt": "2030-01-02T03:04:05Z", "active": true,
            "conditions": {}, "actions": [],
        });
        assert_eq!(serde_json::to_value(&rule).unwrap(), shown);
        assert_eq!(serde_json::from_value::<Rule>(shown).unwrap(), rule);
    }

    #[test]
    fn a_change_replaces_what_it_names_and_resets_what_it_clears() {
        let whole = json!({
            "description": "Spring", "precedence": 5, "active": false,
            "conditions": {
                "time": { "start": "2030-01-01T00:00:00Z", "end": "2031-01-01T00:00:00+02:00" },
                "query": { "isEmpty": false, "words": "sandal" },
                "filter": { "values": { "kind": "shoe", "price": 7, "sold": true } },
            },
            "actions": [
                { "selector": { "indexUid": "shoes", "id": "7" },
                  "action": { "type": "pin", "position": 0 } },
                { "selector": { "id": "8" }, "action": { "type": "pin", "position": 3 } },
            ],
        });
        let (before, after) =
            (datetime!(2030-01-02 3:04:05 UTC), datetime!(2030-01-03 3:04:05 UTC));
        assert_eq!(serde_json::to_value(patch(whole.clone())).unwrap(), whole);
        let rule = Rule::new("r", before).changed(patch(whole), before);
        let same = rule.clone().changed(RulePatch::default(), after);
        assert_eq!(same, Rule { last_updated_at: after, ..rule.clone() });
        let words = json!({ "conditions": { "query": { "words": "boot" } } });
        let other = rule.clone().changed(patch(words), after);
        assert_eq!(other.conditions.time, None);
        assert_eq!((other.precedence, &other.actions), (Some(5), &rule.actions));
        let nulls = json!({
            "description": null, "precedence": null, "active": null, "conditions": null,
            "actions": null,
        });
        assert_eq!(serde_json::to_value(patch(nulls.clone())).unwrap(), nulls);
        assert_eq!(rule.changed(patch(nulls), after), Rule::new("r", after));
    }
}
