//! The database in force. It is replaced as a whole when it was rewritten; whoever reads the one
//! before holds on to it, since a database that nobody holds closes its file.

use std::fmt;
use std::sync::Arc;

use parking_lot::RwLock;
use redb::Database;

/// Clones show the same database.
#[derive(Clone)]
pub struct LiveDatabase {
    current: Arc<RwLock<Arc<Database>>>,
}

impl LiveDatabase {
    /// To be kept for as long as anything of it is read.
    #[must_use]
    pub fn now(&self) -> Arc<Database> {
        Arc::clone(&self.current.read())
    }

    pub(crate) fn replace(&self, database: Arc<Database>) {
        // The one before may be closed here, which writes: not under the lock.
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
