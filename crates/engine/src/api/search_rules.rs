//! Dynamic search rules: reading them, and asking for their change.

use model::{IndexUid, ServiceError};
use tasks::{Content, Task};

use super::{Engine, Sent};
use crate::common::page::Page;
use crate::search_rules::{Rule, RuleFilter, RulePatch};

impl Engine {
    /// A window of the rules, the one that was changed last first.
    pub fn search_rules(&self, filter: &RuleFilter, offset: usize, limit: usize) -> Page<Rule> {
        self.instance.rules.list(filter, offset, limit)
    }

    pub fn search_rule(&self, uid: &str) -> Result<Rule, ServiceError> {
        self.instance.rules.get(uid)
    }

    /// Makes a rule or changes the one that is there.
    pub fn update_search_rule(
        &self,
        uid: IndexUid,
        patch: &RulePatch,
        sent: impl Into<Sent>,
    ) -> Result<Task, ServiceError> {
        let rule = serde_json::to_value(patch).map_err(ServiceError::internal)?;
        self.enqueue(Content::DsrUpdate { rule_uid: uid.into_string(), rule: Some(rule) }, sent)
    }

    /// Nothing is wrong with a rule that is not there.
    pub fn delete_search_rule(
        &self,
        uid: IndexUid,
        sent: impl Into<Sent>,
    ) -> Result<Task, ServiceError> {
        self.enqueue(Content::DsrUpdate { rule_uid: uid.into_string(), rule: None }, sent)
    }

    pub fn clear_search_rules(&self, sent: impl Into<Sent>) -> Result<Task, ServiceError> {
        self.enqueue(Content::DsrClear, sent)
    }
}
