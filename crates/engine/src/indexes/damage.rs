//! Damaged indexes. Lists name and skip them, so that one does not harm the others; their own
//! routes report the error.

use std::collections::HashSet;

use model::{Code, ServiceError};
use parking_lot::Mutex;

/// Remembers what was logged, since lists are requested all the time.
#[derive(Debug, Default)]
pub(crate) struct DamageLog {
    logged: Mutex<HashSet<String>>,
}

impl DamageLog {
    /// Logs damage of an index; returns errors that do not concern the index alone.
    pub fn skip_damaged(&self, uid: &str, failure: ServiceError) -> Result<(), ServiceError> {
        if failure.code == Code::TooManyOpenFiles {
            return Err(failure);
        }
        if self.logged.lock().insert(failure.message.clone()) {
            tracing::error!(index = uid, "an index cannot be read: {}", failure.message);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_whole_process_are_no_damage_of_an_index() {
        let damage = DamageLog::default();
        assert!(damage.skip_damaged("a", ServiceError::internal("torn")).is_ok());
        let exhausted = ServiceError::new(Code::TooManyOpenFiles, "none left");
        assert_eq!(damage.skip_damaged("a", exhausted).unwrap_err().code, Code::TooManyOpenFiles);
    }
}
