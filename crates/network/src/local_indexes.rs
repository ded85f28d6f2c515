//! The indexes and search rules of this instance, as a change of the topology needs them: it reads
//! what it sends, and writes what arrives. The engine implements it.

use std::fmt::Debug;
use std::sync::Arc;

use index::{Index, Snapshot};
use model::ServiceError;
use serde_json::Value;
use tasks::RegistryUpdate;
use uuid::Uuid;

/// The indexes here. Registry updates are for transactions of the queue.
pub trait LocalIndexes: Debug + Send + Sync {
    /// Returns the names and ids of all indexes.
    fn all(&self) -> Vec<(String, Uuid)>;

    fn id(&self, uid: &str) -> Option<Uuid>;

    fn find(&self, uid: &str) -> Result<Option<Arc<Index>>, ServiceError>;

    /// Returns the index of this name, created if missing.
    fn find_or_create(&self, uid: &str) -> Result<Arc<Index>, ServiceError>;

    /// Creates an empty index, which exists once the registry names it.
    fn create_unnamed(&self) -> Result<(Uuid, Arc<Index>), ServiceError>;

    /// Returns a change of the registry that removes these indexes.
    fn removal(&self, uids: Vec<String>) -> RegistryUpdate;

    /// Returns a change of the registry that puts another index in the place of the named one.
    fn replacement(&self, uid: &str, id: Uuid) -> RegistryUpdate;

    /// Schedules merges of a changed index where its segments are worth merging.
    fn schedule_merge(&self, index: &Arc<Index>);

    /// Returns the search rules as JSON.
    fn rules(&self) -> Result<Vec<Value>, ServiceError>;

    /// Returns a change that replaces all search rules.
    fn rules_replacement(&self, rules: Vec<Value>) -> Result<RegistryUpdate, ServiceError>;

    /// Returns all indexes with their names and current snapshots.
    fn snapshots(&self) -> Result<Vec<(String, Uuid, Arc<Snapshot>)>, ServiceError> {
        let mut snapshots = Vec::new();
        for (uid, id) in self.all() {
            if let Some(index) = self.find(&uid)? {
                snapshots.push((uid, id, index.snapshot()));
            }
        }
        Ok(snapshots)
    }
}
