//! Dynamic search rules: documents pinned to positions of the hits if a search has certain words,
//! values in its filter, or a certain time. Tasks change them, `meta.redb` stores them, and every
//! search evaluates them; the crate `search` places pinned documents.

mod compiled_rule;
mod filter_values;
mod limits;
mod listing;
mod rule;
mod rule_facts;
mod rule_set;
mod store;
mod words;

use std::sync::Arc;

use filter::Filter;
use index::Snapshot;
use model::{Code, ServiceError, timestamp};
use roaring::RoaringBitmap;
use search::Pin;
use tasks::RegistryUpdate;

pub use limits::RuleLimits;
pub use listing::RuleFilter;
pub use rule::{
    Action, ActionKind, Conditions, FilterCondition, QueryCondition, Rule, RulePatch, Selector,
    TimeCondition,
};

pub(crate) use rule_set::RuleEdit;
pub(crate) use store::RuleStore;

use crate::common::failure::index_failure;
use crate::common::page::Page;
use rule_facts::RuleFacts;

/// Returns a change of rules, on disk and in memory, for a transaction of the queue.
pub(crate) fn rules_update(rules: &Arc<RuleStore>, edits: Vec<RuleEdit>) -> RegistryUpdate {
    let (rules, durable) = (Arc::clone(rules), edits.clone());
    RegistryUpdate::new(move |transaction| RuleStore::write(&durable, transaction))
        .and_then(move || rules.apply(edits))
}

impl RuleStore {
    /// Returns a page of the rules, most recently changed first.
    pub fn list(&self, filter: &RuleFilter, offset: usize, limit: usize) -> Page<Rule> {
        listing::page(&self.rule_set(), filter, offset, limit)
    }

    pub fn get(&self, uid: &str) -> Result<Rule, ServiceError> {
        let rule_set = self.rule_set();
        rule_set.get(uid).cloned().ok_or_else(|| {
            let message = format!("Dynamic search rule `{uid}` not found.");
            ServiceError::new(Code::DynamicSearchRuleNotFound, message)
        })
    }

    /// Returns the documents that rules pin for this search of this index, each once, by position
    /// and precedence. Nearly free without rules. Whether they pass the filter is not checked here.
    pub fn pins(
        &self,
        uid: &str,
        text: Option<&str>,
        filter: Option<&Filter>,
        snapshot: &Snapshot,
    ) -> Result<Vec<Pin>, ServiceError> {
        let rule_set = self.rule_set();
        if rule_set.is_idle() {
            return Ok(Vec::new());
        }
        let facts = RuleFacts::new(text, filter, timestamp::now(), rule_set.limits());
        let mut pinned = RoaringBitmap::new();
        let mut pins = Vec::new();
        for wanted in rule_set.pins(uid, &facts) {
            let doc_id = snapshot.doc_id(wanted.id).map_err(index_failure)?;
            // The first of several positions of a document, by precedence, counts.
            if let Some(doc_id) = doc_id
                && pinned.insert(doc_id)
            {
                let (position, precedence) = (wanted.position, wanted.precedence);
                pins.push(Pin { doc_id, position, precedence });
            }
        }
        pins.sort_by_key(|pin| pin.position);
        Ok(pins)
    }
}
