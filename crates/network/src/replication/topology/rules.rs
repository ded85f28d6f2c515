//! Search rules of an instance that joins: those of the leader replace its own, even by none. Its
//! own are stashed until the change cannot be undone any more.

use model::ServiceError;
use serde_json::Value;
use tasks::{PayloadId, RunError};
use uuid::Uuid;

use crate::replication::member::own_rules_key;
use crate::replication::topology::TopologyChangeRun;
use crate::replication::topology::import::for_each_line;
use crate::replication::topology::wire::Line;

impl TopologyChangeRun<'_> {
    /// Returns whether this instance joins and the leader could send its rules.
    fn takes_rules(&self) -> bool {
        let leader = self.change.leader.as_deref().filter(|leader| *leader != self.own);
        self.change.is_newcomer(&self.own)
            && leader.is_some_and(|leader| !self.contact.is_given_up(leader))
    }

    fn write_rules(&self, rules: Vec<Value>) -> Result<(), RunError> {
        let write = self.context.indexes.rules_replacement(rules)?;
        Ok(self.context.replication.queue.transact(write)?)
    }
}

/// Replaces the rules by those of the leader, none or some.
pub(super) fn replace(run: &TopologyChangeRun<'_>, payloads: &[PayloadId]) -> Result<(), RunError> {
    if !run.takes_rules() {
        return Ok(());
    }
    stash_own_rules(run)?;
    let mut rules = Vec::new();
    for_each_line(run, payloads, |line| {
        if let Line::Rule(rule) = line {
            rules.push(rule);
        }
        Ok(())
    })?;
    run.write_rules(rules)
}

/// Restores the rules that an undone change replaced.
pub(super) fn restore(run: &TopologyChangeRun<'_>, taken_back: Uuid) -> Result<(), RunError> {
    let Some(own) = run.context.replication.queue.stashed(&own_rules_key(taken_back))?.pop() else {
        return Ok(());
    };
    let rules: Vec<Value> = serde_json::from_value(own.value).map_err(ServiceError::internal)?;
    run.write_rules(rules)
}

/// Stashes the own rules, once: a second attempt would stash those of the leader.
fn stash_own_rules(run: &TopologyChangeRun<'_>) -> Result<(), ServiceError> {
    let queue = &run.context.replication.queue;
    let key = own_rules_key(run.change.version);
    if !queue.stashed(&key)?.is_empty() {
        return Ok(());
    }
    queue.stash(&key, Value::Array(run.context.indexes.rules()?), None)
}
