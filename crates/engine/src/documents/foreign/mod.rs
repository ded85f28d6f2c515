//! Foreign keys: attributes that hold ids of documents of another index. Hits show those
//! documents in the place of their ids, and filters can ask something of them.

mod access;
mod displayed;
mod filters;
mod hits;
mod rights_json;

use std::collections::HashMap;
use std::sync::Arc;

use index::Snapshot;
use model::ServiceError;

use crate::common::failure::index_failure;
use crate::indexes::catalog::Indexes;
use crate::placement::Placements;

pub use access::{ForeignAccess, ForeignRights};
pub(crate) use filters::with_foreign_ids;
pub(crate) use hits::with_foreign_documents;
pub(crate) use rights_json::foreign_rights_json;

/// One state of each index that an answer is made from, taken when it is first asked for.
pub(crate) struct Snapshots<'i> {
    indexes: &'i Indexes,
    taken: HashMap<String, Arc<Snapshot>>,
    /// Decides which foreign indexes may be looked at.
    caller: ForeignAccess,
}

impl<'i> Snapshots<'i> {
    /// Without a caller no foreign index may be looked at.
    pub fn new(indexes: &'i Indexes) -> Self {
        Self { indexes, taken: HashMap::new(), caller: ForeignAccess::default() }
    }

    pub fn for_caller(indexes: &'i Indexes, caller: &ForeignAccess) -> Self {
        Self { caller: caller.clone(), ..Self::new(indexes) }
    }

    pub fn set_caller(&mut self, caller: &ForeignAccess) {
        self.caller = caller.clone();
    }

    /// What the caller may see of a foreign index.
    fn rights_to(&self, uid: &str) -> ForeignRights {
        self.caller.to_index(uid)
    }

    pub fn placements(&self) -> &'i Placements {
        &self.indexes.placements
    }

    /// `index_not_found` when there is no such index.
    pub fn of(&mut self, uid: &str) -> Result<Arc<Snapshot>, ServiceError> {
        if let Some(snapshot) = self.taken.get(uid) {
            return Ok(Arc::clone(snapshot));
        }
        let snapshot = self.indexes.index(uid)?.snapshot();
        self.taken.insert(uid.to_owned(), Arc::clone(&snapshot));
        Ok(snapshot)
    }

    /// The answer that was made of these states, or the name of a file of which a part could not
    /// be read: neither hits nor mistakes that follow from it are told.
    pub fn answered<T>(&self, answer: Result<T, ServiceError>) -> Result<T, ServiceError> {
        for (uid, snapshot) in &self.taken {
            let failed = |error: index::IndexError| index_failure(&error).in_index(uid);
            snapshot.check_maps().map_err(failed)?;
        }
        answer
    }
}
