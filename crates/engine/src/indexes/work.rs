//! Creates and changes indexes: what a batch or a change of the network needs besides a writer.

use std::sync::Arc;

use index::Index;
use model::ServiceError;
use network::LocalIndexes;
use serde_json::Value;
use tasks::{Queue, RegistryUpdate};
use uuid::Uuid;

use super::background::Background;
use super::catalog::Indexes;
use super::registry::{Registry, RegistryEdit};
use crate::search_rules::{Rule, RuleEdit, rules_update};

#[derive(Debug, Clone)]
pub struct IndexWork {
    indexes: Arc<Indexes>,
    queue: Queue,
    background: Background,
}

impl IndexWork {
    pub fn new(indexes: Arc<Indexes>, queue: Queue, background: Background) -> Self {
        Self { indexes, queue, background }
    }

    pub fn indexes(&self) -> &Arc<Indexes> {
        &self.indexes
    }

    /// Schedules merges of a changed index where its segments are worth merging.
    pub fn schedule_merge(&self, index: &Arc<Index>) {
        self.background.schedule_merge(index);
    }

    /// Returns a change of the registry for a transaction of the queue.
    pub fn registry_update(&self, edits: Vec<RegistryEdit>) -> RegistryUpdate {
        let (indexes, background) = (Arc::clone(&self.indexes), self.background.clone());
        let durable = edits.clone();
        RegistryUpdate::new(move |transaction| Registry::write(&durable, transaction))
            .and_then(move || background.remove_folders(indexes.registry_changed(&edits)))
    }

    /// Returns the index of this name, created if missing and allowed. The wire contract keeps it
    /// even if the batch then fails.
    pub fn index_or_create(&self, uid: &str, may_create: bool) -> Result<Arc<Index>, ServiceError> {
        if let Some(index) = self.indexes.find(uid)? {
            return Ok(index);
        }
        if !may_create {
            return Err(ServiceError::index_not_found(uid));
        }
        let (id, index) = self.indexes.create_folder()?;
        let edits = vec![RegistryEdit::Add { uid: uid.to_owned(), id }];
        self.queue.transact(self.registry_update(edits))?;
        Ok(index)
    }
}

impl LocalIndexes for IndexWork {
    fn all(&self) -> Vec<(String, Uuid)> {
        self.indexes.registry.all()
    }

    fn id(&self, uid: &str) -> Option<Uuid> {
        self.indexes.registry.id(uid)
    }

    fn find(&self, uid: &str) -> Result<Option<Arc<Index>>, ServiceError> {
        self.indexes.find(uid)
    }

    fn find_or_create(&self, uid: &str) -> Result<Arc<Index>, ServiceError> {
        self.index_or_create(uid, true)
    }

    fn create_unnamed(&self) -> Result<(Uuid, Arc<Index>), ServiceError> {
        self.indexes.create_folder()
    }

    fn removal(&self, uids: Vec<String>) -> RegistryUpdate {
        self.registry_update(uids.into_iter().map(|uid| RegistryEdit::Remove { uid }).collect())
    }

    fn replacement(&self, uid: &str, id: Uuid) -> RegistryUpdate {
        let uid = uid.to_owned();
        self.registry_update(vec![
            RegistryEdit::Remove { uid: uid.clone() },
            RegistryEdit::Add { uid, id },
        ])
    }

    fn schedule_merge(&self, index: &Arc<Index>) {
        self.background.schedule_merge(index);
    }

    fn rules(&self) -> Result<Vec<Value>, ServiceError> {
        let rule_set = self.indexes.rules.rule_set();
        let rules: Result<_, _> = rule_set.iter().map(serde_json::to_value).collect();
        rules.map_err(ServiceError::internal)
    }

    fn rules_replacement(&self, rules: Vec<Value>) -> Result<RegistryUpdate, ServiceError> {
        let mut edits = vec![RuleEdit::Clear];
        for rule in rules {
            let rule: Rule = serde_json::from_value(rule).map_err(ServiceError::internal)?;
            edits.push(RuleEdit::put(rule));
        }
        Ok(rules_update(&self.indexes.rules, edits))
    }
}
