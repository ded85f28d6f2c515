//! A change outside the queue, atomic with one of the queue's transactions.

use std::fmt;

use redb::WriteTransaction;

pub(crate) type Write = Box<dyn FnOnce(&WriteTransaction) -> Result<(), redb::Error> + Send>;
pub(crate) type Committed = Box<dyn FnOnce() + Send>;

pub struct RegistryUpdate {
    pub(crate) write: Write,
    pub(crate) committed: Option<Committed>,
}

impl RegistryUpdate {
    /// Creates an update; `write` runs inside the transaction, and its error undoes all of it.
    pub fn new(
        write: impl FnOnce(&WriteTransaction) -> Result<(), redb::Error> + Send + 'static,
    ) -> Self {
        Self { write: Box::new(write), committed: None }
    }

    /// Adds a callback that runs once the transaction is durable and before that is visible, so
    /// that memory never lags behind what a finished task promises. It runs on the queue's only
    /// writer and must be quick.
    #[must_use]
    pub fn and_then(mut self, committed: impl FnOnce() + Send + 'static) -> Self {
        self.committed = Some(Box::new(committed));
        self
    }
}

impl fmt::Debug for RegistryUpdate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegistryUpdate").finish_non_exhaustive()
    }
}
