//! The indexes of the instance with the state that all modules share: folder, registry, open
//! indexes, search rules, and placement of documents.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use index::Index;
use model::{ServiceError, timestamp};
use network::Placements;
use segment::DiskDirectory;
use uuid::Uuid;

use super::damage::DamageLog;
use super::open_indexes::OpenIndexes;
use super::registry::{Registry, RegistryEdit};
use crate::common::failure::{index_failure, io_failure};
use crate::search_rules::RuleStore;
use crate::storage::folder::{DataFolder, sync_folder};

#[derive(Debug)]
pub(crate) struct Indexes {
    pub folder: DataFolder,
    /// `meta.redb`, written through the queue only.
    pub meta: tasks::LiveDatabase,
    pub registry: Registry,
    pub open: OpenIndexes,
    pub damage: DamageLog,
    pub rules: Arc<RuleStore>,
    pub placements: Arc<Placements>,
}

impl Indexes {
    /// Returns the index of this name; `index_not_found` if there is none.
    pub fn index(&self, uid: &str) -> Result<Arc<Index>, ServiceError> {
        self.find(uid)?.ok_or_else(|| ServiceError::index_not_found(uid))
    }

    pub fn find(&self, uid: &str) -> Result<Option<Arc<Index>>, ServiceError> {
        let Some(id) = self.registry.id(uid) else { return Ok(None) };
        match self.open.get(id, &self.folder.index(id)) {
            Ok(index) => Ok(Some(index)),
            // Deleted or renamed between the two look-ups.
            Err(_) if self.registry.id(uid) != Some(id) => Ok(None),
            Err(error) => Err(error.in_index(uid)),
        }
    }

    /// Creates the folder of a new, empty index. The index exists once the registry names it;
    /// before that it is an orphan that the next start removes.
    pub fn create_folder(&self) -> Result<(Uuid, Arc<Index>), ServiceError> {
        let id = Uuid::new_v4();
        let path = self.folder.index(id);
        let failed = |error| io_failure("the folder of the index cannot be created", &error);
        model::private::create_dir(&path).map_err(failed)?;
        let directory = DiskDirectory::existing(&path).map_err(index_failure)?;
        let index = Index::create_with(Arc::new(directory), timestamp::now(), self.open.options())
            .map_err(index_failure)?;
        sync_folder(&self.folder.indexes()).map_err(failed)?;
        let index = Arc::new(index);
        self.open.insert(id, Arc::clone(&index));
        Ok((id, index))
    }

    /// Applies a durable registry change in memory. Returns the folders it leaves unnamed.
    pub fn registry_changed(&self, edits: &[RegistryEdit]) -> Vec<PathBuf> {
        let removed = self.registry.apply(edits);
        for id in &removed {
            self.open.remove(*id);
        }
        removed.into_iter().map(|id| self.folder.index(id)).collect()
    }

    /// Returns unnamed folders that may be removed: those of deleted indexes, and those of
    /// creations interrupted before their first commit. Any other is left alone, since it may hold
    /// documents.
    pub fn orphans(&self, removed: &[Uuid]) -> Vec<PathBuf> {
        let known: HashSet<Uuid> = self.registry.all().into_iter().map(|(_, id)| id).collect();
        let mut orphans = Vec::new();
        for id in self.folder.index_ids() {
            let folder = self.folder.index(id);
            if known.contains(&id) {
                continue;
            }
            if is_left_over(&folder, id, removed) {
                orphans.push(folder);
            } else {
                tracing::warn!("indexes/{id} belongs to no index and was left as it is");
            }
        }
        orphans
    }
}

/// Returns whether an unregistered folder was left by an interrupted creation or deletion.
pub(crate) fn is_left_over(folder: &Path, id: Uuid, removed: &[Uuid]) -> bool {
    removed.contains(&id) || !holds_an_index(folder)
}

fn holds_an_index(folder: &Path) -> bool {
    // When in doubt the folder is kept.
    let Ok(directory) = DiskDirectory::existing(folder) else { return true };
    index::holds_an_index(&directory).unwrap_or(true)
}
