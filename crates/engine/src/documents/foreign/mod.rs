//! Foreign keys: attributes that hold ids of documents of another index. Hits show those documents
//! in place of their ids, and filters can search them.

mod access;
mod displayed;
mod filters;
mod hits;
mod rights_json;

use std::collections::HashMap;
use std::sync::Arc;

use index::Snapshot;
use model::ServiceError;
use network::Placements;

use crate::common::failure::index_failure;
use crate::indexes::catalog::Indexes;

pub use access::{ForeignAccess, ForeignRights};
pub(crate) use filters::with_foreign_ids;
pub(crate) use hits::with_foreign_documents;
pub(crate) use rights_json::foreign_rights_json;

/// One snapshot of each index that an answer uses, taken on first use.
pub(crate) struct Snapshots<'i> {
    indexes: &'i Indexes,
    taken: HashMap<String, Arc<Snapshot>>,
    /// Caller, who limits the foreign indexes to read.
    caller: ForeignAccess,
}

impl<'i> Snapshots<'i> {
    /// Creates snapshots without a caller: no foreign index may be read.
    pub fn new(indexes: &'i Indexes) -> Self {
        Self { indexes, taken: HashMap::new(), caller: ForeignAccess::default() }
    }

    pub fn for_caller(indexes: &'i Indexes, caller: &ForeignAccess) -> Self {
        Self { caller: caller.clone(), ..Self::new(indexes) }
    }

    pub fn set_caller(&mut self, caller: &ForeignAccess) {
        self.caller = caller.clone();
    }

    /// Returns the caller's rights to a foreign index.
    fn rights_to(&self, uid: &str) -> ForeignRights {
        self.caller.to_index(uid)
    }

    pub fn placements(&self) -> &'i Placements {
        &self.indexes.placements
    }

    /// Returns the snapshot; `index_not_found` if there is no such index.
    pub fn of(&mut self, uid: &str) -> Result<Arc<Snapshot>, ServiceError> {
        if let Some(snapshot) = self.taken.get(uid) {
            return Ok(Arc::clone(snapshot));
        }
        let snapshot = self.indexes.index(uid)?.snapshot();
        self.taken.insert(uid.to_owned(), Arc::clone(&snapshot));
        Ok(snapshot)
    }

    /// Returns `answer`, or an error that names a file of which a part could not be read, since
    /// hits and errors that follow from it would be wrong.
    pub fn answered<T>(&self, answer: Result<T, ServiceError>) -> Result<T, ServiceError> {
        for (uid, snapshot) in &self.taken {
            let failed = |error: index::IndexError| index_failure(error).in_index(uid);
            snapshot.check_maps().map_err(failed)?;
        }
        answer
    }
}
