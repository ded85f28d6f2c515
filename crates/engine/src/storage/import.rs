//! Decides whether startup imports a file: only into an empty database, and only if the file
//! exists, unless the operator waives either.

use std::path::{Path, PathBuf};

use super::new_folder::is_vacant;
use crate::common::error::OpenError;

/// An import requested by the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    pub file: PathBuf,
    /// True if to start empty if the file is missing.
    pub ignore_missing: bool,
    /// True if to skip the import if there is a database.
    pub ignore_if_db_exists: bool,
}

impl Import {
    /// Returns whether the import is due. `what` is a word for the file: dump, snapshot.
    pub(crate) fn is_due(&self, what: &'static str, db_path: &Path) -> Result<bool, OpenError> {
        if !is_vacant(db_path)? {
            if self.ignore_if_db_exists {
                return Ok(false);
            }
            let (db_path, file) = (db_path.to_owned(), self.file.clone());
            return Err(OpenError::ImportOverDatabase { what, db_path, file });
        }
        if self.file.exists() {
            return Ok(true);
        }
        match self.ignore_missing {
            true => Ok(false),
            false => Err(OpenError::ImportMissing { what, file: self.file.clone() }),
        }
    }
}
