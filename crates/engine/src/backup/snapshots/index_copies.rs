//! Copies of index states, made of hard links. An outdated copy is updated with the few files
//! written since.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use index::{Index, Snapshot};
use model::{ServiceError, private};
use time::OffsetDateTime;
use uuid::Uuid;

use super::staging::{Staging, failed, link};
use crate::indexes::catalog::Indexes;

#[derive(Debug)]
pub(super) struct IndexCopies {
    indexes: Arc<Indexes>,
    folder: PathBuf,
    copies: BTreeMap<Uuid, IndexCopy>,
}

#[derive(Debug)]
struct IndexCopy {
    manifest: String,
    /// Time of the last commit; merges do not change it.
    updated_at: OffsetDateTime,
    files: BTreeSet<String>,
}

impl IndexCopies {
    pub fn new(indexes: Arc<Indexes>, staging: &Staging) -> Self {
        Self { indexes, folder: staging.indexes(), copies: BTreeMap::new() }
    }

    /// Returns whether the copy is up to date. Opens nothing: a closed index is as its manifest
    /// says, and one whose manifest is gone has changed.
    pub fn is_current(&self, id: Uuid) -> bool {
        let Some(copy) = self.copies.get(&id) else { return false };
        match self.indexes.open.peek(id) {
            Some(index) => index.snapshot().updated_at() == copy.updated_at,
            None => self.indexes.folder.index(id).join(&copy.manifest).exists(),
        }
    }

    pub fn take(&mut self, id: Uuid) -> Result<(), ServiceError> {
        let source = self.indexes.folder.index(id);
        let index = self.indexes.open.get(id, &source)?;
        let target = self.folder.join(id.to_string());
        if !self.copies.contains_key(&id) {
            private::create_dir(&target).map_err(|error| failed(&error))?;
        }
        let snapshot = link_manifest(&index, &source, &target)?;
        let manifest = snapshot.manifest_name();
        let mut files = BTreeSet::from([manifest.clone()]);
        for name in snapshot.file_names() {
            if !link(&source.join(name), &target.join(name))? {
                return Err(ServiceError::internal(format!("the file {name} is missing")));
            }
            files.insert(name.to_owned());
        }
        let copy = IndexCopy { manifest, updated_at: snapshot.updated_at(), files };
        if let Some(before) = self.copies.insert(id, copy) {
            let files = &self.copies[&id].files;
            for name in before.files.difference(files) {
                fs::remove_file(target.join(name)).map_err(|error| failed(&error))?;
            }
        }
        Ok(())
    }

    /// Removes copies of indexes that no longer exist.
    pub fn forget_others(&mut self, kept: &BTreeSet<Uuid>) -> Result<(), ServiceError> {
        let gone: Vec<Uuid> = self.copies.keys().copied().filter(|id| !kept.contains(id)).collect();
        for id in gone {
            self.forget(id)?;
        }
        Ok(())
    }

    /// Removes the copy of an index that was deleted meanwhile.
    pub fn forget(&mut self, id: Uuid) -> Result<(), ServiceError> {
        self.copies.remove(&id);
        let folder = self.folder.join(id.to_string());
        match folder.exists() {
            true => fs::remove_dir_all(folder).map_err(|error| failed(&error)),
            false => Ok(()),
        }
    }
}

/// Links the manifest first, because the next commit deletes it, unlike the other files; if it is
/// gone, retries with the snapshot that replaced it.
fn link_manifest(
    index: &Index,
    source: &Path,
    target: &Path,
) -> Result<Arc<Snapshot>, ServiceError> {
    let mut missing = 0;
    loop {
        let snapshot = index.snapshot();
        let name = snapshot.manifest_name();
        if link(&source.join(&name), &target.join(&name))? {
            return Ok(snapshot);
        }
        // Each retry means that another commit replaced it, unless the folder is gone.
        missing += 1;
        if missing > 1000 || !source.exists() {
            return Err(ServiceError::internal(format!("the file {name} is missing")));
        }
    }
}
