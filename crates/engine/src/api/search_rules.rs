//! Reads and changes dynamic search rules.

use model::{IndexUid, ServiceError};
use tasks::{Content, Task};

use super::{Engine, WriteContext};
use crate::common::page::Page;
use crate::search_rules::{Rule, RuleFilter, RulePatch};

impl Engine {
    /// Returns a page of the rules, most recently changed first.
    pub fn search_rules(&self, filter: &RuleFilter, offset: usize, limit: usize) -> Page<Rule> {
        self.indexes.rules.list(filter, offset, limit)
    }

    pub fn search_rule(&self, uid: &str) -> Result<Rule, ServiceError> {
        self.indexes.rules.get(uid)
    }

    /// Creates or changes a rule.
    pub fn update_search_rule(
        &self,
        uid: IndexUid,
        patch: &RulePatch,
        context: impl Into<WriteContext>,
    ) -> Result<Task, ServiceError> {
        let rule = serde_json::to_value(patch).map_err(ServiceError::internal)?;
        self.enqueue(Content::DsrUpdate { rule_uid: uid.into_string(), rule: Some(rule) }, context)
    }

    /// Deletes a rule. Succeeds if there is none.
    pub fn delete_search_rule(
        &self,
        uid: IndexUid,
        context: impl Into<WriteContext>,
    ) -> Result<Task, ServiceError> {
        self.enqueue(Content::DsrUpdate { rule_uid: uid.into_string(), rule: None }, context)
    }

    pub fn clear_search_rules(
        &self,
        context: impl Into<WriteContext>,
    ) -> Result<Task, ServiceError> {
        self.enqueue(Content::DsrClear, context)
    }
}
