//! The state every part of the engine shares: the folder, the registry, the open indexes.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use index::Index;
use model::{ServiceError, timestamp};
use segment::DiskDirectory;
use uuid::Uuid;

use crate::failure::{index_failure, io_failure};
use crate::folder::{DataFolder, sync_folder};
use crate::open_indexes::OpenIndexes;
use crate::registry::{Registry, RegistryEdit};

#[derive(Debug)]
pub(crate) struct Instance {
    pub folder: DataFolder,
    pub registry: Registry,
    pub open: OpenIndexes,
}

impl Instance {
    /// The index of this name; `index_not_found` when there is none.
    pub fn index(&self, uid: &str) -> Result<Arc<Index>, ServiceError> {
        self.find(uid)?.ok_or_else(|| ServiceError::index_not_found(uid))
    }

    pub fn find(&self, uid: &str) -> Result<Option<Arc<Index>>, ServiceError> {
        match self.registry.id(uid) {
            Some(id) => self.open(id).map(Some),
            None => Ok(None),
        }
    }

    pub fn open(&self, id: Uuid) -> Result<Arc<Index>, ServiceError> {
        self.open.get(id, &self.folder.index(id))
    }

    /// Makes the folder of a new, empty index. It exists for others once the registry names it;
    /// a folder that never gets that far is removed at the next start.
    pub fn create_folder(&self) -> Result<(Uuid, Arc<Index>), ServiceError> {
        let id = Uuid::new_v4();
        let path = self.folder.index(id);
        let failed = |error| io_failure("the folder of the index cannot be created", &error);
        std::fs::create_dir(&path).map_err(failed)?;
        let directory = DiskDirectory::new(&path).map_err(|e| index_failure(&e.into()))?;
        let index = Index::create_with(Arc::new(directory), timestamp::now(), self.open.options())
            .map_err(|error| index_failure(&error))?;
        sync_folder(&self.folder.indexes()).map_err(failed)?;
        let index = Arc::new(index);
        self.open.insert(id, Arc::clone(&index));
        Ok((id, index))
    }

    /// Follows a registry change that is durable. Returns the folders it leaves unnamed.
    pub fn registry_changed(&self, edits: &[RegistryEdit]) -> Vec<PathBuf> {
        let removed = self.registry.apply(edits);
        for id in &removed {
            self.open.remove(*id);
        }
        removed.into_iter().map(|id| self.folder.index(id)).collect()
    }

    /// Folders that no name leads to: creations and deletions cut short by a crash.
    pub fn orphans(&self) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(self.folder.indexes()) else { return Vec::new() };
        let known: HashSet<Uuid> = self.registry.all().into_iter().map(|(_, id)| id).collect();
        let is_orphan = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            let id = name.and_then(|name| Uuid::parse_str(name).ok());
            id.is_some_and(|id| !known.contains(&id))
        };
        entries.flatten().map(|entry| entry.path()).filter(is_orphan).collect()
    }
}
