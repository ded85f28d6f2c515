//! The consistent point of a snapshot. `mod.rs` explains why it is consistent.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::sync::{Arc, mpsc};

use model::{Cancel, ServiceError};
use redb::{Database, ReadTransaction, ReadableDatabase};
use tasks::{Progress, RegistryUpdate, RunError, TaskUid};
use uuid::Uuid;

use super::SnapshotMaker;
use super::index_copies::IndexCopies;
use super::staging::{Staging, failed, link};
use crate::backup::meta_copy::copy_meta;
use crate::indexes::catalog::Indexes;

/// How often all indexes are checked within the transaction. Every round that finds a change means
/// that another lane committed its one batch; with very many busy indexes that could go on for a
/// while, and the state seen by then is still one that a crash could have left.
const LOOKS: usize = 64;

/// A consistent state: files are linked, and `meta.redb` is about to be copied.
pub(super) struct SnapshotPoint {
    staging: Staging,
    reader: ReadTransaction,
    /// Keeps the database open for `reader`, even if another one replaces it.
    _database: Arc<Database>,
}

pub(super) fn make(
    maker: &SnapshotMaker,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<SnapshotPoint, RunError> {
    let indexes = Arc::clone(&maker.indexes);
    let staging = Staging::create(indexes.folder.root())?;
    let copies = IndexCopies::new(Arc::clone(&indexes), &staging);
    let mut work = SnapshotWork { indexes, staging, copies, payloads: HashSet::new() };
    work.link_ahead(progress, cancel)?;

    let (sender, receiver) = mpsc::sync_channel(1);
    maker.queue.transact(RegistryUpdate::new(move |_| {
        // The receiver waits for it; an error here must not fail the transaction.
        let _ = sender.send(work.fix());
        Ok(())
    }))?;
    let point = receiver.recv().map_err(ServiceError::internal)??;
    Ok(point)
}

struct SnapshotWork {
    indexes: Arc<Indexes>,
    staging: Staging,
    copies: IndexCopies,
    payloads: HashSet<String>,
}

impl SnapshotWork {
    /// Links all indexes before the transaction. Runs twice, so that changes during the first,
    /// longer round do not wait for the transaction.
    fn link_ahead(&mut self, progress: &Progress, cancel: &Cancel) -> Result<(), RunError> {
        for _ in 0..2 {
            let all = self.indexes.registry.all();
            let step = progress.enter("linking the indexes", all.len() as u32);
            for (uid, id) in all {
                cancel.check()?;
                if !self.copies.is_current(id)
                    && let Err(error) = self.copies.take(id)
                {
                    if self.indexes.registry.id(&uid) == Some(id) {
                        return Err(error.in_index(&uid).into());
                    }
                    // Deleted or renamed meanwhile; the transaction sees its new name.
                    self.copies.forget(id)?;
                }
                step.add(1);
            }
        }
        self.link_payloads()?;
        Ok(())
    }

    /// Links what changed since. Runs on the writer of the queue.
    fn fix(mut self) -> Result<SnapshotPoint, ServiceError> {
        let database = self.indexes.meta.now();
        let reader = database.begin_read().map_err(ServiceError::internal)?;
        self.link_payloads()?;
        let all = self.indexes.registry.all();
        for _ in 0..LOOKS {
            let mut changed = false;
            for (uid, id) in &all {
                if !self.copies.is_current(*id) {
                    self.copies.take(*id).map_err(|error| error.in_index(uid))?;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let kept: BTreeSet<Uuid> = all.iter().map(|(_, id)| *id).collect();
        self.copies.forget_others(&kept)?;
        Ok(SnapshotPoint { staging: self.staging, reader, _database: database })
    }

    /// Links all payload files, including unfinished uploads: the copy of the queue later tells
    /// which are needed. A payload stays until its task has finished, so none can be missing.
    fn link_payloads(&mut self) -> Result<(), ServiceError> {
        let (source, target) = (self.indexes.folder.payloads(), self.staging.payloads());
        for entry in fs::read_dir(&source).map_err(|error| failed(&error))? {
            let entry = entry.map_err(|error| failed(&error))?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            if Uuid::try_parse(&name).is_ok()
                && !self.payloads.contains(&name)
                && link(&entry.path(), &target.join(&name))?
            {
                self.payloads.insert(name);
            }
        }
        Ok(())
    }
}

impl SnapshotPoint {
    /// Copies `meta.redb` as it was, without these tasks, and drops unused payloads.
    pub fn complete(self, left_out: &[TaskUid]) -> Result<Staging, ServiceError> {
        let copied =
            copy_meta(&self.reader, &self.staging.meta(), |copy| tasks::leave_out(copy, left_out));
        copied.map_err(|error| match error {
            redb::Error::Io(error) => failed(&error),
            other => ServiceError::internal(other),
        })?;
        let needed: HashSet<String> = tasks::payload_files(&self.reader)?.into_iter().collect();
        let folder = self.staging.payloads();
        let mut found = 0;
        for entry in fs::read_dir(&folder).map_err(|error| failed(&error))? {
            let entry = entry.map_err(|error| failed(&error))?;
            match entry.file_name().to_str().is_some_and(|name| needed.contains(name)) {
                true => found += 1,
                false => fs::remove_file(entry.path()).map_err(|error| failed(&error))?,
            }
        }
        match found == needed.len() {
            true => Ok(self.staging),
            false => Err(ServiceError::internal("the payload of a waiting task is missing")),
        }
    }
}
