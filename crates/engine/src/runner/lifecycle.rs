//! Creates and renames indexes and changes their primary keys. The registry changes in the
//! transaction that finishes the task, so a crash never shows one without the other.

use std::sync::Arc;

use index::Index;
use model::{Code, ServiceError, timestamp};
use tasks::{Batch, Content, Outcome, Rename, RunError, TaskOutcome};

use super::{BatchRunner, outcome, single_task};
use crate::common::failure::index_failure;
use crate::indexes::registry::RegistryEdit;

impl BatchRunner {
    pub(super) fn create_index(&self, batch: &Batch) -> Result<Outcome, RunError> {
        let task = single_task(batch)?;
        let Content::IndexCreation { index_uid, primary_key } = &task.content else {
            return Err(ServiceError::internal("an index creation of another kind").into());
        };
        if self.indexes.registry.id(index_uid).is_some() {
            return Err(already_exists(index_uid).into());
        }
        let (id, index) = self.indexes.create_folder()?;
        if let Some(primary_key) = primary_key {
            set_primary_key(&index, primary_key)?;
        }
        let outcome = outcome(vec![TaskOutcome::Succeeded(task.details.clone())]);
        let edits = vec![RegistryEdit::Add { uid: index_uid.clone(), id }];
        Ok(self.with_registry(outcome, edits))
    }

    pub(super) fn update_index(&self, batch: &Batch) -> Result<Outcome, RunError> {
        let task = single_task(batch)?;
        let Content::IndexUpdate { index_uid, primary_key, new_uid } = &task.content else {
            return Err(ServiceError::internal("an index update of another kind").into());
        };
        let index = self.indexes.index(index_uid)?;
        let new_uid = new_uid.as_ref().filter(|new_uid| *new_uid != index_uid);
        if let Some(taken) = new_uid.filter(|uid| self.indexes.registry.id(uid).is_some()) {
            return Err(already_exists(taken).into());
        }
        // The index is renamed even if the key change is refused.
        let changed = match primary_key {
            Some(primary_key) => change_primary_key(&index, primary_key)
                .map_err(|error| error.in_index(new_uid.unwrap_or(index_uid))),
            None => Ok(()),
        };
        if new_uid.is_some() {
            touch(&index)?;
        }
        let result = match changed {
            Ok(()) => TaskOutcome::Succeeded(task.details.clone()),
            Err(error) => TaskOutcome::Failed(error),
        };
        let mut outcome = outcome(vec![result]);
        let Some(new_uid) = new_uid else {
            return Ok(outcome);
        };
        outcome.renames =
            vec![Rename { from: index_uid.clone(), to: new_uid.clone(), both_ways: false }];
        let edits = vec![RegistryEdit::Rename { from: index_uid.clone(), to: new_uid.clone() }];
        Ok(self.with_registry(outcome, edits))
    }
}

fn already_exists(uid: &str) -> ServiceError {
    ServiceError::new(Code::IndexAlreadyExists, format!("Index `{uid}` already exists."))
}

fn change_primary_key(index: &Arc<Index>, primary_key: &str) -> Result<(), ServiceError> {
    let snapshot = index.snapshot();
    match snapshot.primary_key() {
        Some(current) if current == primary_key => Ok(()),
        Some(current) if snapshot.number_of_documents() > 0 => Err(ServiceError::new(
            Code::IndexPrimaryKeyAlreadyExists,
            format!("Index already has a primary key: `{current}`."),
        )),
        _ => set_primary_key(index, primary_key),
    }
}

/// Moves `updatedAt`, since a rename changes the index. Commits without a receipt.
fn touch(index: &Arc<Index>) -> Result<(), ServiceError> {
    let writer = index.writer().map_err(index_failure)?;
    writer.commit(&[], timestamp::now()).map_err(index_failure)?;
    Ok(())
}

/// Sets the primary key. Commits without a receipt, since repeating it does no harm.
fn set_primary_key(index: &Arc<Index>, primary_key: &str) -> Result<(), ServiceError> {
    let mut writer = index.writer().map_err(index_failure)?;
    writer.set_named_primary_key(primary_key);
    writer.commit(&[], timestamp::now()).map_err(index_failure)?;
    Ok(())
}
