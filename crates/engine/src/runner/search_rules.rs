//! Changes dynamic search rules. They belong to no index: changes are written in the transaction
//! that finishes the batch.

use model::{ServiceError, timestamp};
use tasks::{Batch, Content, Details, Outcome, RunError, TaskOutcome};
use time::Duration;

use super::{BatchRunner, outcome};
use crate::search_rules::{Rule, RuleEdit, RulePatch, rules_update};

impl BatchRunner {
    pub(super) fn change_search_rules(&self, batch: &Batch) -> Result<Outcome, RunError> {
        let mut builder = self.indexes.rules.rule_set().builder();
        let mut edits = Vec::with_capacity(batch.tasks.len());
        let mut tasks = Vec::with_capacity(batch.tasks.len());
        let mut now = timestamp::now();
        for task in &batch.tasks {
            let mut details = task.details.clone();
            let edit = match &task.content {
                Content::DsrUpdate { rule_uid, rule: Some(patch) } => {
                    let patch = serde_json::from_value::<RulePatch>(patch.clone())
                        .map_err(ServiceError::internal)?;
                    let rule = builder.get(rule_uid).cloned();
                    let rule = rule.unwrap_or_else(|| Rule::new(rule_uid, now));
                    RuleEdit::put(rule.changed(patch, now))
                }
                Content::DsrUpdate { rule_uid, rule: None } => RuleEdit::Remove(rule_uid.clone()),
                Content::DsrClear => {
                    let deleted_documents = Some(builder.len() as u64);
                    details = Details::ClearAll { deleted_documents };
                    RuleEdit::Clear
                }
                _ => return Err(ServiceError::internal("a change of rules of another kind").into()),
            };
            builder.apply(edit.clone());
            edits.push(edit);
            tasks.push(TaskOutcome::Succeeded(details));
            // Lists are ordered by time of change, so later tasks need later times.
            now += Duration::NANOSECOND;
        }
        Ok(Outcome { registry: Some(rules_update(&self.indexes.rules, edits)), ..outcome(tasks) })
    }
}
