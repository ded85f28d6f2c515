//! Handle to the current database. A rewrite replaces it as a whole; readers of the previous one
//! keep an `Arc` of it, since an unreferenced database closes its file.

use std::fmt;
use std::sync::Arc;

use parking_lot::RwLock;
use redb::Database;

/// Handle to the current database. Clones share it.
#[derive(Clone)]
pub struct LiveDatabase {
    current: Arc<RwLock<Arc<Database>>>,
}

impl LiveDatabase {
    /// Returns the current database; hold it while reading.
    #[must_use]
    pub fn now(&self) -> Arc<Database> {
        Arc::clone(&self.current.read())
    }

    pub(crate) fn replace(&self, database: Arc<Database>) {
        // Dropping the previous one may close it, which writes: not under the lock.
        let before = std::mem::replace(&mut *self.current.write(), database);
        drop(before);
    }
}

impl From<Arc<Database>> for LiveDatabase {
    fn from(database: Arc<Database>) -> Self {
        Self { current: Arc::new(RwLock::new(database)) }
    }
}

impl fmt::Debug for LiveDatabase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveDatabase").finish_non_exhaustive()
    }
}
